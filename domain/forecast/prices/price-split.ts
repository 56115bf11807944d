/** A price by what is charged. A part that is null is unknown, and so is every sum that contains it. */
import { range, type Range } from '../range';

export const PRICE_PARTS = [
  'instances',
  'publicAddresses',
  'crossZoneTraffic',
  'publicTraffic',
  'loadBalancer',
  's3',
  'athena',
  'stepFunctions',
  'lambda',
] as const;

/** In USD. */
export type PriceSplit = Readonly<Record<(typeof PRICE_PARTS)[number], number | null>>;
export type PriceRange = Range<PriceSplit>;

export function priceSplit(parts: Partial<PriceSplit>): PriceSplit {
  return { ...splitOf(() => 0), ...parts };
}

function splitOf(priceOf: (part: keyof PriceSplit) => number | null): PriceSplit {
  return Object.fromEntries(PRICE_PARTS.map((part) => [part, priceOf(part)])) as PriceSplit;
}

export function sumOfSplits(splits: readonly PriceSplit[]): PriceSplit {
  return splitOf((part) => sumOrUnknown(splits.map((split) => split[part])));
}

export function sumOfRanges(ranges: readonly PriceRange[]): PriceRange {
  return range((bound) => sumOfSplits(ranges.map((each) => each[bound])));
}

export function totalUsd(split: PriceSplit): number | null {
  return sumOrUnknown(Object.values(split));
}

/** Unknown where a charge depends on an unknown quantity; parts that are free at any quantity stay free. */
export function unknownWhereCharged(split: PriceSplit): PriceSplit {
  return splitOf((part) => (split[part] === 0 ? 0 : null));
}

export function sumOrUnknown(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}
