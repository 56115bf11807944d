/** Parses iperf3's text from either host, 3.0 to 3.21, with or without `-V` and `--timestamps`, of many tests. */
import { mean } from '../../maths/statistics';
import type { DrivenDirection, Protocol } from '../../model/settings';
import {
  judgeCompleteness,
  OMITTED_INTERVALS_WARNING,
  REPEATED_INTERVAL_WARNING,
  totalWarnings,
} from '../../parsers/completeness';
import { chooseRun } from '../../parsers/runs-of-file';
import { plainText } from '../../parsers/text-lines';
import type { CpuUtilisation, ThroughputOutput, Side, ToolInterval, ToolSummary } from '../../parsers/tool-output';
import {
  byStart,
  groupsOfSeries,
  isKnownSummary,
  meanRate,
  orderedIntervals,
  sumOfCounts,
  withinDuration,
} from '../../parsers/tool-series';
import type { Iperf3Context } from './command';
import { afterTheEnd } from './text-errors';
import type { RateLine } from './text-line';
import { newTest, readTests, withProbe, type TestText } from './text-tests';

/** A server prints this when its client ends the test early. */
const CLIENT_ENDED = 'the client has terminated';

export function parseIperf3Text(text: string, context: Iperf3Context = {}): ThroughputOutput {
  const plain = plainText(text);
  const { tests, earlyErrors, toolVersion, isDutyCycle, runCount } = readTests(plain);
  const output = (test: TestText, errors: readonly string[] = test.errors, warnings: readonly string[] = []) =>
    withServerOutput(outputOf(test, { ...context, toolVersion, errors, warnings }), test);
  const [firstRun, ...furtherRuns] = tests;
  if (isDutyCycle && firstRun !== undefined) {
    const runs = furtherRuns.map((run) => output(run));
    return withProbe(mergedRuns([output(firstRun), ...runs], runCount, earlyErrors), plain);
  }
  const { run: test = newTest(), warnings } = chooseRun(tests, ({ rates }) => rates.length > 0);
  const unclear = earlyErrors.map((error) => `not clear to which test it belongs: ${error}`);
  const whole =
    tests.length > 1
      ? output(test, test.errors, [...warnings, ...unclear])
      : output(test, [...earlyErrors, ...test.errors]);
  return withProbe(whole, plain);
}

function withServerOutput(client: ThroughputOutput, { serverLines }: TestText): ThroughputOutput {
  if (serverLines === undefined) return client;
  return withServerSeries(client, parseIperf3Text(serverLines.join('\n'), { role: 'server' }));
}

/** For `--get-server-output`: adds the series that only the server has, above all the receiver's, to the client's. */
export function withServerSeries(client: ThroughputOutput, server: ThroughputOutput): ThroughputOutput {
  const seriesOf = ({ direction, side }: ToolInterval) => `${direction} ${side}`;
  const own = new Set(client.intervals.map(seriesOf));
  const added = server.intervals.filter((interval) => !own.has(seriesOf(interval)));
  return {
    ...client,
    intervals: [...client.intervals, ...added].sort(byStart),
    warnings: [...client.warnings, ...totalWarnings({ intervals: added, summaries: server.summaries })],
  };
}

/** Facts about one test from outside its own lines. */
type TestContext = Iperf3Context & Pick<ThroughputOutput, 'toolVersion' | 'errors' | 'warnings'>;

