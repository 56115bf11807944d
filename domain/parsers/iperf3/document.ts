/** The document that `iperf3 -J` prints, and that the events of `--json-stream` add up to: versions 3.0 to 3.21. */
import { judgeCompleteness, REPEATED_INTERVAL_WARNING } from '../completeness';
import { asAmount, asRecord, asRecords, asText, type JsonRecord } from '../json-text';
import type { CpuUtilisation, ThroughputOutput, ToolInterval } from '../tool-output';
import { orderedIntervals } from '../tool-series';
import { countsOf, directionOfStream, summariesOfEnd, type DocumentFacts } from './document-summaries';
import { OMITTED_INTERVALS_WARNING, parseIperf3Text, withServerSeries } from './text';

/** @param remarks what was printed around the document */
export function outputOfDocument(
  document: JsonRecord,
  remarks: Pick<ThroughputOutput, 'errors' | 'warnings'> = { errors: [], warnings: [] },
): ThroughputOutput {
  const start = asRecord(document.start) ?? {};
  const test = asRecord(start.test_start) ?? {};
  const facts = factsOf(start, test);
  const warnings = [...remarks.warnings];
  const parts = asRecords(document.intervals).flatMap(partsOfEntry);
  const measured = parts.filter((part) => part.omitted !== true);
  const series = orderedIntervals(measured.flatMap((part) => intervalOf(part, facts)));
  if (measured.length < parts.length) warnings.push(OMITTED_INTERVALS_WARNING);
  if (series.hasRepeatedInterval) warnings.push(REPEATED_INTERVAL_WARNING);
  // 3.9 drives both directions without showing it in `test_start`.
  const directions = new Set(parts.map((part) => directionOfStream(part.sender, facts)));
  const error = asText(document.error);
  const durationSeconds = asAmount(test.duration);
  const end = asRecord(document.end) ?? {};
  const output = judgeCompleteness({
    kind: 'throughput',
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
    summaries: summariesOfEnd(end, facts),
    cpu: cpuOf(asRecord(end.cpu_utilization_percent)),
    errors: [...remarks.errors, ...(error === undefined ? [] : [`iperf3: ${error.replace(/^iperf3: /, '')}`])],
    warnings,
  });
  return withServerOutput(output, document);
}

function factsOf(start: JsonRecord, test: JsonRecord): DocumentFacts {
  const protocolName = asText(test.protocol)?.toLowerCase();
  return {
    role: start.connecting_to !== undefined ? 'client' : start.accepted_connection !== undefined ? 'server' : undefined,
    protocol: protocolName === 'tcp' || protocolName === 'udp' ? protocolName : undefined,
    reverse: test.reverse === 1,
  };
}

/** Over all streams; iperf3 writes 0 for an unlimited rate. */
function targetOf(start: JsonRecord, test: JsonRecord): number | undefined {
  const perStream = asAmount(test.target_bitrate) ?? asAmount(start.target_bitrate);
  return perStream ? perStream * (asAmount(test.num_streams) ?? 1) : undefined;
}

/** Sums are made from the streams: with `--bidir`, 3.9 writes both directions under the same name `sum`. */
function partsOfEntry(entry: JsonRecord): JsonRecord[] {
  const streams = asRecords(entry.streams);
  const sum = asRecord(entry.sum);
  return streams.length > 0 || sum === undefined ? streams : [sum];
}

function intervalOf(part: JsonRecord, facts: DocumentFacts): ToolInterval[] {
  const startSeconds = asAmount(part.start);
  const endSeconds = asAmount(part.end);
  const bitsPerSecond = rateOf(part);
  if (startSeconds === undefined || endSeconds === undefined || bitsPerSecond === undefined) return [];
  const isSender = typeof part.sender === 'boolean' ? part.sender : (facts.role === 'server') === facts.reverse;
  const side = isSender ? 'sender' : 'receiver';
  return [
    {
      startSeconds,
      endSeconds,
      direction: directionOfStream(part.sender, facts),
      side,
      stream: String(asAmount(part.socket) ?? 'sum'),
      bitsPerSecond,
      congestionWindowBytes: isSender ? asAmount(part.snd_cwnd) : undefined,
      ...countsOf(part, side),
    },
  ];
}

/** Bytes over the interval's own length: the same as the printed rate, which some versions round. */
function rateOf(part: JsonRecord): number | undefined {
  const bytes = asAmount(part.bytes);
  const seconds = asAmount(part.seconds);
  return bytes !== undefined && seconds ? (bytes * 8) / seconds : asAmount(part.bits_per_second);
}

function cpuOf(cpu: JsonRecord | undefined): CpuUtilisation | undefined {
  const localPercent = asAmount(cpu?.host_total);
  const remotePercent = asAmount(cpu?.remote_total);
  if (localPercent === undefined) return undefined;
  // 0 means that the other end has not reported its own.
  return { localPercent, remotePercent: remotePercent === 0 ? undefined : remotePercent };
}

/** `--get-server-output` adds the server's document, or its text, to the client's document. */
function withServerOutput(client: ThroughputOutput, document: JsonRecord): ThroughputOutput {
  const serverDocument = asRecord(document.server_output_json);
  if (serverDocument !== undefined) return withServerSeries(client, outputOfDocument(serverDocument));
  const serverText = asText(document.server_output_text);
  if (serverText === undefined) return client;
  return withServerSeries(client, parseIperf3Text(serverText, { role: 'server' }));
}
