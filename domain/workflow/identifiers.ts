/**
 * How runs, pairs, measurements and their executions are named; each builder stands beside its parser.
 *
 * A run's id is the name of its execution, so that whoever sees a status-change event knows which run it was.
 */

/**
 * An execution's name has at most 80 characters and a pair's adds six (`-p0001`). Not with a dash in front, which a
 * command line would take for an option.
 */
export const RUN_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,73}$/;
export const PAIR_ID_PATTERN = /^p[0-9]{4}$/;
export const MEASUREMENT_ID_PATTERN = /^p[0-9]{4}-m[0-9]{2}$/;

/** `pairId(0)` is `p0001`. */
export function pairId(pairIndex: number): string {
  return `p${String(pairIndex + 1).padStart(4, '0')}`;
}

export function pairIndexOf(pairIdText: string): number {
  if (!PAIR_ID_PATTERN.test(pairIdText)) {
    throw new Error(`pair id: must match ${PAIR_ID_PATTERN}, got ${JSON.stringify(pairIdText)}`);
  }
  return Number(pairIdText.slice(1)) - 1;
}

/** `measurementId('p0001', 0)` is `p0001-m01`; unique within its run. */
export function measurementId(pairIdText: string, measurementIndex: number): string {
  return `${pairIdText}-m${String(measurementIndex + 1).padStart(2, '0')}`;
}

export function pairIdOf(measurementIdText: string): string {
  if (!MEASUREMENT_ID_PATTERN.test(measurementIdText)) {
    throw new Error(`measurement id: must match ${MEASUREMENT_ID_PATTERN}, got ${JSON.stringify(measurementIdText)}`);
  }
  return measurementIdText.slice(0, 5);
}

export function pairExecutionName(runId: string, pairIdText: string): string {
  return `${runId}-${pairIdText}`;
}

/** @returns undefined when the name is not one that `pairExecutionName` makes. */
export function parsePairExecutionName(name: string): { runId: string; pairId: string } | undefined {
  const match = /^(?<runId>[A-Za-z0-9_-]{1,74})-(?<pairId>p[0-9]{4})$/.exec(name);
  return match?.groups ? { runId: match.groups.runId!, pairId: match.groups.pairId! } : undefined;
}
