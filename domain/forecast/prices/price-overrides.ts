/** The `prices` of a plan: the user's own prices, each of which overrides the one of the table. */
import * as z from 'zod';
import { LIST_PRICES, SERVICE_PRICES, type PriceTable, type ServicePrices } from './price-table';

/** No instance, address or gigabyte costs this much: a larger figure must be in another unit. */
const MAX_USD = 10_000;

/** `c5.xlarge`, `u-6tb1.metal`, `m8g.metal-24xl`: EC2's form, and no character that a shell would interpret. */
export const INSTANCE_TYPE = /^[a-z0-9-]{1,20}\.[a-z0-9-]{1,20}$/;

const usd = z.number().min(0).max(MAX_USD);

const services = Object.fromEntries(Object.keys(SERVICE_PRICES).map((name) => [name, usd.optional()])) as Record<
  keyof ServicePrices,
  z.ZodOptional<typeof usd>
>;

export const priceOverrides = z
  .strictObject({
    ...services,
    instanceUsdPerHour: z
      .record(z.string().regex(INSTANCE_TYPE), usd)
      .optional()
      .describe('By instance type, e.g. {"c5.xlarge": 0.17}'),
  })
  .describe('Prices in USD that override the built-in list prices');

export function pricesWith(overrides: z.infer<typeof priceOverrides> = {}): PriceTable {
  const given: Partial<Record<string, unknown>> = overrides;
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    ...LIST_PRICES,
    ...(present as Partial<ServicePrices>),
    instanceUsdPerHour: { ...LIST_PRICES.instanceUsdPerHour, ...overrides.instanceUsdPerHour },
  };
}
