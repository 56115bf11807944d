/** What a run may not exceed: the plan's own limits on money and hosts, the account's quotas on vCPUs. */
import type { PlanProblem } from '../workflow/error-names';
import type { RunForecast } from './forecast-run';
import { isLaunched } from '../model/planned-run';
import type { ForecastInstanceType, ForecastPair } from './inputs';
import { vcpuQuota, type VcpuQuota } from './vcpu-quota';

export interface Limits {
  readonly concurrency: number;
  readonly maxCostUsd?: number;
  readonly maxInstances?: number;
  /** vCPUs that may run at the same time, by the quota's code; one that could not be read is absent and not checked. */
  readonly vcpuQuotas?: Readonly<Record<string, number>>;
}

export function checkLimits(
  limits: Limits,
  forecast: RunForecast,
  pairs: readonly ForecastPair[],
  instanceTypes: Readonly<Record<string, ForecastInstanceType>>,
): PlanProblem[] {
  const launched = pairs.filter(isLaunched);
  return [
    ...checkCost(limits, forecast),
    ...checkInstances(limits, launched.length),
    ...checkQuotas(limits, launched, instanceTypes),
  ];
}

function checkCost({ maxCostUsd }: Limits, { upperUsd, typesWithoutPrice }: RunForecast): PlanProblem[] {
  if (maxCostUsd === undefined) return [];
  if (upperUsd === null) {
    return [
      {
        path: 'plan.prices.instanceUsdPerHour',
        value: undefined,
        allowed:
          `a price for ${typesWithoutPrice.join(', ')}: ` +
          'without it there is no upper bound to hold against plan.maxCostUsd',
      },
    ];
  }
  if (upperUsd <= maxCostUsd) return [];
  return [
    {
      path: 'plan.maxCostUsd',
      value: maxCostUsd,
      allowed: `at least ${(Math.ceil(upperUsd * 100) / 100).toFixed(2)}, which the run can cost, or a plan that can cost less`,
    },
  ];
}

function checkInstances({ maxInstances, concurrency }: Limits, launchedCount: number): PlanProblem[] {
  const pairsAtOnce = Math.min(concurrency, launchedCount);
  const needed = 2 * pairsAtOnce;
  if (maxInstances === undefined || needed <= maxInstances) return [];
  return [
    {
      path: 'plan.maxInstances',
      value: maxInstances,
      allowed: `at least ${needed} (${pairsAtOnce} pairs of two hosts at the same time), or a lower plan.concurrency`,
    },
  ];
}

function checkQuotas(
  { vcpuQuotas, concurrency }: Limits,
  launched: readonly ForecastPair[],
  instanceTypes: Readonly<Record<string, ForecastInstanceType>>,
): PlanProblem[] {
  return [...vcpusByQuota(launched, instanceTypes)].flatMap(([quota, ofPairs]): PlanProblem[] => {
    const allowed = vcpuQuotas?.[quota.code];
    if (allowed === undefined) return [];
    const largest = [...ofPairs].sort((one, other) => other - one).slice(0, concurrency);
    const needed = sum(largest);
    if (needed <= allowed) return [];
    const fitting = largest.findIndex((_, index) => sum(largest.slice(0, index + 1)) > allowed);
    const what = `the account's quota of ${allowed} vCPUs for ${quota.name} (${quota.code})`;
    return [
      {
        path: 'plan.concurrency',
        value: concurrency,
        allowed:
          fitting === 0
            ? `pairs that fit ${what}: the largest takes ${largest[0]}, ${largest.length} at the same time ${needed}`
            : `at most ${fitting}, by ${what}: ${largest.length} pairs at the same time take up to ${needed}`,
      },
    ];
  });
}

/** vCPUs of each pair, where it has any of that quota. */
function vcpusByQuota(
  launched: readonly ForecastPair[],
  instanceTypes: Readonly<Record<string, ForecastInstanceType>>,
): Map<VcpuQuota, number[]> {
  const byQuota = new Map<VcpuQuota, number[]>();
  for (const { clientType, serverType } of launched) {
    const ofPair = new Map<VcpuQuota, number>();
    for (const name of [clientType, serverType]) {
      const quota = vcpuQuota(name);
      const vcpuCount = instanceTypes[name]?.vcpuCount;
      if (quota === undefined || vcpuCount === undefined) continue;
      ofPair.set(quota, (ofPair.get(quota) ?? 0) + vcpuCount);
    }
    for (const [quota, vcpus] of ofPair) byQuota.set(quota, [...(byQuota.get(quota) ?? []), vcpus]);
  }
  return byQuota;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
