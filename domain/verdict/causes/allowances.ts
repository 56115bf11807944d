/**
 * The allowances of an instance, each of which has a counter on either host (EC2 user guide, "Monitor network
 * performance for ENA settings"). How a counter grows around a drop shows whether the instance itself began to hold
 * packets back. The allowances other than bandwidth are causes of their own: packets per second, tracked connections,
 * and outbound IP fragments, which are counted with the packets.
 *
 * | counter of a host                                                    | the cause is |
 * | -------------------------------------------------------------------- | ------------ |
 * | grew second after second, and twice as much as its bandwidth counter | shown        |
 * | grew second after second, and so did its bandwidth counter           | possible     |
 * | did not grow, or now and then only                                   | ruled out    |
 * | was not read                                                         | not read     |
 */
import type { SeriesShape, Throttle } from '../../detection/series-shape';
import { mean, sum } from '../../maths/statistics';
import { FRAGMENTS_PER_SECOND } from '../../model/ec2-facts';
import type { Cause } from '../../model/verdict';
import { ENDPOINTS, type AllowanceGrowth, type Endpoint, type ThroughputEvidence } from '../evidence';
import {
  notRead,
  possible,
  ruledOut,
  shown,
  type Allowance,
  type AllowanceGrowthAroundDrop,
  type Behaviour,
  type CauseModule,
  type Finding,
  type GrowthAroundDrop,
  type Subject,
} from './cause';

/** The counters are read once a second, on a host whose clock differs from the tool's. */
export const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; growth in a smaller share of the seconds comes from microbursts. */
export const SHAPED_SHARE = 0.25;
/** `SHAPED_SHARE` for the low ends of a duty cycle's runs alone. */
const SHAPED_SHARE_WHILE_LOW = 0.5;
/** EC2's counters also grow at the peak rate, so growth begins with a drop only if it is this many times as large. */
const BEGINS_FACTOR = 2;
/** Bursts exceed the bandwidth now and then, so the other counter must grow this many times as much as bandwidth's. */
const FAR_MORE = 2;

/** The counters of a direction: outbound at the sender, inbound at the receiver. Others count acknowledgements. */
const COUNTERS = {
  bandwidth: { sender: 'bwOutAllowanceExceeded', receiver: 'bwInAllowanceExceeded' },
  packetRate: { sender: 'ppsAllowanceExceeded', receiver: 'ppsAllowanceExceeded' },
  connectionTracking: { sender: 'conntrackAllowanceExceeded', receiver: 'conntrackAllowanceExceeded' },
} as const satisfies Record<Allowance, Record<Endpoint, keyof AllowanceGrowth>>;

