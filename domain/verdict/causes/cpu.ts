/**
 * The processors of an end.
 *
 * | evidence                                                                               | the CPU is |
 * | -------------------------------------------------------------------------------------- | ---------- |
 * | fall: the tool waited for a processor, or the hypervisor withheld one, from the fall   | shown      |
 * | on, for at least the share of the time by which the rate fell                          |            |
 * | fall: the same, for a smaller share, or while many segments were sent again            | possible   |
 * | fall: every core that the tool can use is busy at the lower rate, too                  | possible   |
 * | level: every core that the tool can use is busy, and the rate is no published figure   | shown      |
 * | neither                                                                                | ruled out  |
 * | the tool's use of the CPU was not reported                                             | not read   |
 *
 * A tool without a processor sends late and loses nothing: with 95 % of the processors withheld, the lab's TCP sent no
 * segment again.
 */
import type { SeriesShape } from '../../detection/series-shape';
import { weightedMean } from '../../maths/statistics';
import type { End, ProcessorTime, ThroughputEvidence } from '../evidence';
import { processorTime } from '../cpu-contention';
import { cpuBound, cpuInWords, isSaturated, NO_CPU_USE } from '../limits';
import { ENDS } from '../published-limits';
import { notRead, possible, ruledOut, shown, type CauseModule, type Finding } from './cause';
import { heavyLoss } from './packet-loss';

/** In percent of one processor: less is what schedulers and neighbours always take. */
const LOST_PERCENT = 20;
/** The processors were lost with the fall only if the host lacked clearly more from then on. */
const BEGINS_FACTOR = 2;

interface LostProcessors {
  /** Of the time of one processor. */
  readonly percent: number;
  /** `from the fall on, the hypervisor withheld 64 % of a processor of the receiver` */
  readonly inWords: string;
}

/** @returns undefined where no end lost its processors */
function lostProcessors(shape: SeriesShape, evidence: ThroughputEvidence): LostProcessors | undefined {
  for (const end of ENDS) {
    const waiting = lostSinceFall(end, shape, evidence.waiting);
    if (waiting !== undefined) {
      const inWords = `from the fall on, the tool waited for a processor of the ${end} ${waiting.toFixed(0)} % of the time`;
      return { percent: waiting, inWords };
    }
    const steal = lostSinceFall(end, shape, evidence.steal);
    if (steal !== undefined) {
      const inWords = `from the fall on, the hypervisor withheld ${processorTime(steal)} of the ${end}`;
      return { percent: steal, inWords };
    }
  }
  return undefined;
}

function lostSinceFall(end: End, { throttle }: SeriesShape, times: readonly ProcessorTime[] = []): number | undefined {
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

function ofFall(shape: SeriesShape, evidence: ThroughputEvidence): Finding {
  const lost = lostProcessors(shape, evidence);
  if (lost) return fromLost(lost, shape, evidence);
  const saturated = ENDS.find((end) => isSaturated(end, evidence));
  if (saturated) return possible(`the ${saturated} had no processor left for the tool even at the lower rate`);
  const use = cpuInWords(evidence);
  return use === undefined ? notRead(NO_CPU_USE) : ruledOut('both ends have processors left');
}

function fromLost({ percent, inWords }: LostProcessors, shape: SeriesShape, evidence: ThroughputEvidence): Finding {
  const again = heavyLoss(shape, evidence);
  if (again !== undefined)
    return possible(`${inWords}, but ${again}, and a tool that waits for a processor loses none`);
  const fallPercent = fallenPercent(shape);
  if (percent < fallPercent) return possible(`${inWords}, but the rate fell by ${fallPercent.toFixed(0)} %`);
  return shown(inWords);
}

function fallenPercent({ throttle }: SeriesShape): number {
  return throttle ? 100 * (1 - throttle.baselineBitsPerSecond / throttle.burstBitsPerSecond) : 0;
}

export const cpu: CauseModule = {
  cause: 'cpu',
  ofFall: ({ shape, evidence }) => ofFall(shape, evidence),
  ofLevel: ({ shape, evidence }) => {
    const bound = cpuBound(shape.typicalBitsPerSecond ?? 0, evidence);
    if (bound) return shown(bound.reason, { end: bound.end, witness: bound.witness });
    const use = cpuInWords(evidence);
    return use === undefined ? notRead(NO_CPU_USE) : ruledOut(use);
  },
};

export const cpuCredits: CauseModule = {
  cause: 'cpu_credits',
  ofFall: ({ withheldCpu, evidence }) =>
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
  if (ENDS.some((end) => evidence[end] === undefined)) return notRead('the instance types are not known');
  const burstable = ENDS.filter((end) => evidence[end]?.isBurstableCpu === true);
  if (burstable.length === 0) return ruledOut('neither type has CPU credits');
  const unread = burstable.find((end) => !(evidence.steal ?? []).some((each) => each.end === end));
  if (unread) return notRead(`what the hypervisor withheld of the ${unread} was not read`);
  return ruledOut('the hypervisor withheld no processor');
}
