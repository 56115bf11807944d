/**
 * The processors of an end.
 *
 * | evidence                                                                               | the CPU is |
 * | -------------------------------------------------------------------------------------- | ---------- |
 * | fall: the tool waited for a processor, or the hypervisor withheld one, from the drop   | shown      |
 * | on, for at least the share of the time by which the rate fell                          |            |
 * | fall: the same, for a smaller share, or while many segments were sent again            | possible   |
 * | fall: every core that the tool can use is busy at the lower rate, too                  | possible   |
 * | level: every core that the tool can use is busy, and the rate is no published figure   | shown      |
 * | neither                                                                                | ruled out  |
 * | the tool's use of the CPU was not reported                                             | not read   |
 *
 * A tool without a processor sends late and loses nothing: with 95 % of the processors withheld, the lab's TCP sent no
 * segment again.
 *
 * CPU credits: a T type that is out of them gets only a part of each processor. The rest of the time in which it has work
 * to do is steal, which its kernel counts in /proc/stat (proc_stat(5)). A host that is limited by its network credits
 * waits, and is idle meanwhile.
 */
import type { SeriesShape } from '../../detection/series-shape';
import { sum, weightedMean } from '../../maths/statistics';
import type { CpuCredits } from '../../model/conditions';
import type { InstanceTypeFacts } from '../../model/instance-type';
import { CPU_CREDITS_WITNESS } from '../../model/verdict';
import { formatSeconds } from '../../text/format';
import { processorTime } from '../cpu-contention';
import type { Endpoint, ProcessorTime, ThroughputEvidence } from '../evidence';
import { ENDPOINTS, isNear, lowestLimit, publishedLimits } from '../published-limits';
import {
  notRead,
  possible,
  ruledOut,
  shown,
  type CauseModule,
  type Finding,
  type Limit,
  type WithheldCpu,
} from './cause';
import { heavyLoss } from './packet-loss';

/** A core that is this busy limits the rate. */
const SATURATED_PERCENT = 95;
/** iperf3's streams share one thread before this version. */
const FIRST_THREADED = { major: 3, minor: 16 } as const;

/** In percent of one processor: less is what schedulers and neighbours always take. */
const LOST_PERCENT = 20;
/** The processors were lost with the drop only if the host lacked clearly more from then on. */
const BEGINS_FACTOR = 2;

interface LostProcessors {
  /** Of the time of one processor. */
  readonly percent: number;
  /** `from the drop on, the hypervisor withheld 64 % of a processor of the receiver` */
  readonly inWords: string;
}

/** @returns undefined where no end lost its processors */
function lostProcessors(shape: SeriesShape, evidence: ThroughputEvidence): LostProcessors | undefined {
  for (const end of ENDPOINTS) {
    const waiting = lostSinceDrop(end, shape, evidence.waiting);
    if (waiting !== undefined) {
      const inWords = `from the fall on, the tool waited for a processor of the ${end} ${waiting.toFixed(0)} % of the time`;
      return { percent: waiting, inWords };
    }
    const steal = lostSinceDrop(end, shape, evidence.steal);
    if (steal !== undefined) {
      const inWords = `from the fall on, the hypervisor withheld ${processorTime(steal)} of the ${end}`;
      return { percent: steal, inWords };
    }
  }
  return undefined;
}

function lostSinceDrop(
  end: Endpoint,
  { throttle }: SeriesShape,
  times: readonly ProcessorTime[] = [],
): number | undefined {
  if (!throttle) return undefined;
  const ofEnd = times.filter((each) => each.end === end);
  const isAfter = ({ startSeconds, lengthSeconds }: ProcessorTime) =>
    startSeconds + lengthSeconds / 2 >= throttle.onset.value;
  const [before, after] = [meanPercent(ofEnd.filter((each) => !isAfter(each))), meanPercent(ofEnd.filter(isAfter))];
  if (before === undefined || after === undefined) return undefined;
  return after >= LOST_PERCENT && after >= BEGINS_FACTOR * before ? after : undefined;
}

function meanPercent(times: readonly ProcessorTime[]): number | undefined {
  return weightedMean(times.map(({ percent: value, lengthSeconds: weight }) => ({ value, weight })));
}

