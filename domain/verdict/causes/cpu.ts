/**
 * Whether the processors of a host limited the rate.
 *
 * | evidence                                                                             | the CPU is |
 * | ------------------------------------------------------------------------------------ | ---------- |
 * | drop: from then on, the tool waited for a processor, or the hypervisor withheld one, | shown      |
 * | for at least the share of the time by which the rate dropped                         |            |
 * | drop: the same, for a smaller share, or while many segments were retransmitted       | possible   |
 * | drop: every core that the tool can use is busy at the lower rate, too                | possible   |
 * | level: every core that the tool can use is busy, and the rate is no published figure | shown      |
 * | neither                                                                              | ruled out  |
 * | the tool's use of the CPU was not reported                                           | not read   |
 *
 * A tool that lacks a processor sends late but loses nothing: with 95 % of the processors withheld, TCP in the lab
 * retransmitted no segment.
 *
 * CPU credits: a T type that has spent them gets only a part of each processor. The rest of the time in which it has
 * work to do is steal, which its kernel counts in /proc/stat (proc_stat(5)). A host that is limited by its network
 * credits is idle instead.
 *
 * Contention: other work kept the processors of a host busy during the measurement. The figures may then be those of
 * the host rather than of the network: a rate scatters, and a round trip includes the time in which the tool waited for
 * a processor.
 */
import type { SeriesShape } from '../../detection/series-shape';
import { weightedMean } from '../../maths/statistics';
import type { CpuCredits } from '../../model/conditions';
import { contentionSentence } from '../../model/contended';
import type { HostRole } from '../../model/host-role';
import type { InstanceTypeFacts } from '../../model/instance-type';
import type { CpuShare } from '../../model/statistics';
import { CPU_CONTENTION_WITNESS, CPU_CREDITS_WITNESS, type SeriesKind, type Witness } from '../../model/verdict';
import { formatSeconds } from '../../text/format';
import {
  ENDPOINTS,
  isNear,
  lowestLimit,
  publishedLimits,
  type Endpoint,
  type ProcessorTime,
  type ThroughputEvidence,
} from '../evidence';
import {
  notRead,
  possible,
  ruledOut,
  shown,
  type CauseModule,
  type Finding,
  type Subject,
  type WithheldCpu,
} from './cause';
import { heavyLoss } from './packet-loss';

/** A core that is this busy limits the rate. */
const SATURATED_PERCENT = 95;
/** iperf3's streams share one thread before this version. */
const FIRST_THREADED = { major: 3, minor: 16 } as const;

export const cpu: CauseModule = {
  cause: 'cpu',
  ofDrop: (subject) => ofLostProcessors(subject) ?? ofUse(subject.evidence),
  ofLevel: ({ shape, evidence }) => {
    const use = cpuInWords(evidence);
    return (
      ofBusyCore(shape.typicalBitsPerSecond ?? 0, evidence) ?? (use === undefined ? notRead(NO_CPU_USE) : ruledOut(use))
    );
  },
};

/** In percent of one processor; schedulers and neighbours always take less than this. */
const LOST_PERCENT = 20;
/** The processors were lost with the drop only if the host lacked this many times as much from then on. */
const BEGINS_FACTOR = 2;

/** The kinds of processor time that a host may lose from a drop on, in the order in which they are examined. */
const LOSSES = [
  ['waiting', (end, percent) => `the tool waited for a processor of the ${end} ${percent.toFixed(0)} % of the time`],
  ['steal', (end, percent) => `the hypervisor withheld ${processorTime(percent)} of the ${end}`],
] as const satisfies readonly (readonly [string, (end: Endpoint, percent: number) => string])[];

/** @returns undefined if no host lost its processors */
function ofLostProcessors(subject: Subject): Finding | undefined {
  const { shape, evidence } = subject;
  for (const end of ENDPOINTS) {
    for (const [kind, inWords] of LOSSES) {
      const percent = lostSinceDrop(end, shape, evidence[kind]);
      if (percent !== undefined) return ofLoss(percent, `from the fall on, ${inWords(end, percent)}`, subject);
    }
  }
  return undefined;
}

function lostSinceDrop(
  end: Endpoint,
  { throttle }: SeriesShape,
  times: readonly ProcessorTime[] = [],
): number | undefined {
  const onset = throttle?.onset.value ?? Infinity;
  const ofEnd = times.filter((each) => each.end === end);
  const [before, after] = [meanWithin(ofEnd, -Infinity, onset), meanWithin(ofEnd, onset, Infinity)];
  if (before === undefined || after === undefined) return undefined;
  return after >= LOST_PERCENT && after >= BEGINS_FACTOR * before ? after : undefined;
}

function ofLoss(percent: number, inWords: string, { shape, evidence }: Subject): Finding {
  const again = heavyLoss(shape, evidence);
  if (again !== undefined) {
    return possible(`${inWords}, but ${again}, which waiting for a processor does not cause`);
  }
  const { burstBitsPerSecond = 1, baselineBitsPerSecond = 1 } = shape.throttle ?? {};
  const fallenPercent = 100 * (1 - baselineBitsPerSecond / burstBitsPerSecond);
  return percent < fallenPercent
    ? possible(`${inWords}, but the rate fell by ${fallenPercent.toFixed(0)} %`)
    : shown(inWords);
}

