/** Figures of a forecast, expected and at most, and prices by part. A null part makes each sum with it unknown. */
import { PRICE_PARTS, sumOrUnknown, type PriceSplit } from '../model/cost';

export interface Range<Figure> {
  readonly expected: Figure;
  readonly upper: Figure;
}
export type PriceRange = Range<PriceSplit>;
export type Bound = keyof Range<unknown>;

export function range<Figure>(figureOf: (bound: Bound) => Figure): Range<Figure> {
  return { expected: figureOf('expected'), upper: figureOf('upper') };
}

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

/** Makes every part unknown that depends on an unknown quantity; parts that are free at any quantity stay free. */
export function unknownWhereCharged(split: PriceSplit): PriceSplit {
  return splitOf((part) => (split[part] === 0 ? 0 : null));
}

export function scaledSplit(split: PriceSplit, factor: number): PriceSplit {
  return splitOf((part) => (split[part] === null ? null : split[part] * factor));
}
