/**
 * Packets that are lost between the hosts. A throttle loses packets too, when its queue is full, but then TCP slows down
 * until few are lost; a path that loses a fixed share keeps losing it at any rate.
 *
 * | of the segments that were sent after the fall                                     | packet loss is |
 * | --------------------------------------------------------------------------------- | -------------- |
 * | 5 % or more were sent again, and at least five times the share before the fall    | shown          |
 * | fewer were                                                                        | ruled out      |
 * | UDP: 5 % or more did not arrive, and no counter of an end held packets back       | shown          |
 * | no retransmits and no losses were reported, or the length of a segment is unknown | not read       |
 */
import type { SeriesShape } from '../../detection/series-shape';
import { sum } from '../../maths/statistics';
import { percent } from '../../text/format';
import { growthAroundFall } from '../allowance-growth';
import type { ThroughputEvidence } from '../evidence';
import { notRead, ruledOut, shown, type CauseModule } from './cause';

/** As a share of what was sent; a full queue makes TCP send less than this again. */
const LOSING_SHARE = 0.05;
const BEGINS_FACTOR = 5;

/** The shares of what was sent that had to be sent again, or was lost. */
interface Shares {
  readonly before: number | undefined;
  readonly after: number;
}

/** Why the loss of packets explains a fall without a throttle; undefined where it does not, or is not known. */
export function lossThatExplains(shape: SeriesShape, evidence: ThroughputEvidence): string | undefined {
  const again = retransmittedShares(shape, evidence);
  if (again && isLosing(again)) return `${percent(again.after)} of the segments were sent again after the fall`;
  return undefined;
}

export const packetLoss: CauseModule = {
  cause: 'packet_loss',
  ofFall: ({ shape, evidence }) => {
    const explained = lossThatExplains(shape, evidence) ?? lostDatagrams(shape, evidence);
    if (explained !== undefined) return shown(explained);
    const known = retransmittedShares(shape, evidence) ?? lostShares(shape, evidence);
    if (known) return ruledOut(`only ${percent(known.after)} of what was sent after the fall was lost`);
    return notRead('how much of what was sent was lost is not known');
  },
};

function isLosing({ before, after }: Shares): boolean {
  return after >= LOSING_SHARE && (before === undefined || after >= BEGINS_FACTOR * before);
}

/** A limiter that drops what exceeds it loses datagrams as well, so the counters of both ends have to be silent. */
function lostDatagrams(shape: SeriesShape, evidence: ThroughputEvidence): string | undefined {
  const shares = lostShares(shape, evidence);
  const read = growthAroundFall(shape, evidence);
  const areSilent = read.length === 2 && read.every(({ behaviour }) => behaviour === 'silent');
  if (!shares || !isLosing(shares) || !areSilent) return undefined;
  return `${percent(shares.after)} of the datagrams were lost after the fall, and no counter of either end held them back`;
}

function retransmittedShares({ throttle, loadStartSeconds, endSeconds }: SeriesShape, evidence: ThroughputEvidence) {
  const { retransmits = [], segmentBytes, series } = evidence;
  if (!throttle || retransmits.length === 0 || segmentBytes === undefined) return undefined;
  const share = (from: number, to: number) => {
    const isWithin = ({ startSeconds }: { readonly startSeconds: number }) => startSeconds >= from && startSeconds < to;
    const bits = sum(series.filter(isWithin).map((each) => each.bitsPerSecond * each.lengthSeconds));
    const again = sum(retransmits.filter(isWithin).map((each) => each.retransmits));
    const arrived = bits / 8 / segmentBytes;
    return again + arrived === 0 ? undefined : again / (again + arrived);
  };
  return sharesOf(share(loadStartSeconds, throttle.onset.low), share(throttle.onset.high, endSeconds));
}

function lostShares({ throttle, loadStartSeconds, endSeconds }: SeriesShape, { lostPackets = [] }: ThroughputEvidence) {
  if (!throttle || lostPackets.length === 0) return undefined;
  const share = (from: number, to: number) => {
    const within = lostPackets.filter(({ startSeconds }) => startSeconds >= from && startSeconds < to);
    const sent = sum(within.map((each) => each.sentPackets));
    return sent === 0 ? undefined : sum(within.map((each) => each.lostPackets)) / sent;
  };
  return sharesOf(share(loadStartSeconds, throttle.onset.low), share(throttle.onset.high, endSeconds));
}

function sharesOf(before: number | undefined, after: number | undefined): Shares | undefined {
  return after === undefined ? undefined : { before, after };
}
