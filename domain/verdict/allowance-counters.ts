/** What the bandwidth counters of both ends say for or against a verdict. */
import type { SeriesShape } from '../detection/series-shape';
import { sum } from '../maths/statistics';
import type { Cause, Witness } from '../model/verdict';
import { formatRate } from '../text/format';
import {
  growingShare,
  growthAroundFall,
  growthOf,
  grows,
  SHAPED_SHARE,
  type Behaviour,
  type GrowthAroundFall,
} from './allowance-growth';
import type { ThroughputEvidence } from './evidence';
import { canHaveCredits, ENDS } from './published-limits';
import { lowerRateWhileShaped } from './shaped-rate';

/** A lower rate in fewer samples may be a burst that was shaped for a moment. */
const FEWEST_SHAPED_SAMPLES = 3;

const NOTES: Readonly<Record<Behaviour, string>> = {
  begins: ', so the network began to limit the rate there',
  silent: ', so its bandwidth allowance did not limit the rate',
  throughout: ', so this may not have begun with the fall',
  sporadic: ', but now and then only',
};

/** Whether the sender's outbound or the receiver's inbound counter begins to grow when the rate falls. */
export function witnessAllowance(shape: SeriesShape, evidence: ThroughputEvidence, limit: Cause | null): Witness {
  if (ENDS.every((end) => growthOf(evidence, end).length === 0))
    return witness(null, "the network card's allowance counters were not read");
  return shape.throttle ? witnessOfFall(shape, evidence) : witnessOfLevel(shape, evidence, limit);
}

function witness(agrees: boolean | null, detail: string): Witness {
  return { name: 'ena_allowance_counters', agrees, detail };
}

function witnessOfFall(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const found = growthAroundFall(shape, evidence);
  const [first, second] = found;
  if (first === undefined) return witness(null, "the network card's allowance counters were not read after the fall");
  const detail = found
    .map((each) => `beyond its bandwidth allowance, the ${each.end} queued or dropped ${aroundInWords(each)}`)
    .join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return witness(true, detail);
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return witness(null, detail);
  const silent = 'no packet was queued or dropped for bandwidth after the fall';
  const unread = ENDS.find((end) => end !== first.end && canHaveCredits(evidence[end]));
  // An end whose counters were not read may be the one that shapes.
  return second === undefined && unread !== undefined
    ? witness(null, `${silent} at the ${first.end}; the counters of the ${unread} were not read`)
    : witness(false, `${silent}, ${insteadOfBandwidth(evidence)}`);
}

/** `0.0 packets per second before the fall and 812.0 after it, so the network began to limit the rate there` */
function aroundInWords({ before, after, behaviour }: GrowthAroundFall): string {
  const rate = (packets: number | undefined) => packets?.toFixed(1) ?? 'an unknown number of';
  return `${rate(before)} packets per second before the fall and ${rate(after)} after it${NOTES[behaviour]}`;
}

/** What follows where no counter of bandwidth has grown: another allowance may have, without having begun with a fall. */
function insteadOfBandwidth(evidence: ThroughputEvidence): string {
  const held = ENDS.flatMap((end) => {
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
  const growths = ENDS.map((end) => ({ end, growth: growthOf(evidence, end) }));
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
