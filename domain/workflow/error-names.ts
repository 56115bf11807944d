/**
 * The error names that handlers and state machines share. Retry and Catch match an error's `name`, so it is a constant:
 * a minified class name would break them.
 */
export const ErrorName = {
  /** The plan is rejected; the message lists every problem. Nothing was launched. */
  InvalidPlan: 'InvalidPlanError',
  /** Another execution's run has this name already. Nothing was launched or written. */
  RunIdTaken: 'RunIdTakenError',
  /** EC2 has no capacity in any candidate zone, or a quota is exhausted. */
  LaunchFailed: 'LaunchFailedError',
  /** The path between the hosts can't be created, in this zone or beside existing resources. */
  ConnectFailed: 'ConnectFailedError',
  /** The manifest of a stream is not in the bucket yet; the state machine waits and calls again. */
  IncompleteSeries: 'IncompleteSeriesError',
  /** A call to AWS failed for a temporary reason; the state machine calls again. */
  Passing: 'PassingError',
  /** The default name, of an `Error` that a handler throws with only a message. */
  Unnamed: 'Error',
  /** A pair could not make all of its measurements; the cause is a `PairFailure` as JSON. */
  PairFailed: 'PairFailed',
  /** A run could not make all of its measurements; the cause is a `RunOutcome` as JSON. */
  RunIncomplete: 'RunIncomplete',
  /** A run could make none of its measurements; the cause is a `RunOutcome` as JSON. */
  RunFailed: 'RunFailed',
  /** A run is complete, but an expectation of its plan is not met; the cause is a `RunOutcome` as JSON. */
  ExpectationsNotMet: 'ExpectationsNotMet',
} as const;

export class InvalidPlanError extends Error {
  override readonly name = ErrorName.InvalidPlan;

  constructor(readonly problems: readonly PlanProblem[]) {
    super(formatPlanProblems(problems));
    // Lambda returns the stack too, which repeats the message; both together would exceed the limit for a cause.
    this.stack = this.name;
  }
}

export class RunIdTakenError extends Error {
  override readonly name = ErrorName.RunIdTaken;

  /** @param earlier when the earlier run began, ISO 8601 in UTC; undefined where the store does not say */
  constructor(runId: string, earlier: string | undefined) {
    const when = earlier === undefined ? '' : `, which began at ${earlier}`;
    super(
      `execution.name: must be a name that the store has no run of, got ${JSON.stringify(runId)}, the name of an ` +
        `earlier run${when}; nothing was launched, and the earlier run stays as it is; start the execution again ` +
        'with another name',
    );
  }
}

const errorsNamed = <Name extends string>(errorName: Name) =>
  class extends Error {
    override readonly name = errorName;
  };

export const LaunchFailedError = errorsNamed(ErrorName.LaunchFailed);
export const ConnectFailedError = errorsNamed(ErrorName.ConnectFailed);
export const IncompleteSeriesError = errorsNamed(ErrorName.IncompleteSeries);
export const PassingError = errorsNamed(ErrorName.Passing);

/** One problem of a plan: its place, the value there, and the allowed values. */
export interface PlanProblem {
  /** The path from the root, e.g. `plan.pairs[2].placement`. */
  readonly path: string;
  readonly value: unknown;
  /** In words, e.g. `one of none, cluster` or `a whole number from 10 to 7200`. */
  readonly allowed: string;
  /** The allowed word, or the number, that was most likely meant. */
  readonly nearest?: string | number;
  /** What was meant, as it is to be written in the plan, where that is more than the word. */
  readonly meant?: string;
}

/** Returns a problem for each check of a plan's value that failed. */
export function problemsAt(
  path: string,
  value: unknown,
  checks: readonly (readonly [isWrong: boolean, allowed: string])[],
): PlanProblem[] {
  return checks.filter(([isWrong]) => isWrong).map(([, allowed]) => ({ path, value, allowed }));
}

/** A rejected value is cut to this length. */
const SHOWN_VALUE_CHARACTERS = 120;
/** Step Functions allows at most 32,768 characters for the cause of a failed execution. */
const SHOWN_PROBLEMS_CHARACTERS = 24_000;

export function formatPlanProblem(problem: PlanProblem): string {
  const value = problem.value === undefined ? 'nothing' : JSON.stringify(problem.value);
  const shown = value.length > SHOWN_VALUE_CHARACTERS ? `${value.slice(0, SHOWN_VALUE_CHARACTERS)}…` : value;
  const { nearest, meant = nearest === undefined ? undefined : JSON.stringify(nearest) } = problem;
  const question = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${problem.path}: must be ${problem.allowed}, got ${shown}${question}`;
}

/** Formats one line for each problem, as many as fit into the cause of an execution. */
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
