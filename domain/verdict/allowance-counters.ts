/** What the ENA allowance counters of both ends show: the counters that shape this direction, second by second. */
import type { SeriesShape } from '../detection/series-shape';
import { mean, sum } from '../maths/statistics';
import type { Witness } from '../model/verdict';
import type { End, ThroughputEvidence } from './evidence';
import type { Limit } from './limits';
import { canHaveCredits, ENDS } from './published-limits';

/** The counters are read once a second, on a host whose clock differs from the tool's. */
const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; growth in a smaller share of the seconds comes from microbursts. */
const SHAPED_SHARE = 0.25;

/** Outbound at the sender, inbound at the receiver; the others count acknowledgements and other traffic. */
const BANDWIDTH = { sender: 'bwOutAllowanceExceeded', receiver: 'bwInAllowanceExceeded' } as const;
const PACKET_RATE = { sender: 'ppsAllowanceExceeded', receiver: 'ppsAllowanceExceeded' } as const;

/** What the detail adds: growth that `begins` with the throttle, was as strong before, is sporadic, or never comes. */
const NOTES = {
  begins: '',
  silent: '',
  throughout: ': growing all the time',
  sporadic: ': now and then only',
} as const;

interface Growth {
  readonly startSeconds: number;
  readonly packets: number;
}

function growthOf(
  { allowance = [], direction }: ThroughputEvidence,
  end: End,
  counters: typeof BANDWIDTH | typeof PACKET_RATE = BANDWIDTH,
): Growth[] {
  const role = (direction === 'forward') === (end === 'sender') ? 'client' : 'server';
  return allowance.flatMap((sample) => {
    const packets = sample[counters[end]];
    return sample.hostRole !== role || packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

/** How a counter grows around the onset; null where it was not read after the onset. */
function behaviourAround(onsetSeconds: number, growth: readonly Growth[]) {
  const isAfter = ({ startSeconds }: Growth) => startSeconds >= onsetSeconds - CLOCK_SLACK_SECONDS;
  const [before, after] = [growth.filter((each) => !isAfter(each)), growth.filter(isAfter)];
  if (after.length === 0) return null;
  const behaviour = behaviourOf(before, after);
  const rate = (some: readonly Growth[]) => (some.length === 0 ? 'unknown' : meanOf(some).toFixed(1));
  return {
    behaviour,
    detail: `${rate(before)} packets/s before the onset, ${rate(after)} after${NOTES[behaviour]}`,
  };
}

function behaviourOf(before: readonly Growth[], after: readonly Growth[]): keyof typeof NOTES {
  if (after.every(({ packets }) => packets === 0)) return 'silent';
  if (growingShare(after) < SHAPED_SHARE) return 'sporadic';
  // Without a reading before the onset, it is unknown whether the growth began there.
  return before.length > 0 && meanOf(after) >= 2 * meanOf(before) ? 'begins' : 'throughout';
}

function growingShare(growth: readonly Growth[]): number {
  return growth.filter(({ packets }) => packets > 0).length / growth.length;
}

function meanOf(growth: readonly Growth[]): number {
  return mean(growth.map(({ packets }) => packets));
}

/** Ends whose own counter begins to grow with the throttle, and those whose counter never does. */
export function shapingEnds({ throttle }: SeriesShape, evidence: ThroughputEvidence): { begins: End[]; silent: End[] } {
  const endsThat = (behaviour: keyof typeof NOTES) =>
    ENDS.filter(
      (end) => throttle && behaviourAround(throttle.onset.value, growthOf(evidence, end))?.behaviour === behaviour,
    );
  return { begins: endsThat('begins'), silent: endsThat('silent') };
}

/** Whether the sender's outbound or the receiver's inbound counter begins to grow when the rate falls. */
export function witnessAllowance(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  if (ENDS.every((end) => growthOf(evidence, end).length === 0)) return witness(null, 'no counters were read');
  if (shape.throttle) return witnessOfFall(shape.throttle.onset.value, evidence);
  return witnessOfLevel(shape, evidence, limit);
}

function witness(agrees: boolean | null, detail: string): Witness {
  return { name: 'ena_allowance_counters', agrees, detail };
}

function witnessOfFall(onsetSeconds: number, evidence: ThroughputEvidence): Witness {
  const found = ENDS.flatMap((end) => {
    const around = behaviourAround(onsetSeconds, growthOf(evidence, end));
    return around === null ? [] : [{ end, ...around }];
  });
  const [first, second] = found;
  if (first === undefined) return witness(null, 'no counters were read after the onset');
  const detail = found.map((each) => `${each.end} ${each.detail}`).join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return witness(true, detail);
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return witness(null, detail);
  const packetRate = ENDS.find(
    (end) => behaviourAround(onsetSeconds, growthOf(evidence, end, PACKET_RATE))?.behaviour === 'begins',
  );
  if (packetRate !== undefined) {
    return witness(false, `the packet-rate allowance of the ${packetRate} ran out, and not bandwidth`);
  }
  const silent = 'no packet was queued or dropped for bandwidth after the onset';
  const unread = ENDS.find((end) => end !== first.end && canHaveCredits(evidence[end]));
  // An end whose counters were not read may be the one that shapes.
  return second === undefined && unread !== undefined
    ? witness(null, `${first.end}: ${silent}; the ${unread}'s were not read`)
    : witness(false, silent);
}

function witnessOfLevel(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  if (shape.segments.length === 0) return witness(null, 'the series is too short to compare with');
  const growths = ENDS.map((end) => ({ end, growth: growthOf(evidence, end) }));
  const total = sum(growths.flatMap(({ growth }) => growth.map(({ packets }) => packets)));
  if (total === 0) return witness(true, 'no packet was queued or dropped for bandwidth');
  const detail = `${total} packets were queued or dropped for bandwidth at an unchanged rate`;
  const growing = growths.filter(({ growth }) => growth.length > 0 && growingShare(growth) >= SHAPED_SHARE);
  if (limit?.kind === 'cpu_bound' && growing.length > 0) return witness(false, `${detail}: the network shaped it`);
  if (limit?.kind === 'peer_limited' && growing.some(({ end }) => end === 'receiver')) {
    return witness(true, `${detail}, inbound at the receiver`);
  }
  // A rate that is shaped at its maximum all the time queues packets too: growth alone proves no loss of credits.
  return witness(null, detail);
}
