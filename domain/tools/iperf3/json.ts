/**
 * Parses iperf3's JSON and what is printed around it: `-J` prints one document, which may be cut off; `--json-stream`
 * (3.17 and later) prints one event per line, which together hold the content of the document.
 */
import { sum } from '../../maths/statistics';
import type { DrivenDirection } from '../../model/settings';
import { judgeCompleteness, OMITTED_INTERVALS_WARNING, REPEATED_INTERVAL_WARNING } from '../../parsers/completeness';
import {
  asAmount,
  asMessage,
  asRate,
  asRecord,
  asRecords,
  asText,
  findJsonObjects,
  recordIn,
  type JsonRecord,
} from '../../parsers/json-text';
import { chooseRun } from '../../parsers/runs-of-file';
import { plainLine } from '../../parsers/text-lines';
import {
  ToolOutputError,
  type CpuUtilisation,
  type Side,
  type ThroughputOutput,
  type ToolInterval,
  type ToolSummary,
  type TrafficCounts,
} from '../../parsers/tool-output';
import { groupsOfSeries, isKnownSummary, orderedIntervals, sumOfCounts } from '../../parsers/tool-series';
import { parseIperf3Text, withServerSeries } from './text';
import { afterTheEnd } from './text-errors';
import { errorOfLine, sinceWarmUp } from './text-line';

export function parseIperf3Json(text: string): ThroughputOutput {
  const { found, rest } = findJsonObjects(text);
  const documents = found.flatMap(({ value, isCutOff }) => {
    const document = asRecord(value);
    return document !== undefined && isDocument(document) ? [{ document, isCutOff }] : [];
  });
  const { run, warnings } = chooseRun(documents, ({ document }) => asRecords(document.intervals).length > 0);
  if (run === undefined) {
    throw new ToolOutputError('JSON: must be a document of iperf3 -J, got something else or too little of one');
  }
  const { document, isCutOff } = run;
  return outputOfDocument(isCutOff ? withoutTornInterval(document) : document, {
    errors: rest.split('\n').flatMap((line) => errorOfLine(plainLine(line)) ?? []),
    warnings: [...warnings, ...(isCutOff ? ['the JSON ends in the middle; what was whole is analysed'] : [])],
  });
}

/** Whether it is iperf3's document: those of other programs may have a `start` or an `error` too, but not its keys. */
function isDocument(document: JsonRecord): boolean {
  const start = asRecord(document.start) ?? {};
  const hasStarted = ['version', 'connected', 'test_start'].some((key) => start[key] !== undefined);
  return (
    hasStarted || asRecords(document.intervals).some(({ streams, sum }) => streams !== undefined || sum !== undefined)
  );
}

/** The last interval of a cut-off document may lack streams, unless its `sum`, which comes after them, is there. */
function withoutTornInterval(document: JsonRecord): JsonRecord {
  const intervals = asRecords(document.intervals);
  return intervals.at(-1)?.sum === undefined ? { ...document, intervals: intervals.slice(0, -1) } : document;
}

/** The events whose data a document holds under the same names. */
const PARTS = ['start', 'end', 'error', 'server_output_json', 'server_output_text'];

type StreamedTest = Record<string, unknown> & { readonly intervals: unknown[] };

