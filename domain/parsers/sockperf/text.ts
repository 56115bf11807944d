/** sockperf's text, 2.5 to 3.10, in any of its modes. */
import { latencyWarnings } from '../latency-warnings';
import { lastRun } from '../runs-of-file';
import { isRate, numberIn, plainLines } from '../text-lines';
import type { LatencyOutput, ThroughputOutput } from '../tool-output';
import type { SockperfContext } from './command';
import { parseRoundTrips, type RoundTrips } from './round-trips';

/** The text itself shows the mode. */
export function parseSockperfText(text: string): LatencyOutput | ThroughputOutput {
  const isThroughput = (run: string) => /Summary: (?:Message Rate|BandWidth) is /.test(run);
  return parseLastRun(text, (run) => (isThroughput(run) ? throughputOutput(run) : latencyOutput(run, {})));
}

/** Ping-pong or under-load. */
export function parseSockperfRoundTrips(text: string, context: SockperfContext): LatencyOutput {
  return parseLastRun(text, (run) => latencyOutput(run, context));
}

/** Mode throughput, the sender's side. */
export function parseSockperfThroughput(text: string): ThroughputOutput {
  return parseLastRun(text, throughputOutput);
}

function parseLastRun<Output extends LatencyOutput | ThroughputOutput>(text: string, parse: (run: string) => Output) {
  return lastRun(
    plainLines(text),
    // The first line of a run has sockperf's version.
    (line) => line.includes('== version #'),
    (lines) => parse(lines.join('\n')),
    (output) => (output.kind === 'latency' ? output.observations !== undefined : output.summaries.length > 0),
  );
}

const PROTOCOLS = { TCP: 'tcp', UDP: 'udp' } as const;

function commonOf(text: string) {
  const protocol = /PORT *= *\d+ *# *(TCP|UDP)/.exec(text)?.[1] as 'TCP' | 'UDP' | undefined;
  const errors = text.matchAll(/(?:sockperf: *)?(?:ERROR|No messages were received|No valid observations found).*$/gm);
  return {
    tool: 'sockperf',
    toolVersion: /== version #(\d+(?:\.\d+)*)/.exec(text)?.[1],
    protocol: protocol && PROTOCOLS[protocol],
    errors: [...errors].map(([words]) => words.trim()),
  };
}

function latencyOutput(text: string, context: SockperfContext): LatencyOutput {
  const common = commonOf(text);
  const roundTrips = parseRoundTrips(text, context);
  const incompleteReason = common.errors.at(-1) ?? missingPart(text, roundTrips);
  const outOfOrderMessages = numberIn(text, /out-of-order messages *= *(\d+)/);
  return {
    kind: 'latency',
    ...common,
    ...roundTrips,
    droppedMessages: numberIn(text, /dropped messages *= *(\d+)/),
    duplicatedMessages: numberIn(text, /duplicated messages *= *(\d+)/),
    outOfOrderMessages,
    complete: incompleteReason === undefined,
    incompleteReason,
    warnings: [
      ...roundTrips.warnings,
      ...overtakenWarnings(text, outOfOrderMessages, roundTrips),
      ...latencyWarnings(roundTrips),
    ],
  };
}

/** Fewer of them than this change no percentile that is shown. */
const FEW_OVERTAKEN = 0.001;

/** sockperf numbers the messages of all flows together, and leaves out a round trip that a later one overtook. */
function overtakenWarnings(text: string, outOfOrder = 0, { observations = 0 }: RoundTrips): string[] {
  const flowCount = text.match(/^\[ *\d+\] IP = .*PORT = /gm)?.length ?? 1;
  if (flowCount < 2 || outOfOrder <= FEW_OVERTAKEN * (observations + outOfOrder)) return [];
  const share = (100 * outOfOrder) / (observations + outOfOrder);
  return [
    `${outOfOrder} round trips (${share.toFixed(1)} %) were overtaken by those of other flows, and sockperf leaves them out: ` +
      'the percentiles are without some of the slowest',
  ];
}

function missingPart(text: string, { rttMicros, observations }: RoundTrips): string | undefined {
  if (text.includes('[SERVER] listen on')) return 'a sockperf server prints no measurement';
  if (rttMicros === undefined || !observations) return 'no final statistics';
  return cutOff(text);
}

function cutOff(text: string): string | undefined {
  const ends = text.match(/Test end \([^)\n]{0,100}\)/g) ?? [];
  return ends.some((end) => /by timer|reached packet number/.test(end)) ? undefined : ends.at(-1);
}

/** The average of what the sender passed to its kernel: sockperf prints no series, and a server reports no arrivals. */
function throughputOutput(text: string): ThroughputOutput {
  const common = commonOf(text);
  const bitsPerSecond = sentBitsPerSecond(text);
  const durationSeconds = numberIn(text, /messages sent in ([\d.]+) sec/);
  const incompleteReason = common.errors.at(-1) ?? (bitsPerSecond === undefined ? 'no final summary' : cutOff(text));
  return {
    kind: 'throughput',
    ...common,
    role: 'client',
    reverse: false,
    bidirectional: false,
    durationSeconds,
    intervals: [],
    summaries:
      bitsPerSecond === undefined || durationSeconds === undefined
        ? []
        : [{ direction: 'forward', side: 'sender', startSeconds: 0, endSeconds: durationSeconds, bitsPerSecond }],
    complete: incompleteReason === undefined,
    incompleteReason,
    warnings:
      bitsPerSecond === undefined
        ? []
        : [`sockperf sent ${(bitsPerSecond / 1e9).toFixed(3)} Gbps on average; it prints no series to judge`],
  };
}

/**
 * sockperf's MBps is MiB/s, and the Mbps beside it is eight times that. With `--giga-size`, GBps is a thousandth of
 * that; with `--increase_output_precision`, it prints GBps for MiB/s, with nine decimals.
 */
function sentBitsPerSecond(text: string): number | undefined {
  const [, digits, unit] = /BandWidth is ([\d.]+) ([MG])Bps/i.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined) return undefined;
  const isThousandfold = unit === 'G' && !/\.\d{9}$/.test(digits);
  const bitsPerSecond = value * 2 ** 20 * 8 * (isThousandfold ? 1000 : 1);
  return isRate(bitsPerSecond) ? bitsPerSecond : undefined;
}
