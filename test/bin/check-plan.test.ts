import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { AccountFacts } from '../../bin/account-facts';
import { offlinePlan } from '../../bin/offline-plan';
import recorded from '../../domain/forecast/recorded-instance-types.json';
import { inPlanOrder } from '../../domain/plan/check-plan';
import { formatPlanProblem } from '../../domain/workflow/error-names';

const ROOT = path.join(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'check-plan-'));

const ZONES = ['a', 'b'].map((letter) => ({
  AvailabilityZone: `eu-test-1${letter}`,
  AvailabilityZoneId: `eut1-az${letter}`,
}));
const TYPES = (recorded.InstanceTypes as InstanceTypeInfo[]).filter(({ InstanceType = '' }) =>
  /^(?:c5|t3)\./.test(InstanceType),
);
const subnetsOf = (name: string) =>
  ZONES.map((zone, index) => ({ ...zone, SubnetId: `${name}-${index}`, VpcId: name }));

const FACTS: AccountFacts = {
  region: 'eu-test-1',
  instanceTypes: TYPES,
  instanceTypeOfferings: TYPES.flatMap(({ InstanceType = '' }) =>
    ZONES.map(({ AvailabilityZone }) => ({ InstanceType, Location: AvailabilityZone })),
  ),
  stackSubnets: subnetsOf('hosts'),
  peeredSubnets: subnetsOf('peered'),
  subnets: [
    { ...ZONES[0], SubnetId: 'subnet-0000000a', VpcId: 'user', State: 'available', AvailableIpAddressCount: 9 },
  ],
  images: [],
  parameters: {},
  vcpuQuotas: { 'L-1216C47A': 64 },
  runIds: ['earlier'],
  deployed: { hostVpcs: 'any', hasPublicAddresses: true, imageParameters: [] },
  deploymentTags: {},
};

const GOOD = {
  name: 'a plan',
  pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 60 }],
};

/** Mistakes of every round: in the form, in what EC2 offers, in expectations, and in limits on price and quota. */
const WRONG = {
  ...GOOD,
  pairs: [
    { clientType: 'c5.xlarge', serverType: 'c5.xlarge', placment: 'cluster' },
    { clientType: 'c5.xlarge', serverType: 'c5.xlagre' },
    { clientType: 'c5.9xlarge', serverType: 'c5.9xlarge', client: { subnetId: 'subnet-0000000b' } },
    { clientType: 'c5.18xlarge', serverType: 'c5.18xlarge', mtuBytes: 9000 },
    { clientType: 't9.micro', serverType: 'C5.Large', placement: 'clustered' },
  ],
  measurements: [
    { tool: 'iperf3', durationSecond: 7200 },
    { tool: 'sockperf', durationSeconds: 10 },
  ],
  expect: [
    { type: 'c5.2xlarge', baselineBitPerSecond: { min: 1 } },
    { 'rttMicros.p99.99': { max: 1 }, measurement: 0 },
  ],
  maxCostUsd: 0.01,
  compareTo: 'later',
};
const PATHS = [
  'plan.pairs[0].placment',
  'plan.pairs[1].serverType',
  'plan.pairs[2].client.subnetId',
  'plan.pairs[3].mtuBytes',
  'plan.pairs[4].clientType',
  'plan.pairs[4].placement',
  'plan.pairs[4].serverType',
  'plan.measurements[0].durationSecond',
  'plan.concurrency',
  'plan.maxCostUsd',
  'plan.compareTo',
  'plan.expect[0].baselineBitPerSecond',
  'plan.expect[1]["rttMicros.p99.99"]',
];

function check(plan: unknown, facts = FACTS) {
  writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(plan));
  writeFileSync(path.join(folder, 'facts.json'), JSON.stringify(facts));
  const argv = [path.join(ROOT, 'bin/check-plan.ts'), 'plan.json', path.join(folder, 'facts.json')];
  return spawnSync(path.join(ROOT, 'node_modules/.bin/tsx'), argv, { cwd: folder, encoding: 'utf8' });
}

const pathOf = (line: string) => line.slice(0, line.indexOf(': must be'));

