/** A price by what is charged. A part that is null is unknown, and so is every sum that contains it. */

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
export type PricePart = (typeof PRICE_PARTS)[number];

/** In USD. */
export type PriceSplit = Readonly<Record<PricePart, number | null>>;

/** What is expected, and the most that it can be. */
export interface PriceRange {
  readonly expected: PriceSplit;
  readonly upper: PriceSplit;
}

const NOTHING = Object.fromEntries(PRICE_PARTS.map((part) => [part, 0])) as Record<PricePart, number | null>;

export function priceSplit(parts: Partial<PriceSplit>): PriceSplit {
  return { ...NOTHING, ...parts };
}

export function sumOfSplits(splits: readonly PriceSplit[]): PriceSplit {
  const sums = { ...NOTHING };
  for (const part of PRICE_PARTS) sums[part] = sumOf(splits.map((split) => split[part]));
  return sums;
}

export function totalUsd(split: PriceSplit): number | null {
  return sumOf(PRICE_PARTS.map((part) => split[part]));
}

export function sumOfRanges(ranges: readonly PriceRange[]): PriceRange {
  return {
    expected: sumOfSplits(ranges.map(({ expected }) => expected)),
    upper: sumOfSplits(ranges.map(({ upper }) => upper)),
  };
}

function sumOf(values: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return sum;
}
