/**
 * Whether a measurement ran to its end. Never the exit code: iperf3 3.12 exits 0 on a refused connection, 3.19 and later
 * on SIGTERM. It is a final summary of the side that reports here, and intervals that cover the duration.
 */
import { summedSeries, withoutAbsent } from './tool-series';
import type { ThroughputOutput, Side, ToolInterval, ToolSummary } from './tool-output';
import type { DrivenDirection } from '../model/settings';

export interface Completeness {
  readonly complete: boolean;
  /** Why not, in the tool's own words where it has any. */
  readonly reason?: string;
}

/** The tool's clock and its reporting timer differ by some milliseconds; half a second is a sample that is missing. */
const COVERAGE_TOLERANCE_SECONDS = 0.5;

export function completeness(output: Omit<ThroughputOutput, 'complete' | 'incompleteReason'>): Completeness {
  const reason = output.errors.at(-1) ?? missingPart(output);
  return reason === undefined ? { complete: true } : { complete: false, reason };
}

export function judgeCompleteness(output: Omit<ThroughputOutput, 'complete'>): ThroughputOutput {
  const { complete, reason } = completeness(output);
  const empty = new Set(drivenDirections(output).flatMap((direction) => emptySummaries(output, direction)));
  const summaries = output.summaries.filter((summary) => !empty.has(summary));
  return withoutAbsent({ ...output, summaries, complete, incompleteReason: reason });
}

function missingPart(output: Omit<ThroughputOutput, 'complete'>): string | undefined {
  if (output.intervals.length === 0 && output.summaries.length === 0) return 'the tool printed no measured interval';
  // Ended by us: what is there is what was wanted, and the end's own figures are the sender's alone.
  if (output.endedOnPurpose !== undefined) return undefined;
  for (const direction of drivenDirections(output)) {
    const side = decisiveSide(output, direction);
    const summary = output.summaries.find((candidate) => candidate.direction === direction && candidate.side === side);
    if (summary === undefined) return `no final summary of the ${side} (${direction})`;
    const [empty] = emptySummaries(output, direction);
    if (empty !== undefined) return `the final summary of the ${empty.side} is empty (${direction})`;
    const series = reportedSeries(output.intervals, direction);
    const wanted = output.durationSeconds ?? summary.endSeconds;
    const covered = coveredSeconds(series);
    if (series.length > 0 && covered < wanted - COVERAGE_TOLERANCE_SECONDS) {
      return `intervals cover ${covered.toFixed(1)} of ${wanted} s (${direction})`;
    }
  }
  if (output.warnings.some((warning) => warning.startsWith('the last interval came twice'))) {
    return 'the last interval came twice, as iperf3 prints it when it is cut off';
  }
  return undefined;
}

/**
 * Zeros stand where the other end has not told what it counted, because the test was cut off, or where a UDP receiver got
 * nothing at all: neither is a measured zero.
 */
function emptySummaries(output: Omit<ThroughputOutput, 'complete'>, direction: DrivenDirection): ToolSummary[] {
  const ofDirection = (one: { readonly direction: DrivenDirection }) => one.direction === direction;
  const summaries = output.summaries.filter(ofDirection);
  const rates = [...summaries, ...output.intervals.filter(ofDirection)].map(({ bitsPerSecond }) => bitsPerSecond ?? 0);
  if (!rates.some((rate) => rate > 0)) return [];
  const side = decisiveSide(output, direction);
  // A client has both ends' figures; of who did not say what it is, the other end's zeros may be a server's.
  return summaries.filter(
    (summary) => summary.bitsPerSecond === 0 && !summary.packets && (output.role === 'client' || summary.side === side),
  );
}

export function drivenDirections(
  output: Pick<ThroughputOutput, 'bidirectional' | 'reverse'>,
): readonly DrivenDirection[] {
  if (output.bidirectional) return ['forward', 'reverse'];
  return [output.reverse ? 'reverse' : 'forward'];
}

/** A client ends with the receiver's summary, whoever that was; a sending server knows nothing of its receiver. */
function decisiveSide(output: Pick<ThroughputOutput, 'role' | 'summaries'>, direction: DrivenDirection): Side {
  return output.role === 'server' && direction === 'reverse' ? 'sender' : 'receiver';
}

function reportedSeries(intervals: readonly ToolInterval[], direction: DrivenDirection): readonly ToolInterval[] {
  const received = summedSeries(intervals, direction, 'receiver');
  return received.length > 0 ? received : summedSeries(intervals, direction, 'sender');
}

function coveredSeconds(series: readonly ToolInterval[]): number {
  return series.reduce((total, interval) => total + (interval.endSeconds - interval.startSeconds), 0);
}
