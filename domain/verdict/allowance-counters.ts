/**
 * The ENA allowance counters of both ends: how each grows around a drop, which shows whether the instance itself began to
 * hold packets back, and what the bandwidth counters say for or against a verdict.
 */
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean, median, sum } from '../maths/statistics';
import type { Cause, Witness } from '../model/verdict';
import type { RateInterval } from '../series/rate-series';
import { formatRate } from '../text/format';
import type { AllowanceGrowth, Endpoint, ThroughputEvidence } from './evidence';
import { canHaveCredits, ENDPOINTS } from './published-limits';

/** The counters are read once a second, on a host whose clock differs from the tool's. */
export const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; growth in a smaller share of the seconds comes from microbursts. */
export const SHAPED_SHARE = 0.25;
/** The same for the low ends of the runs of a duty cycle alone. */
const SHAPED_SHARE_WHILE_LOW = 0.5;
/** A counter that grows at the peak rate as well, as EC2's do, must grow by so much more to have begun with the drop. */
const BEGINS_FACTOR = 2;

/** The counter of each end that an allowance has. */
type AllowanceCounters = Readonly<Record<Endpoint, Exclude<keyof AllowanceGrowth, 'hostRole' | 'startSeconds'>>>;

/** Outbound at the sender, inbound at the receiver; the other counters are of acknowledgements and other traffic. */
const ALLOWANCES = {
  bandwidth: { sender: 'bwOutAllowanceExceeded', receiver: 'bwInAllowanceExceeded' },
  packetRate: { sender: 'ppsAllowanceExceeded', receiver: 'ppsAllowanceExceeded' },
  connectionTracking: { sender: 'conntrackAllowanceExceeded', receiver: 'conntrackAllowanceExceeded' },
} as const satisfies Readonly<Record<string, AllowanceCounters>>;
export type Allowance = keyof typeof ALLOWANCES;

export const ALLOWANCE_WORDS: Readonly<Record<Allowance, string>> = {
  bandwidth: 'bandwidth allowance',
  packetRate: 'packet-rate allowance',
  connectionTracking: 'allowance of tracked connections',
};

export interface Growth {
  readonly startSeconds: number;
  readonly packets: number;
}

