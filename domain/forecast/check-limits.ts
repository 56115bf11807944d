/** The limits that a run must keep: those of the plan on cost and hosts, and the account's quotas on vCPUs. */
import { sum } from '../maths/statistics';
import type { InstanceTypeFacts } from '../model/instance-type';
import { isLaunched, type PlannedPair } from '../model/planned-run';
import type { PlanProblem } from '../workflow/error-names';
import type { RunForecast } from './forecast-run';
import { vcpuQuota, type VcpuQuota } from './vcpu-quota';

export interface Limits {
  readonly concurrency: number;
  readonly maxCostUsd?: number;
  readonly maxInstances?: number;
  /** vCPUs that may run at the same time, by the quota's code. A quota that is absent is unknown, and not checked. */
  readonly vcpuQuotas?: Readonly<Record<string, number>>;
  /** Whether the plan has more than the forecast, which then is the least that the run takes. */
  readonly isPart?: boolean;
}

export function checkLimits(
  limits: Limits,
  forecast: RunForecast,
  pairs: readonly PlannedPair[],
  instanceTypes: Readonly<Record<string, InstanceTypeFacts>>,
): PlanProblem[] {
  const launched = pairs.filter(isLaunched);
  return [
    checkCost(limits, forecast),
    checkInstances(limits, launched.length),
    ...[...vcpusByQuota(launched, instanceTypes)].map(([quota, vcpusOfPairs]) =>
      checkQuota(limits, quota, vcpusOfPairs),
    ),
  ].filter((problem) => problem !== undefined);
}

function checkCost(
  { maxCostUsd, isPart }: Limits,
  { upperUsd, typesWithoutPrice }: RunForecast,
): PlanProblem | undefined {
  if (maxCostUsd === undefined) return undefined;
  if (upperUsd === null) {
    const allowed =
      `a price for ${typesWithoutPrice.join(', ')}: ` +
      'without it there is no upper bound to compare with plan.maxCostUsd';
    return { path: 'plan.prices.instanceUsdPerHour', value: undefined, allowed };
  }
  if (upperUsd <= maxCostUsd) return undefined;
  const neededUsd = (Math.ceil(upperUsd * 100) / 100).toFixed(2);
  const can = isPart ? 'even the part of the run without problems can cost' : 'the run can cost';
  const allowed = `at least ${neededUsd}, because that is what ${can}`;
  return { path: 'plan.maxCostUsd', value: maxCostUsd, allowed };
}

function checkInstances({ maxInstances, concurrency }: Limits, launchedCount: number): PlanProblem | undefined {
  const pairsAtOnce = Math.min(concurrency, launchedCount);
  const needed = 2 * pairsAtOnce;
  if (maxInstances === undefined || needed <= maxInstances) return undefined;
  const allowed = `at least ${needed}, because ${pairsAtOnce} pairs of two hosts run at the same time (a lower plan.concurrency needs fewer)`;
  return { path: 'plan.maxInstances', value: maxInstances, allowed };
}

/** The run needs most when its largest pairs happen to run at the same time. */
function checkQuota(
  { vcpuQuotas, concurrency }: Limits,
  quota: VcpuQuota,
  vcpusOfPairs: readonly number[],
): PlanProblem | undefined {
  const quotaVcpus = vcpuQuotas?.[quota.code];
  const largestFirst = vcpusOfPairs.toSorted((one, other) => other - one).slice(0, concurrency);
  const needed = sum(largestFirst);
  if (quotaVcpus === undefined || needed <= quotaVcpus) return undefined;
  const [largest] = largestFirst;
  const fitting = largestFirst.findIndex((_, index) => sum(largestFirst.slice(0, index + 1)) > quotaVcpus);
  const quotaText = `the account's quota for ${quota.name} (${quota.code}) is ${quotaVcpus} vCPUs`;
  const count = largestFirst.length;
  const allowed =
    fitting === 0
      ? `1 with smaller types, because ${quotaText}, and the largest pair takes ${largest} (${count} at the same time ${needed})`
      : `at most ${fitting}, because ${quotaText}, and ${count} pairs at the same time take up to ${needed}`;
  return { path: 'plan.concurrency', value: concurrency, allowed };
}

/** For every quota, the vCPUs of each pair that counts against it. */
function vcpusByQuota(
  launched: readonly PlannedPair[],
  instanceTypes: Readonly<Record<string, InstanceTypeFacts>>,
): Map<VcpuQuota, number[]> {
  const byQuota = new Map<VcpuQuota, number[]>();
  for (const { clientType, serverType } of launched) {
    const vcpusOfPair = new Map<VcpuQuota, number>();
    for (const name of [clientType, serverType]) {
      const quota = vcpuQuota(name);
      const vcpuCount = instanceTypes[name]?.vcpuCount;
      if (quota === undefined || vcpuCount === undefined) continue;
      vcpusOfPair.set(quota, (vcpusOfPair.get(quota) ?? 0) + vcpuCount);
    }
    for (const [quota, vcpus] of vcpusOfPair) byQuota.set(quota, [...(byQuota.get(quota) ?? []), vcpus]);
  }
  return byQuota;
}
