/**
 * Whether other work kept the processors of a measurement's hosts busy, so that its figures may be the hosts' and not the
 * network's, and how that is said of several measurements.
 *
 * Such figures stay wherever a mark can stand beside them, because on a busy machine there may be no others. Where none
 * can (changes over the history of runs, their alarm, CloudWatch's graphs), they are left out.
 */
import type { MeasurementResult } from './result';

type Contendable = Pick<MeasurementResult, 'cpuContention'>;

export function isContended({ cpuContention }: Contendable): boolean {
  return cpuContention !== undefined;
}

const MEANING = ', and the figures may show that instead of the network';

/**
 * A measurement's own words: `other work kept the processors of the client busy, and the figures may show that instead of
 * the network (the tool waited for a processor 31 % of the time)`. A store has nothing of it but these words.
 */
export function contentionSentence(whose: string, figures: string): string {
  return `other work kept the processors of ${whose} busy${MEANING} (${figures})`;
}

/** `other work kept the processors of the client busy`: the beginning of that sentence, for one line. */
export function contentionInBrief(sentence: string): string {
  return sentence.split(MEANING, 1).join('');
}

export interface ContendedShare {
  readonly contendedCount: number;
  /** Of so many measurements. */
  readonly count: number;
}

export function contendedShare(results: readonly Contendable[]): ContendedShare {
  return { contendedCount: results.filter(isContended).length, count: results.length };
}

/** `on busy processors`, `2 of 3 on busy processors`; undefined for none. */
export function onBusyProcessors({ contendedCount, count }: ContendedShare): string | undefined {
  if (contendedCount === 0) return undefined;
  const share = contendedCount < count ? `${contendedCount} of ${count} ` : count === 1 ? '' : `all ${count} `;
  return `${share}on busy processors`;
}

export interface ContendedSide extends ContendedShare {
  /** `of this run` */
  readonly which: string;
}

/**
 * `other work kept processors busy in 2 of 3 repetitions of this run and in the measurement of the earlier run`, of the
 * repetitions of one cell; undefined for none.
 */
export function contentionInWords(sides: readonly ContendedSide[]): string | undefined {
  const parts = sides.filter(({ contendedCount }) => contendedCount > 0).map(sideInWords);
  return parts.length === 0 ? undefined : `other work kept processors busy ${parts.join(' and ')}`;
}

export const OF_THIS_RUN = 'of this run';

/** The same of one side: of a single measurement of this run in its own words, in brief. Empty for none. */
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
