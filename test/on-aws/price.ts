/** What the runs cost, by the forecast that `npm run plan` prints. */
import { offlinePlan } from '../../bin/offline-plan';
import { sum } from '../../domain/maths/statistics';
import { formatPlanProblem } from '../../domain/workflow/error-names';
import type { Check } from './check';
import { planOf, RUN_PLANS, withEarlier, type RunName } from './run-plans';

export interface RunPrice {
  readonly expectedUsd: number;
  readonly upperUsd: number;
}

/** @throws when the plan is no valid one, or names a type that has no price */
export function priceOfRun(name: RunName): RunPrice {
  if (RUN_PLANS[name].isRefused === true) return { expectedUsd: 0, upperUsd: 0 };
  const plan = planOf(name);
  const { problems, forecast } = offlinePlan(plan);
  if (problems.length > 0 || forecast === undefined) {
    throw new Error(`run ${name}: must be a valid plan: ${problems.map(formatPlanProblem).join('; ')}`);
  }
  if ('dryRun' in plan) return { expectedUsd: 0, upperUsd: 0 };
  const { expectedUsd, upperUsd } = forecast;
  if (expectedUsd === null || upperUsd === null) throw new Error(`run ${name}: must have a price`);
  return { expectedUsd, upperUsd };
}

/** The runs that some checks look at, and those that have to be over before them, each once. */
export function runsOf(checks: readonly Pick<Check, 'run' | 'alsoRuns'>[]): RunName[] {
  return [...new Set(checks.flatMap(({ run, alsoRuns = [] }) => [run ?? [], alsoRuns].flat().flatMap(withEarlier)))];
}

/** What checks cost together, and how long they take on AWS, about. */
export function totalOf(checks: readonly Check[], priceOf: (name: RunName) => RunPrice) {
  const runs = runsOf(checks);
  const own = sum(checks.map(({ ownUsd = 0 }) => ownUsd));
  return {
    expectedUsd: own + sum(runs.map((run) => priceOf(run).expectedUsd)),
    upperUsd: own + sum(runs.map((run) => priceOf(run).upperUsd)),
    minutes: sum(checks.map(({ ownMinutes = 0 }) => ownMinutes)) + sum(runs.map((run) => RUN_PLANS[run].minutes)),
  };
}
