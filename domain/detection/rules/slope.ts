/**
 * Rule `slope`: a series that slopes rather than steps. A token bucket empties at once; a path that slowly fills, a
 * warming host or a growing competitor takes the rate down gradually. The rule compares the segmentation with a line
 * between two levels, on block medians, by the Bayesian information criterion with bounded losses. Assumption that may
 * fail: a slope is straight.
 */
import { MEDIAN_VARIANCE, medianOfRange } from '../../maths/statistics';
import { LEVEL_RESOLUTION, LOSS_BOUND, type Observed, type Noise, type Segment } from '../observe';
import { unthrottledShape, type SeriesShape } from '../series-shape';

const MOST_BLOCKS = 180;
const KNOT_COUNT = 24;
/** A coarse line that costs this many times as much as the steps is not worth refining. */
const HOPELESS = 3;
/** The median of fewer blocks than this is too uncertain. */
const FEWEST_BLOCKS = 4;
const SHORTEST_SLOPE_SAMPLES = 12;
/** Choosing the place of a knot among many costs half as much as the knot itself. */
const PARAMETERS_PER_KNOT = 1.5;
/** A slope over which the rate changes by less than this share is drift. */
const SMALLEST_SLOPE = 0.1;
/** A slope must exceed its own uncertainty this many times, because a slow wave of the noise contains slopes. */
const SURELY = 3;

/** @param observed with fine levels */
export function slope(observed: Observed): SeriesShape | null {
  return hasSlope(observed, LEVEL_RESOLUTION) ? unthrottledShape('ramp', observed) : null;
}

/** @param resolution relative deviations below this do not matter */
export function hasSlope({ clean, segments, noise }: Observed, resolution: number): boolean {
  const { bitsPerSecond } = clean;
  const size = Math.max(1, Math.ceil(bitsPerSecond.length / MOST_BLOCKS));
  const count = Math.floor(bitsPerSecond.length / size);
  if (count < 12) return false;
  const blocks = new Float64Array(count);
  for (let i = 0; i < count; i += 1) blocks[i] = medianOfRange(bitsPerSecond, i * size, (i + 1) * size);
  const shrink = Math.min(1, Math.sqrt((MEDIAN_VARIANCE * noise.longRunFactor) / size));
  const deviations = Float64Array.from(blocks, (_, index) =>
    Math.max(noise.deviations[Math.floor((index + 0.5) * size)]! * shrink, resolution),
  );

  const logCount = Math.log(count);
  const stepCost = costOfSteps(blocks, deviations, segments, size) + (2 * segments.length - 1) * logCount;

  const best = bestLine(blocks, deviations, HOPELESS * stepCost);
  if (!best) return false;
  // A change that is over within a few seconds is a step that settles slowly.
  const shortest = Math.max(SHORTEST_SLOPE_SAMPLES / size, 0.04 * count);
  const knots = (best.from > 0 ? 1 : 0) + (best.to < count ? 1 : 0);
  const isBetter = best.cost + (2 + PARAMETERS_PER_KNOT * knots) * logCount < stepCost;
  const magnitude = Math.abs(Math.log(Math.max(best.high, 1) / Math.max(best.low, 1)));
  const smallest = Math.max(SMALLEST_SLOPE, SURELY * uncertaintyOfSlope(noise, (best.to - best.from) * size));
  return isBetter && best.to - best.from >= shortest && magnitude >= smallest;
}

/** The standard deviation of the relative difference between two halves of a level with this many samples. */
function uncertaintyOfSlope(noise: Noise, sampleCount: number): number {
  return 2 * noise.standardDeviation * Math.sqrt(noise.longRunFactor / sampleCount);
}

function costOfSteps(
  blocks: Float64Array,
  deviations: Float64Array,
  segments: readonly Segment[],
  size: number,
): number {
  const levels = segments.map((segment) => levelOfBlocks(blocks, segment, size));
  let cost = 0;
  let segment = 0;
  for (let i = 0; i < blocks.length; i += 1) {
    while (segment + 1 < segments.length && segments[segment]!.to <= (i + 0.5) * size) segment += 1;
    cost += relativeLoss(blocks[i]!, levels[segment]!, deviations[i]!);
  }
  return cost;
}