function ofUse(evidence: ThroughputEvidence): Finding {
  const saturated = ENDPOINTS.find((end) => isSaturated(end, evidence));
  if (saturated) return possible(`the ${saturated} had no processor left for the tool even at the lower rate`);
  return cpuInWords(evidence) === undefined ? notRead(NO_CPU_USE) : ruledOut('both hosts have idle processors');
}

function ofBusyCore(rate: number, evidence: ThroughputEvidence): Finding | null {
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  // At a published figure the network is the limit, however busy the hosts are.
  if (peak && rate >= 0.85 * peak.bitsPerSecond) return null;
  if (baseline && isNear(rate, baseline.bitsPerSecond)) return null;
  const end = ENDPOINTS.find((each) => isSaturated(each, evidence));
  if (end === undefined) return null;
  const reason = `the tool used ${evidence.cpu?.[`${end}Percent`]?.toFixed(0)} % of a core on the ${end}`;
  return shown(reason, { name: 'cpu', detail: reason });
}

/** Whether every core that the tool's flows can use at that host is busy. */
export function isSaturated(
  end: Endpoint,
  evidence: Pick<ThroughputEvidence, Endpoint | 'cpu' | 'flowCount' | 'toolVersion'>,
): boolean {
  const percent = evidence.cpu?.[`${end}Percent`];
  const threads = isSingleThreaded(evidence.toolVersion) ? 1 : (evidence.flowCount ?? 1);
  const cores = Math.max(1, Math.min(threads, evidence[end]?.vcpuCount ?? 1));
  return percent !== undefined && percent >= SATURATED_PERCENT * cores;
}

function isSingleThreaded(toolVersion: string | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(toolVersion ?? '')?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major < FIRST_THREADED.major || (major === FIRST_THREADED.major && minor < FIRST_THREADED.minor);
}

export const NO_CPU_USE = 'the tool does not report its CPU use';

/** `the tool used 40 % of a core at the sender and 55 % at the receiver`; undefined if it reports neither. */
export function cpuInWords({ cpu: use }: Pick<ThroughputEvidence, 'cpu'>): string | undefined {
  const words = ENDPOINTS.flatMap((end) => {
    const percent = use?.[`${end}Percent`];
    return percent === undefined ? [] : [`${percent.toFixed(0)} % at the ${end}`];
  });
  const [first, ...others] = words;
  return first && `the tool used ${[first.replace(' at', ' of a core at'), ...others].join(' and ')}`;
}

export const cpuCredits: CauseModule = {
  cause: 'cpu_credits',
  ofDrop: ({ withheldCpu, evidence }) =>
    withheldCpu
      ? shown('the CPU explains the drop, and nothing shows that network credits ran out', withheldCpu.witness)
      : withoutWithheldCpu(evidence),
  ofLevel: ({ withheldCpu, evidence }) => {
    if (!withheldCpu) return withoutWithheldCpu(evidence);
    const { end, witness } = withheldCpu;
    return shown(`without CPU credits, the ${end} has only a part of its CPU`, witness);
  },
};

function withoutWithheldCpu(evidence: ThroughputEvidence): Finding {
  if (ENDPOINTS.some((end) => evidence[end] === undefined)) return notRead('the instance types are not known');
  const burstable = ENDPOINTS.filter((end) => evidence[end]?.isBurstableCpu === true);
  if (burstable.length === 0) return ruledOut('neither type has CPU credits');
  const unread = burstable.find((end) => !(evidence.steal ?? []).some((each) => each.end === end));
  if (unread) return notRead(`the steal time of the ${unread} was not read`);
  return ruledOut('the hypervisor withheld no processor time (steal)');
}

/** In percent of one processor. Neighbours take a few; a T type without credits lacks 60 or more under load. */
const WITHHELD_PERCENT = 20;

/**
 * The host that was held to its CPU's baseline: at the lower level or, without a drop, all the time.
 *
 * @returns null if none was, and if no host can run out of CPU credits or its steal is unknown
 */
export function findWithheldCpu(shape: SeriesShape, evidence: ThroughputEvidence): WithheldCpu | null {
  const from = shape.throttle?.onset.value ?? shape.loadStartSeconds;
  const found = ENDPOINTS.flatMap((end) => {
    const steal = stealOf(end, evidence);
    const percent = meanWithin(steal, from, shape.endSeconds);
    return percent === undefined || percent < WITHHELD_PERCENT ? [] : [{ end, steal, percent }];
  });
  const [worst] = found.toSorted((one, other) => other.percent - one.percent);
  if (worst === undefined) return null;
  const { end, steal, percent } = worst;
  const first = steal.find(
    (each) => each.percent >= WITHHELD_PERCENT && isWithin(each, shape.loadStartSeconds, Infinity),
  );
  const since = (first?.startSeconds ?? from) - shape.loadStartSeconds;
  const when = since < 2 ? 'from the start' : `from ${formatSeconds(since)} on`;
  const detail =
    `the ${end} (${evidence[end]?.instanceType ?? 'of unknown type'}) was out of CPU credits ${when}: ` +
    `it was refused ${percent.toFixed(0)} % of a core (steal)`;
  return { end, witness: { name: CPU_CREDITS_WITNESS, agrees: shape.throttle ? false : null, detail } };
}

