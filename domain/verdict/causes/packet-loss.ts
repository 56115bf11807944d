/**
 * Packets that are lost between the hosts. A throttle queues packets before it drops any, so that TCP repeats few: 1 % in
 * the lab. A limiter without a queue makes it repeat 20 to 30 %, but holds its rate; a path that loses packets does not.
 *
 * | after the drop                                                                        | packet loss is |
 * | ------------------------------------------------------------------------------------- | -------------- |
 * | 5 % of the segments or more were sent again, more than before, and the rate scatters  | shown          |
 * | the same, at a rate that is held                                                      | possible       |
 * | UDP: 5 % or more did not arrive, and no counter of either end held packets back       | possible       |
 * | less was lost                                                                         | ruled out      |
 * | no retransmits and no losses were reported                                            | not read       |
 *
 * Of a rate without a drop that is noisy or has dips, it is shown where 5 % of the segments or more were sent again in
 * all. At an even rate, that is what a limiter without a queue does, and packet loss is not examined.
 */
import type { SeriesShape } from '../../detection/series-shape';
import { sum } from '../../maths/statistics';
import { ETHERNET_SEGMENT_BYTES } from '../../model/packet-form';
import { percent } from '../../text/format';
import { endpointsThat } from '../allowance-counters';
import type { ThroughputEvidence } from '../evidence';
import { ENDPOINTS } from '../published-limits';
import { isHeld, notRead, possible, ruledOut, shown, type CauseModule, type Subject } from './cause';

/** As a share of what was sent; a full queue makes TCP send less than this again. */
export const LOSING_SHARE = 0.05;
const BEGINS_FACTOR = 1.5;

/** The shares of what was sent that had to be sent again, or was lost, before a drop and after it; `after` is of all without one. */
interface Shares {
  readonly before: number | undefined;
  readonly after: number;
}

/** How much had to be sent again since the drop, in words; undefined where that is what a throttle does, or not known. */
export function heavyLoss(shape: SeriesShape, evidence: ThroughputEvidence): string | undefined {
  const again = retransmittedShares(shape, evidence);
  return again && isLosing(again)
    ? `${percent(again.after)} of the segments were sent again after the fall`
    : undefined;
}

export const packetLoss: CauseModule = {
  cause: 'packet_loss',
  ofDrop: (subject) => {
    const { shape, evidence } = subject;
    const heavy = heavyLoss(shape, evidence);
    if (heavy !== undefined) return isHeld(shape, evidence) ? possible(heavy) : shown(heavy);
    const lost = lostDatagrams(subject);
    if (lost !== undefined) return possible(lost);
    const known = retransmittedShares(shape, evidence) ?? lostShares(shape, evidence);
    if (known) {
      return ruledOut(
        `${percent(known.after)} of what was sent after the fall was lost, and a full queue loses up to ${percent(LOSING_SHARE)}`,
      );
    }
    return notRead('how much of what was sent was lost is not known');
  },
  ofLevel: (subject) => {
    const loss = scatteringLoss(subject);
    return loss === undefined ? undefined : shown(loss);
  },
};

/** In words; undefined where an even rate, or little that was sent again, shows that no loss scatters it. */
function scatteringLoss({ shape, evidence }: Subject): string | undefined {
  const again = retransmittedShares(shape, evidence);
  const isUneven = shape.kind === 'noisy' || shape.kind === 'dips';
  return isUneven && again && isLosing(again) ? `${percent(again.after)} of the segments were sent again` : undefined;
}

function isLosing({ before, after }: Shares): boolean {
  return after >= LOSING_SHARE && (before === undefined || after >= BEGINS_FACTOR * before);
}

/** A limiter that drops what exceeds it loses datagrams as well, so the counters of both ends have to be silent. */
function lostDatagrams({ shape, evidence, growth }: Subject): string | undefined {
  const shares = lostShares(shape, evidence);
  const areSilent = endpointsThat('silent', growth.bandwidth).length === ENDPOINTS.length;
  if (!shares || !isLosing(shares) || !areSilent) return undefined;
  return `${percent(shares.after)} of the datagrams were lost after the fall, and no counter of either end held them back`;
}

function retransmittedShares(shape: SeriesShape, evidence: ThroughputEvidence): Shares | undefined {
  // Where the length is not known, a longer one would make more of the retransmits than there is.
  const { retransmits = [], segmentBytes = ETHERNET_SEGMENT_BYTES, series } = evidence;
  if (retransmits.length === 0) return undefined;
  return sharesOf(shape, (isWithin) => {
    const bits = sum(series.filter(isWithin).map((each) => each.bitsPerSecond * each.lengthSeconds));
    const again = sum(retransmits.filter(isWithin).map((each) => each.retransmits));
    return [again, again + bits / 8 / segmentBytes];
  });
}

function lostShares(shape: SeriesShape, { lostPackets = [] }: ThroughputEvidence): Shares | undefined {
  return sharesOf(shape, (isWithin) => {
    const within = lostPackets.filter(isWithin);
    return [sum(within.map((each) => each.lostPackets)), sum(within.map((each) => each.sentPackets))];
  });
}

type IsWithin = (time: { readonly startSeconds: number }) => boolean;

/** @param partAndAll the packets that were lost within a time, and all that were sent in it */
function sharesOf(
  { throttle, loadStartSeconds, endSeconds }: SeriesShape,
  partAndAll: (isWithin: IsWithin) => readonly [part: number, all: number],
): Shares | undefined {
  const share = (from: number, to: number) => {
    const [part, all] = partAndAll(({ startSeconds }) => startSeconds >= from && startSeconds < to);
    return all === 0 ? undefined : part / all;
  };
  const after = share(throttle?.onset.high ?? loadStartSeconds, endSeconds);
  const before = throttle && share(loadStartSeconds, throttle.onset.low);
  return after === undefined ? undefined : { before: before ?? undefined, after };
}
