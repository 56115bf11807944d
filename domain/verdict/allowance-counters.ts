/** What the ENA allowance counters of both ends show: the counters that shape this direction, second by second. */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean, sum } from '../maths/statistics';
import type { Witness } from '../model/verdict';
import type { AllowanceGrowth, End, ThroughputEvidence } from './evidence';
import type { Limit } from './limits';
import { canHaveCredits, ENDS } from './published-limits';
import { lowerRateWhileShaped } from './shaped-rate';
import { formatRate } from '../text/format';

/** The counters are read once a second, on a host whose clock differs from the tool's. */
export const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; growth in a smaller share of the seconds comes from microbursts. */
export const SHAPED_SHARE = 0.25;
/** The same for the low ends of the runs of a duty cycle alone. */
const SHAPED_SHARE_WHILE_LOW = 0.5;
/** A lower rate in fewer samples may be a burst that was shaped for a moment. */
const FEWEST_SHAPED_SAMPLES = 3;

/** The counter of each end that an allowance has. */
export type AllowanceCounters = Readonly<Record<End, Exclude<keyof AllowanceGrowth, 'hostRole' | 'startSeconds'>>>;

/** Outbound at the sender, inbound at the receiver; the others count acknowledgements and other traffic. */
const BANDWIDTH = { sender: 'bwOutAllowanceExceeded', receiver: 'bwInAllowanceExceeded' } as const;
const PACKET_RATE = { sender: 'ppsAllowanceExceeded', receiver: 'ppsAllowanceExceeded' } as const;

/** What growth means that `begins` with the throttle, never comes, was as strong before, or is sporadic. */
const NOTES = {
  begins: ', so the network began to limit the rate there',
  silent: ', so its bandwidth allowance did not limit the rate',
  throughout: ', so this may not have begun with the fall',
  sporadic: ', but now and then only',
} as const;

interface Growth {
  readonly startSeconds: number;
  readonly packets: number;
}

