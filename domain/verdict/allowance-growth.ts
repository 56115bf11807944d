/** How the ENA allowance counters of each end grow around a fall: whether the instance itself began to hold packets back. */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean } from '../maths/statistics';
import type { AllowanceGrowth, End, ThroughputEvidence } from './evidence';
import { ENDS } from './published-limits';

/** The counters are read once a second, on a host whose clock differs from the tool's. */
export const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; growth in a smaller share of the seconds comes from microbursts. */
export const SHAPED_SHARE = 0.25;
/** The same for the low ends of the runs of a duty cycle alone. */
const SHAPED_SHARE_WHILE_LOW = 0.5;
/** A counter that grows at the peak rate as well, as EC2's do, must grow by so much more to have begun with the fall. */
const BEGINS_FACTOR = 2;

/** The counter of each end that an allowance has. */
type AllowanceCounters = Readonly<Record<End, Exclude<keyof AllowanceGrowth, 'hostRole' | 'startSeconds'>>>;

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
  end: End,
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

export function grows({ packets }: Growth): boolean {
  return packets > 0;
}

export function packetsPerSecond(growth: readonly Growth[]): number {
  return growth.length === 0 ? 0 : mean(growth.map(({ packets }) => packets));
}

/** Growth that begins with the fall, never comes after it, was as strong before it, or comes now and then only. */
export type Behaviour = 'begins' | 'silent' | 'throughout' | 'sporadic';

export interface GrowthAroundFall {
  readonly end: End;
  readonly behaviour: Behaviour;
  /** undefined where the counter was not read before the fall */
  readonly before: number | undefined;
  readonly after: number;
}

/** How the counter of an allowance grows at each end; without the ends whose counter was not read after the fall. */
export function growthAroundFall(
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  which: Allowance = 'bandwidth',
): GrowthAroundFall[] {
  const fall = fallOf(shape, evidence);
  if (!fall) return [];
  return ENDS.flatMap((end) => {
    const growth = growthOf(evidence, end, which);
    const isAfter = ({ startSeconds }: Growth) => startSeconds >= fall.onset.value - CLOCK_SLACK_SECONDS;
    const [before, after] = [growth.filter((each) => !isAfter(each)), growth.filter(isAfter)];
    if (after.length === 0) return [];
    return {
      end,
      behaviour: behaviourOf(before, after, after.filter(fall.isLow)),
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

/** A fall of the rate, and for a duty cycle the seconds in which the rate was low. */
interface Fall extends Throttle {
  readonly isLow: (growth: Growth) => boolean;
}

/** In a duty cycle the rate is shaped at the end of each run only. */
function fallOf({ throttle }: SeriesShape, { series, dutyCycle }: ThroughputEvidence): Fall | null {
  if (!throttle || !dutyCycle) return throttle && { ...throttle, isLow: () => false };
  const middle = Math.sqrt(throttle.burstBitsPerSecond * throttle.baselineBitsPerSecond);
  const low = series.filter(({ bitsPerSecond }) => bitsPerSecond < middle);
  const seconds = new Set(low.map(({ startSeconds }) => Math.round(startSeconds)));
  return { ...throttle, isLow: ({ startSeconds }) => seconds.has(Math.round(startSeconds)) };
}

/** The ends whose own counter behaves like this. */
export function endsThat(
  behaviour: Behaviour,
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  which: Allowance = 'bandwidth',
): End[] {
  return growthAroundFall(shape, evidence, which)
    .filter((each) => each.behaviour === behaviour)
    .map(({ end }) => end);
}