describe('a plan is checked by the facts of a file', () => {
  test('with what it can’t show on standard error when nothing is wrong', () => {
    expect(check(GOOD)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(
        /^plan\.measurements\[0\]\.durationSeconds: \d+ s is too short to show the throttle of [^\n]*\n$/,
      ) as string,
    });
  });

  test('with the problems of all rounds at once', () => {
    const { status, stdout, stderr } = check(WRONG);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map(pathOf)).toEqual(PATHS);
    const meant = lines.map((line) => /did you mean "(.*)"\?$/.exec(line)?.[1]);
    expect(meant.filter((word) => word !== undefined)).toEqual([
      'placement',
      'c5.xlarge',
      't3.micro',
      'cluster',
      'c5.large',
      'durationSeconds',
      'baselineBitsPerSecond',
    ]);
  });

  test('with the words of the facts for a type that they do not have', () => {
    const plan = { ...GOOD, pairs: [{ clientType: 'zz99.metal', serverType: 'c5.xlarge' }] };
    expect(check(plan).stdout).toMatch(
      /must be an instance type that EC2 knows in this Region: c5\.12xlarge, .* got "zz99.metal"\n$/,
    );
    const typesInWords = 'one of the types that `types` lists';
    expect(check(plan, { ...FACTS, typesInWords }).stdout).toMatch(
      /must be one of the types that `types` lists, got "zz99.metal"\n$/,
    );
  });

  test('with a sentence for a file that is not there', () => {
    rmSync(path.join(folder, 'plan.json'), { force: true });
    const argv = [path.join(ROOT, 'bin/check-plan.ts'), 'plan.json', 'facts.json'];
    const checked = spawnSync(path.join(ROOT, 'node_modules/.bin/tsx'), argv, { cwd: folder, encoding: 'utf8' });
    const stderr = 'plan.json: must be the file of a plan: no such file or directory\n';
    expect(checked).toMatchObject({ status: 2, stdout: '', stderr });
  });
});

test('without an account, all that it is not needed for is reported at once', () => {
  const needAccount = ['plan.pairs[2].client.subnetId', 'plan.concurrency', 'plan.compareTo'];
  const paths = inPlanOrder(offlinePlan(WRONG).problems).map(formatPlanProblem).map(pathOf);
  expect(paths).toEqual(PATHS.filter((each) => !needAccount.includes(each)));
});

test('limits on hosts are not compared with a number of pairs that can not be read', () => {
  const plan = {
    ...GOOD,
    pairs: [...WRONG.pairs.slice(3, 4), { clientType: 'c5.24xlarge', serverType: 'c5.24xlarge' }],
  };
  expect(
    check({ ...plan, concurrency: 'all', maxInstances: 2 })
      .stdout.split('\n')
      .map(pathOf),
  ).toEqual(['plan.pairs[0].mtuBytes', 'plan.concurrency', '']);
});

describe('the price of a plan that is partly wrong', () => {
  const dear = { ...GOOD, measurements: [{ tool: 'iperf3', durationSeconds: 7200 }], maxCostUsd: 1 };
  const costOf = (plan: object) => offlinePlan(plan).problems.find((problem) => problem.path === 'plan.maxCostUsd');

  test('is the whole price where nothing wrong is launched', () => {
    const whole = costOf(dear);
    expect(whole?.allowed).toMatch(/^at least [\d.]+, because the run can cost that much$/);
    expect(costOf({ ...dear, expect: [{ costUsd: {} }] })).toEqual(whole);
  });

  test('is at least that of the pairs that can be launched', () => {
    const pairs = [...dear.pairs, { clientType: 'c99.large', serverType: 'c5.large' }, {}];
    expect(costOf({ ...dear, pairs })?.allowed).toMatch(
      /because even the part of the run that has no problems can cost that much/,
    );
  });

  test('is unknown where the prices are wrong', () => {
    expect(costOf({ ...dear, prices: { instanceUsdPerHour: { 'c5.xlarge': -1 } } })).toBeUndefined();
  });

  test('is not looked for in more pairs than a run can carry', () => {
    const pairs = Array.from({ length: 1000 }, () => dear.pairs[0]);
    expect(offlinePlan({ ...dear, pairs, repetitions: 100 }).problems.map((problem) => problem.path)).toEqual([
      'plan.repetitions',
    ]);
  });
});
