/** The document that `iperf3 -J` prints, and that the events of `--json-stream` add up to: versions 3.0 to 3.21. */
import { judgeCompleteness } from '../completeness';
import { directionOfStream } from './iperf3-document-facts';
import type { DocumentFacts } from './iperf3-document-facts';
import { summariesOfEnd } from './iperf3-document-summaries';
import { cleanSeries, withoutAbsent } from '../tool-series';
import { receiverSeriesOf } from './iperf3-server-output';
import { OMITTED_INTERVALS, parseIperf3Text, REPEATED_INTERVAL } from './iperf3-text';
import { asAmount, asRecord, asRecords, asText } from '../json-text';
import type { JsonRecord } from '../json-text';
import type { CpuUtilisation, ThroughputOutput, ToolInterval } from '../tool-output';

export interface DocumentRemarks {
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
}

export function outputOfDocument(document: JsonRecord, remarks: DocumentRemarks = {}): ThroughputOutput {
  const start = asRecord(document.start) ?? {};
  const test = asRecord(start.test_start) ?? {};
  const facts = factsOf(start, test);
  const entries = asRecords(document.intervals);
  const warnings = [...(remarks.warnings ?? [])];
  const printed = entries.flatMap((entry) => intervalsOfEntry(entry, facts));
  const series = cleanSeries(printed.filter((one) => !one.omitted).map((one) => one.interval));
  if (printed.some((one) => one.omitted)) warnings.push(OMITTED_INTERVALS);
  if (series.hasRepeatedInterval) warnings.push(REPEATED_INTERVAL);
  // 3.9 drives both directions without saying so in `test_start`.
  const directions = new Set(printed.map((one) => one.interval.direction));
  const error = asText(document.error);
  const durationSeconds = asAmount(test.duration);
  const output = withoutAbsent({
    kind: 'throughput' as const,
    tool: 'iperf3',
    toolVersion: /(3\.\S+)/.exec(asText(start.version) ?? '')?.[1],
    role: facts.role,
    protocol: facts.protocol,
    durationSeconds: durationSeconds === 0 ? undefined : durationSeconds,
    parallelStreams: asAmount(test.num_streams),
    targetBitsPerSecond: targetOf(start, test),
    reverse: facts.reverse,
    bidirectional: directions.size > 1 || test.bidir === 1,
    intervals: series.intervals,
    summaries: summariesOfEnd(asRecord(document.end) ?? {}, facts),
    cpu: cpuOf(asRecord(asRecord(document.end)?.cpu_utilization_percent)),
    errors: [...(remarks.errors ?? []), ...(error === undefined ? [] : [`iperf3: ${error.replace(/^iperf3: /, '')}`])],
    warnings,
  });
  return withServerOutput(judgeCompleteness(output), document);
}

function factsOf(start: JsonRecord, test: JsonRecord): DocumentFacts {
  const protocolName = asText(test.protocol)?.toLowerCase();
  return {
    role: start.connecting_to !== undefined ? 'client' : start.accepted_connection !== undefined ? 'server' : undefined,
    protocol: protocolName === 'tcp' || protocolName === 'udp' ? protocolName : undefined,
    reverse: test.reverse === 1,
  };
}

/** Of all streams together; iperf3 writes 0 for "as fast as it goes". */
function targetOf(start: JsonRecord, test: JsonRecord): number | undefined {
  const ofStream = asAmount(test.target_bitrate) ?? asAmount(start.target_bitrate);
  return ofStream ? ofStream * (asAmount(test.num_streams) ?? 1) : undefined;
}

function intervalsOfEntry(entry: JsonRecord, facts: DocumentFacts) {
  const streams = asRecords(entry.streams);
  const sum = asRecord(entry.sum);
  // Sums are made of the streams: with `--bidir`, 3.9 writes both directions under the one name `sum`.
  const parts = streams.length > 0 ? streams : sum === undefined ? [] : [{ ...sum, socket: 'sum' }];
  return parts.flatMap((part) => {
    const interval = intervalOf(part, facts);
    return interval === undefined ? [] : [{ interval, omitted: part.omitted === true }];
  });
}

function intervalOf(part: JsonRecord, facts: DocumentFacts): ToolInterval | undefined {
  const startSeconds = asAmount(part.start);
  const endSeconds = asAmount(part.end);
  const bitsPerSecond = rateOf(part);
  if (startSeconds === undefined || endSeconds === undefined || bitsPerSecond === undefined) return undefined;
  const direction = directionOfStream(part.sender, facts);
  const isSender = typeof part.sender === 'boolean' ? part.sender : (facts.role === 'server') === facts.reverse;
  const jitterMillis = asAmount(part.jitter_ms);
  return withoutAbsent({
    startSeconds,
    endSeconds,
    direction,
    side: isSender ? ('sender' as const) : ('receiver' as const),
    stream: part.socket === 'sum' ? 'sum' : String(asAmount(part.socket) ?? 'sum'),
    bitsPerSecond,
    retransmits: isSender ? asAmount(part.retransmits) : undefined,
    congestionWindowBytes: isSender ? asAmount(part.snd_cwnd) : undefined,
    lostPackets: isSender ? undefined : asAmount(part.lost_packets),
    packets: asAmount(part.packets),
    jitterMicros: isSender || jitterMillis === undefined ? undefined : jitterMillis * 1000,
  });
}

/** Bytes over the interval's own length: the printed rate is the same, rounded in some versions. */
function rateOf(part: JsonRecord): number | undefined {
  const bytes = asAmount(part.bytes);
  const seconds = asAmount(part.seconds);
  return bytes !== undefined && seconds ? (bytes * 8) / seconds : asAmount(part.bits_per_second);
}

function cpuOf(cpu: JsonRecord | undefined): CpuUtilisation | undefined {
  const localPercent = asAmount(cpu?.host_total);
  const remotePercent = asAmount(cpu?.remote_total);
  if (localPercent === undefined) return undefined;
  // 0 stands there when the other end has not told.
  return { localPercent, ...(remotePercent !== undefined && remotePercent > 0 && { remotePercent }) };
}

/** `--get-server-output` puts the server's document, or its text, into the client's. */
function withServerOutput(client: ThroughputOutput, document: JsonRecord): ThroughputOutput {
  const serverDocument = asRecord(document.server_output_json);
  if (serverDocument !== undefined) return receiverSeriesOf(client, outputOfDocument(serverDocument));
  const serverText = asText(document.server_output_text);
  if (serverText === undefined) return client;
  return receiverSeriesOf(client, parseIperf3Text(serverText, { role: 'server' }));
}
