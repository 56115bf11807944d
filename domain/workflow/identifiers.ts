/**
 * The names of runs, pairs, measurements and executions. Everything that checks or parses such a name derives its
 * pattern from the ones here: the keys of objects, the plan's schema, and the parameters of the documents on the hosts.
 *
 * A run's id is the name of its execution, so that an event about an execution names the run.
 */

/**
 * The name of an execution has at most 80 characters, and that of a pair adds six to the run's (`-p0001`). A run's id
 * does not start with a dash, which a command line would take for an option.
 */
const RUN_ID = '[A-Za-z0-9][A-Za-z0-9_-]{0,73}';
const PAIR_ID = 'p[0-9]{4}';
const MEASUREMENT_ID = `${PAIR_ID}-m[0-9]{2}`;

/** The patterns without anchors, to build others from. */
export const ID_PATTERN_TEXTS = { runId: RUN_ID, pairId: PAIR_ID, measurementId: MEASUREMENT_ID } as const;

export const RUN_ID_PATTERN = new RegExp(`^${RUN_ID}$`);
export const PAIR_ID_PATTERN = new RegExp(`^${PAIR_ID}$`);
export const MEASUREMENT_ID_PATTERN = new RegExp(`^${MEASUREMENT_ID}$`);

const PAIR_EXECUTION_NAME = new RegExp(`^(${RUN_ID})-(${PAIR_ID})$`);

/** `pairId(0)` is `p0001`. */
export function pairId(pairIndex: number): string {
  return `p${String(pairIndex + 1).padStart(4, '0')}`;
}

/** `measurementId('p0001', 0)` is `p0001-m01`; unique within its run. */
export function measurementId(pairIdText: string, measurementIndex: number): string {
  return `${pairIdText}-m${String(measurementIndex + 1).padStart(2, '0')}`;
}

export function pairIdOf(measurementIdText: string): string {
  if (!MEASUREMENT_ID_PATTERN.test(measurementIdText)) {
    throw new Error(
      `measurement id: must match ${MEASUREMENT_ID_PATTERN.source}, got ${JSON.stringify(measurementIdText)}`,
    );
  }
  return measurementIdText.slice(0, measurementIdText.indexOf('-'));
}

export function pairExecutionName(runId: string, pairIdText: string): string {
  return `${runId}-${pairIdText}`;
}

/** @returns undefined for a name that `pairExecutionName` does not make */
export function parsePairExecutionName(name: string): { runId: string; pairId: string } | undefined {
  const [, runId, pairIdText] = PAIR_EXECUTION_NAME.exec(name) ?? [];
  return runId === undefined || pairIdText === undefined ? undefined : { runId, pairId: pairIdText };
}
