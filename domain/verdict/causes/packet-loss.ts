/**
 * Packets that are lost between the hosts, and times in which next to nothing arrived while the tool went on sending.
 *
 * A throttle queues packets before it drops any, so TCP retransmits few: 1 % in the lab. Under a limiter without a
 * queue it retransmits 20 to 30 % at a held rate; a path that loses packets does not hold a rate.
 *
 * | after the drop                                                                          | packet loss is |
 * | --------------------------------------------------------------------------------------- | -------------- |
 * | 5 % of the segments or more were retransmitted, more than before, and the rate scatters | shown          |
 * | the same, at a rate that is held                                                        | possible       |
 * | UDP: 5 % or more did not arrive, and no counter of either host held packets back        | possible       |
 * | less was lost                                                                           | ruled out      |
 * | no retransmits and no losses were reported                                              | not read       |
 *
 * Without a drop, packet loss is shown if the rate is noisy or has dips and 5 % of all segments or more were
 * retransmitted. At an even rate it is not examined, because a limiter without a queue does the same.
 */
import type { SeriesShape } from '../../detection/series-shape';
import { elementAt } from '../../maths/elements';
import { ascending, quantileOfSorted, sum } from '../../maths/statistics';
import { ETHERNET_SEGMENT_BYTES } from '../../model/packet-form';
import type { ExaminedCause } from '../../model/verdict';
import { endOf, lengthOf, type RateInterval, type TimeSpan } from '../../series/rate-series';
import { formatSeconds, percent } from '../../text/format';
import { ENDPOINTS, type ThroughputEvidence } from '../evidence';
import { endpointsThat, fragmentsAtLevel } from './allowances';
import { isHeld, notRead, possible, ruledOut, shown, type CauseModule, type Subject } from './cause';

/** As a share of what was sent; when a queue is full, TCP retransmits less than this. */
const LOSING_SHARE = 0.05;
const BEGINS_FACTOR = 1.5;

/** The shares of what was sent that were retransmitted or lost, before and after a drop or, without one, in all. */
interface Shares {
  readonly before: number | undefined;
  readonly after: number;
}

/** What was retransmitted after the drop, in words; undefined if a throttle would explain it, or if it is unknown. */
export function heavyLoss(shape: SeriesShape, evidence: ThroughputEvidence): string | undefined {
  const again = heavyShare(shape, evidence);
  return again && `${again} of the segments were sent again after the fall`;
}

function heavyShare(shape: SeriesShape, evidence: ThroughputEvidence): string | undefined {
  const again = retransmittedShares(shape, evidence);
  return again && isLosing(again) ? percent(again.after) : undefined;
}

export const packetLoss: CauseModule = {
  cause: 'packet_loss',
  ofDrop: (subject) => {
    const { shape, evidence, growth } = subject;
    const heavy = heavyLoss(shape, evidence);
    if (heavy !== undefined) return isHeld(subject) ? possible(heavy) : shown(heavy);
    const lost = lostShares(shape, evidence);
    // A limiter that drops the excess loses datagrams as well, so the counters of both hosts have to be silent.
    if (lost && isLosing(lost) && endpointsThat('silent', growth).length === ENDPOINTS.length) {
      return possible(
        `${percent(lost.after)} of the datagrams were lost after the fall, and no allowance of either host held them back`,
      );
    }
    const known = retransmittedShares(shape, evidence) ?? lost;
    if (!known) return notRead('how many packets were lost is not known');
    return ruledOut(
      `${percent(known.after)} of the packets were lost after the fall; a full queue alone causes losses of up to ${percent(LOSING_SHARE)}`,
    );
  },
  ofLevel: ({ shape, evidence }) => {
    const again = shape.kind === 'noisy' || shape.kind === 'dips' ? heavyShare(shape, evidence) : undefined;
    return again === undefined ? undefined : shown(`${again} of the segments were sent again`);
  },
};

function isLosing({ before, after }: Shares): boolean {
  return after >= LOSING_SHARE && (before === undefined || after >= BEGINS_FACTOR * before);
}

function retransmittedShares(shape: SeriesShape, evidence: ThroughputEvidence): Shares | undefined {
  if (!evidence.retransmits?.length) return undefined;
  return sharesOf(shape, (isWithin) => {
    const { again, arrived } = segmentsWithin(isWithin, evidence);
    return [again, again + arrived];
  });
}

function lostShares(shape: SeriesShape, { lostPackets = [] }: ThroughputEvidence): Shares | undefined {
  return sharesOf(shape, (isWithin) => {
    const within = lostPackets.filter(isWithin);
    return [sum(within.map((each) => each.lostPackets)), sum(within.map((each) => each.sentPackets))];
  });
}

type IsWithin = (time: { readonly startSeconds: number }) => boolean;

