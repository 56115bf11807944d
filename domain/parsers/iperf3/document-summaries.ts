/** `end` of iperf3's document: one summary per direction and side, whatever the version calls them. */
import { sum } from '../../maths/statistics';
import type { DrivenDirection, Protocol } from '../../model/settings';
import { asAmount, asRecord, asRecords, type JsonRecord } from '../json-text';
import type { Side, ToolSummary, TrafficCounts } from '../tool-output';
import { groupsOfSeries, isKnownSummary, sumOfCounts } from '../tool-series';

/** What every figure of the document depends on: which end printed it, and which end sent. */
export interface DocumentFacts {
  readonly role: 'client' | 'server' | undefined;
  readonly protocol: Protocol | undefined;
  readonly reverse: boolean;
}

/**
 * @param isSender the document's own flag: whether the end that printed it sends the stream; before 3.7 it is absent,
 * and the direction of the test decides
 */
export function directionOfStream(isSender: unknown, facts: DocumentFacts): DrivenDirection {
  if (typeof isSender !== 'boolean') return facts.reverse ? 'reverse' : 'forward';
  return isSender === (facts.role === 'server') ? 'reverse' : 'forward';
}

export function summariesOfEnd(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  const ofStreams = facts.protocol === 'udp' ? [] : sumsOfStreams(end, facts);
  const summaries = ofStreams.length > 0 ? ofStreams : namedSums(end, facts);
  return summaries.filter((summary) => isKnownSummary(summary, facts.role));
}

/** For TCP the sums are made here, because 3.9 mixes both directions of `--bidir` in its own. */
function sumsOfStreams(end: JsonRecord, facts: DocumentFacts): ToolSummary[] {
  return addedUp(
    asRecords(end.streams).flatMap((stream) => {
      const flag = asRecord(stream.sender)?.sender ?? asRecord(stream.receiver)?.sender;
      const direction = directionOfStream(flag, facts);
      return (['sender', 'receiver'] as const).map((side) => summaryOf(asRecord(stream[side]), direction, side));
    }),
  );
}

/** One summary per direction and side. */
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
    summaryOf(asRecord(end.sum_sent), direction, 'sender'),
    summaryOf(asRecord(end.sum_received), direction, 'receiver'),
    summaryOf(asRecord(end.sum_sent_bidir_reverse), 'reverse', 'sender'),
    summaryOf(asRecord(end.sum_received_bidir_reverse), 'reverse', 'receiver'),
  ].filter((summary) => summary !== undefined);
  if (named.length > 0) return named;
  const streams = asRecords(end.streams)
    .map((stream) => asRecord(stream.udp))
    .filter((udp) => udp !== undefined);
  // With both directions at once, the one sum that is printed is that of the last stream.
  const isBidirectional = new Set(streams.map((stream) => stream.sender)).size > 1;
  return isBidirectional
    ? addedUp(streams.map((stream) => oldUdpSummary(stream, facts)))
    : addedUp([oldUdpSummary(asRecord(end.sum), facts)]);
}

/** UDP before 3.10 prints the receiver's counts beside the rate of the end that prints them. */
function oldUdpSummary(part: JsonRecord | undefined, facts: DocumentFacts): ToolSummary | undefined {
  const direction = directionOfStream(part?.sender, facts);
  const isSendingServer = facts.role === 'server' && direction === 'reverse';
  const summary = summaryOf(part, direction, isSendingServer ? 'sender' : 'receiver');
  if (summary?.packets === undefined) return undefined;
  // A receiver that got nothing has no jitter, and its number of datagrams is the sender's.
  if (facts.role === 'client' && summary.jitterMicros === 0) return undefined;
  const isOwnRate = facts.role === 'server' || direction === 'reverse';
  return isOwnRate ? summary : { ...summary, bitsPerSecond: undefined };
}

function summaryOf(part: JsonRecord | undefined, direction: DrivenDirection, side: Side): ToolSummary | undefined {
  const endSeconds = asAmount(part?.end);
  if (part === undefined || endSeconds === undefined) return undefined;
  const startSeconds = asAmount(part.start) ?? 0;
  const bitsPerSecond = asAmount(part.bits_per_second);
  return { direction, side, startSeconds, endSeconds, bitsPerSecond, ...countsOf(part, side) };
}

/** What each side knows: the sender its retransmits, the receiver its losses and the jitter. */
export function countsOf(part: JsonRecord, side: Side): TrafficCounts {
  const packets = asAmount(part.packets);
  if (side === 'sender') return { retransmits: asAmount(part.retransmits), packets };
  const jitterMillis = asAmount(part.jitter_ms);
  return {
    lostPackets: asAmount(part.lost_packets),
    packets,
    jitterMicros: jitterMillis === undefined ? undefined : jitterMillis * 1000,
  };
}
