/**
 * The error names that thrower and state machine share. An error's `name` is what Step Functions matches in Retry and
 * Catch, so it is set from here explicitly: minifying a class name must not break a retry.
 */
export const ErrorName = {
  /** The plan is refused; the message lists every problem. Nothing was launched. */
  InvalidPlan: 'InvalidPlanError',
  /** EC2 has no capacity, or a quota is used up, in every candidate zone. */
  LaunchFailed: 'LaunchFailedError',
  /** A stream's manifest is not in the store yet: the state machine waits and asks again. */
  IncompleteSeries: 'IncompleteSeriesError',
  /** A pair ended with something not measured; its cause is a `PairFailure` as JSON. */
  PairFailed: 'PairFailed',
  /** A run ended with something not measured; its cause is a `RunOutcome` as JSON. */
  RunIncomplete: 'RunIncomplete',
  /** A run ended with nothing measured; its cause is a `RunOutcome` as JSON. */
  RunFailed: 'RunFailed',
} as const;

export type ErrorName = (typeof ErrorName)[keyof typeof ErrorName];

/** Base of the errors that the workflow decides on. */
class WorkflowError extends Error {
  constructor(name: ErrorName, message: string) {
    super(message);
    this.name = name;
  }
}

export class InvalidPlanError extends WorkflowError {
  constructor(readonly problems: readonly PlanProblem[]) {
    super(ErrorName.InvalidPlan, formatPlanProblems(problems));
  }
}

export class LaunchFailedError extends WorkflowError {
  constructor(message: string) {
    super(ErrorName.LaunchFailed, message);
  }
}

export class IncompleteSeriesError extends WorkflowError {
  constructor(message: string) {
    super(ErrorName.IncompleteSeries, message);
  }
}

/** One thing wrong with a plan: where, what stands there, what may stand there. */
export interface PlanProblem {
  /** Path with its root, e.g. `plan.pairs[2].placement`. */
  readonly path: string;
  readonly value: unknown;
  /** What is allowed there, in words: `one of none, cluster`, `a whole number from 10 to 7200`. */
  readonly allowed: string;
}

/** A refused value is shown up to here: enough to recognise it. */
const SHOWN_VALUE_CHARACTERS = 120;
/** The cause of a failed execution has at most 32,768 characters. */
const SHOWN_PROBLEMS_CHARACTERS = 24_000;

export function formatPlanProblem(problem: PlanProblem): string {
  const value = problem.value === undefined ? 'nothing' : JSON.stringify(problem.value);
  const shown = value.length > SHOWN_VALUE_CHARACTERS ? `${value.slice(0, SHOWN_VALUE_CHARACTERS)}…` : value;
  return `${problem.path}: must be ${problem.allowed}, got ${shown}`;
}

/** One line each, all of them unless they would not fit into an execution's cause. */
function formatPlanProblems(problems: readonly PlanProblem[]): string {
  const lines: string[] = [];
  let characters = 0;
  for (const line of problems.map(formatPlanProblem)) {
    characters += line.length + 1;
    if (characters > SHOWN_PROBLEMS_CHARACTERS)
      return [...lines, `and ${problems.length - lines.length} more`].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}