export function parseIperf3JsonStream(text: string): ThroughputOutput {
  let test: StreamedTest = { intervals: [] };
  const tests = [test];
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const rawLine of text.split('\n')) {
    const line = plainLine(rawLine);
    const event = eventOf(line);
    if (event !== undefined) {
      if (event.name === 'start' && test.start !== undefined) {
        test = { intervals: [] };
        tests.push(test);
      }
      // A server that is stopped while it waits for its next client reports an error and a second end.
      const isAfterEnd = test.end !== undefined && (event.name === 'error' || event.name === 'end');
      if (event.name === 'interval') test.intervals.push(event.data);
      else if (PARTS.includes(event.name) && !isAfterEnd) test[event.name] = event.data;
      else if (event.name === 'error') warnings.push(afterTheEnd(asMessage(event.data) ?? 'an error'));
    } else if (/^[^{]{0,100}\{\s*"event"/.test(line)) warnings.push('a line ends in the middle of its event; left out');
    else {
      const error = errorOfLine(line);
      if (error !== undefined) errors.push(error);
    }
  }
  const chosen = chooseRun(tests, ({ intervals }) => intervals.length > 0);
  return outputOfDocument({ ...chosen.run }, { errors, warnings: [...warnings, ...chosen.warnings] });
}

function eventOf(line: string) {
  const event = line.includes('"event"') ? recordIn(line.slice(line.indexOf('{'))) : undefined;
  const name = asMessage(event?.event);
  return name === undefined ? undefined : { name, data: event?.data };
}

type Remarks = Pick<ThroughputOutput, 'errors' | 'warnings'>;

/** Reads the document that `-J` prints, or `--json-stream` adds up to (3.0 to 3.21), and remarks beside it. */
function outputOfDocument(document: JsonRecord, remarks: Remarks): ThroughputOutput {
  return withServerOutput(outputOfOneEnd(document, remarks), document);
}

/** Reads the document without the other host's output that it may contain. */
function outputOfOneEnd(document: JsonRecord, remarks: Remarks = { errors: [], warnings: [] }): ThroughputOutput {
  const start = asRecord(document.start) ?? {};
  const test = asRecord(start.test_start) ?? {};
  const facts = factsOf(start, test);
  const warnings = [...remarks.warnings];
  const parts = asRecords(document.intervals).flatMap(partsOfEntry);
  const measured = parts.filter((part) => part.omitted !== true);
  const series = orderedIntervals(measured.flatMap((part) => intervalOf(part, facts)));
  if (measured.length < parts.length) warnings.push(OMITTED_INTERVALS_WARNING);
  if (series.hasRepeatedInterval) warnings.push(REPEATED_INTERVAL_WARNING);
  // Version 3.9 drives both directions without showing it in `test_start`.
  const directions = new Set(parts.map((part) => directionOfStream(part.sender, facts)));
  const error = asMessage(document.error);
  const durationSeconds = asAmount(test.duration);
  const end = asRecord(document.end) ?? {};
  return judgeCompleteness({
    kind: 'throughput',
    tool: 'iperf3',
    toolVersion: /(3\.\S+)/.exec(asMessage(start.version) ?? '')?.[1],
    ...facts,
    durationSeconds: durationSeconds === 0 ? undefined : durationSeconds,
    parallelStreams: asAmount(test.num_streams),
    targetBitsPerSecond: targetOf(start, test),
    bidirectional: directions.size > 1 || test.bidir === 1,
    intervals: series.intervals,
    summaries: summariesOfEnd(end, facts),
    cpu: cpuOf(asRecord(end.cpu_utilization_percent)),
    errors: [...remarks.errors, ...(error === undefined ? [] : [`iperf3: ${error.replace(/^iperf3: /, '')}`])],
    warnings,
  });
}

function factsOf(start: JsonRecord, test: JsonRecord): DocumentFacts {
  const protocolName = asMessage(test.protocol)?.toLowerCase();
  return {
    role: start.connecting_to !== undefined ? 'client' : start.accepted_connection !== undefined ? 'server' : undefined,
    protocol: protocolName === 'tcp' || protocolName === 'udp' ? protocolName : undefined,
    reverse: test.reverse === 1,
  };
}

/** Returns the target over all streams; iperf3 writes 0 for an unlimited rate. */
function targetOf(start: JsonRecord, test: JsonRecord): number | undefined {
  const perStream = asAmount(test.target_bitrate) ?? asAmount(start.target_bitrate);
  return perStream ? perStream * (asAmount(test.num_streams) ?? 1) : undefined;
}

/** Returns the streams, from which sums are made: with `--bidir`, 3.9 names the sums of both directions `sum`. */
function partsOfEntry(entry: JsonRecord): JsonRecord[] {
  const streams = asRecords(entry.streams);
  return streams.length > 0 ? streams : asRecords([entry.sum]);
}

function intervalOf(part: JsonRecord, facts: DocumentFacts): ToolInterval[] {
  const startSeconds = asAmount(part.start);
  const endSeconds = asAmount(part.end);
  const bytes = asAmount(part.bytes);
  const seconds = asAmount(part.seconds);
  // Bytes divided by the interval's length give the printed rate, which some versions round.
  const bitsPerSecond = asRate(bytes !== undefined && seconds ? (bytes * 8) / seconds : part.bits_per_second);
  if (startSeconds === undefined || endSeconds === undefined || bitsPerSecond === undefined) return [];
  const isSender = typeof part.sender === 'boolean' ? part.sender : (facts.role === 'server') === facts.reverse;
  const side = isSender ? 'sender' : 'receiver';
  const printed = {
    startSeconds,
    endSeconds,
    direction: directionOfStream(part.sender, facts),
    side,
    stream: String(asAmount(part.socket) ?? 'sum'),
    bitsPerSecond,
    congestionWindowBytes: isSender ? asAmount(part.snd_cwnd) : undefined,
    ...countsOf(part, side),
  } as const;
  const restarted = sinceWarmUp(printed, seconds ?? endSeconds - startSeconds);
  return [restarted === undefined ? printed : { ...restarted, packets: undefined, lostPackets: undefined }];
}

function cpuOf(cpu: JsonRecord | undefined): CpuUtilisation | undefined {
  const localPercent = asAmount(cpu?.host_total);
  const remotePercent = asAmount(cpu?.remote_total);
  if (localPercent === undefined) return undefined;
  // 0 means that the other host has not reported its own.
  return { localPercent, remotePercent: remotePercent === 0 ? undefined : remotePercent };
}

/** `--get-server-output` adds the server's document, or its text, to the client's document. */
function withServerOutput(client: ThroughputOutput, document: JsonRecord): ThroughputOutput {
  const serverDocument = asRecord(document.server_output_json);
  if (serverDocument !== undefined) return withServerSeries(client, outputOfOneEnd(serverDocument));
  const serverText = asText(document.server_output_text);
  if (serverText === undefined) return client;
  return withServerSeries(client, parseIperf3Text(serverText, { role: 'server' }));
}

/** Facts that every figure of the document depends on: which host printed it, and which host sent. */
type DocumentFacts = Pick<ThroughputOutput, 'role' | 'protocol' | 'reverse'>;

/** @param isSender whether the host that printed this sends; absent before 3.7, where the test's direction decides */
function directionOfStream(isSender: unknown, facts: DocumentFacts): DrivenDirection {
  if (typeof isSender !== 'boolean') return facts.reverse ? 'reverse' : 'forward';
  return isSender === (facts.role === 'server') ? 'reverse' : 'forward';
}

function summariesOfEnd(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const ofStreams = facts.protocol === 'udp' ? [] : sumsOfStreams(end, facts);
  const summaries = ofStreams.length > 0 ? ofStreams : namedSums(end, facts);
  return summaries.filter((summary) => isKnownSummary(summary, facts.role));
}

/** Adds up TCP streams here, because 3.9 mixes both directions of `--bidir` in its own sums. */
function sumsOfStreams(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  return addedUp(
    asRecords(end.streams).flatMap((stream) => {
      const flag = asRecord(stream.sender)?.sender ?? asRecord(stream.receiver)?.sender;
      const direction = directionOfStream(flag, facts);
      return (['sender', 'receiver'] as const).map((side) => summaryOf(stream[side], direction, side));
    }),
  );
}

/** Returns one summary per direction and side. */
function addedUp(summaries: readonly (ToolSummary | undefined)[]): ToolSummary[] {
  return groupsOfSeries(summaries.filter((summary) => summary !== undefined)).map((group) => group.reduce(added));
}

function added(earlier: ToolSummary, summary: ToolSummary): ToolSummary {
  const rates = [earlier.bitsPerSecond, summary.bitsPerSecond].filter((rate) => rate !== undefined);
  return {
    ...earlier,
    endSeconds: Math.max(earlier.endSeconds, summary.endSeconds),
    bitsPerSecond: rates.length < 2 ? undefined : sum(rates),
    ...sumOfCounts([earlier, summary]),
  };
}

function namedSums(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const direction: DrivenDirection = facts.reverse ? 'reverse' : 'forward';
  const named = [
    summaryOf(end.sum_sent, direction, 'sender'),
    summaryOf(end.sum_received, direction, 'receiver'),
    summaryOf(end.sum_sent_bidir_reverse, 'reverse', 'sender'),
    summaryOf(end.sum_received_bidir_reverse, 'reverse', 'receiver'),
  ].filter((summary) => summary !== undefined);
  if (named.length > 0) return named;
  const streams = asRecords(asRecords(end.streams).map((stream) => stream.udp));
  // With both directions at once, the one printed sum is that of the last stream.
  const isBidirectional = new Set(streams.map((stream) => stream.sender)).size > 1;
  const parts = isBidirectional ? streams : asRecords([end.sum]);
  return addedUp(parts.map((part) => oldUdpSummary(part, facts)));
}

/** Before 3.10, UDP prints the receiver's counts beside the rate of the host that prints them. */
function oldUdpSummary(part: JsonRecord, facts: DocumentFacts): ToolSummary | undefined {
  const direction = directionOfStream(part.sender, facts);
  const isSendingServer = facts.role === 'server' && direction === 'reverse';
  const summary = summaryOf(part, direction, isSendingServer ? 'sender' : 'receiver');
  if (summary?.packets === undefined) return undefined;
  // A receiver that got nothing has no jitter, and its number of datagrams is the sender's.
  if (facts.role === 'client' && summary.jitterMicros === 0) return undefined;
  const isOwnRate = facts.role === 'server' || direction === 'reverse';
  return isOwnRate ? summary : { ...summary, bitsPerSecond: undefined };
}

function summaryOf(value: unknown, direction: DrivenDirection, side: Side): ToolSummary | undefined {
  const part = asRecord(value);
  const endSeconds = asAmount(part?.end);
  if (part === undefined || endSeconds === undefined) return undefined;
  const startSeconds = asAmount(part.start) ?? 0;
  const bitsPerSecond = asRate(part.bits_per_second);
  // An impossible rate makes all figures beside it doubtful; one that is not a number (`nan`) does not.
  if (bitsPerSecond === undefined && typeof part.bits_per_second === 'number') return undefined;
  return { direction, side, startSeconds, endSeconds, bitsPerSecond, ...countsOf(part, side) };
}

/** Returns the counts that each side knows: the sender its retransmits, the receiver losses and jitter. */
function countsOf(part: JsonRecord, side: Side): TrafficCounts {
  const packets = asAmount(part.packets);
  if (side === 'sender') return { retransmits: asAmount(part.retransmits), packets };
  const jitterMillis = asAmount(part.jitter_ms);
  return {
    lostPackets: asAmount(part.lost_packets),
    packets,
    jitterMicros: jitterMillis === undefined ? undefined : jitterMillis * 1000,
  };
}