function ofDrop(shape: SeriesShape, evidence: ThroughputEvidence): Finding {
  const lost = lostProcessors(shape, evidence);
  if (lost) return fromLost(lost, shape, evidence);
  const saturated = ENDPOINTS.find((end) => isSaturated(end, evidence));
  if (saturated) return possible(`the ${saturated} had no processor left for the tool even at the lower rate`);
  const use = cpuInWords(evidence);
  return use === undefined ? notRead(NO_CPU_USE) : ruledOut('both ends have processors left');
}

function fromLost({ percent, inWords }: LostProcessors, shape: SeriesShape, evidence: ThroughputEvidence): Finding {
  const again = heavyLoss(shape, evidence);
  if (again !== undefined)
    return possible(`${inWords}, but ${again}, and a tool that waits for a processor loses none`);
  const dropPercent = fallenPercent(shape);
  if (percent < dropPercent) return possible(`${inWords}, but the rate fell by ${dropPercent.toFixed(0)} %`);
  return shown(inWords);
}

function fallenPercent({ throttle }: SeriesShape): number {
  return throttle ? 100 * (1 - throttle.baselineBitsPerSecond / throttle.burstBitsPerSecond) : 0;
}

export const cpu: CauseModule = {
  cause: 'cpu',
  ofDrop: ({ shape, evidence }) => ofDrop(shape, evidence),
  ofLevel: ({ shape, evidence }) => {
    const bound = cpuBound(shape.typicalBitsPerSecond ?? 0, evidence);
    if (bound) return shown(bound.reason, { end: bound.end, witness: bound.witness });
    const use = cpuInWords(evidence);
    return use === undefined ? notRead(NO_CPU_USE) : ruledOut(use);
  },
};

export const cpuCredits: CauseModule = {
  cause: 'cpu_credits',
  ofDrop: ({ withheldCpu, evidence }) =>
    withheldCpu
      ? shown('the CPU explains it, and nothing shows that network credits ran out', withheldCpu)
      : withoutWithheldCpu(evidence),
  ofLevel: ({ withheldCpu, evidence }) => {
    if (!withheldCpu) return withoutWithheldCpu(evidence);
    const { end, witness } = withheldCpu;
    const reason = `without CPU credits, the ${end} has only a part of its CPU`;
    return shown(reason, { end, witness: { ...witness, agrees: true } });
  },
};

function withoutWithheldCpu(evidence: ThroughputEvidence): Finding {
  if (ENDPOINTS.some((end) => evidence[end] === undefined)) return notRead('the instance types are not known');
  const burstable = ENDPOINTS.filter((end) => evidence[end]?.isBurstableCpu === true);
  if (burstable.length === 0) return ruledOut('neither type has CPU credits');
  const unread = burstable.find((end) => !(evidence.steal ?? []).some((each) => each.end === end));
  if (unread) return notRead(`what the hypervisor withheld of the ${unread} was not read`);
  return ruledOut('the hypervisor withheld no processor');
}

/** Whether every core that the tool's flows can use at that end is busy. */
export function isSaturated(
  end: Endpoint,
  evidence: Pick<ThroughputEvidence, Endpoint | 'cpu' | 'flowCount' | 'toolVersion'>,
): boolean {
  const percent = evidence.cpu?.[`${end}Percent`];
  const threads = isSingleThreaded(evidence.toolVersion) ? 1 : (evidence.flowCount ?? 1);
  const cores = Math.max(1, Math.min(threads, evidence[end]?.vcpuCount ?? 1));
  return percent !== undefined && percent >= SATURATED_PERCENT * cores;
}

export const NO_CPU_USE = 'the tool reports no use of the CPU';

/** `the tool used 40 % of a core at the sender and 55 % at the receiver`; undefined where it reports neither. */
export function cpuInWords({ cpu }: Pick<ThroughputEvidence, 'cpu'>): string | undefined {
  const parts = ENDPOINTS.flatMap((end) => {
    const percent = cpu?.[`${end}Percent`];
    return percent === undefined ? [] : [{ end, percent: `${percent.toFixed(0)} %` }];
  });
  if (parts.length === 0) return undefined;
  const words = parts.map(({ end, percent }, index) => `${percent}${index === 0 ? ' of a core' : ''} at the ${end}`);
  return `the tool used ${words.join(' and ')}`;
}

