/** The runs of a duty cycle as one measurement, on the time axis of the first run; the pauses have no interval. */
import { mean } from '../../maths/statistics';
import { byStart, groupsOfSeries, meanRate, sumOfCounts, withinDuration } from '../tool-series';
import type { CpuUtilisation, ThroughputOutput, ToolSummary } from '../tool-output';

/** @param runCount how many there should be; undefined where the beginning of the text, which has it, is missing */
export function mergedRuns(
  runs: readonly [ThroughputOutput, ...ThroughputOutput[]],
  runCount: number | undefined,
  earlyErrors: readonly string[],
): ThroughputOutput {
  const measured = runs.filter((run) => run.intervals.length > 0);
  const incompleteReason = earlyErrors.at(-1) ?? missingPart(runs, measured.length, runCount);
  const intervals = measured
    .flatMap((run) => withinDuration(run.intervals, run.durationSeconds, run.intervals[0]?.startSeconds))
    .sort(byStart);
  return {
    ...(measured[0] ?? runs[0]),
    durationSeconds: intervals.at(-1)?.endSeconds,
    bidirectional: measured.some((run) => run.bidirectional),
    intervals,
    summaries: mergedSummaries(measured),
    cpu: meanCpu(measured),
    errors: [...earlyErrors, ...runs.flatMap((run) => run.errors)],
    warnings: [...new Set(runs.flatMap((run) => run.warnings))],
    complete: incompleteReason === undefined,
    incompleteReason,
  };
}

function missingPart(runs: readonly ThroughputOutput[], measuredCount: number, runCount: number | undefined) {
  const torn = runs.findIndex(({ complete }) => !complete);
  if (torn !== -1) return `run ${torn + 1} of the duty cycle: ${runs[torn]?.incompleteReason ?? 'not complete'}`;
  if (runCount === undefined) return 'the beginning of the duty cycle is missing';
  if (measuredCount < runCount) return `${measuredCount} of ${runCount} runs of the duty cycle are there`;
  return undefined;
}

/** One summary per direction and side: rates weighted by time, counts added up. */
function mergedSummaries(runs: readonly ThroughputOutput[]): ToolSummary[] {
  return groupsOfSeries(runs.flatMap((run) => run.summaries)).map((group) => {
    const [{ direction, side, startSeconds }] = group;
    const { endSeconds } = group.at(-1) ?? group[0];
    return { direction, side, startSeconds, endSeconds, bitsPerSecond: meanRate(group), ...sumOfCounts(group) };
  });
}

function meanCpu(runs: readonly ThroughputOutput[]): CpuUtilisation | undefined {
  const meanOf = (key: keyof CpuUtilisation) => {
    const percents = runs.flatMap((run) => run.cpu?.[key] ?? []);
    return percents.length === 0 ? undefined : mean(percents);
  };
  const [localPercent, remotePercent] = [meanOf('localPercent'), meanOf('remotePercent')];
  return localPercent === undefined && remotePercent === undefined ? undefined : { localPercent, remotePercent };
}
