/**
 * Rule `periodicRefill`: a bucket that refills while the sender is held back, and is spent again. Tokens are conserved,
 * so the dwell times at both levels repeat: their coefficient of variation is far below 1, the value for the
 * exponential dwell times of competing traffic.
 *
 * Source: a token bucket loses no tokens; the thresholds are in `REGULARITIES`. Assumption that may fail: no other
 * traffic comes and goes on a schedule.
 */
import { elementAt, numberAt } from '../../maths/elements';
import { median, quantileOfSorted, sum, variationCoefficient } from '../../maths/statistics';
import type { CleanSeries } from '../../series/rate-series';
import { SHORT_SAMPLES, type Drop, type Observed } from '../observe';
import { locateOnset } from '../onset';
import { throttledShape, type SeriesShape } from '../series-shape';

/** The drop to the first low stretch, and the index one past that stretch's last sample. */
type Recharge = Drop & { readonly lowEnd: number };

interface Stretch {
  readonly isHigh: boolean;
  readonly from: number;
  readonly to: number;
}

/**
 * How regular the dwell times must be, by their number. Exponential dwell times have a coefficient of variation of 1,
 * but a few of them can look regular by chance, so a recording with only two cycles must show them more clearly.
 *
 * `longestCut`: the longest last stretch, which the end of the recording cuts off, in typical dwells. `fewestHeld`: the
 * share of the time held back after the first burst; passing dips take less. `shortestFirst`: the first burst, in
 * typical dwells; a full bucket holds more than a partly refilled one.
 */
const REGULARITIES = [
  { fewestHighs: 5, fewestLows: 3, mostVariation: 0.45, longestCut: 2, fewestHeld: 0.25, shortestFirst: 0 },
  { fewestHighs: 2, fewestLows: 3, mostVariation: 0.3, longestCut: 2, fewestHeld: 0.25, shortestFirst: 0 },
  { fewestHighs: 1, fewestLows: 2, mostVariation: 0.15, longestCut: 1.5, fewestHeld: 0.5, shortestFirst: 0.7 },
] as const;
/** A low stretch this much shorter than the others is a dip. */
const DIP_SHARE = 0.25;
/** Only samples that span a change lie between the levels; a slow recovery has many more. */
const MOST_BETWEEN = 0.12;
/** A shorter gap, in bins, is only a late report of the tool. */
const LONGEST_MISSING = 4;
/** A stretch with fewer samples is joined with its neighbour. */
const SHORTEST_STRETCH_SAMPLES = 3;

/** @returns null if there are too few cycles or where they do not repeat */
export function periodicRefill(observed: Observed): SeriesShape | null {
  const { sortedBitsPerSecond: sorted } = observed.clean;
  const [burst, baseline] = [quantileOfSorted(sorted, 0.95), quantileOfSorted(sorted, 0.1)];
  const mayRefill = sorted.length >= SHORT_SAMPLES && baseline > 0 && baseline <= 0.75 * burst;
  const found = mayRefill ? findRecharge(observed, burst, baseline) : null;
  return found && throttledShape('cycle', observed, found, locateOnset(observed, found, found.lowEnd, 0));
}

function findRecharge({ clean, noise, segments }: Observed, burst: number, baseline: number): Recharge | null {
  const { bitsPerSecond: rates, startSeconds } = clean;
  const stretches = withoutDips(highAndLow(rates, Math.sqrt(burst * baseline)));
  const first = stretches.findIndex((stretch) => !stretch.isHigh && stretch.from > 0);
  if (first < 1) return null;
  // The first burst spends credits from before the recording, and the end of the recording cuts the last stretch, so
  // neither needs to repeat. A stretch with a gap may really be several.
  const cycles = stretches.slice(first, -1).filter((stretch) => !hasGap(clean, stretch));
  const seconds = (stretch: Stretch) =>
    numberAt(startSeconds, Math.min(stretch.to, rates.length - 1)) - numberAt(startSeconds, stretch.from);
  const highs = cycles.filter((stretch) => stretch.isHigh).map(seconds);
  const lows = cycles.filter((stretch) => !stretch.isHigh).map(seconds);
  const cut = elementAt(stretches, -1);
  const firstSeconds = seconds(elementAt(stretches, first - 1));
  if (!areRegular(highs, lows, firstSeconds, { isHigh: cut.isHigh, seconds: seconds(cut) })) return null;
  if (shareBetween(rates, noise.standardDeviation, burst, baseline) > MOST_BETWEEN) return null;
  const { from: boundary, to: lowEnd } = elementAt(stretches, first);
  const levels = (isHigh: boolean) =>
    stretches
      .filter((stretch) => stretch.isHigh === isHigh)
      .flatMap((stretch) => [...rates.slice(stretch.from, stretch.to)]);
  const segment = segments.findIndex(({ from, to }) => boundary > from && boundary <= to);
  return {
    segment: Math.max(0, segment),
    boundary,
    lowEnd,
    burstBitsPerSecond: median(levels(true)),
    baselineBitsPerSecond: median(levels(false)),
  };
}

