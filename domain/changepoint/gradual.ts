/**
 * Step or slope? A token bucket empties at once; a path that slowly fills, a warming host or a growing competitor doesn't.
 * Compares the segmentation with a line between two levels, on block medians, by the Bayesian information criterion with
 * bounded losses. Assumption that may fail: a slope is straight.
 */
import type { CleanSeries, Noise, Segment } from './series';
import { LOSS_BOUND } from './segmentation';
import { medianOfRange } from './statistics';

const MOST_BLOCKS = 180;
const KNOT_COUNT = 24;

export interface Slope {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly fromBitsPerSecond: number;
  readonly toBitsPerSecond: number;
}

/** The slope that explains the series better than its steps do; null where the steps win. */
export function findSlope(series: CleanSeries, segments: readonly Segment[], noise: Noise): Slope | null {
  const { bitsPerSecond } = series;
  const size = Math.max(1, Math.ceil(bitsPerSecond.length / MOST_BLOCKS));
  const count = Math.floor(bitsPerSecond.length / size);
  if (count < 12 || segments.length < 2) return null;
  const blocks = new Float64Array(count);
  for (let i = 0; i < count; i += 1) blocks[i] = medianOfRange(bitsPerSecond, i * size, (i + 1) * size);
  const deviation = noise.scale * Math.min(1, Math.sqrt((1.57 * noise.longRunFactor) / size));

  let stepCost = 0;
  let segment = 0;
  for (let i = 0; i < count; i += 1) {
    const middle = (i + 0.5) * size;
    while (segment + 1 < segments.length && segments[segment]!.to <= middle) segment += 1;
    stepCost += relativeLoss(blocks[i]!, segments[segment]!.bitsPerSecond, deviation);
  }
  const logCount = Math.log(count);
  stepCost += (2 * segments.length - 1) * logCount;

  const best = bestLine(blocks, deviation);
  if (!best) return null;
  // What is over within a few blocks is a step that took its time.
  const shortest = Math.max(4, 0.04 * count);
  if (best.cost + 4 * logCount >= stepCost || best.to - best.from < shortest) return null;
  const at = (index: number) => series.startSeconds[Math.min(index * size, bitsPerSecond.length - 1)]!;
  return {
    fromSeconds: at(best.from),
    toSeconds: at(best.to),
    fromBitsPerSecond: best.high,
    toBitsPerSecond: best.low,
  };
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly high: number;
  readonly low: number;
  readonly cost: number;
}

/** Level until `from`, straight until `to`, level afterwards. */
function bestLine(blocks: Float64Array, deviation: number): Line | null {
  const count = blocks.length;
  const pace = Math.max(1, Math.floor(count / KNOT_COUNT));
  const plateau = Math.max(2, Math.floor(count / 40));
  let best: Line | null = null;
  for (let from = 0; from < count - pace; from += pace) {
    const start = from === 0 ? null : medianOfRange(blocks, 0, from);
    for (let to = from + 2 * pace; to <= count; to += pace) {
      const end = to >= count - plateau ? null : medianOfRange(blocks, to, count);
      const line = endsOfLine(blocks, from, Math.min(to, count), start, end);
      let cost = 0;
      for (let i = 0; i < count && cost < (best?.cost ?? Infinity); i += 1) {
        const share = i < from ? 0 : i >= to ? 1 : (i + 0.5 - from) / (to - from);
        cost += relativeLoss(blocks[i]!, line.high + share * (line.low - line.high), deviation);
      }
      if (!best || cost < best.cost) best = { from, to: Math.min(to, count), ...line, cost };
    }
  }
  return best;
}

/** Ends of the line over blocks [from, to): given by the plateaus beside it, or drawn through the quarters' medians. */
function endsOfLine(blocks: Float64Array, from: number, to: number, start: number | null, end: number | null) {
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
