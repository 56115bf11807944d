/**
 * The names of runs, pairs, measurements and executions. The patterns of object keys, of the plan's schema and of the
 * documents' parameters derive from these.
 */

/**
 * A run's id is the name of its execution, so that events about the execution name the run. Step Functions allows 80
 * characters, of which a pair's execution needs six (`-p0001`). A leading dash would make the id look like an option.
 */
const RUN_ID = '[A-Za-z0-9][A-Za-z0-9_-]{0,73}';
const PAIR_ID = 'p[0-9]{4}';
const MEASUREMENT_ID = `${PAIR_ID}-m[0-9]{2}`;

/** The patterns without anchors, for use within other patterns. */
export const ID_PATTERN_TEXTS = { runId: RUN_ID, pairId: PAIR_ID, measurementId: MEASUREMENT_ID } as const;

export const RUN_ID_PATTERN = new RegExp(`^${RUN_ID}$`);
export const PAIR_ID_PATTERN = new RegExp(`^${PAIR_ID}$`);
export const MEASUREMENT_ID_PATTERN = new RegExp(`^${MEASUREMENT_ID}$`);

/** An execution that a schedule started is named `scheduled-<id of the schedule's start>`. */
export const SCHEDULED_RUN_PREFIX = 'scheduled-';

export function isScheduledRun(runId: string): boolean {
  return runId.startsWith(SCHEDULED_RUN_PREFIX);
}

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
    const got = JSON.stringify(measurementIdText);
    throw new Error(`measurement id: must match ${MEASUREMENT_ID_PATTERN.source}, got ${got}`);
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
