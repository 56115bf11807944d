/**
 * iperf3's text, of either end, 3.0 to 3.21, with or without `-V` and `--timestamps`. A file may hold several tests (a
 * server's log); the last one that measured something is the one that counts, and a warning says so.
 */
import type { DrivenDirection, Protocol } from '../../model/settings';
import { judgeCompleteness } from '../completeness';
import { cleanSeries, isKnownSummary, withoutAbsent } from '../tool-series';
import { mergedRuns } from './iperf3-duty-cycle';
import { errorOfLine, parseRateLine, runOfLine } from './iperf3-text-line';
import { plainLine } from '../plain-line';
import type { RateLine } from './iperf3-text-line';
import { receiverSeriesOf } from './iperf3-server-output';
import { isProbeLine, withProbe } from './latency-probe';
import type { CpuUtilisation, ThroughputOutput, Side, ToolInterval, ToolSummary } from '../tool-output';

/** What the command line tells when the output itself does not. */
export interface Iperf3Context {
  readonly role?: 'client' | 'server';
  readonly protocol?: Protocol;
  readonly reverse?: boolean;
  readonly bidirectional?: boolean;
  readonly durationSeconds?: number;
  /** The other end said that it ended the test on purpose, and why. */
  readonly endedOnPurpose?: string;
}

/** One test as it is read line by line. */
interface TestText {
  role?: 'client' | 'server';
  protocol?: Protocol;
  parallelStreams?: number;
  durationSeconds?: number;
  /** Of each stream. */
  targetBitsPerSecond?: number;
  reverse: boolean;
  /** Header lines seen: the first stands above the intervals, the second above the summary. */
  headerCount: number;
  /** The header above the intervals has a column of the sender: `Retr`, or `Total Datagrams`. */
  hasSenderColumn?: boolean;
  readonly rates: { readonly line: RateLine; readonly isSummary: boolean }[];
  cpu?: CpuUtilisation;
  endedOnPurpose?: string;
  readonly errors: string[];
}

export function parseIperf3Text(text: string, context: Iperf3Context = {}): ThroughputOutput {
  const { ownText, serverText } = splitServerOutput(text);
  const file = readTests(ownText);
  if (file.isDutyCycle) {
    const outputs = file.tests.map((run) =>
      judgeCompleteness(outputOf(run, context, run.errors, [], file.toolVersion)),
    );
    return withProbe(mergedRuns(outputs, file.runCount, file.earlyErrors), ownText);
  }
  const measured = file.tests.filter((test) => test.rates.length > 0);
  const test = measured.at(-1) ?? file.tests.at(-1) ?? newTest();
  const warnings: string[] = [];
  const errors = [...test.errors];
  if (file.tests.length > 1) {
    warnings.push(`the file holds ${file.tests.length} tests; the last one that measured something is analysed`);
    warnings.push(...file.earlyErrors.map((error) => `not clear to which test it belongs: ${error}`));
  } else {
    errors.unshift(...file.earlyErrors);
  }
  const output = outputOf(test, context, errors, warnings, file.toolVersion);
  const complete = withProbe(judgeCompleteness(output), ownText);
  return serverText === undefined
    ? complete
    : receiverSeriesOf(complete, parseIperf3Text(serverText, { role: 'server' }));
}

/** `--get-server-output` appends the server's own text to the client's, with `--bidir` between its two summaries. */
function splitServerOutput(text: string): { ownText: string; serverText?: string } {
  const match = /^.{0,40}Server output:\s*$/m.exec(text);
  if (match === null) return { ownText: text };
  const lines = text.slice(match.index + match[0].length).split('\n');
  const isOwn = (line: string) => /\]\[[TR]X-C\]/.test(line);
  return {
    ownText: [text.slice(0, match.index), ...lines.filter(isOwn)].join('\n'),
    serverText: lines.filter((line) => !isOwn(line)).join('\n'),
  };
}

function newTest(): TestText {
  return { reverse: false, headerCount: 0, rates: [], errors: [] };
}

interface FileText {
  readonly tests: TestText[];
  /** Complaints above the first test: standard error is not buffered, so they may belong to any. */
  readonly earlyErrors: string[];
  toolVersion?: string;
  /** Its tests are the runs of one duty cycle. */
  isDutyCycle: boolean;
  /** How many runs it was to have. */
  runCount?: number;
}