export const ALLOWANCE_WORDS: Readonly<Record<Allowance, string>> = {
  bandwidth: 'bandwidth allowance',
  packetRate: 'packet-rate allowance',
  connectionTracking: 'tracked-connections allowance',
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
    const packets = sample[COUNTERS[which][end]];
    return sample.hostRole !== role || packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

export function growingShare(growth: readonly Growth[]): number {
  return growth.filter(({ packets }) => packets > 0).length / growth.length;
}

export function growthAroundDrop({ throttle }: SeriesShape, evidence: ThroughputEvidence): AllowanceGrowthAroundDrop {
  const isLow = throttle && isLowEnd(throttle, evidence);
  const around = (which: Allowance) => (throttle && isLow ? growthAround(throttle, isLow, evidence, which) : []);
  return {
    bandwidth: around('bandwidth'),
    packetRate: around('packetRate'),
    connectionTracking: around('connectionTracking'),
  };
}

/** Whether growth was counted while the rate of a duty cycle was low; it is shaped only at the end of each run. */
function isLowEnd(throttle: Throttle, { series, dutyCycle }: ThroughputEvidence): (growth: Growth) => boolean {
  const middle = dutyCycle ? Math.sqrt(throttle.burstBitsPerSecond * throttle.baselineBitsPerSecond) : 0;
  const low = series.filter(({ bitsPerSecond }) => bitsPerSecond < middle);
  const seconds = new Set(low.map(({ startSeconds }) => Math.round(startSeconds)));
  return ({ startSeconds }) => seconds.has(Math.round(startSeconds));
}

function growthAround(
  { onset }: Throttle,
  isLow: (growth: Growth) => boolean,
  evidence: ThroughputEvidence,
  which: Allowance,
): GrowthAroundDrop[] {
  return ENDPOINTS.flatMap((end) => {
    const growth = growthOf(evidence, end, which);
    const isAfter = ({ startSeconds }: Growth) => startSeconds >= onset.value - CLOCK_SLACK_SECONDS;
    const [before, after] = [growth.filter((each) => !isAfter(each)), growth.filter(isAfter)];
    if (after.length === 0) return [];
    return {
      end,
      behaviour: behaviourOf(before, after, after.filter(isLow)),
      before: before.length === 0 ? undefined : packetsPerSecond(before),
      after: packetsPerSecond(after),
    };
  });
}

function behaviourOf(before: readonly Growth[], after: readonly Growth[], low: readonly Growth[]): Behaviour {
  if (growingShare(after) === 0) return 'silent';
  const isShapedWhileLow = low.length > 0 && growingShare(low) >= SHAPED_SHARE_WHILE_LOW;
  if (growingShare(after) < SHAPED_SHARE && !isShapedWhileLow) return 'sporadic';
  // Without a reading before the onset, it is unknown whether the growth began there.
  const hasBegun = before.length > 0 && packetsPerSecond(after) >= BEGINS_FACTOR * packetsPerSecond(before);
  return hasBegun ? 'begins' : 'throughout';
}

function packetsPerSecond(growth: readonly Growth[]): number {
  return growth.length === 0 ? 0 : mean(growth.map(({ packets }) => packets));
}

/** The hosts whose bandwidth counter behaves like this. */
export function endpointsThat(behaviour: Behaviour, { bandwidth }: AllowanceGrowthAroundDrop): Endpoint[] {
  return bandwidth.filter((each) => each.behaviour === behaviour).map(({ end }) => end);
}

/** Whether packets were held back for their number rather than for their bits when the rate dropped. */
export function packetRateOutgrows(end: Endpoint, { growth }: Subject): boolean {
  const packets = growth.packetRate.find((each) => each.end === end);
  return packets?.behaviour === 'begins' && packets.after > bandwidthAfter(end, growth);
}

function bandwidthAfter(end: Endpoint, { bandwidth }: AllowanceGrowthAroundDrop): number {
  return bandwidth.find((each) => each.end === end)?.after ?? 0;
}

type OtherAllowance = Exclude<Allowance, 'bandwidth'>;

function ofDrop(which: OtherAllowance, { growth }: Subject): Finding {
  const words = ALLOWANCE_WORDS[which];
  if (growth[which].length === 0) return notRead(`the counters of the ${words} were not read`);
  const lasting = growth[which].filter(({ behaviour }) => behaviour === 'begins' || behaviour === 'throughout');
  const most = lasting.find(({ end, after }) => after > FAR_MORE * bandwidthAfter(end, growth));
  if (most) {
    const { end, after } = most;
    return shown(`the ${words} of the ${end} ran out: it held back ${after.toFixed(0)} packets per second`);
  }
  const [other] = lasting;
  return other
    ? possible(`the ${words} of the ${other.end} held packets back, but so did its bandwidth allowance`)
    : ruledOut(`the ${words} held back hardly any packet after the fall`);
}

function ofLevel(which: OtherAllowance, { evidence }: Subject): Finding {
  const words = ALLOWANCE_WORDS[which];
  const read = ENDPOINTS.map((end) => ({ end, growth: growthOf(evidence, end, which) })).filter(
    ({ growth }) => growth.length > 0,
  );
  if (read.length === 0) return notRead(`the counters of the ${words} were not read`);
  const lasting = read.find(
    ({ end, growth }) =>
      growingShare(growth) >= SHAPED_SHARE && packetsPerSecond(growth) > packetsPerSecond(growthOf(evidence, end)),
  );
  if (!lasting) return ruledOut(`the ${words} held back hardly any packet`);
  const packets = sum(lasting.growth.map((each) => each.packets));
  return shown(`the ${words} of the ${lasting.end} held back ${packets} packets`);
}

function ofAllowance(cause: Cause, which: OtherAllowance): CauseModule {
  return { cause, ofDrop: (subject) => ofDrop(which, subject), ofLevel: (subject) => ofLevel(which, subject) };
}

export const packetRate = ofAllowance('packet_rate', 'packetRate');
export const connectionTracking = ofAllowance('connection_tracking', 'connectionTracking');

/** EC2 drops fragments above 1,024 per second and interface, and counts them with the packets (ENA guide). */
function ofFragments(finding: Finding, { evidence }: Subject): Finding {
  const { fragmentsPerDatagram: count } = evidence;
  if (count === undefined) return ruledOut('no fragments were sent');
  if (finding.standing !== 'shown') return finding;
  return shown(
    `each datagram was sent in ${count} IP fragments, and EC2 forwards at most ${FRAGMENTS_PER_SECOND} fragments per second`,
  );
}

export function fragmentsAtLevel(subject: Subject): Finding {
  return ofFragments(ofLevel('packetRate', subject), subject);
}

/** Fragments are examined before the packet rate, because they share its counter. */
export const fragmentRate: CauseModule = {
  cause: 'fragment_rate',
  ofDrop: (subject) => ofFragments(ofDrop('packetRate', subject), subject),
  ofLevel: fragmentsAtLevel,
};
