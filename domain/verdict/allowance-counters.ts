/** What the ENA allowance counters of either end say: those that shape this direction, second by second. */
import { elementAt } from '../maths/elements';
import type { SeriesShape } from '../detection/series-shape';
import type { Witness } from '../model/verdict';
import type { End, ThroughputEvidence } from './evidence';
import type { Limit } from './limits';
import { canHaveCredits, ENDS } from './published-limits';

/** Counters are read once a second, on a host whose clock is not the tool's. */
const CLOCK_SLACK_SECONDS = 2;
/** A shaped rate is shaped second after second; less than this is microbursts. */
const SHAPED_SHARE = 0.25;

/**
 * `begins`: with the throttle; `throughout`: as much before; `sporadic`: now and then; `silent`: never after the onset.
 */
export type CounterBehaviour = 'begins' | 'throughout' | 'sporadic' | 'silent';

interface Growth {
  readonly startSeconds: number;
  readonly packets: number;
}

const NAME = 'ena_allowance_counters';

/**
 * Outbound where data is sent, inbound where it arrives: the other counters are of acknowledgements and other traffic.
 */
function bandwidthGrowth({ allowance = [], direction }: ThroughputEvidence, end: End): Growth[] {
  const role = hostRoleOf(direction, end);
  return allowance.flatMap((sample) => {
    const packets = end === 'sender' ? sample.bwOutAllowanceExceeded : sample.bwInAllowanceExceeded;
    return sample.hostRole !== role || packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

function packetRateGrowth({ allowance = [], direction }: ThroughputEvidence, end: End): Growth[] {
  const role = hostRoleOf(direction, end);
  return allowance.flatMap(({ hostRole, startSeconds, ppsAllowanceExceeded: packets }) =>
    hostRole !== role || packets === undefined ? [] : [{ startSeconds, packets }],
  );
}

function hostRoleOf(direction: ThroughputEvidence['direction'], end: End) {
  return (direction === 'forward') === (end === 'sender') ? 'client' : 'server';
}

/** @returns null where the counter was not read after the onset. */
function counterBehaviour(growth: readonly Growth[], onsetSeconds: number): CounterBehaviour | null {
  const before = growth.filter(({ startSeconds }) => startSeconds < onsetSeconds - CLOCK_SLACK_SECONDS);
  const after = growth.filter(({ startSeconds }) => startSeconds >= onsetSeconds - CLOCK_SLACK_SECONDS);
  if (after.length === 0) return null;
  if (after.every(({ packets }) => packets === 0)) return 'silent';
  if (growingShare(after) < SHAPED_SHARE) return 'sporadic';
  // Without a reading before the onset, it is unknown whether the growth began there.
  return before.length > 0 && meanOf(after) >= 2 * meanOf(before) ? 'begins' : 'throughout';
}

function growingShare(growth: readonly Growth[]): number {
  return growth.filter(({ packets }) => packets > 0).length / growth.length;
}

function meanOf(growth: readonly Growth[]): number {
  return growth.reduce((sum, { packets }) => sum + packets, 0) / growth.length;
}

/** Ends whose own counter begins to grow with the throttle, and those whose counter never does. */
export function shapingEnds(shape: SeriesShape, evidence: ThroughputEvidence): { begins: End[]; silent: End[] } {
  const behaves = (end: End) =>
    shape.throttle && counterBehaviour(bandwidthGrowth(evidence, end), shape.throttle.onset.value);
  return {
    begins: ENDS.filter((end) => behaves(end) === 'begins'),
    silent: ENDS.filter((end) => behaves(end) === 'silent'),
  };
}

/** Do the sender's outbound or the receiver's inbound counters begin to grow when the rate falls? */
export function witnessAllowance(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  const read = ENDS.filter((end) => bandwidthGrowth(evidence, end).length > 0);
  if (read.length === 0) return { name: NAME, agrees: null, detail: 'no counters were read' };
  if (shape.throttle) return witnessOfFall(shape.throttle.onset.value, evidence, read);
  return witnessOfLevel(shape, evidence, limit);
}

function witnessOfFall(onsetSeconds: number, evidence: ThroughputEvidence, read: readonly End[]): Witness {
  const found = read.flatMap((end) => {
    const growth = bandwidthGrowth(evidence, end);
    const behaviour = counterBehaviour(growth, onsetSeconds);
    return behaviour === null ? [] : [{ end, behaviour, detail: `${end} ${inWords(growth, onsetSeconds, behaviour)}` }];
  });
  if (found.length === 0) return { name: NAME, agrees: null, detail: 'no counters were read after the onset' };
  const detail = found.map((each) => each.detail).join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return { name: NAME, agrees: true, detail };
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return { name: NAME, agrees: null, detail };
  const packetRate = ENDS.find((end) => counterBehaviour(packetRateGrowth(evidence, end), onsetSeconds) === 'begins');
  if (packetRate !== undefined) {
    const instead = `the packet-rate allowance of the ${packetRate} ran out, and not bandwidth`;
    return { name: NAME, agrees: false, detail: instead };
  }
  const silent = 'no packet was queued or dropped for bandwidth after the onset';
  const unread = ENDS.filter((end) => !found.some((each) => each.end === end) && canHaveCredits(evidence[end]));
  // An end that was not read may be the one that shapes.
  if (unread.length > 0 && found.length === 1) {
    return {
      name: NAME,
      agrees: null,
      detail: `${elementAt(found, 0).end}: ${silent}; the ${elementAt(unread, 0)}'s were not read`,
    };
  }
  return { name: NAME, agrees: false, detail: silent };
}

function inWords(growth: readonly Growth[], onsetSeconds: number, behaviour: CounterBehaviour): string {
  const part = (isAfter: boolean) =>
    growth.filter(({ startSeconds }) => startSeconds >= onsetSeconds - CLOCK_SLACK_SECONDS === isAfter);
  const [before, after] = [part(false), part(true)];
  const rate = (some: readonly Growth[]) => (some.length === 0 ? 'unknown' : meanOf(some).toFixed(1));
  const note = { begins: '', silent: '', throughout: ': growing all the time', sporadic: ': now and then only' };
  return `${rate(before)} packets/s before the onset, ${rate(after)} after${note[behaviour]}`;
}

function witnessOfLevel(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  if (shape.segments.length === 0)
    return { name: NAME, agrees: null, detail: 'the series is too short to compare with' };
  const growing = ENDS.map((end) => ({ end, growth: bandwidthGrowth(evidence, end) })).filter(
    ({ growth }) => growth.length > 0 && growingShare(growth) >= SHAPED_SHARE,
  );
  const total = ENDS.flatMap((end) => bandwidthGrowth(evidence, end)).reduce((sum, { packets }) => sum + packets, 0);
  if (total === 0) return { name: NAME, agrees: true, detail: 'no packet was queued or dropped for bandwidth' };
  const detail = `${total} packets were queued or dropped for bandwidth at an unchanged rate`;
  if (limit?.kind === 'cpu_bound' && growing.length > 0) {
    return { name: NAME, agrees: false, detail: `${detail}: the network shaped it` };
  }
  if (limit?.kind === 'peer_limited' && growing.some(({ end }) => end === 'receiver')) {
    return { name: NAME, agrees: true, detail: `${detail}, inbound at the receiver` };
  }
  // A rate that is shaped at its maximum all the time queues packets too: growth alone proves no loss of credits.
  return { name: NAME, agrees: null, detail };
}
