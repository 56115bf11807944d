/** What the account lacks is said before anything is launched, and what was not asked at the end. */
import { vcpuQuota } from '../../domain/forecast/check-limits';
import { awsError } from '../support/fake-ec2';
import { FakeAccount } from '../support/proving';
import type { Account } from './account';
import { CHECKS } from './checks/index';
import { findLacks, neededVcpus } from './lacks';
import { totalOf, priceOfRun } from './price';
import { planOf, RUN_PLANS, type RunName } from './run-plans';
import { leftOpen } from './table';
import { TOOL_MODULES } from '../../domain/tools/catalogue';

const NOW = new Date('2026-11-28T09:00:00Z');
const usual = CHECKS.filter(({ isOptional }) => isOptional !== true);
const named = (...ids: string[]) => CHECKS.filter(({ id }) => ids.includes(id));
const runNames = Object.keys(RUN_PLANS) as RunName[];

function lacksOf(answers: Partial<Account>, checks = usual) {
  const fake = new FakeAccount();
  fake.overrides = answers;
  return findLacks(fake.account, checks, NOW);
}

const exported = (minutes: number | undefined): Partial<Account> => ({
  credentials: async () => ({
    isTemporary: true,
    isRenewed: false,
    expiresAt: minutes === undefined ? undefined : new Date(NOW.getTime() + minutes * 60_000),
  }),
});
const quota = (vcpus: number, inUse: readonly [string, number][] = []): Partial<Account> => ({
  getEc2Quota: async () => vcpus,
  describeVcpusInUse: async () => inUse.map(([instanceType, vcpuCount]) => ({ instanceType, vcpuCount })),
});

const neededMinutes = totalOf(usual, priceOfRun).minutes + 20;

test('all checks together need credentials for more than two hours', () => {
  expect(neededMinutes).toBeGreaterThan(120);
});

test.each<[string, Partial<Account>, RegExp | undefined, boolean]>([
  ['an account with room', {}, undefined, false],
  ['credentials that last', exported(neededMinutes), undefined, false],
  [
    'credentials that end too early',
    exported(neededMinutes - 1),
    /^these credentials end in \d+ minutes; .* need \d+ minutes, fewer --checks less$/,
    true,
  ],
  ['credentials that have ended', exported(-5), /^these credentials end in -5 minutes/, true],
  [
    'credentials whose end is unknown',
    exported(undefined),
    /^these credentials end at an unknown time .* need \d+ minutes/,
    false,
  ],
])('%s', async (_, answers, words, isFatal) => {
  const lacks = await lacksOf(answers);
  expect(lacks.words).toEqual(words === undefined ? [] : [expect.stringMatching(words) as unknown]);
  expect(lacks.isFatal).toBe(isFatal);
});

test('credentials that the SDK renews may end before', async () => {
  const credentials = async () => ({ isTemporary: true, isRenewed: true, expiresAt: NOW });
  expect((await lacksOf({ credentials })).words).toEqual([]);
});

test.each<[string, Partial<Account>, number]>([
  ['a quota that suffices', quota(4), 0],
  ['a quota that is too small', quota(3), 1],
  ['a quota that others use', quota(32, [['c5.9xlarge', 30]]), 1],
  ['another quota that others use', quota(32, [['g5.16xlarge', 64]]), 0],
  ['a free plan with the type', { findFreePlanTypes: async () => ['t3.micro'] }, 0],
  ['a free plan without it', { findFreePlanTypes: async () => ['t4g.micro'] }, 1],
])('one run of two t3.micro, with %s', async (_, answers, count) => {
  const { words, unlaunchable } = await lacksOf(answers, named('run-completes'));
  expect([...unlaunchable.keys()]).toEqual(count === 0 ? [] : ['smoke']);
  expect(words).toHaveLength(count);
});

test('what can not be looked at is said, and keeps nothing from being asked', async () => {
  const { words, unlaunchable, isFatal } = await lacksOf({
    findFreePlanTypes: () => Promise.reject(awsError('AccessDeniedException')),
    getEc2Quota: async () => 3,
  });
  expect(words.filter((word) => word.startsWith('it is unknown'))).toEqual([
    expect.stringMatching(/^it is unknown what can be launched: AccessDeniedException/),
  ]);
  expect([unlaunchable.size > 0, isFatal]).toEqual([true, false]);
});

test('a lack names the figures, and counts what runs beside', async () => {
  expect(
    (await lacksOf(quota(20, [['m5.large', 7]]), named('run-completes', 'arm-completes', 'older-type-completes')))
      .words,
  ).toEqual(
    ['smoke', 'arm', 'xen'].map(
      (run) =>
        `the run ${run} can't be launched: it takes 18 vCPUs, ${run === 'xen' ? 8 : 14} of them for runs beside it; ` +
        'the quota L-1216C47A is 20, of which 7 are in use',
    ),
  );
  const { words } = await lacksOf({ findFreePlanTypes: async () => ['t3.micro', 't3.small'] }, named('arm-completes'));
  expect(words).toEqual([
    "the run arm can't be launched: the account's free plan launches t3.micro, t3.small, and not c7g.large",
  ]);
});

test.each(runNames)('the types of the run %s count against the quota that is looked at', (name) => {
  const pairs = planOf(name).pairs as readonly { clientType: string; serverType: string }[];
  const codes = pairs.flatMap(({ clientType, serverType }) => [
    vcpuQuota(clientType)?.code,
    vcpuQuota(serverType)?.code,
  ]);
  expect(new Set(codes)).toEqual(new Set(['L-1216C47A']));
  if (RUN_PLANS[name].isRefused !== true) expect(neededVcpus(name)).toBeGreaterThan(0);
});

test('the usual runs use every tool, and every path that needs nothing of the deployment', () => {
  const plans = usual.flatMap(({ run }) => (run === undefined ? [] : [planOf(run)])) as unknown as readonly {
    pairs: readonly { path?: string; client?: object }[];
    measurements: readonly { tool: string }[];
  }[];
  const tools = new Set(plans.flatMap(({ measurements }) => measurements.map(({ tool }) => tool)));
  expect([...tools].sort()).toEqual(TOOL_MODULES.map(({ name }) => name).sort());
  const pairs = plans.flatMap((plan) => plan.pairs);
  expect(new Set(pairs.map(({ path, client }) => path ?? (client === undefined ? 'private' : 'own')))).toEqual(
    new Set(['private', 'public', 'nlb', 'own']),
  );
});

test('at the end, each check that was not made is named with the reason', () => {
  const row = { title: '', expectedUnanswered: false, call: '', evidence: 'interrupted', seconds: 0 };
  const { notAsked, claimsNotShown } = leftOpen([
    { ...row, id: 'documents', verdict: 'proven' },
    { ...row, id: 'run-completes', verdict: 'unanswered' },
  ]);
  expect(notAsked).toContain('run-completes: interrupted');
  expect(notAsked).toContain('ena-express-carries: made by name only');
  expect(notAsked).toContain('queries-run: not chosen');
  expect(notAsked).toHaveLength(CHECKS.length - 1);
  expect(claimsNotShown).toContain(
    'A bad plan is refused before anything is launched, with a list of all its problems. (not proven: bad-plan-is-refused)',
  );
});
