/** Splits iperf3's text into tests, line by line; `text.ts` interprets their lines together. */
import type { Protocol } from '../../model/settings';
import { groupsIn, numberIn } from '../../parsers/text-lines';
import type { CpuUtilisation, ThroughputOutput } from '../../parsers/tool-output';
import { byStart } from '../../parsers/tool-series';
import { TextErrors, type MessagesOfTest } from './text-errors';
import { errorOfLine, parseRateLine, runOfLine, type RateLine } from './text-line';

export interface TestText extends MessagesOfTest {
  role?: 'client' | 'server';
  protocol?: Protocol;
  parallelStreams?: number;
  durationSeconds?: number;
  /** The offered rate of each stream. */
  targetBitsPerSecond?: number;
  reverse: boolean;
  /** Number of header lines so far: the first precedes the intervals, the second the summary. */
  headerCount: number;
  /** Whether the header above the intervals has a sender's column: `Retr`, or `Total Datagrams`. */
  hasSenderColumn?: boolean;
  readonly rates: { readonly line: RateLine; readonly isSummary: boolean }[];
  cpu?: CpuUtilisation;
  endedOnPurpose?: string;
  /** The server's text of this test, which `--get-server-output` appends to the client's. */
  serverLines?: string[];
}

export interface FileText {
  readonly tests: TestText[];
  /** Error messages above the first test, which may belong to any test, because standard error is not buffered. */
  readonly earlyErrors: string[];
  toolVersion?: string;
  /** Whether the tests are the runs of one duty cycle. */
  isDutyCycle: boolean;
  /** How many runs the duty cycle should have. */
  runCount?: number;
}

export function newTest(role?: 'client' | 'server'): TestText {
  return { role, reverse: false, headerCount: 0, rates: [], errors: [], laterErrors: [] };
}

/** `--get-server-output` puts this line above the server's text; with `--bidir`, the client's text goes on below. */
const SERVER_OUTPUT = /^.{0,40}Server output:\s*$/;
const OWN_LINE_OF_BOTH_DIRECTIONS = /\]\[[TR]X-C\]/;

/** @param text as `plainText` returns it */
export function readTests(text: string): FileText {
  const file: FileText = { tests: [], earlyErrors: [], isDutyCycle: false };
  const errors = new TextErrors(file);
  let current: TestText | undefined;
  let currentRun: number | undefined;
  let serverLines: string[] | undefined;
  for (const line of text.split('\n')) {
    if (isProbeLine(line)) continue;
    const run = runOfLine(line)?.number;
    const isClient = line.includes('Connecting to host ');
    if (run !== currentRun || isClient || line.includes('iperf Done.')) serverLines = undefined;
    if (SERVER_OUTPUT.test(line)) {
      if (current === undefined) file.tests.push((current = newTest()));
      serverLines = current.serverLines ??= [];
      continue;
    }
    if (serverLines !== undefined && !OWN_LINE_OF_BOTH_DIRECTIONS.test(line)) {
      serverLines.push(line);
      continue;
    }
    file.runCount = numberIn(line, /^network-benchmark: duty cycle of (\d{1,4}) runs, /) ?? file.runCount;
    const version = /\biperf (3\.\S+)/.exec(line)?.[1];
    if (version !== undefined && !line.includes('[')) file.toolVersion = version;
    const isServer = line.includes('Accepted connection from ');
    const role = isServer ? 'server' : isClient ? 'client' : undefined;
    const error = errorOfLine(line);
    const isNewRun = run !== undefined && run !== currentRun;
    const isNewTest = run === undefined && role !== undefined;
    const isFirstRate = current === undefined && error === undefined && parseRateLine(line) !== undefined;
    if (isNewRun || isNewTest || isFirstRate) {
      current = newTest(role);
      file.tests.push(current);
    } else if (current !== undefined) current.role = role ?? current.role;
    file.isDutyCycle ||= run !== undefined;
    currentRun = run;
    errors.read(line, error);
    if (current !== undefined) readLine(line, current);
  }
  errors.endOfProcess();
  return file;
}

const START =
  /Starting Test: protocol: (?<protocol>TCP|UDP|SCTP), (?<streams>\d+) streams,.*?(?: (?<seconds>\d+) second test|$)/;
const CPU = /^.{0,60}CPU Utilization: local\/\w+ (?<local>[\d.]+)% .*remote\/\w+ (?<remote>[\d.]+)% /;

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
  const start = groupsIn(line, START, ['protocol', 'streams', 'seconds']);
  if (start !== undefined) {
    if (start.protocol !== 'SCTP') test.protocol = start.protocol === 'UDP' ? 'udp' : 'tcp';
    test.parallelStreams = Number(start.streams);
    if (Number(start.seconds) > 0) test.durationSeconds = Number(start.seconds);
  }
  const targetBitsPerSecond = numberIn(line, /^.{0,60}Target Bitrate: (\d+)/);
  // 0 stands for an unlimited rate.
  if (targetBitsPerSecond) test.targetBitsPerSecond = targetBitsPerSecond;
  test.endedOnPurpose ??= /network-benchmark: (stopped .*)$/.exec(line)?.[1];
  const cpu = test.cpu === undefined ? groupsIn(line, CPU, ['local', 'remote']) : undefined;
  if (cpu !== undefined) {
    const remotePercent = Number(cpu.remote);
    // The server prints 0 % for a client that has not reported its own.
    test.cpu = { localPercent: Number(cpu.local), remotePercent: remotePercent > 0 ? remotePercent : undefined };
  }
}

/** A latency probe's line in the tool's output: `probe: 12.346 213.074`, in s and µs. */
const ROUND_TRIP = /^probe: (?<start>\d{1,5}\.\d{3}) (?<micros>\d{1,10}\.\d{3})$/;
/** A window without any reply, with sockperf's reason. */
const SILENT_WINDOW = /^probe: none: (.{1,400})$/;

function isProbeLine(line: string): boolean {
  return line.startsWith('probe: ');
}

/** Adds the round trips that a latency probe measured beside the load, if there was one. */
export function withProbe(output: ThroughputOutput, text: string): ThroughputOutput {
  const lines = text.split('\n').filter(isProbeLine);
  if (lines.length === 0) return output;
  const roundTrips = lines.flatMap((line) => {
    const trip = groupsIn(line, ROUND_TRIP, ['start', 'micros']);
    return trip === undefined ? [] : [{ startSeconds: Number(trip.start), rttMicros: Number(trip.micros) }];
  });
  const reasons = lines.flatMap((line) => SILENT_WINDOW.exec(line)?.[1] ?? []);
  const silence = reasons
    .slice(-1)
    .map((reason) => `latency probe: nothing came back in ${reasons.length} of its windows: ${reason}`);
  // Windows overlap and are printed when they end, so their lines are not in order.
  return { ...output, roundTrips: roundTrips.sort(byStart), warnings: [...output.warnings, ...silence] };
}
