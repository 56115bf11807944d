/** The runs of a duty cycle as one measurement, on the time axis of the first. The pauses between them hold no interval. */
import { byStart, sumOfCounts, withoutAbsent } from '../tool-series';
import type { CpuUtilisation, ThroughputOutput, ToolInterval, ToolSummary } from '../tool-output';

/** By how much the clocks of both ends may differ. */
const DURATION_TOLERANCE_SECONDS = 0.25;

/** @param runCount how many there should be; undefined when the text does not say, because its beginning is missing. */
export function mergedRuns(
  runs: readonly ThroughputOutput[],
  runCount: number | undefined,
  earlyErrors: readonly string[],
): ThroughputOutput {
  const measured = runs.filter((run) => run.intervals.length > 0);
  const first = measured[0] ?? runs[0]!;
  const reason = earlyErrors.at(-1) ?? missingPart(runs, measured.length, runCount);
  const intervals = measured.flatMap(withinDuration).sort(byStart);
  return withoutAbsent({
    ...first,
    durationSeconds: intervals.at(-1)?.endSeconds,
    bidirectional: measured.some((run) => run.bidirectional),
    intervals,
    summaries: mergedSummaries(measured),
    cpu: meanCpu(measured),
    errors: [...earlyErrors, ...runs.flatMap((run) => run.errors)],
    warnings: [...new Set(runs.flatMap((run) => run.warnings))],
    complete: reason === undefined,
    incompleteReason: reason,
  });
}

function missingPart(
  runs: readonly ThroughputOutput[],
  measuredCount: number,
  runCount: number | undefined,
): string | undefined {
  const failed = runs.findIndex((run) => !run.complete);
  if (failed !== -1) return `run ${failed + 1} of the duty cycle: ${runs[failed]!.incompleteReason}`;
  if (runCount === undefined) return 'the beginning of the duty cycle is missing';
  if (measuredCount < runCount) return `${measuredCount} of ${runCount} runs of the duty cycle are there`;
  return undefined;
}

/** A receiver goes on for as long as the queue before it takes to empty: that is the pause already. */
function withinDuration({ intervals, durationSeconds }: ThroughputOutput): readonly ToolInterval[] {
  const startSeconds = intervals[0]!.startSeconds;
  if (durationSeconds === undefined) return intervals;
  return intervals.filter((one) => one.startSeconds - startSeconds < durationSeconds - DURATION_TOLERANCE_SECONDS);
}

/** One per direction and side: rates weighted by time, counts added up. */
function mergedSummaries(runs: readonly ThroughputOutput[]): ToolSummary[] {
  const groups = new Map<string, ToolSummary[]>();
  for (const summary of runs.flatMap((run) => run.summaries)) {
    const key = `${summary.direction} ${summary.side}`;
    groups.set(key, [...(groups.get(key) ?? []), summary]);
  }
  return [...groups.values()].map((group) => {
    const rated = group.filter((summary) => summary.bitsPerSecond !== undefined);
    const seconds = rated.reduce((total, summary) => total + lengthOf(summary), 0);
    const bits = rated.reduce((total, summary) => total + lengthOf(summary) * summary.bitsPerSecond!, 0);
    return withoutAbsent({
      direction: group[0]!.direction,
      side: group[0]!.side,
      startSeconds: group[0]!.startSeconds,
      endSeconds: group.at(-1)!.endSeconds,
      bitsPerSecond: seconds > 0 ? bits / seconds : undefined,
      ...sumOfCounts(group),
    });
  });
}

function lengthOf({ startSeconds, endSeconds }: ToolSummary): number {
  return endSeconds - startSeconds;
}

function meanCpu(runs: readonly ThroughputOutput[]): CpuUtilisation | undefined {
  const mean = (key: keyof CpuUtilisation) => {
    const percents = runs.map((run) => run.cpu?.[key]).filter((percent) => percent !== undefined);
    return percents.length === 0 ? undefined : percents.reduce((sum, percent) => sum + percent, 0) / percents.length;
  };
  const cpu = withoutAbsent({ localPercent: mean('localPercent'), remotePercent: mean('remotePercent') });
  return Object.keys(cpu).length === 0 ? undefined : cpu;
}