function readTests(text: string): FileText {
  const file: FileText = { tests: [], earlyErrors: [], isDutyCycle: false };
  let current: TestText | undefined;
  let runNumber: number | undefined;
  const begin = (role?: 'client' | 'server') => {
    current = { ...newTest(), ...(role && { role }) };
    file.tests.push(current);
  };
  for (const rawLine of text.split('\n')) {
    const line = plainLine(rawLine);
    if (isProbeLine(line)) continue;
    const runCount = /^network-benchmark: duty cycle of (\d{1,4}) runs, /.exec(line)?.[1];
    if (runCount !== undefined) file.runCount = Number(runCount);
    const version = /\biperf (3\.\S+)/.exec(line)?.[1];
    if (version !== undefined && !line.includes('[')) file.toolVersion = version;
    const run = runOfLine(line)?.number;
    const role = roleOf(line);
    if (run !== undefined && run !== runNumber) begin(role);
    else if (run !== undefined && role !== undefined) current!.role = role;
    else if (role !== undefined) begin(role);
    file.isDutyCycle ||= run !== undefined;
    runNumber = run;
    const error = errorOfLine(line);
    if (error !== undefined) (current?.errors ?? file.earlyErrors).push(error);
    else if (current === undefined && parseRateLine(line) !== undefined) begin();
    if (current !== undefined) readLine(line, current);
  }
  return file;
}

function roleOf(line: string): 'client' | 'server' | undefined {
  if (line.includes('Accepted connection from ')) return 'server';
  return line.includes('Connecting to host ') ? 'client' : undefined;
}

function readLine(line: string, test: TestText): void {
  const rate = parseRateLine(line);
  if (rate !== undefined) {
    test.rates.push({ line: rate, isSummary: rate.side !== undefined || test.headerCount > 1 });
    return;
  }
  if (/\[ *ID\]/.test(line)) {
    test.headerCount += 1;
    test.protocol = line.includes('Datagrams') ? 'udp' : 'tcp';
    test.hasSenderColumn ??= /Retr|Total Datagrams\s*$/.test(line) && !line.includes('Jitter');
    return;
  }
  if (line.includes('Reverse mode, remote host ')) test.reverse = true;
  const start = /Starting Test: protocol: (TCP|UDP|SCTP), (\d+) streams,.*?(?:(\d+) second test|$)/.exec(line);
  if (start !== null) {
    if (start[1] !== 'SCTP') test.protocol = start[1] === 'UDP' ? 'udp' : 'tcp';
    test.parallelStreams = Number(start[2]);
    if (Number(start[3]) > 0) test.durationSeconds = Number(start[3]);
  }
  const target = Number(/^.{0,60}Target Bitrate: (\d+)/.exec(line)?.[1]);
  if (target > 0) test.targetBitsPerSecond = target;
  test.endedOnPurpose ??= /network-benchmark: (stopped .*)$/.exec(line)?.[1];
  const cpu = /CPU Utilization: local\/\w+ ([\d.]+)% .*remote\/\w+ ([\d.]+)% /.exec(line);
  // The server writes 0 % for a client that has not told it.
  if (cpu !== null && test.cpu === undefined) {
    const remotePercent = Number(cpu[2]);
    test.cpu = { localPercent: Number(cpu[1]), ...(remotePercent > 0 && { remotePercent }) };
  }
}

function outputOf(
  test: TestText,
  context: Iperf3Context,
  errors: readonly string[],
  warnings: string[],
  toolVersion: string | undefined,
): Omit<ThroughputOutput, 'complete'> {
  const endedOnPurpose = test.endedOnPurpose ?? context.endedOnPurpose;
  // Warm-up (`-O`) restarts the clock at 0 when it ends, so its intervals would shadow the measured ones.
  const intervalLines = test.rates.filter((rate) => !rate.isSummary && !rate.line.omitted).map((rate) => rate.line);
  if (test.rates.some((rate) => rate.line.omitted)) warnings.push(OMITTED_INTERVALS);
  const role = test.role ?? context.role;
  const bidirectional = test.rates.some((rate) => rate.line.role !== undefined) || (context.bidirectional ?? false);
  const protocol = test.protocol ?? context.protocol ?? protocolOf(intervalLines);
  const isSender = localIsSender(test, role, intervalLines, context);
  const reverse = !bidirectional && (role === 'server' ? isSender : !isSender && (test.reverse || role === 'client'));
  const directionOf = (line: RateLine): DrivenDirection => {
    if (line.role === undefined) return reverse ? 'reverse' : 'forward';
    return line.role.isSender === line.role.isServer ? 'reverse' : 'forward';
  };
  const sideOf = (line: RateLine): Side => ((line.role?.isSender ?? isSender) ? 'sender' : 'receiver');
  const series = cleanSeries(intervalLines.map((line) => intervalOf(line, directionOf(line), sideOf(line), protocol)));
  if (series.hasRepeatedInterval && endedOnPurpose === undefined) warnings.push(REPEATED_INTERVAL);
  const streamCount = new Set(test.rates.filter((rate) => rate.line.stream !== 'sum').map((rate) => rate.line.stream))
    .size;
  const parallelStreams = test.parallelStreams ?? (streamCount > 0 ? streamCount / (bidirectional ? 2 : 1) : undefined);
  return withoutAbsent({
    kind: 'throughput' as const,
    tool: 'iperf3',
    toolVersion,
    role,
    protocol,
    durationSeconds: test.durationSeconds ?? context.durationSeconds,
    parallelStreams,
    targetBitsPerSecond: test.targetBitsPerSecond && test.targetBitsPerSecond * (parallelStreams ?? 1),
    reverse,
    bidirectional,
    intervals: series.intervals,
    // Ended on purpose, the receiver has not told its figures: iperf3 writes zeros.
    summaries: summariesOf(test, role, protocol, directionOf).filter(
      ({ bitsPerSecond }) => endedOnPurpose === undefined || bitsPerSecond !== 0,
    ),
    cpu: test.cpu,
    endedOnPurpose,
    errors: endedOnPurpose === undefined ? errors : errors.filter((error) => !error.includes(CLIENT_ENDED)),
    warnings,
  });
}

