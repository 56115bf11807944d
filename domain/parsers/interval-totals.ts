/**
 * The intervals of a series should add up to the total that the same end printed. Where they do not, some of them are
 * missing, or the tool counted something else in its total, and every figure of the series is in doubt.
 */
import { sum } from '../maths/statistics';
import { comparedBits, percent } from '../text/format';
import { lengthSeconds, summedSeries } from './tool-series';
import type { ThroughputOutput } from './tool-output';

/**
 * Rounding and the clocks of both ends explain this much: at most 0.6 % in recordings of six versions of iperf3, whose
 * text gives rates in three digits.
 */
const EXPLAINED_DIFFERENCE = 0.02;

/** @returns by how much a figure differs from the one beside it, as `16 % less`; undefined where that is explained */
export function unexplainedDifference(value: number, reference: number): string | undefined {
  const difference = value - reference;
  if (Math.abs(difference) <= EXPLAINED_DIFFERENCE * reference) return undefined;
  return `${percent(Math.abs(difference) / reference)} ${difference < 0 ? 'less' : 'more'}`;
}

/** One warning per series that does not add up to its own side's total. */
export function totalWarnings({ intervals, summaries }: Pick<ThroughputOutput, 'intervals' | 'summaries'>): string[] {
  return summaries.flatMap((summary) => {
    const { direction, side, bitsPerSecond } = summary;
    const series = summedSeries(intervals, direction, side);
    if (series.length === 0 || bitsPerSecond === undefined) return [];
    const summedBits = sum(series.map((interval) => interval.bitsPerSecond * lengthSeconds(interval)));
    const totalBits = bitsPerSecond * lengthSeconds(summary);
    const difference = unexplainedDifference(summedBits, totalBits);
    if (difference === undefined) return [];
    const [added, total] = [comparedBits(summedBits), comparedBits(totalBits)];
    return [`${direction}: the ${side}'s intervals add up to ${added}, ${difference} than its own total of ${total}`];
  });
}