export function growthOf(
  { allowance = [], direction }: Pick<ThroughputEvidence, 'allowance' | 'direction'>,
  end: Endpoint,
  which: Allowance = 'bandwidth',
): Growth[] {
  const role = (direction === 'forward') === (end === 'sender') ? 'client' : 'server';
  return allowance.flatMap((sample) => {
    const packets = sample[ALLOWANCES[which][end]];
    return sample.hostRole !== role || packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

export function growingShare(growth: readonly Growth[]): number {
  return growth.filter(grows).length / growth.length;
}

function grows({ packets }: Growth): boolean {
  return packets > 0;
}

export function packetsPerSecond(growth: readonly Growth[]): number {
  return growth.length === 0 ? 0 : mean(growth.map(({ packets }) => packets));
}

/** Growth that begins with the drop, never comes after it, was as strong before it, or comes now and then only. */
export type Behaviour = 'begins' | 'silent' | 'throughout' | 'sporadic';

export interface GrowthAroundDrop {
  readonly end: Endpoint;
  readonly behaviour: Behaviour;
  /** undefined where the counter was not read before the drop */
  readonly before: number | undefined;
  readonly after: number;
}

/** How the counter of each allowance grows at each end; without the ends whose counter was not read after the drop. */
export type AllowanceGrowthAroundDrop = Readonly<Record<Allowance, readonly GrowthAroundDrop[]>>;

export function growthAroundDrop(shape: SeriesShape, evidence: ThroughputEvidence): AllowanceGrowthAroundDrop {
  const drop = dropOf(shape, evidence);
  const growthIn = (which: Allowance) => (drop ? growthAround(drop, evidence, which) : []);
  return {
    bandwidth: growthIn('bandwidth'),
    packetRate: growthIn('packetRate'),
    connectionTracking: growthIn('connectionTracking'),
  };
}

function growthAround(drop: Drop, evidence: ThroughputEvidence, which: Allowance): GrowthAroundDrop[] {
  return ENDPOINTS.flatMap((end) => {
    const growth = growthOf(evidence, end, which);
    const isAfter = ({ startSeconds }: Growth) => startSeconds >= drop.onset.value - CLOCK_SLACK_SECONDS;
    const [before, after] = [growth.filter((each) => !isAfter(each)), growth.filter(isAfter)];
    if (after.length === 0) return [];
    return {
      end,
      behaviour: behaviourOf(before, after, after.filter(drop.isLow)),
      before: before.length === 0 ? undefined : packetsPerSecond(before),
      after: packetsPerSecond(after),
    };
  });
}

function behaviourOf(before: readonly Growth[], after: readonly Growth[], low: readonly Growth[]): Behaviour {
  if (!after.some(grows)) return 'silent';
  const isShapedWhileLow = low.length > 0 && growingShare(low) >= SHAPED_SHARE_WHILE_LOW;
  if (growingShare(after) < SHAPED_SHARE && !isShapedWhileLow) return 'sporadic';
  // Without a reading before the onset, it is unknown whether the growth began there.
  const hasBegun = before.length > 0 && packetsPerSecond(after) >= BEGINS_FACTOR * packetsPerSecond(before);
  return hasBegun ? 'begins' : 'throughout';
}

/** A drop of the rate, and for a duty cycle the seconds in which the rate was low. */
interface Drop extends Throttle {
  readonly isLow: (growth: Growth) => boolean;
}

/** In a duty cycle the rate is shaped at the end of each run only. */
function dropOf({ throttle }: SeriesShape, { series, dutyCycle }: ThroughputEvidence): Drop | null {
  if (!throttle || !dutyCycle) return throttle && { ...throttle, isLow: () => false };
  const middle = Math.sqrt(throttle.burstBitsPerSecond * throttle.baselineBitsPerSecond);
  const low = series.filter(({ bitsPerSecond }) => bitsPerSecond < middle);
  const seconds = new Set(low.map(({ startSeconds }) => Math.round(startSeconds)));
  return { ...throttle, isLow: ({ startSeconds }) => seconds.has(Math.round(startSeconds)) };
}

/** The ends whose own counter behaves like this. */
export function endpointsThat(behaviour: Behaviour, growth: readonly GrowthAroundDrop[]): Endpoint[] {
  return growth.filter((each) => each.behaviour === behaviour).map(({ end }) => end);
}

/** A lower rate in fewer samples may be a burst that was shaped for a moment. */
const FEWEST_SHAPED_SAMPLES = 3;

const NOTES: Readonly<Record<Behaviour, string>> = {
  begins: ', so the network began to limit the rate there',
  silent: ', so its bandwidth allowance did not limit the rate',
  throughout: ', so this may not have begun with the fall',
  sporadic: ', but now and then only',
};

/** Whether the sender's outbound or the receiver's inbound counter begins to grow when the rate falls. */
export function witnessAllowance(
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  growth: AllowanceGrowthAroundDrop,
  limit: Cause | null,
): Witness {
  if (ENDPOINTS.every((end) => growthOf(evidence, end).length === 0))
    return witness(null, "the network card's allowance counters were not read");
  return shape.throttle ? witnessOfDrop(growth.bandwidth, evidence) : witnessOfLevel(shape, evidence, limit);
}

function witness(agrees: boolean | null, detail: string): Witness {
  return { name: 'ena_allowance_counters', agrees, detail };
}

function witnessOfDrop(found: readonly GrowthAroundDrop[], evidence: ThroughputEvidence): Witness {
  const [first, second] = found;
  if (first === undefined) return witness(null, "the network card's allowance counters were not read after the fall");
  const detail = found
    .map((each) => `beyond its bandwidth allowance, the ${each.end} queued or dropped ${aroundInWords(each)}`)
    .join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return witness(true, detail);
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return witness(null, detail);
  const silent = 'no packet was queued or dropped for bandwidth after the fall';
  const unread = ENDPOINTS.find((end) => end !== first.end && canHaveCredits(evidence[end]));
  // An end whose counters were not read may be the one that shapes.
  return second === undefined && unread !== undefined
    ? witness(null, `${silent} at the ${first.end}; the counters of the ${unread} were not read`)
    : witness(false, `${silent}, ${insteadOfBandwidth(evidence)}`);
}

/** `0.0 packets per second before the drop and 812.0 after it, so the network began to limit the rate there` */
function aroundInWords({ before, after, behaviour }: GrowthAroundDrop): string {
  const rate = (packets: number | undefined) => packets?.toFixed(1) ?? 'an unknown number of';
  return `${rate(before)} packets per second before the fall and ${rate(after)} after it${NOTES[behaviour]}`;
}

/** What follows where no counter of bandwidth has grown: another allowance may have, without having begun with a drop. */
function insteadOfBandwidth(evidence: ThroughputEvidence): string {
  const held = ENDPOINTS.flatMap((end) => {
    const packets = sum(growthOf(evidence, end, 'packetRate').map((each) => each.packets));
    return packets === 0 ? [] : [`${packets} at the ${end}`];
  });
  return held.length === 0
    ? 'so no bandwidth allowance limited the rate'
    : `but ${held.join(' and ')} were for the packet rate, so its allowance may have limited the rate`;
}

function witnessOfLevel(shape: SeriesShape, evidence: ThroughputEvidence, limit: Cause | null): Witness {
  if (shape.segments.length === 0)
    return witness(null, 'the series is too short to compare the allowance counters with');
  const growths = ENDPOINTS.map((end) => ({ end, growth: growthOf(evidence, end) }));
  const total = sum(growths.flatMap(({ growth }) => growth.map(({ packets }) => packets)));
  if (total === 0)
    return witness(true, `no packet was queued or dropped for bandwidth, ${insteadOfBandwidth(evidence)}`);
  const packets = `${total} packets were queued or dropped for bandwidth`;
  const growing = growths.filter(({ growth }) => growth.length > 0 && growingShare(growth) >= SHAPED_SHARE);
  if (limit === 'published_bandwidth' && growing.some(({ end }) => end === 'receiver')) {
    return witness(true, `${packets} inbound at the receiver, while the rate stayed the same`);
  }
  const growthSeconds = growths.flatMap(({ growth }) => growth.filter(grows).map(({ startSeconds }) => startSeconds));
  const lower = lowerRateWhileShaped(evidence.series, growthSeconds);
  if (lower) {
    const { sampleCount, bitsPerSecond, otherBitsPerSecond } = lower;
    const samples = sampleCount === 1 ? '1 sample' : `${sampleCount} samples`;
    const then = `in ${samples}, whose rate was ${formatRate(bitsPerSecond)} instead of ${formatRate(otherBitsPerSecond)}`;
    return witness(sampleCount >= FEWEST_SHAPED_SAMPLES ? false : null, `${packets} ${then}`);
  }
  const detail = shape.kind === 'steady' ? `${packets}, while the rate stayed the same` : packets;
  if (limit === 'cpu' && growing.length > 0) return witness(false, `${detail}: the network limited it, too`);
  // A rate that is shaped at its maximum all the time queues packets too: growth alone proves no loss of credits.
  return witness(null, detail);
}

/** The hosts' clocks differ by up to so much; no difference is tried first. */
const CLOCK_SHIFTS_SECONDS = [0, 1, -1, 2, -2];

/** Fewer may be the edges of a recording, where the counters were not read. */
const FEWEST_OTHERS = 3;

interface ShapedRate {
  /** Samples of the series in which the counters grew, and the median of their rates. */
  readonly sampleCount: number;
  readonly bitsPerSecond: number;
  readonly otherBitsPerSecond: number;
}

/**
 * Whether the rate was lower in the seconds in which the allowance counters grew.
 *
 * @param growthSeconds the starts of the seconds in which a counter grew
 * @returns null where the rate was not lower then, or there are too few other seconds to compare with
 */
function lowerRateWhileShaped(series: readonly RateInterval[], growthSeconds: readonly number[]): ShapedRate | null {
  for (const shift of CLOCK_SHIFTS_SECONDS) {
    const shaped = new Set(growthSeconds.map((seconds) => Math.round(seconds + shift)));
    const isShaped = ({ startSeconds, lengthSeconds }: RateInterval) => {
      const first = Math.round(startSeconds);
      const end = Math.max(first + 1, Math.round(startSeconds + lengthSeconds));
      for (let second = first; second < end; second += 1) if (shaped.has(second)) return true;
      return false;
    };
    const rates: number[] = [];
    const others: number[] = [];
    for (const interval of series) (isShaped(interval) ? rates : others).push(interval.bitsPerSecond);
    if (rates.length === 0 || others.length < FEWEST_OTHERS) continue;
    const [bitsPerSecond, otherBitsPerSecond] = [median(rates), median(others)];
    if (bitsPerSecond > DEEPEST_THROTTLED_RATIO * otherBitsPerSecond) continue;
    return { sampleCount: rates.length, bitsPerSecond, otherBitsPerSecond };
  }
  return null;
}