/** What a server says when its client ends the test early. */
const CLIENT_ENDED = 'the client has terminated';

export const REPEATED_INTERVAL = 'the last interval came twice, as iperf3 prints it when it is cut off; counted once';
export const OMITTED_INTERVALS = 'warm-up intervals (--omit) are left out: a burst within them is not seen';

function protocolOf(lines: readonly RateLine[]): Protocol | undefined {
  if (lines.some((line) => line.jitterMicros !== undefined || line.packets !== undefined)) return 'udp';
  return lines.some((line) => line.congestionWindowBytes !== undefined) ? 'tcp' : undefined;
}

/** Does the end that printed this send? Without `--bidir` one answer holds for all streams. */
function localIsSender(
  test: TestText,
  role: 'client' | 'server' | undefined,
  lines: readonly RateLine[],
  context: Iperf3Context,
): boolean {
  if (role === 'client') return !(test.reverse || (context.reverse ?? false));
  return test.hasSenderColumn ?? looksLikeSender(lines);
}

/** A sender's lines carry retransmits or a number of datagrams, a receiver's nothing or jitter. */
export function looksLikeSender(lines: readonly RateLine[]): boolean {
  return lines.some((line) => line.count !== undefined);
}

export function intervalOf(
  line: RateLine,
  direction: DrivenDirection,
  side: Side,
  protocol: Protocol | undefined,
): ToolInterval {
  return withoutAbsent({
    startSeconds: line.startSeconds,
    endSeconds: line.endSeconds,
    direction,
    side,
    stream: line.stream,
    bitsPerSecond: line.bitsPerSecond,
    retransmits: side === 'sender' && protocol !== 'udp' ? line.count : undefined,
    congestionWindowBytes: line.congestionWindowBytes,
    lostPackets: line.lostPackets,
    packets: protocol === 'udp' ? (line.packets ?? line.count) : undefined,
    jitterMicros: line.jitterMicros,
  });
}

function summariesOf(
  test: TestText,
  role: 'client' | 'server' | undefined,
  protocol: Protocol | undefined,
  directionOf: (line: RateLine) => DrivenDirection,
): ToolSummary[] {
  const lines = test.rates.filter((rate) => rate.isSummary).map((rate) => rate.line);
  const hasSum = lines.some((line) => line.stream === 'sum');
  return lines
    .filter((line) => !hasSum || line.stream === 'sum')
    .map((line) => {
      const direction = directionOf(line);
      // Before 3.2 a UDP client prints one line without a side: the receiver's counts beside its own rate.
      const side = line.side ?? (role === 'server' && direction === 'reverse' ? 'sender' : 'receiver');
      return withoutAbsent({
        direction,
        side,
        startSeconds: line.startSeconds,
        endSeconds: line.endSeconds,
        bitsPerSecond: line.side === undefined && role !== 'server' ? undefined : line.bitsPerSecond,
        retransmits: side === 'sender' && protocol !== 'udp' ? line.count : undefined,
        lostPackets: side === 'receiver' ? line.lostPackets : undefined,
        packets: line.packets,
        jitterMicros: side === 'receiver' ? line.jitterMicros : undefined,
      });
    })
    .filter((summary) => isKnownSummary(summary, role));
}
