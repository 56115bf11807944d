/** Checks the limits of a run: the plan's on cost and hosts, and the account's quotas on vCPUs. */
import { elementAt, groupBy } from '../maths/elements';
import { smallest, sum } from '../maths/statistics';
import type { InstanceTypeFacts } from '../model/instance-type';
import { isLaunched, type PlannedPair } from '../model/planned-run';
import type { PlanProblem } from '../workflow/error-names';
import type { RunForecast } from './forecast-run';

export interface Limits {
  readonly concurrency: number;
  readonly maxCostUsd?: number;
  readonly maxInstances?: number;
  /** By quota code. An absent quota is unknown, and not checked. */
  readonly vcpuQuotas?: Readonly<Record<string, VcpuAllowance>>;
  /** Whether the forecast covers only a part of the plan, so that the run costs at least as much. */
  readonly isPart?: boolean;
}

export interface VcpuAllowance {
  /** vCPUs that may run at the same time. */
  readonly vcpus: number;
  /** vCPUs of those of the account's instances that run now. */
  readonly inUse: number;
}

/** EC2's quota on the vCPUs of running On-Demand Instances of some families. */
interface VcpuQuota {
  /** The quota's code in Service Quotas, service `ec2`. */
  readonly code: string;
  readonly name: string;
  /** The letters at the start of a type's name: `m` of `m5.large`. */
  readonly families: readonly string[];
}

const QUOTAS = [
  quota('L-1216C47A', 'Standard (A, C, D, H, I, M, R, T, Z) instances', 'a c d h i im is m r t z'),
  quota('L-6E869C2A', 'DL instances', 'dl'),
  quota('L-74FC7D96', 'F instances', 'f'),
  quota('L-DB2E81BA', 'G and VT instances', 'g gr vt'),
  quota('L-F7808C92', 'HPC instances', 'hpc'),
  quota('L-1945791B', 'Inf instances', 'inf'),
  quota('L-417A185B', 'P instances', 'p'),
  quota('L-2C3B7624', 'Trn instances', 'trn'),
  quota('L-43DA4232', 'High Memory instances', 'u'),
  quota('L-7295265B', 'X instances', 'x'),
];

function quota(code: string, name: string, families: string): VcpuQuota {
  return { code, name, families: families.split(' ') };
}

/** @returns undefined for a family that counts against none of these quotas */
export function vcpuQuota(instanceType: string): VcpuQuota | undefined {
  const letters = /^[a-z]+/.exec(instanceType)?.[0] ?? '';
  return QUOTAS.find(({ families }) => families.includes(letters));
}

export function checkLimits(
  limits: Limits,
  forecast: RunForecast,
  pairs: readonly PlannedPair[],
  instanceTypes: Readonly<Record<string, InstanceTypeFacts>>,
): PlanProblem[] {
  const launched = pairs.filter(isLaunched);
  return [
    ...checkCost(limits, forecast),
    ...checkInstances(limits, launched.length),
    ...neededQuotas(limits, launched, instanceTypes).flatMap((needed) => checkQuota(limits, needed)),
  ];
}

/** The concurrency of a plan that passed its checks, lowered to as many pairs as the quotas let run at once. */
export function allowedConcurrency(
  limits: Limits,
  pairs: readonly PlannedPair[],
  instanceTypes: Readonly<Record<string, InstanceTypeFacts>>,
): { readonly concurrency: number; readonly warnings: readonly string[] } {
  const needed = neededQuotas(limits, pairs.filter(isLaunched), instanceTypes);
  const narrow = needed.filter(({ fitting, pairCount }) => fitting < Math.min(limits.concurrency, pairCount));
  return {
    concurrency: smallest([limits.concurrency, ...narrow.map(({ fitting }) => fitting)]),
    warnings: narrow.map(
      ({ text, fitting }) => `plan.concurrency: lowered from ${limits.concurrency} to ${fitting}, because ${text}`,
    ),
  };
}

function checkCost({ maxCostUsd, isPart }: Limits, { upperUsd, typesWithoutPrice }: RunForecast): PlanProblem[] {
  if (maxCostUsd === undefined) return [];
  if (upperUsd === null) {
    const allowed =
      `a price for ${typesWithoutPrice.join(', ')}, ` +
      "because without one the run's highest cost is unknown and can't be compared with plan.maxCostUsd";
    return [{ path: 'plan.prices.instanceUsdPerHour', value: undefined, allowed }];
  }
  if (upperUsd <= maxCostUsd) return [];
  const neededUsd = (Math.ceil(upperUsd * 100) / 100).toFixed(2);
  const what = isPart ? 'even the part of the run that has no problems' : 'the run';
  const allowed = `at least ${neededUsd}, because ${what} can cost that much`;
  return [{ path: 'plan.maxCostUsd', value: maxCostUsd, allowed }];
}

function checkInstances({ maxInstances, concurrency }: Limits, launchedCount: number): PlanProblem[] {
  const pairsAtOnce = Math.min(concurrency, launchedCount);
  const needed = 2 * pairsAtOnce;
  if (maxInstances === undefined || needed <= maxInstances) return [];
  const allowed = `at least ${needed}, because ${pairsAtOnce} pairs of two hosts run at the same time (with a lower plan.concurrency, fewer hosts run)`;
  return [{ path: 'plan.maxInstances', value: maxInstances, allowed }];
}

interface NeededQuota {
  /** The quota, and how much of it is in use, in words. */
  readonly text: string;
  readonly pairCount: number;
  readonly vcpusOfLargestPair: number;
  /** How many of the pairs fit at the same time, even if they are the largest ones. */
  readonly fitting: number;
}

function neededQuotas(
  { vcpuQuotas }: Limits,
  launched: readonly PlannedPair[],
  instanceTypes: Readonly<Record<string, InstanceTypeFacts>>,
): NeededQuota[] {
  const used = launched.flatMap(({ clientType, serverType }) =>
    [...groupBy([clientType, serverType], vcpuQuota)].map(([each, types]) => ({
      quota: each,
      vcpus: sum(types.map((type) => instanceTypes[type]?.vcpuCount ?? 0)),
    })),
  );
  return [...groupBy(used, (each) => each.quota)].flatMap(([each, uses]) => {
    const allowance = each && vcpuQuotas?.[each.code];
    if (each === undefined || allowance === undefined) return [];
    const { vcpus, inUse } = allowance;
    const largestFirst = uses.map((use) => use.vcpus).toSorted((one, other) => other - one);
    const overrun = largestFirst.findIndex((_, index) => sum(largestFirst.slice(0, index + 1)) > vcpus - inUse);
    const taken = inUse === 0 ? '' : `, of which ${inUse} are in use`;
    return [
      {
        text: `the account's quota for ${each.name} (${each.code}) is ${vcpus} vCPUs${taken}`,
        pairCount: uses.length,
        vcpusOfLargestPair: elementAt(largestFirst, 0),
        fitting: overrun === -1 ? uses.length : overrun,
      },
    ];
  });
}

/** A run whose pairs fit one by one is not refused: fewer of them run at the same time (`allowedConcurrency`). */
function checkQuota({ concurrency }: Limits, { text, vcpusOfLargestPair, fitting }: NeededQuota): PlanProblem[] {
  if (fitting > 0) return [];
  const allowed = `1 with smaller types, because ${text}, and the largest pair needs ${vcpusOfLargestPair} vCPUs`;
  return [{ path: 'plan.concurrency', value: concurrency, allowed }];
}