function isSingleThreaded(toolVersion: string | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(toolVersion ?? '')?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major < FIRST_THREADED.major || (major === FIRST_THREADED.major && minor < FIRST_THREADED.minor);
}

function cpuBound(rate: number, evidence: ThroughputEvidence): Limit | null {
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  // At a published figure the network is the limit, however busy the hosts are.
  if (peak && rate >= 0.85 * peak.bitsPerSecond) return null;
  if (baseline && isNear(rate, baseline.bitsPerSecond)) return null;
  const end = ENDPOINTS.find((each) => isSaturated(each, evidence));
  const percent = end && evidence.cpu?.[`${end}Percent`];
  if (end === undefined || percent === undefined) return null;
  const reason = `the tool used ${percent.toFixed(0)} % of a core on the ${end}`;
  return { cause: 'cpu', reason, end, witness: { name: 'cpu', agrees: true, detail: reason } };
}

/** In percent of one processor. Neighbours take a few; a T type without credits lacks 60 or more under load. */
const WITHHELD_PERCENT = 20;

/**
 * The end that was held to its CPU's baseline: at the lower level, or all the time where there was no drop.
 *
 * @returns null where none was, and where no host can run out of CPU credits or its steal is unknown
 */
export function findWithheldCpu(shape: SeriesShape, evidence: ThroughputEvidence): WithheldCpu | null {
  const from = shape.throttle?.onset.value ?? shape.loadStartSeconds;
  const found = ENDPOINTS.flatMap((end) => {
    const steal = stealOf(end, evidence);
    const percent = meanSteal(steal.filter((each) => isWithin(each, from, shape.endSeconds)));
    return percent === null || percent < WITHHELD_PERCENT ? [] : [{ end, steal, percent }];
  });
  const [worst] = found.toSorted((one, other) => other.percent - one.percent);
  if (worst === undefined) return null;
  const { end, steal, percent } = worst;
  const first = steal.find((each) => isWithin(each, shape.loadStartSeconds, Infinity) && isWithheld(each));
  const since = (first?.startSeconds ?? from) - shape.loadStartSeconds;
  const when = since < 2 ? 'from the start' : `from ${formatSeconds(since)} on`;
  const detail =
    `the ${end} (${evidence[end]?.instanceType ?? 'of unknown type'}) was out of CPU credits ${when}: ` +
    `it was refused ${percent.toFixed(0)} % of a core (steal)`;
  return { end, witness: { name: CPU_CREDITS_WITNESS, agrees: shape.throttle ? false : null, detail } };
}

/** Whether a drop of the rate may come from CPU credits as well, because nobody knows of this end that it had enough. */
export function mayLackCpuCredits(end: Endpoint, evidence: ThroughputEvidence): boolean {
  return canRunOut(end, evidence) && stealOf(end, evidence).length === 0;
}

function canRunOut(end: Endpoint, evidence: ThroughputEvidence): boolean {
  return canLackCpuCredits(evidence[end], evidence.cpuCredits?.[end]);
}

/** With `unlimited` credits a host is never held back; what the hypervisor takes has another reason then. */
export function canLackCpuCredits(type: InstanceTypeFacts | undefined, credits: CpuCredits | undefined): boolean {
  return type?.isBurstableCpu === true && credits !== 'unlimited';
}

function stealOf(end: Endpoint, evidence: ThroughputEvidence): readonly ProcessorTime[] {
  return canRunOut(end, evidence) ? (evidence.steal ?? []).filter((each) => each.end === end) : [];
}

function isWithin({ startSeconds, lengthSeconds }: ProcessorTime, from: number, to: number): boolean {
  const middle = startSeconds + lengthSeconds / 2;
  return middle >= from && middle < to;
}

function isWithheld({ percent }: ProcessorTime): boolean {
  return percent >= WITHHELD_PERCENT;
}

function meanSteal(steal: readonly ProcessorTime[]): number | null {
  if (steal.length === 0) return null;
  const seconds = sum(steal.map(({ lengthSeconds }) => lengthSeconds));
  return sum(steal.map(({ percent, lengthSeconds }) => percent * lengthSeconds)) / seconds;
}
