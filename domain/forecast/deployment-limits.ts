/** The limits of a deployment on each of its runs. A plan's own limits may only be lower. */
import type { PlanProblem } from '../workflow/error-names';
import type { RunForecast } from './forecast-run';

export interface DeploymentLimits {
  readonly maxCostUsdPerRun?: number;
  readonly maxInstances?: number;
}

export interface LimitedRun {
  readonly plan: { readonly concurrency: number; readonly maxCostUsd?: number; readonly maxInstances?: number };
  /** At list prices, or the plan's where they are higher. */
  readonly upper: Pick<RunForecast, 'upperUsd' | 'typesWithoutPrice'>;
  /** Pairs that are launched in the course of the run. */
  readonly launchedCount: number;
}

export function checkDeploymentLimits(limits: DeploymentLimits, run: LimitedRun): PlanProblem[] {
  return [...checkCost(limits, run), ...checkInstances(limits, run)];
}

function checkCost({ maxCostUsdPerRun: limit }: DeploymentLimits, { plan, upper }: LimitedRun): PlanProblem[] {
  if (limit === undefined) return [];
  const { upperUsd, typesWithoutPrice } = upper;
  const ofPlan = `at most ${limit}, the deployment's maxCostUsdPerRun`;
  const ofRun = `a run that can cost at most ${limit} USD at list prices (the deployment's maxCostUsdPerRun)`;
  return [
    ...((plan.maxCostUsd ?? 0) > limit ? [{ path: 'plan.maxCostUsd', value: plan.maxCostUsd, allowed: ofPlan }] : []),
    ...(upperUsd === null ? [withoutPrice(typesWithoutPrice)] : []),
    ...((upperUsd ?? 0) > limit ? [{ path: 'plan', value: roundedUp(upperUsd ?? 0), allowed: ofRun }] : []),
  ];
}

const withoutPrice = (types: readonly string[]): PlanProblem => ({
  path: 'plan.prices.instanceUsdPerHour',
  value: undefined,
  allowed:
    `a price for ${types.join(', ')}, because without one the run's cost can't be compared with the deployment's ` +
    "maxCostUsdPerRun (npm run prices fetches a Region's prices for the next deployment)",
});

const roundedUp = (usd: number) => Math.ceil(usd * 100) / 100;

function checkInstances({ maxInstances: limit }: DeploymentLimits, { plan, launchedCount }: LimitedRun): PlanProblem[] {
  if (limit === undefined) return [];
  const hosts = 2 * Math.min(plan.concurrency, launchedCount);
  const ofDeployment = `the deployment's maxInstances is ${limit}`;
  const ownAllowed = `at most ${limit}, because ${ofDeployment}`;
  const allowed = `at most ${Math.floor(limit / 2)}, because ${ofDeployment} and the run would have ${hosts} hosts at the same time`;
  return [
    ...((plan.maxInstances ?? 0) > limit
      ? [{ path: 'plan.maxInstances', value: plan.maxInstances, allowed: ownAllowed }]
      : []),
    ...(hosts > limit ? [{ path: 'plan.concurrency', value: plan.concurrency, allowed }] : []),
  ];
}
