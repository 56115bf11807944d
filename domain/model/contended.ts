/**
 * Whether other work kept the processors of a measurement's hosts busy, so that its figures may show the hosts instead
 * of the network, and the words for that.
 *
 * Such figures are shown wherever they can be marked, because a busy machine may yield no others. They are left out of
 * changes over the history of runs, alarms and CloudWatch's graphs, which can't mark them.
 */
import type { MeasurementResult } from './result';

type Contendable = Pick<MeasurementResult, 'cpuContention'>;

export function isContended({ cpuContention }: Contendable): boolean {
  return cpuContention !== undefined;
}

const MEANING = ', and the figures may show that instead of the network';

/** Returns `other work kept the processors of the client busy, …` with the figures; only this sentence is stored. */
export function contentionSentence(whose: string, figures: string): string {
  return `other work kept the processors of ${whose} busy${MEANING} (${figures})`;
}

/** Returns the beginning of that sentence: `other work kept the processors of the client busy`. */
export function contentionInBrief(sentence: string): string {
  return sentence.split(MEANING, 1).join('');
}

export interface ContendedShare {
  readonly contendedCount: number;
  /** How many measurements there are. */
  readonly count: number;
}

export function contendedShare(results: readonly Contendable[]): ContendedShare {
  return { contendedCount: results.filter(isContended).length, count: results.length };
}

/** Returns `on busy processors` or `2 of 3 on busy processors`; undefined if none was. */
export function onBusyProcessors({ contendedCount, count }: ContendedShare): string | undefined {
  if (contendedCount === 0) return undefined;
  const share = contendedCount < count ? `${contendedCount} of ${count} ` : count === 1 ? '' : `all ${count} `;
  return `${share}on busy processors`;
}

export interface ContendedSide extends ContendedShare {
  /** Whose measurements these are: `of this run`. */
  readonly which: string;
}

/** Returns `other work kept processors busy in 2 of 3 repetitions of this run and in …`; undefined if in none. */
export function contentionInWords(sides: readonly ContendedSide[]): string | undefined {
  const parts = sides.filter(({ contendedCount }) => contendedCount > 0).map(sideInWords);
  return parts.length === 0 ? undefined : `other work kept processors busy ${parts.join(' and ')}`;
}

export const OF_THIS_RUN = 'of this run';

/** Returns the words for one run, or none. For a single measurement of this run they are its own sentence in brief. */
export function contentionOf(results: readonly Contendable[], which = OF_THIS_RUN): string[] {
  const [first] = results;
  const own = results.length === 1 && which === OF_THIS_RUN ? first?.cpuContention : undefined;
  const words = own === undefined ? contentionInWords([{ ...contendedShare(results), which }]) : contentionInBrief(own);
  return words === undefined ? [] : [words];
}

function sideInWords({ contendedCount, count, which }: ContendedSide): string {
  if (count === 1) return `in the measurement ${which}`;
  const share = contendedCount < count ? `${contendedCount} of ${count}` : count === 2 ? 'both' : `all ${count}`;
  return `in ${share} repetitions ${which}`;
}
