/**
 * Whether a host was held to its CPU's baseline. A T type that is out of CPU credits gets only a part of each processor.
 * The rest of the time in which it has work to do is steal, which its kernel counts in /proc/stat (proc_stat(5)). A host
 * that is limited by its network credits waits, and is idle meanwhile.
 */
import type { SeriesShape } from '../detection/series-shape';
import { sum } from '../maths/statistics';
import type { CpuCredits } from '../model/conditions';
import type { InstanceTypeFacts } from '../model/instance-type';
import { CPU_CREDITS_WITNESS, type Witness } from '../model/verdict';
import { formatSeconds } from '../text/format';
import type { End, ProcessorTime, ThroughputEvidence } from './evidence';
import { ENDS } from './published-limits';

/** In percent of one processor. Neighbours take a few; a T type without credits lacks 60 or more under load. */
const WITHHELD_PERCENT = 20;

/** A host that ran out of CPU credits, or had none from its launch on. */
export interface WithheldCpu {
  readonly end: End;
  /** It contradicts network credits as the reason of a fall. */
  readonly witness: Witness;
}

/**
 * The end that was held to its CPU's baseline: at the lower level, or all the time where there was no fall.
 *
 * @returns null where none was, and where no host can run out of CPU credits or its steal is unknown
 */
export function findWithheldCpu(shape: SeriesShape, evidence: ThroughputEvidence): WithheldCpu | null {
  const from = shape.throttle?.onset.value ?? shape.loadStartSeconds;
  const found = ENDS.flatMap((end) => {
    const steal = stealOf(end, evidence);
    const percent = meanPercent(steal.filter((each) => isWithin(each, from, shape.endSeconds)));
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

/** Whether a fall of the rate may come from CPU credits as well, because nobody knows of this end that it had enough. */
export function mayLackCpuCredits(end: End, evidence: ThroughputEvidence): boolean {
  return canRunOut(end, evidence) && stealOf(end, evidence).length === 0;
}

function canRunOut(end: End, evidence: ThroughputEvidence): boolean {
  return canLackCpuCredits(evidence[end], evidence.cpuCredits?.[end]);
}

/** With `unlimited` credits a host is never held back; what the hypervisor takes has another reason then. */
export function canLackCpuCredits(type: InstanceTypeFacts | undefined, credits: CpuCredits | undefined): boolean {
  return type?.isBurstableCpu === true && credits !== 'unlimited';
}

function stealOf(end: End, evidence: ThroughputEvidence): readonly ProcessorTime[] {
  return canRunOut(end, evidence) ? (evidence.steal ?? []).filter((each) => each.end === end) : [];
}

function isWithin({ startSeconds, lengthSeconds }: ProcessorTime, from: number, to: number): boolean {
  const middle = startSeconds + lengthSeconds / 2;
  return middle >= from && middle < to;
}

function isWithheld({ percent }: ProcessorTime): boolean {
  return percent >= WITHHELD_PERCENT;
}

function meanPercent(steal: readonly ProcessorTime[]): number | null {
  if (steal.length === 0) return null;
  const seconds = sum(steal.map(({ lengthSeconds }) => lengthSeconds));
  return sum(steal.map(({ percent, lengthSeconds }) => percent * lengthSeconds)) / seconds;
}
