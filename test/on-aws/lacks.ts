/** What the account lacks for some checks, found before anything is launched. */
import { offlineFacts } from '../../bin/offline-plan';
import { largest, sum } from '../../domain/maths/statistics';
import { vcpuQuota } from '../../domain/forecast/check-limits';
import { readPlan } from '../../domain/plan/read-plan';
import { Failures } from '../../lambdas/shared/failures';
import type { Account } from './account';
import type { Check } from './check';
import { priceOfRun, runsOf, totalOf } from './price';
import { planOf, RUN_PLANS, type RunName } from './run-plans';

/** The quota that all types of the checks count against. */
const QUOTA = 'L-1216C47A';
/** What the removal at the end may take; a load balancer's addresses go last. */
const REMOVAL_MINUTES = 20;
/** The watched run lasts to the end, and the hosts of the run before may still be leaving. */
const RUNS_BESIDE = 2;

export interface Lacks {
  /** One sentence each. */
  readonly words: readonly string[];
  /** Why a run can't be launched. */
  readonly unlaunchable: ReadonlyMap<RunName, string>;
  /** Whether nothing may be made at all, because it could not be removed. */
  readonly isFatal: boolean;
}

type Facts = Pick<Account, 'credentials' | 'getEc2Quota' | 'describeVcpusInUse' | 'findFreePlanTypes'>;

export async function findLacks(account: Facts, checks: readonly Check[], now: Date): Promise<Lacks> {
  const runs = runsOf(checks).filter((run) => RUN_PLANS[run].isRefused !== true && priceOfRun(run).upperUsd > 0);
  const credentials = await lackOfTime(account, checks, now);
  const unknown = new Failures();
  const looks = runs.length === 0 ? [] : [vcpuLacks, planLacks];
  const found = looks.map((look) => unknown.attempt('what can be launched', () => look(account, runs), []));
  const unlaunchable = new Map((await Promise.all(found)).flat());
  return {
    words: [
      ...credentials.words,
      ...[...unlaunchable].map(([run, why]) => `the run ${run} can't be launched: ${why}`),
      ...unknown.reasons.map((reason) => `it is unknown ${reason}`),
    ],
    unlaunchable,
    isFatal: credentials.isFatal,
  };
}

/** Credentials that end before the removal does would leave hosts behind. */
async function lackOfTime({ credentials }: Facts, checks: readonly Check[], now: Date) {
  const { isTemporary, isRenewed, expiresAt } = await credentials();
  const needed = totalOf(checks, priceOfRun).minutes + REMOVAL_MINUTES;
  const left = expiresAt && Math.floor((expiresAt.getTime() - now.getTime()) / 60_000);
  if (!isTemporary || isRenewed || (left !== undefined && left >= needed)) return { words: [], isFatal: false };
  const end = left === undefined ? 'at an unknown time (AWS_CREDENTIAL_EXPIRATION would say it)' : `in ${left} minutes`;
  const need = `the checks and the removal at their end need ${needed} minutes, fewer --checks less`;
  return { words: [`these credentials end ${end}; ${need}`], isFatal: left !== undefined };
}

/** The types of a run's hosts, pair by pair. */
function typesOf(run: RunName): { readonly pairs: string[][]; readonly vcpus: (type: string) => number } {
  const read = readPlan(planOf(run));
  const { instanceTypes } = offlineFacts(read).offer;
  const pairs = read.pairs.flatMap((pair) => (pair === undefined ? [] : [[pair.clientType, pair.serverType]]));
  return { pairs, vcpus: (type) => instanceTypes.get(type)?.vcpuCount ?? 0 };
}

/** vCPUs of the largest pair: plan-run lets as many pairs of a run begin at once as the quota has room for. */
export function neededVcpus(run: RunName): number {
  const { pairs, vcpus } = typesOf(run);
  const counted = (type: string) => vcpuQuota(type)?.code === QUOTA;
  return largest(pairs.map((types) => sum(types.filter(counted).map(vcpus))));
}

async function vcpuLacks(account: Facts, runs: readonly RunName[]): Promise<[RunName, string][]> {
  const quota = await account.getEc2Quota(QUOTA);
  const running = (await account.describeVcpusInUse()).filter(
    ({ instanceType }) => vcpuQuota(instanceType)?.code === QUOTA,
  );
  const inUse = sum(running.map(({ vcpuCount }) => vcpuCount));
  return runs.flatMap((run): [RunName, string][] => {
    const others = runs.filter((other) => other !== run).map(neededVcpus);
    const beside = sum(others.toSorted((one, other) => other - one).slice(0, RUNS_BESIDE));
    const needed = neededVcpus(run) + beside;
    if (needed <= quota - inUse) return [];
    const own = beside === 0 ? '' : `, ${beside} of them for runs beside it`;
    return [[run, `it takes ${needed} vCPUs${own}; the quota ${QUOTA} is ${quota}, of which ${inUse} are in use`]];
  });
}

async function planLacks(account: Facts, runs: readonly RunName[]): Promise<[RunName, string][]> {
  const allowed = await account.findFreePlanTypes();
  if (allowed === undefined) return [];
  return runs.flatMap((run): [RunName, string][] => {
    const refused = [...new Set(typesOf(run).pairs.flat())].filter((type) => !allowed.includes(type));
    if (refused.length === 0) return [];
    return [[run, `the account's free plan launches ${allowed.join(', ')}, and not ${refused.join(', ')}`]];
  });
}
