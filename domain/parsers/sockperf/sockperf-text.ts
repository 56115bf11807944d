/** sockperf's text, 2.5 to 3.10, whatever it was told to measure. */
import { latencyWarnings } from '../latency-warnings';
import { withoutAbsent } from '../tool-series';
import { plainLines } from '../plain-line';
import { numberOf } from '../number-of';
import { lastMeasured, splitRuns } from '../runs-of-file';
import { parseRoundTrips } from './sockperf-round-trips';
import type { SockperfContext } from './sockperf-context';
import type { LatencyOutput, ThroughputOutput } from '../tool-output';

/** Any of its modes, by what the text shows. */
export function parseSockperfText(text: string): LatencyOutput | ThroughputOutput {
  const isThroughput = (run: string) => /Summary: (?:Message Rate|BandWidth) is /.test(run);
  return lastMeasured(runsOf(text).map((run) => (isThroughput(run) ? throughputOutput(run) : latencyOutput(run, {}))));
}

/** Ping-pong or under-load. */
export function parseSockperfRoundTrips(text: string, context: SockperfContext): LatencyOutput {
  return lastMeasured(runsOf(text).map((run) => latencyOutput(run, context)));
}

/** The sender's side of mode throughput. */
export function parseSockperfThroughput(text: string): ThroughputOutput {
  return lastMeasured(runsOf(text).map(throughputOutput));
}

/** Each run opens with its version. */
function runsOf(text: string): string[] {
  return splitRuns(plainLines(text), (line) => line.includes('== version #')).map((lines) => lines.join('\n'));
}

type Common = Pick<LatencyOutput, 'tool' | 'toolVersion' | 'protocol' | 'errors'>;

function protocolOf(text: string): 'tcp' | 'udp' | undefined {
  const name = /PORT *= *\d+ *# *(TCP|UDP)/.exec(text)?.[1];
  return name === undefined ? undefined : name === 'TCP' ? 'tcp' : 'udp';
}

function commonOf(text: string): Common {
  const errors = text.matchAll(/(?:sockperf: *)?(?:ERROR|No messages were received|No valid observations found).*$/gm);
  return withoutAbsent({
    tool: 'sockperf',
    toolVersion: /== version #(\d+(?:\.\d+)*)/.exec(text)?.[1],
    protocol: protocolOf(text),
    errors: [...errors].map(([words]) => words.trim()),
  });
}

function latencyOutput(text: string, context: SockperfContext): LatencyOutput {
  const common = commonOf(text);
  const roundTrips = parseRoundTrips(text, context);
  const { rttMicros, observations } = roundTrips;
  const reason = common.errors.at(-1) ?? missingPart(text, roundTrips);
  return withoutAbsent({
    kind: 'latency' as const,
    ...common,
    ...roundTrips,
    droppedMessages: numberOf(text, /dropped messages *= *(\d+)/),
    duplicatedMessages: numberOf(text, /duplicated messages *= *(\d+)/),
    outOfOrderMessages: numberOf(text, /out-of-order messages *= *(\d+)/),
    complete: reason === undefined,
    incompleteReason: reason,
    warnings: [
      ...roundTrips.warnings,
      ...(rttMicros === undefined || observations === undefined ? [] : latencyWarnings(rttMicros, observations)),
    ],
  });
}

function missingPart(text: string, found: Pick<LatencyOutput, 'rttMicros' | 'observations'>): string | undefined {
  if (text.includes('[SERVER] listen on')) return 'a sockperf server prints no measurement';
  if (found.rttMicros === undefined || !found.observations) return 'no final statistics';
  return cutOff(text);
}

function cutOff(text: string): string | undefined {
  const ends = [...text.matchAll(/Test end \(([^)]*)\)/g)].map(([, how]) => how!);
  const isCutOff = ends.length > 0 && !ends.some((how) => /by timer|reached packet number/.test(how));
  return isCutOff ? `Test end (${ends.at(-1)!})` : undefined;
}

/** What the sender handed to its kernel, on average: it prints no series, and a server says nothing of what came. */
function throughputOutput(text: string): ThroughputOutput {
  const common = commonOf(text);
  const bitsPerSecond = sentBitsPerSecond(text);
  const durationSeconds = numberOf(text, /messages sent in ([\d.]+) sec/);
  const reason = common.errors.at(-1) ?? (bitsPerSecond === undefined ? 'no final summary' : cutOff(text));
  return withoutAbsent({
    kind: 'throughput' as const,
    ...common,
    role: 'client' as const,
    reverse: false,
    bidirectional: false,
    durationSeconds,
    intervals: [],
    summaries:
      bitsPerSecond === undefined || durationSeconds === undefined
        ? []
        : ([
            { direction: 'forward', side: 'sender', startSeconds: 0, endSeconds: durationSeconds, bitsPerSecond },
          ] as const),
    complete: reason === undefined,
    incompleteReason: reason,
    warnings:
      bitsPerSecond === undefined
        ? []
        : [`sockperf sent ${(bitsPerSecond / 1e9).toFixed(3)} Gbps on average; it prints no series to judge`],
  });
}

/**
 * Its MBps is MiB/s, and the Mbps beside it is eight times that. With `--giga-size` it is a thousandth of both; with
 * `--increase_output_precision` it says GBps for MiB/s, with nine decimals.
 */
function sentBitsPerSecond(text: string): number | undefined {
  const [, digits, unit] = /BandWidth is ([\d.]+) ([MG])Bps/i.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined || !Number.isFinite(value)) return undefined;
  const isThousandfold = unit === 'G' && !/\.\d{9}$/.test(digits);
  return value * 2 ** 20 * 8 * (isThousandfold ? 1000 : 1);
}
