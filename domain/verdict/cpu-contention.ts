/**
 * Whether other work kept the processors of a host busy while it measured. What is measured then may be the host's, and
 * not the network's: a rate scatters, and a round trip contains the time in which the tool waited for its turn.
 */
import { contentionSentence } from '../model/contended';
import type { HostRole } from '../model/host-role';
import type { CpuShare } from '../model/statistics';
import { CPU_CONTENTION_WITNESS, type SeriesKind, type Witness } from '../model/verdict';

/** Percent of the time in which the tool could run and waited for a processor; all its threads together. */
const WAITING_PERCENT = 15;
/** Percent of the time in which anything on the host waited for a processor. */
const PRESSURE_PERCENT = 90;
/** Percent of one processor that the hypervisor withheld, of all processors of the host. */
const STEAL_PERCENT = 20;
/** Of all the processors of the host. A tool that uses this much of them competes with itself: the witness `cpu`. */
const OWN_SHARE = 0.5;

/** What a host's processors did while it measured; an absent part is unknown. */
export interface HostProcessors extends Partial<CpuShare> {
  readonly hostRole: HostRole;
  readonly processorCount?: number;
  /** It may be out of CPU credits, and then its steal is theirs: the witness `cpu_credits`. */
  readonly mayLackCpuCredits: boolean;
}

/** @returns which hosts' processors were busy with other work, in words; undefined where none were, or none are known */
export function cpuContention(hosts: readonly HostProcessors[]): string | undefined {
  const busy = hosts.filter((host) => !isOwnLoad(host) && isBusy(host));
  if (busy.length === 0) return undefined;
  const whose = busy.length === 1 ? `the ${busy.map(({ hostRole }) => hostRole).join('')}` : 'both hosts';
  const figures = busy.map((host) => (busy.length === 1 ? figuresOf(host) : `${host.hostRole}: ${figuresOf(host)}`));
  return contentionSentence(whose, figures.join('; '));
}

/** It doubts what the series shows only where the lack of a processor looks the same. */
export function witnessContention(detail: string, kind: SeriesKind): Witness {
  return { name: CPU_CONTENTION_WITNESS, agrees: UNEVEN.includes(kind) ? false : null, detail };
}

const UNEVEN: readonly SeriesKind[] = ['noisy', 'dips', 'ramp', 'shift'];

function isBusy({ waitingPercent = 0, pressurePercent = 0, stealPercent = 0, mayLackCpuCredits }: HostProcessors) {
  if (waitingPercent >= WAITING_PERCENT || pressurePercent >= PRESSURE_PERCENT) return true;
  return !mayLackCpuCredits && stealPercent >= STEAL_PERCENT;
}

/** Also true where it is unknown how much of the host the tool used, because the tool may then be the reason. */
function isOwnLoad({ userPercent, systemPercent, processorCount }: HostProcessors): boolean {
  if (userPercent === undefined || systemPercent === undefined || processorCount === undefined) return true;
  return userPercent + systemPercent >= 100 * OWN_SHARE * processorCount;
}

function figuresOf({ waitingPercent, pressurePercent, stealPercent, mayLackCpuCredits }: HostProcessors): string {
  const inWords = (percent: number | undefined, words: (figure: number) => string) =>
    percent === undefined ? [] : [words(percent)];
  return [
    ...inWords(waitingPercent, (percent) => `the tool waited for a processor ${percent.toFixed(0)} % of the time`),
    ...inWords(pressurePercent, (percent) => `some program waited for a processor ${percent.toFixed(0)} % of the time`),
    ...(mayLackCpuCredits
      ? []
      : inWords(stealPercent, (percent) => `the hypervisor withheld ${processorTime(percent)}`)),
  ].join(', ');
}

/** `27 % of a processor`, `the time of 1.3 processors`; a host has several processors, of which each can be withheld. */
export function processorTime(percentOfOne: number): string {
  return percentOfOne < 99.5
    ? `${percentOfOne.toFixed(0)} % of a processor`
    : `the time of ${(percentOfOne / 100).toFixed(1)} processors`;
}