export function growthOf(
  { allowance = [], direction }: Pick<ThroughputEvidence, 'allowance' | 'direction'>,
  end: End,
  counters: AllowanceCounters = BANDWIDTH,
): Growth[] {
  const role = (direction === 'forward') === (end === 'sender') ? 'client' : 'server';
  return allowance.flatMap((sample) => {
    const packets = sample[counters[end]];
    return sample.hostRole !== role || packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

/** How a counter grows around the onset; null where it was not read after the onset. */
function behaviourAround({ onset, isLow }: Fall, growth: readonly Growth[]) {
  const isAfter = ({ startSeconds }: Growth) => startSeconds >= onset.value - CLOCK_SLACK_SECONDS;
  const [before, after] = [growth.filter((each) => !isAfter(each)), growth.filter(isAfter)];
  if (after.length === 0) return null;
  const behaviour = behaviourOf(before, after, after.filter(isLow));
  const rate = (some: readonly Growth[]) => (some.length === 0 ? 'an unknown number of' : meanOf(some).toFixed(1));
  return {
    behaviour,
    words: `${rate(before)} packets per second before the fall and ${rate(after)} after it${NOTES[behaviour]}`,
  };
}

function behaviourOf(before: readonly Growth[], after: readonly Growth[], low: readonly Growth[]): keyof typeof NOTES {
  if (after.every(({ packets }) => packets === 0)) return 'silent';
  const isShapedWhileLow = low.length > 0 && growingShare(low) >= SHAPED_SHARE_WHILE_LOW;
  if (growingShare(after) < SHAPED_SHARE && !isShapedWhileLow) return 'sporadic';
  // Without a reading before the onset, it is unknown whether the growth began there.
  return before.length > 0 && meanOf(after) >= 2 * meanOf(before) ? 'begins' : 'throughout';
}

export function growingShare(growth: readonly Growth[]): number {
  return growth.filter(grows).length / growth.length;
}

function grows({ packets }: Growth): boolean {
  return packets > 0;
}

function meanOf(growth: readonly Growth[]): number {
  return mean(growth.map(({ packets }) => packets));
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

/** Ends whose own counter begins to grow with the throttle, and those whose counter never does. */
export function shapingEnds(shape: SeriesShape, evidence: ThroughputEvidence): { begins: End[]; silent: End[] } {
  const fall = fallOf(shape, evidence);
  const endsThat = (behaviour: keyof typeof NOTES) =>
    ENDS.filter((end) => fall && behaviourAround(fall, growthOf(evidence, end))?.behaviour === behaviour);
  return { begins: endsThat('begins'), silent: endsThat('silent') };
}

/** Whether the sender's outbound or the receiver's inbound counter begins to grow when the rate falls. */
export function witnessAllowance(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  if (ENDS.every((end) => growthOf(evidence, end).length === 0))
    return witness(null, "the network card's allowance counters were not read");
  const fall = fallOf(shape, evidence);
  return fall ? witnessOfFall(fall, evidence) : witnessOfLevel(shape, evidence, limit);
}

function witness(agrees: boolean | null, detail: string): Witness {
  return { name: 'ena_allowance_counters', agrees, detail };
}

function witnessOfFall(fall: Fall, evidence: ThroughputEvidence): Witness {
  const found = ENDS.flatMap((end) => {
    const around = behaviourAround(fall, growthOf(evidence, end));
    return around === null ? [] : [{ end, ...around }];
  });
  const [first, second] = found;
  if (first === undefined) return witness(null, "the network card's allowance counters were not read after the fall");
  const detail = found
    .map(({ end, words }) => `beyond its bandwidth allowance, the ${end} queued or dropped ${words}`)
    .join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return witness(true, detail);
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return witness(null, detail);
  const packetRate = ENDS.find(
    (end) => behaviourAround(fall, growthOf(evidence, end, PACKET_RATE))?.behaviour === 'begins',
  );
  if (packetRate !== undefined) {
    return witness(false, `the packet-rate allowance of the ${packetRate} ran out, and not bandwidth`);
  }
  const silent = 'no packet was queued or dropped for bandwidth after the fall';
  const unread = ENDS.find((end) => end !== first.end && canHaveCredits(evidence[end]));
  // An end whose counters were not read may be the one that shapes.
  return second === undefined && unread !== undefined
    ? witness(null, `${silent} at the ${first.end}; the counters of the ${unread} were not read`)
    : witness(false, `${silent}, ${insteadOfBandwidth(evidence)}`);
}

/** What follows where no counter of bandwidth has grown: another allowance may have, without having begun with a fall. */
function insteadOfBandwidth(evidence: ThroughputEvidence): string {
  const held = ENDS.flatMap((end) => {
    const packets = sum(growthOf(evidence, end, PACKET_RATE).map((each) => each.packets));
    return packets === 0 ? [] : [`${packets} at the ${end}`];
  });
  return held.length === 0
    ? 'so no bandwidth allowance limited the rate'
    : `but ${held.join(' and ')} were for the packet rate, so its allowance may have limited the rate`;
}

function witnessOfLevel(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  if (shape.segments.length === 0)
    return witness(null, 'the series is too short to compare the allowance counters with');
  const growths = ENDS.map((end) => ({ end, growth: growthOf(evidence, end) }));
  const total = sum(growths.flatMap(({ growth }) => growth.map(({ packets }) => packets)));
  if (total === 0)
    return witness(true, `no packet was queued or dropped for bandwidth, ${insteadOfBandwidth(evidence)}`);
  const packets = `${total} packets were queued or dropped for bandwidth`;
  const growing = growths.filter(({ growth }) => growth.length > 0 && growingShare(growth) >= SHAPED_SHARE);
  if (limit?.kind === 'peer_limited' && growing.some(({ end }) => end === 'receiver')) {
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
  const isLevel = shape.seriesClass !== 'ramp' && shape.seriesClass !== 'level_shift';
  const detail = isLevel ? `${packets}, while the rate stayed the same` : packets;
  if (limit?.kind === 'cpu_bound' && growing.length > 0)
    return witness(false, `${detail}: the network limited it, too`);
  // A rate that is shaped at its maximum all the time queues packets too: growth alone proves no loss of credits.
  return witness(null, detail);
}