/** If the length of segments is unknown, a long one would overstate the share of retransmits, so Ethernet's is used. */
function segmentsWithin(isWithin: IsWithin, evidence: ThroughputEvidence): { again: number; arrived: number } {
  const { series, retransmits = [], segmentBytes = ETHERNET_SEGMENT_BYTES } = evidence;
  const bits = sum(series.filter(isWithin).map((each) => each.bitsPerSecond * each.lengthSeconds));
  const again = sum(retransmits.filter(isWithin).map((each) => each.retransmits));
  return { again, arrived: bits / 8 / segmentBytes };
}

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
  const before = throttle ? share(loadStartSeconds, throttle.onset.low) : undefined;
  return after === undefined ? undefined : { before, after };
}

/** A busy path loses single seconds; longer times without traffic are reported as outages. */
const SHORTEST_SECONDS = 5;
/** A stopped tool prints up to nine seconds without traffic at its end (recordings of Uta et al., NSDI 2020). */
const SHORTEST_AT_END_SECONDS = 10;
/** Less than this share of the high rates is hardly any traffic; the lowest published baseline is 2 % of its burst. */
const HARDLY_ANY = 0.015;

/** @returns no outage if it is unknown whether any load was offered, as in a series without its tool */
export function findOutages({ isLoadDriven, series, truncated }: ThroughputEvidence): readonly TimeSpan[] {
  if (!isLoadDriven || series.length === 0) return [];
  const sorted = series.toSorted((one, other) => one.startSeconds - other.startSeconds);
  const rates = ascending(Float64Array.from(sorted, ({ bitsPerSecond }) => bitsPerSecond));
  const lastEnd = endOf(elementAt(sorted, -1));
  return runsBelow(HARDLY_ANY * quantileOfSorted(rates, 0.95), sorted).filter((time) => {
    if (time.endSeconds < lastEnd) return lengthOf(time) >= SHORTEST_SECONDS;
    return lengthOf(time) >= SHORTEST_AT_END_SECONDS && !truncated;
  });
}

/** A missing sample ends a run, because it is unknown whether anything arrived then. */
function runsBelow(threshold: number, sorted: readonly RateInterval[]): TimeSpan[] {
  const runs: TimeSpan[] = [];
  for (const interval of sorted) {
    if (!(interval.bitsPerSecond < threshold)) continue;
    const last = runs.at(-1);
    const isNext = last !== undefined && interval.startSeconds - last.endSeconds < interval.lengthSeconds;
    if (isNext) runs[runs.length - 1] = { ...last, endSeconds: endOf(interval) };
    else runs.push({ startSeconds: interval.startSeconds, endSeconds: endOf(interval) });
  }
  return runs;
}

export function withoutOutages(series: readonly RateInterval[], outages: readonly TimeSpan[]): readonly RateInterval[] {
  return series.filter((each) => !isDuring(each, outages));
}

function isDuring({ startSeconds: seconds }: { readonly startSeconds: number }, outages: readonly TimeSpan[]): boolean {
  return outages.some(({ startSeconds, endSeconds }) => seconds >= startSeconds && seconds < endSeconds);
}

/**
 * | while next to nothing arrived                                     | cause           |
 * | ----------------------------------------------------------------- | --------------- |
 * | fragments were sent, and their counter grew second after second   | `fragment_rate` |
 * | some packets arrived, and 5 % or more of them had to be repeated  | `packet_loss`   |
 * | any other                                                         | `outage`        |
 */
export function causeOfOutage(outages: readonly TimeSpan[], subject: Subject): ExaminedCause {
  const words = outageInWords(outages, subject.evidence) ?? 'no traffic arrived';
  const standing = 'shown';
  const fragments = fragmentsAtLevel(subject);
  if (fragments.standing === 'shown') {
    return { cause: 'fragment_rate', standing, reason: `${words}: ${fragments.reason}` };
  }
  const { again, arrived } = segmentsWithin((time) => isDuring(time, outages), subject.evidence);
  const repeated = again / (again + arrived);
  return subject.evidence.segmentBytes !== undefined && arrived >= 1 && repeated >= LOSING_SHARE
    ? { cause: 'packet_loss', standing, reason: `${words}: ${percent(repeated)} of the segments were sent again` }
    : { cause: 'outage', standing, reason: words };
}

/** `hardly any traffic arrived for 34.0 s from 25.0 s on, to the end`; undefined without an outage */
export function outageInWords(outages: readonly TimeSpan[], { series }: ThroughputEvidence): string | undefined {
  const [first, ...others] = outages;
  if (!first) return undefined;
  const isNone = series.every((each) => each.bitsPerSecond === 0 || !isDuring(each, outages));
  const what = isNone ? 'no traffic arrived' : 'hardly any traffic arrived';
  const from = `from ${formatSeconds(first.startSeconds)} on`;
  if (others.length > 0) {
    const seconds = formatSeconds(sum(outages.map(lengthOf)));
    return `${what} for ${seconds} in all, in ${outages.length} outages, the first ${from}`;
  }
  const lastEnd = series.reduce((end, interval) => Math.max(end, endOf(interval)), 0);
  const toEnd = first.endSeconds >= lastEnd ? ', to the end' : '';
  return `${what} for ${formatSeconds(lengthOf(first))} ${from}${toEnd}`;
}
