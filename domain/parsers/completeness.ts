/**
 * Judges whether a measurement ran to its end: it did if the deciding side printed a final summary and the intervals
 * cover the duration. The exit code does not show it: iperf3 3.12 exits with 0 on a refused connection, 3.19 on
 * SIGTERM.
 */
import { sum } from '../maths/statistics';
import { comparedBits, percent } from '../text/format';
import { lengthSeconds, summariesOf, summedSeries } from './tool-series';
import type { ThroughputOutput, Side, ToolSummary } from './tool-output';
import type { DrivenDirection } from '../model/settings';

type UnjudgedOutput = Omit<ThroughputOutput, 'complete' | 'incompleteReason'>;

/** The tool's clock and its reporting timer differ by milliseconds; half a second means that a sample is missing. */
const COVERAGE_TOLERANCE_SECONDS = 0.5;

export const OMITTED_INTERVALS_WARNING = 'warm-up intervals (--omit) are left out: a burst within them is not seen';
const REPEATED_INTERVAL = 'the last interval came twice, as iperf3 prints it when it is cut off';
export const REPEATED_INTERVAL_WARNING = `${REPEATED_INTERVAL}; counted once`;

export function judgeCompleteness(output: UnjudgedOutput): ThroughputOutput {
  const incompleteReason = output.errors.at(-1) ?? missingPart(output);
  const empty = new Set(drivenDirections(output).flatMap((direction) => emptySummaries(output, direction)));
  const summaries = output.summaries.filter((summary) => !empty.has(summary));
  const warnings = [...output.warnings, ...totalWarnings({ ...output, summaries })];
  return { ...output, summaries, warnings, complete: incompleteReason === undefined, incompleteReason };
}

function missingPart(output: UnjudgedOutput): string | undefined {
  if (output.intervals.length === 0 && output.summaries.length === 0) return 'the tool printed no measured interval';
  // The driver ended the test on purpose, so nothing is missing; the final figures are the sender's alone.
  if (output.endedOnPurpose !== undefined) return undefined;
  for (const direction of drivenDirections(output)) {
    const side = decisiveSide(output, direction);
    const [summary] = summariesOf([output], direction, side);
    if (summary === undefined) return `no final summary of the ${side} (${direction})`;
    const [empty] = emptySummaries(output, direction);
    if (empty !== undefined) return `the final summary of the ${empty.side} is empty (${direction})`;
    const received = summedSeries(output.intervals, direction, 'receiver');
    const seriesSide = received.length > 0 ? 'receiver' : 'sender';
    const series = summedSeries(output.intervals, direction, seriesSide);
    // A receiver keeps measuring while the queue in front of it empties, which a sender's series does not cover.
    const [ownSummary = summary] = summariesOf([output], direction, seriesSide);
    const wanted = output.durationSeconds ?? ownSummary.endSeconds;
    const covered = sum(series.map(lengthSeconds));
    if (series.length > 0 && covered < wanted - COVERAGE_TOLERANCE_SECONDS) {
      return `intervals cover ${covered.toFixed(1)} of ${wanted} s (${direction})`;
    }
  }
  if (output.warnings.includes(REPEATED_INTERVAL_WARNING)) return REPEATED_INTERVAL;
  return undefined;
}

/** Finds summaries that iperf3 filled with zeros: an end did not report, or a UDP receiver got no datagram. */
function emptySummaries(output: UnjudgedOutput, direction: DrivenDirection): ToolSummary[] {
  const parts = [...output.summaries, ...output.intervals].filter((part) => part.direction === direction);
  if (!parts.some(({ bitsPerSecond = 0 }) => bitsPerSecond > 0)) return [];
  const decisive = decisiveSide(output, direction);
  // A client knows the figures of both ends; without a known role, the zeros may be a server's for the other end.
  return (['sender', 'receiver'] as const)
    .filter((side) => output.role === 'client' || side === decisive)
    .flatMap((side) => summariesOf([output], direction, side))
    .filter(({ bitsPerSecond, packets }) => bitsPerSecond === 0 && !packets);
}

export function drivenDirections({ bidirectional, reverse }: UnjudgedOutput): readonly DrivenDirection[] {
  return bidirectional ? ['forward', 'reverse'] : [reverse ? 'reverse' : 'forward'];
}

/** The receiver's summary decides, and a client prints it last. A sending server does not know its receiver's. */
function decisiveSide({ role }: UnjudgedOutput, direction: DrivenDirection): Side {
  return role === 'server' && direction === 'reverse' ? 'sender' : 'receiver';
}

/**
 * Rounding and the clocks of both ends explain this difference: at most 0.6 % in recordings of six versions of iperf3,
 * whose text gives rates in three digits.
 */
const EXPLAINED_DIFFERENCE = 0.02;

/** @returns the difference in words, e.g. `16 % less`; undefined if rounding and clocks explain it */
export function unexplainedDifference(value: number, reference: number): string | undefined {
  const difference = value - reference;
  if (Math.abs(difference) <= EXPLAINED_DIFFERENCE * reference) return undefined;
  return `${percent(Math.abs(difference) / reference)} ${difference < 0 ? 'less' : 'more'}`;
}

/**
 * The intervals of a series should add up to the total that the same side printed. If they do not, some are missing, or
 * the tool's total counts something else, so every figure of the series is in doubt.
 * @returns one warning per series that does not add up to its own side's total
 */
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