/** Whether a drop may also come from CPU credits, because it is unknown whether this host had enough of them. */
export function mayLackCpuCredits(end: Endpoint, evidence: ThroughputEvidence): boolean {
  return canLackCpuCredits(evidence[end], evidence.cpuCredits?.[end]) && stealOf(end, evidence).length === 0;
}

/** With `unlimited` credits, a host is never held back, so its steal has another reason. */
export function canLackCpuCredits(type: InstanceTypeFacts | undefined, credits: CpuCredits | undefined): boolean {
  return type?.isBurstableCpu === true && credits !== 'unlimited';
}

/** The steal of a host that can run out of CPU credits; empty for any other. */
function stealOf(
  end: Endpoint,
  { steal = [], cpuCredits: credits, [end]: type }: ThroughputEvidence,
): readonly ProcessorTime[] {
  return canLackCpuCredits(type, credits?.[end]) ? steal.filter((each) => each.end === end) : [];
}

function isWithin({ startSeconds, lengthSeconds }: ProcessorTime, from: number, to: number): boolean {
  const middle = startSeconds + lengthSeconds / 2;
  return middle >= from && middle < to;
}

function meanWithin(times: readonly ProcessorTime[], from: number, to: number): number | undefined {
  const within = times.filter((each) => isWithin(each, from, to));
  return weightedMean(within.map(({ percent: value, lengthSeconds: weight }) => ({ value, weight })));
}

/** Percent of the time in which the tool could run and waited for a processor; all its threads together. */
const WAITING_PERCENT = 15;
/** Percent of the time in which anything on the host waited for a processor. */
const PRESSURE_PERCENT = 90;
/** The time that the hypervisor withheld on all processors of a host, in percent of one processor. */
const STEAL_PERCENT = 20;
/** A tool that uses this share of a host's processors competes with itself, which the witness `cpu` covers. */
const OWN_SHARE = 0.5;

/** How a host's processors were used during the measurement; an absent part is unknown. */
export interface HostProcessors extends Partial<CpuShare> {
  readonly hostRole: HostRole;
  readonly processorCount?: number;
  /** If the host is out of CPU credits, its steal comes from them, which the witness `cpu_credits` covers. */
  readonly mayLackCpuCredits: boolean;
}

/** @returns which hosts' processors were busy with other work, in words; undefined if none were, or if unknown */
export function cpuContention(hosts: readonly HostProcessors[]): string | undefined {
  const [busy, other] = hosts.filter((host) => !isOwnLoad(host) && isBusy(host));
  if (busy === undefined) return undefined;
  if (other === undefined) return contentionSentence(`the ${busy.hostRole}`, figuresOf(busy));
  const figures = [busy, other].map((host) => `${host.hostRole}: ${figuresOf(host)}`);
  return contentionSentence('both hosts', figures.join('; '));
}

const UNEVEN: readonly SeriesKind[] = ['noisy', 'dips', 'ramp', 'shift'];

/** Contention contradicts the series only if a lack of processors would look the same. */
export function witnessContention(detail: string, kind: SeriesKind): Witness {
  return { name: CPU_CONTENTION_WITNESS, agrees: UNEVEN.includes(kind) ? false : null, detail };
}

function isBusy({
  waitingPercent = 0,
  pressurePercent = 0,
  stealPercent = 0,
  mayLackCpuCredits: isTheirs,
}: HostProcessors) {
  if (waitingPercent >= WAITING_PERCENT || pressurePercent >= PRESSURE_PERCENT) return true;
  return !isTheirs && stealPercent >= STEAL_PERCENT;
}

/** Whether the tool itself kept the host busy; also true if its use is unknown, because it may then be the reason. */
function isOwnLoad({ userPercent, systemPercent, processorCount }: HostProcessors): boolean {
  if (userPercent === undefined || systemPercent === undefined || processorCount === undefined) return true;
  return userPercent + systemPercent >= 100 * OWN_SHARE * processorCount;
}

function figuresOf({
  waitingPercent,
  pressurePercent,
  stealPercent,
  mayLackCpuCredits: isTheirs,
}: HostProcessors): string {
  const waited = (who: string, percent: number | undefined) =>
    percent === undefined ? [] : [`${who} waited for a processor ${percent.toFixed(0)} % of the time`];
  const steal =
    isTheirs || stealPercent === undefined ? [] : [`the hypervisor withheld ${processorTime(stealPercent)}`];
  return [...waited('the tool', waitingPercent), ...waited('at least one program', pressurePercent), ...steal].join(
    ', ',
  );
}

/** `27 % of a processor` or `the time of 1.3 processors`, because each of a host's processors can be withheld. */
function processorTime(percentOfOne: number): string {
  return percentOfOne < 99.5
    ? `${percentOfOne.toFixed(0)} % of a processor`
    : `the time of ${(percentOfOne / 100).toFixed(1)} processors`;
}
