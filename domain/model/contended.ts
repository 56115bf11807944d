/**
 * Whether other work kept the processors of a measurement's hosts busy, so that its figures may be the hosts' and not the
 * network's, and how that is said of several measurements.
 *
 * Such figures stay wherever a mark can stand beside them, because on a busy machine there may be no others. Where none
 * can (changes over the history of runs, their alarm, CloudWatch's graphs), they are left out.
 */
import type { MeasurementResult } from './result';

export function isContended({ cpuContention }: Pick<MeasurementResult, 'cpuContention'>): boolean {
  return cpuContention !== undefined;
}

/** `on busy processors`, `2 of 3 on busy processors`; undefined for none. */
export function contendedShare(contendedCount: number, count: number): string | undefined {
  if (contendedCount === 0) return undefined;
  const share = contendedCount === count ? (count === 1 ? '' : `all ${count} `) : `${contendedCount} of ${count} `;
  return `${share}on busy processors`;
}