/** Whether the dwell times, in seconds, are regular by any of the rules. */
function areRegular(
  highs: readonly number[],
  lows: readonly number[],
  first: number,
  cut: { readonly isHigh: boolean; readonly seconds: number },
): boolean {
  const held = sum(lows) + (cut.isHigh ? 0 : cut.seconds);
  return REGULARITIES.some(
    (asked) =>
      highs.length >= asked.fewestHighs &&
      lows.length >= asked.fewestLows &&
      variationCoefficient(highs) <= asked.mostVariation &&
      variationCoefficient(lows) <= asked.mostVariation &&
      cut.seconds <= asked.longestCut * median(cut.isHigh ? highs : lows) &&
      first >= asked.shortestFirst * median(highs) &&
      held >= asked.fewestHeld * (sum(highs) + sum(lows) + cut.seconds),
  );
}

/** Omits the low stretches that are far shorter than those that make up most of the low time. */
function withoutDips(stretches: readonly Stretch[]): Stretch[] {
  const length = (stretch: Stretch) => stretch.to - stretch.from;
  const lows = stretches.filter((stretch) => !stretch.isHigh).sort((a, b) => length(a) - length(b));
  const total = sum(lows.map(length));
  let below = 0;
  const typical = lows.find((stretch) => (below += length(stretch)) >= total / 2);
  const shortest = typical ? DIP_SHARE * length(typical) : 0;
  return joined(stretches.map((stretch) => (length(stretch) < shortest ? { ...stretch, isHigh: true } : stretch)));
}

/** Joins a stretch with the one before it where both are on the same side or where it is too short. */
function joined(stretches: readonly Stretch[], shortestSamples = 0): Stretch[] {
  const kept: Stretch[] = [];
  for (const { isHigh, from, to } of stretches) {
    const last = kept.at(-1);
    if (last && (last.isHigh === isHigh || to - from < shortestSamples)) kept[kept.length - 1] = { ...last, to };
    else kept.push({ isHigh, from, to });
  }
  return kept;
}

function hasGap({ startSeconds, binSeconds }: CleanSeries, { from, to }: Stretch): boolean {
  const before = Math.max(0, from - 1);
  return startSeconds
    .subarray(before + 1, to + 1)
    .some((start, index) => start - numberAt(startSeconds, before + index) > LONGEST_MISSING * binSeconds);
}

/** Share of samples in the middle half between the levels, in the logarithm, less what scatter brings there. */
function shareBetween(rates: Float64Array, deviation: number, burst: number, baseline: number): number {
  const reach = (Math.log(burst) - Math.log(baseline)) / 4;
  const [low, high] = [Math.log(baseline) + reach, Math.log(burst) - reach];
  const share = rates.filter((rate) => Math.log(rate) > low && Math.log(rate) < high).length / rates.length;
  return share - normalTail(reach / deviation);
}

/** The probability of a normal value beyond this many standard deviations on one side, within 0.01 (logistic). */
function normalTail(deviations: number): number {
  return 1 / (1 + Math.exp(1.702 * deviations));
}

/** Stretches above and below the middle. */
function highAndLow(rates: Float64Array, middle: number): Stretch[] {
  const runs: Stretch[] = [];
  for (let from = 0, to = 1; from < rates.length; from = to) {
    const isHigh = numberAt(rates, from) > middle;
    for (to = from + 1; to < rates.length && numberAt(rates, to) > middle === isHigh;) to += 1;
    runs.push({ isHigh, from, to });
  }
  return joined(runs, SHORTEST_STRETCH_SAMPLES);
}
