/** The entries of `plan.expect`. What is wrong with them beyond their form, `check-expectations.ts` finds. */
import * as z from 'zod';
import { EXPECTABLE_FIGURE_NAMES, EXPECTABLE_FIGURES, type ExpectableFigureName } from '../model/expectation';

/** More than any figure comes to: a bucket of the largest types has 1e14 bits. */
const MAX_FIGURE = 1e18;
const MAX_PERCENT_ABOVE = 10_000;

const limits = z.strictObject({
  min: z.number().min(0).max(MAX_FIGURE).optional(),
  max: z.number().min(0).max(MAX_FIGURE).optional(),
  maxPercentBelow: z.number().min(0).max(100).optional().describe('How far it may be below the run of compareTo'),
  maxPercentAbove: z.number().min(0).max(MAX_PERCENT_ABOVE).optional().describe('How far it may be above that run'),
});

const figures = Object.fromEntries(
  EXPECTABLE_FIGURE_NAMES.map((name) => {
    const { name: words, unit } = EXPECTABLE_FIGURES[name];
    return [name, limits.optional().describe(`${words}, in ${unit}`)];
  }),
) as Record<ExpectableFigureName, z.ZodOptional<typeof limits>>;

export const expectation = z
  .strictObject({
    type: z.string().optional().describe('Only pairs with a host of this instance type'),
    pair: z.int().min(0).max(999).optional().describe("Only this one of the plan's pairs, from 0"),
    measurement: z.int().min(0).max(49).optional().describe("Only this one of the plan's measurements, from 0"),
    ...figures,
  })
  .describe('Limits of figures, by their names in summary.json');