/** The level is a median, like the line's plateaus, so that a skewed scatter favours neither the steps nor the line. */
function levelOfBlocks(blocks: Float64Array, segment: Segment, size: number): number {
  const from = Math.ceil(segment.from / size);
  const to = Math.floor(segment.to / size);
  return to - from < FEWEST_BLOCKS ? segment.bitsPerSecond : medianOfRange(blocks, from, to);
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly high: number;
  readonly low: number;
  readonly cost: number;
}

/** Level until `from`, straight until `to`, level afterwards. The knots lie on a coarse grid, then on a fine one. */
function bestLine(blocks: Float64Array, deviations: Float64Array, hopeless: number): Line | null {
  const count = blocks.length;
  const pace = Math.max(1, Math.floor(count / KNOT_COUNT));
  let best: Line | null = null;
  const medians = plateauMedians(blocks);
  const consider = (from: number, to: number) => {
    if (from < 0 || to > count || to - from < 2) return;
    const line = lineThrough(blocks, deviations, from, to, medians, best?.cost ?? hopeless);
    if (line.cost < (best?.cost ?? hopeless)) best = line;
  };
  for (let from = 0; from < count - pace; from += pace) {
    for (let to = from + 2 * pace; to < count; to += pace) consider(from, to);
    consider(from, count);
  }
  const found = best as Line | null;
  if (!found || pace === 1) return found;
  const nudge = Math.max(1, Math.floor(pace / 3));
  for (let from = found.from - pace; from <= found.from + pace; from += nudge) {
    for (let to = found.to - pace; to <= found.to + pace; to += nudge) consider(from, to);
  }
  return best;
}

/** Medians of the blocks before and after a knot, where there are enough of them for a level; each computed once. */
function plateauMedians(blocks: Float64Array) {
  const plateau = Math.max(2, Math.floor(blocks.length / 40));
  const before = new Map<number, number | null>();
  const after = new Map<number, number | null>();
  const remember = (known: Map<number, number | null>, knot: number, from: number, to: number) => {
    let value = known.get(knot);
    if (value === undefined) {
      value = to - from < plateau ? null : medianOfRange(blocks, from, to);
      known.set(knot, value);
    }
    return value;
  };
  return {
    before: (knot: number) => remember(before, knot, 0, knot),
    after: (knot: number) => remember(after, knot, knot, blocks.length),
  };
}

function lineThrough(
  blocks: Float64Array,
  deviations: Float64Array,
  from: number,
  to: number,
  medians: ReturnType<typeof plateauMedians>,
  limit: number,
): Line {
  const count = blocks.length;
  const [start, end] = [medians.before(from), medians.after(to)];
  const { high, low } = endsOfLine(blocks, from, to, start, end);
  let cost = 0;
  for (let i = 0; i < count && cost < limit; i += 1) {
    const share = i < from ? 0 : i >= to ? 1 : (i + 0.5 - from) / (to - from);
    cost += relativeLoss(blocks[i]!, high + share * (low - high), deviations[i]!);
  }
  return { from, to, high, low, cost };
}

/** Ends of the line over blocks [from, to): the plateaus beside it, or the medians of its outer quarters, extended. */
function endsOfLine(blocks: Float64Array, from: number, to: number, start: number | null, end: number | null) {
  if (start !== null && end !== null) return { high: start, low: end };
  const quarter = Math.max(1, Math.floor((to - from) / 4));
  const early = medianOfRange(blocks, from, from + quarter);
  const late = medianOfRange(blocks, to - quarter, to);
  const reach = (quarter / 2 / Math.max(1, to - from - quarter)) * (late - early);
  return { high: start ?? early - reach, low: end ?? late + reach };
}

function relativeLoss(value: number, level: number, deviation: number): number {
  const residual = (value - level) / (deviation * Math.max(level, 1));
  return Math.min(residual * residual, LOSS_BOUND ** 2);
}
