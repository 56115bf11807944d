/** `end` of iperf3's document: one summary per direction and side, whatever the version calls them. */
import type { DrivenDirection } from '../../model/settings';
import { directionOfStream } from './iperf3-document-facts';
import type { DocumentFacts } from './iperf3-document-facts';
import { isKnownSummary, sumOfCounts, withoutAbsent } from '../tool-series';
import { asAmount, asRecord, asRecords } from '../json-text';
import type { JsonRecord } from '../json-text';
import type { Side, ToolSummary } from '../tool-output';

export function summariesOfEnd(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const ofStreams = facts.protocol === 'udp' ? [] : summedStreams(end, facts);
  const summaries = ofStreams.length > 0 ? ofStreams : namedSums(end, facts);
  return summaries.filter((summary) => isKnownSummary(summary, facts.role));
}

/** TCP: the sums are made here, because 3.9 mixes both directions of `--bidir` in its own. */
function summedStreams(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const sums = new Map<string, ToolSummary>();
  for (const stream of asRecords(end.streams)) {
    const flag = asRecord(stream.sender)?.sender ?? asRecord(stream.receiver)?.sender;
    const direction = directionOfStream(flag, facts);
    for (const side of ['sender', 'receiver'] as const) {
      const summary = summaryOf(asRecord(stream[side]), direction, side);
      if (summary === undefined) continue;
      const key = `${direction} ${side}`;
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? summary : added(sum, summary));
    }
  }
  return [...sums.values()];
}

function added(sum: ToolSummary, summary: ToolSummary): ToolSummary {
  const total = (value: (of: ToolSummary) => number | undefined) => {
    const left = value(sum);
    const right = value(summary);
    return left === undefined || right === undefined ? undefined : left + right;
  };
  return withoutAbsent({
    ...sum,
    endSeconds: Math.max(sum.endSeconds, summary.endSeconds),
    bitsPerSecond: total((of) => of.bitsPerSecond),
    ...sumOfCounts([sum, summary]),
  });
}

function namedSums(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const direction: DrivenDirection = facts.reverse ? 'reverse' : 'forward';
  const named = [
    summaryOf(asRecord(end.sum_sent), direction, 'sender'),
    summaryOf(asRecord(end.sum_received), direction, 'receiver'),
    summaryOf(asRecord(end.sum_sent_bidir_reverse), 'reverse', 'sender'),
    summaryOf(asRecord(end.sum_received_bidir_reverse), 'reverse', 'receiver'),
  ].filter((summary) => summary !== undefined);
  if (named.length > 0) return named;
  const streams = asRecords(end.streams)
    .map((stream) => asRecord(stream.udp))
    .filter((udp) => udp !== undefined);
  // Of both directions at once, one sum is printed, and it is that of the last stream.
  if (new Set(streams.map((stream) => stream.sender)).size < 2) return oldUdpSummary(asRecord(end.sum), facts);
  const sums = new Map<DrivenDirection, ToolSummary>();
  for (const stream of streams) {
    for (const summary of oldUdpSummary(stream, facts)) {
      const sum = sums.get(summary.direction);
      sums.set(summary.direction, sum === undefined ? summary : added(sum, summary));
    }
  }
  return [...sums.values()];
}

/** UDP before 3.10: the receiver's counts, beside the rate of the end that prints it. */
function oldUdpSummary(part: JsonRecord | undefined, facts: DocumentFacts): ToolSummary[] {
  const direction = directionOfStream(part?.sender, facts);
  const isSendingServer = facts.role === 'server' && direction === 'reverse';
  const sum = summaryOf(part, direction, isSendingServer ? 'sender' : 'receiver');
  if (sum?.packets === undefined) return [];
  // A receiver that got nothing has no jitter, and its number of datagrams is the sender's.
  if (facts.role === 'client' && sum.jitterMicros === 0) return [];
  const isOwnRate = facts.role === 'server' || direction === 'reverse';
  return [isOwnRate ? sum : withoutAbsent({ ...sum, bitsPerSecond: undefined })];
}

function summaryOf(part: JsonRecord | undefined, direction: DrivenDirection, side: Side): ToolSummary | undefined {
  const endSeconds = asAmount(part?.end);
  if (part === undefined || endSeconds === undefined) return undefined;
  const jitterMillis = side === 'receiver' ? asAmount(part.jitter_ms) : undefined;
  return withoutAbsent({
    direction,
    side,
    startSeconds: asAmount(part.start) ?? 0,
    endSeconds,
    bitsPerSecond: asAmount(part.bits_per_second),
    retransmits: side === 'sender' ? asAmount(part.retransmits) : undefined,
    lostPackets: side === 'receiver' ? asAmount(part.lost_packets) : undefined,
    packets: asAmount(part.packets),
    jitterMicros: jitterMillis === undefined ? undefined : jitterMillis * 1000,
  });
}