function outputOf(test: TestText, context: TestContext): ThroughputOutput {
  const endedOnPurpose = test.endedOnPurpose ?? context.endedOnPurpose;
  const warnings = [...context.warnings];
  // The clock restarts at 0 when the warm-up (`-O`) ends, so the warm-up's intervals would hide the measured ones.
  const lines = test.rates.filter(({ line, isSummary }) => !isSummary && !line.isOmitted).map(({ line }) => line);
  if (test.rates.some(({ line }) => line.isOmitted)) warnings.push(OMITTED_INTERVALS_WARNING);
  for (const error of test.laterErrors) warnings.push(afterTheEnd(error));
  const role = test.role ?? context.role;
  const bidirectional = test.rates.some(({ line }) => line.role !== undefined) || (context.bidirectional ?? false);
  const protocol = test.protocol ?? context.protocol ?? protocolOf(lines);
  // Whether the host that printed this sends. Without `--bidir` it is the same for all streams.
  const isSender =
    role === 'client' ? !(test.reverse || context.reverse) : (test.hasSenderColumn ?? looksLikeSender(lines));
  const reverse = !bidirectional && (role === 'server' ? isSender : !isSender && (test.reverse || role === 'client'));
  const directionOf = (line: RateLine): DrivenDirection => {
    if (line.role === undefined) return reverse ? 'reverse' : 'forward';
    return line.role.isSender === line.role.isServer ? 'reverse' : 'forward';
  };
  const sideOf = (line: RateLine): Side => ((line.role?.isSender ?? isSender) ? 'sender' : 'receiver');
  const series = orderedIntervals(lines.map((line) => intervalOf(line, directionOf(line), sideOf(line), protocol)));
  if (series.hasRepeatedInterval && endedOnPurpose === undefined) warnings.push(REPEATED_INTERVAL_WARNING);
  const parallelStreams = test.parallelStreams ?? countStreams(test, bidirectional);
  return judgeCompleteness({
    kind: 'throughput',
    tool: 'iperf3',
    toolVersion: context.toolVersion,
    role,
    protocol,
    durationSeconds: test.durationSeconds ?? context.durationSeconds,
    parallelStreams,
    targetBitsPerSecond: test.targetBitsPerSecond && test.targetBitsPerSecond * (parallelStreams ?? 1),
    reverse,
    bidirectional,
    intervals: series.intervals,
    // If the test is ended on purpose, the receiver has not reported its figures, and iperf3 prints zeros for them.
    summaries: summariesOf(test, { role, protocol }, directionOf).filter(
      ({ bitsPerSecond }) => endedOnPurpose === undefined || bitsPerSecond !== 0,
    ),
    cpu: test.cpu,
    endedOnPurpose,
    errors:
      endedOnPurpose === undefined ? context.errors : context.errors.filter((error) => !error.includes(CLIENT_ENDED)),
    warnings,
  });
}

/** @returns undefined if no line belongs to a single stream */
function countStreams(test: TestText, bidirectional: boolean): number | undefined {
  const streams = new Set(test.rates.map(({ line }) => line.stream).filter((stream) => stream !== 'sum'));
  return streams.size === 0 ? undefined : streams.size / (bidirectional ? 2 : 1);
}

function protocolOf(lines: readonly RateLine[]): Protocol | undefined {
  if (lines.some((line) => line.jitterMicros !== undefined || line.packets !== undefined)) return 'udp';
  return lines.some((line) => line.congestionWindowBytes !== undefined) ? 'tcp' : undefined;
}

/** A sender's lines have retransmits or a number of datagrams; a receiver's have jitter or nothing. */
export function looksLikeSender(lines: readonly RateLine[]): boolean {
  return lines.some((line) => line.count !== undefined);
}

export function intervalOf(line: RateLine, direction: DrivenDirection, side: Side, protocol?: Protocol): ToolInterval {
  const { role, isOmitted, countsWarmUp, count, ...figures } = line;
  return {
    ...figures,
    direction,
    side,
    retransmits: side === 'sender' && protocol !== 'udp' ? count : undefined,
    lostPackets: countsWarmUp ? undefined : line.lostPackets,
    packets: protocol === 'udp' && !countsWarmUp ? (line.packets ?? count) : undefined,
  };
}

function summariesOf(
  { rates }: TestText,
  { role, protocol }: Pick<ThroughputOutput, 'role' | 'protocol'>,
  directionOf: (line: RateLine) => DrivenDirection,
): ToolSummary[] {
  const lines = rates.filter(({ isSummary }) => isSummary).map(({ line }) => line);
  const hasSum = lines.some((line) => line.stream === 'sum');
  return lines
    .filter((line) => !hasSum || line.stream === 'sum')
    .map((line): ToolSummary => {
      const direction = directionOf(line);
      // Before 3.2 a UDP client prints one line without a side: the receiver's counts beside its own rate.
      const side = line.side ?? (role === 'server' && direction === 'reverse' ? 'sender' : 'receiver');
      const { startSeconds, endSeconds, packets, lostPackets, jitterMicros, count } = line;
      const bitsPerSecond = line.side === undefined && role !== 'server' ? undefined : line.bitsPerSecond;
      const summary = { direction, side, startSeconds, endSeconds, bitsPerSecond, packets };
      if (side === 'receiver') return { ...summary, lostPackets, jitterMicros };
      return { ...summary, retransmits: protocol === 'udp' ? undefined : count };
    })
    .filter((summary) => isKnownSummary(summary, role));
}

/**
 * Merges the runs of a duty cycle into one measurement, on the time axis of the first run; pauses have no interval.
 * @param runCount how many runs there should be; undefined if the beginning of the text, which says so, is missing
 */
function mergedRuns(
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

/** Returns one summary per direction and side: rates weighted by time, counts added up. */
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
