/** Each check against an AWS that answers as it should, and against answers that mean "not proven". */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { IpPermission } from '@aws-sdk/client-ec2';
import { CPU_CREDITS_WITNESS } from '../../domain/model/verdict';
import type { Account } from './account';
import type { BalancerState } from './adapters/calls';
import { CHECKS } from './checks/index';
import { RUN_PLANS } from './run-plans';
import { priceOfRun, runsOf } from './price';
import { CLIENT, look, MEASUREMENT, service, SUMMARY } from '../support/proving-checks';
import { RESULT_CASES, type Case } from '../support/result-cases';
const printing = (standardOutput: string): Partial<Account> => ({
  sendShellScript: async () => 'command',
  scriptResult: async () => ({ status: 'Success', standardOutput, standardError: '' }),
});
const admitting = (...ranges: string[]): Partial<Account> => ({
  publicAddresses: async () => ['203.0.113.1', '203.0.113.2'],
  findSecurityGroups: async () => [
    { securityGroupId: 'sg', name: 'sg', tags: {}, ingress: [{ IpRanges: ranges.map((CidrIp) => ({ CidrIp })) }] },
  ],
});
const alsoAdmitting = (rule: IpPermission, groupCount = 1): Partial<Account> => {
  const IpRanges = [{ CidrIp: '203.0.113.1/32' }, { CidrIp: '203.0.113.2/32' }];
  const group = { securityGroupId: 'sg', name: 'sg', tags: {}, ingress: [{ IpRanges }, rule] };
  return { ...admitting(), findSecurityGroups: async () => Array.from({ length: groupCount }, () => group) };
};
const balancing = (answers: Partial<Account> = {}): Partial<Account> => ({
  findLoadBalancers: async () => [{ arn: 'lb', name: 'lb', tags: {} }],
  findTargetGroups: async () => [{ arn: 'tg', name: 'tg', tags: {} }],
  balancerState: async () => ({ state: 'active', scheme: 'internal', securityGroupCount: 1 }),
  healthOfTargets: async () => ['healthy'],
  balancerListeners: async () => [
    { arn: 'tcp', protocol: 'TCP' },
    { arn: 'udp', protocol: 'TCP_UDP' },
  ],
  idleTimeoutSeconds: async () => 6000,
  requestIdleTimeout: () => Promise.reject(new Error('tcp.idle_timeout.seconds: attribute is not supported')),
  ...answers,
});
const balancerIn = (state: Partial<BalancerState>): Partial<Account> =>
  balancing({
    balancerState: async () => ({ state: 'active', scheme: 'internal', securityGroupCount: 1, ...state }),
  });
const QUERY_NAMES = readdirSync(join(__dirname, '../../queries')).map((name) => basename(name, '.sql'));
const querying = (names: readonly string[], empty: readonly string[] = [], stored = '1'): Partial<Account> => ({
  namedQueries: async () => names.map((name) => ({ name, sql: `${name} of 'an-example' AS run_id` })),
  runAthenaQuery: async ({ sql }) => {
    if (sql.startsWith('SELECT count(*) AS stored')) return [{ stored }];
    if (sql.includes("'an-example' AS run_id")) return [];
    return empty.includes(sql.replace(/ .*/, '')) ? [] : [{ column: '1' }];
  },
});
const dryRun = (forecast: readonly string[]): Partial<Account> => ({
  executionOutput: async () => JSON.stringify({ forecast }),
});
const aHost = { instanceId: 'i-1', state: 'running', tags: {} } as const;
const outputs = (...texts: string[]): Partial<Account> => ({
  commandsOn: async () => texts.map((output) => ({ document: 'TheStack-measure-s3', status: 'Success', output })),
});
const OUT_OF_CREDITS = 'the sender (t3.micro) was out of CPU credits from the start';
const incomplete = { ...SUMMARY, outcome: 'incomplete' };
const completing = {
  ends: 'SUCCEEDED',
  good: ['a whole run', {}],
  bad: [['an incomplete run', {}, incomplete]],
} as const;

/** By the id of the check. Those of stopped runs and lost hosts are in removal.test.ts. */
const CASES: Readonly<Record<string, Case>> = {
  ...RESULT_CASES,
  'queries-run': {
    ends: 'SUCCEEDED',
    good: ['no rows where a run need not have any', querying(QUERY_NAMES, ['throttle-onsets', 'failed-measurements'])],
    bad: [
      ['one query fewer', querying(QUERY_NAMES.slice(1))],
      ['another query in its place', querying([...QUERY_NAMES.slice(1), 'other'])],
      ['a query without rows', querying(QUERY_NAMES, ['series-of-one-measurement'])],
      ['an empty store', querying(QUERY_NAMES, QUERY_NAMES, '0')],
      ['rows of other runs alone', querying(QUERY_NAMES, [], '0')],
      ['a run that measured nothing', querying(QUERY_NAMES, [], '0'), { ...SUMMARY, measurements: [] }],
    ],
  },
  'peering-is-active': {
    ends: 'RUNNING',
    good: ['an active peering', peering('active', '10.1.0.0/16')],
    bad: [
      ['a pending peering', peering('pending-acceptance', '10.1.0.0/16')],
      ['another network', peering('active', '10.9.0.0/16')],
      ['a stack without one', {}],
    ],
  },
  'host-is-quiet': {
    ends: 'RUNNING',
    good: ['a quiet host', printing('scopes=1\nsnap=forever\napt=0\ndeadline=active')],
    bad: [
      ['no scope', printing('scopes=0\nsnap=forever\napt=0\ndeadline=active')],
      ['refreshes that are not held', printing('scopes=1\nsnap=\napt=0\ndeadline=active')],
      ['an apt timer', printing('scopes=1\nsnap=forever\napt=1\ndeadline=active')],
      ['no deadline', printing('scopes=1\nsnap=forever\napt=0\ndeadline=inactive')],
      ['no output', printing('')],
    ],
  },
  'host-writes-its-own-prefix-only': {
    ends: 'RUNNING',
    good: ['its own prefix alone', printing('{"own": "written", "other": "AccessDenied"}')],
    bad: [
      ['a role with a wider policy', printing('{"own": "written", "other": "written"}')],
      ['a role that may write nowhere', printing('{"own": "AccessDenied", "other": "AccessDenied"}')],
      ['another error', printing('{"own": "written", "other": "NoSuchBucket"}')],
    ],
  },
  'connection-tracking-is-set': {
    ends: 'RUNNING',
    good: ['what the launch asked for', { connectionTrackingSeconds: async () => [10_800] }],
    bad: [
      ["EC2's default", { connectionTrackingSeconds: async () => [undefined] }],
      ['no interface', { connectionTrackingSeconds: async () => [] }],
      ['one host alone', { connectionTrackingSeconds: async (id) => [id === CLIENT ? 10_800 : 350] }],
    ],
  },
  'public-path-is-closed-to-others': {
    ends: 'RUNNING',
    good: ['two addresses', admitting('203.0.113.1/32', '203.0.113.2/32')],
    bad: [
      ['everybody', admitting('0.0.0.0/0')],
      ['a third address', admitting('203.0.113.1/32', '203.0.113.2/32', '198.51.100.1/32')],
      ['one address', admitting('203.0.113.1/32')],
      ['everybody by IPv6', alsoAdmitting({ Ipv6Ranges: [{ CidrIpv6: '::/0' }] })],
      ['a prefix list', alsoAdmitting({ PrefixListIds: [{ PrefixListId: 'pl-1' }] })],
      ['a second group', alsoAdmitting({}, 2)],
      ['no group', { ...admitting(), findSecurityGroups: async () => [] }],
    ],
  },
  'load-balancer-forwards': {
    ends: 'RUNNING',
    good: ['a healthy target', balancing()],
    bad: [
      ['an unhealthy target', balancing({ healthOfTargets: async () => ['unhealthy'] })],
      ['no target', balancing({ healthOfTargets: async () => [] })],
      ['one of two targets', balancing({ healthOfTargets: async () => ['healthy', 'initial'] })],
      ['one that is being made', balancerIn({ state: 'provisioning' })],
      ['none or two security groups', balancerIn({ securityGroupCount: 2 })],
      ['no TCP listener', balancing({ balancerListeners: async () => [{ arn: 'udp', protocol: 'TCP_UDP' }] })],
      ['another time-out', balancing({ idleTimeoutSeconds: async () => 350 })],
      ['a scheme that faces the Internet', balancerIn({ scheme: 'internet-facing' })],
      ['no load balancer', balancing({ findLoadBalancers: async () => [] })],
    ],
  },
  'udp-idle-timeout-is-fixed': {
    ends: 'RUNNING',
    good: ['a refusal', balancing()],
    bad: [
      ['an acceptance', balancing({ requestIdleTimeout: async () => undefined })],
      ['another error', balancing({ requestIdleTimeout: () => Promise.reject(new Error('Rate exceeded')) })],
      ['no such listener', balancing({ balancerListeners: async () => [{ arn: 'tcp', protocol: 'TCP' }] })],
    ],
  },
  'run-completes': completing,
  'arm-completes': completing,
  'older-type-completes': completing,
  'datagrams-through-load-balancer': completing,
  'peering-completes': completing,
  's3-urls-stay-secret': {
    ends: 'SUCCEEDED',
    good: ['no URL', outputs('', 'measured')],
    bad: [
      ['a signed URL', outputs('GET https://b.s3.amazonaws.com/?X-Amz-Signature=1')],
      ['no output at all', outputs()],
      ['an incomplete run', outputs('measured'), incomplete],
    ],
  },
  'plan-is-checked': {
    ends: 'SUCCEEDED',
    good: ['a forecast', dryRun(['c5.large 0.10 USD'])],
    bad: [
      ['no forecast', dryRun([])],
      ['no output', { executionOutput: async () => undefined }],
      [
        'quotas that are unknown',
        dryRun(['plan.concurrency: not compared with quota L-1, which could not be read: x']),
      ],
      ['a host', { ...dryRun(['c5.large 0.10 USD']), findHosts: async () => [aHost] }],
      [
        'the record of a launch',
        {
          ...dryRun(['c5.large 0.10 USD']),
          listableBucket: () => ({
            listObjects: async () => ['p0001-launch.json'],
            listFolders: () => Promise.resolve([]),
            listVersions: async () => [],
          }),
        },
      ],
      ['earlier runs that are unknown', dryRun(['plan: forecast without earlier runs: x'])],
    ],
  },
  'lack-of-cpu-credits-is-steal': {
    ends: 'SUCCEEDED',
    good: ['a verdict that begins with it', {}, withVerdict(outOfCredits(`${OUT_OF_CREDITS}; 50 Mbit/s`))],
    bad: [
      ['a verdict that says it later', {}, withVerdict(outOfCredits(`50 Mbit/s; ${OUT_OF_CREDITS}`))],
      ['no steal', {}, withVerdict({ kind: 'steady', explanation: '500 Mbit/s for 60.0 s without a drop' })],
      ['an incomplete run', {}, incomplete],
      ['nothing measured', {}, { ...SUMMARY, measurements: [] }],
    ],
  },
  'throttle-witnesses-agree': {
    ends: 'SUCCEEDED',
    good: ['witnesses that agree', {}],
    bad: [
      ['a witness that disagrees', {}, withVerdict({ witnesses: [{ name: 'ena_allowance_counters', agrees: false }] })],
      ['no throttle', {}, withVerdict({ kind: 'steady', cause: null })],
      ['an incomplete run', {}, incomplete],
      ['nothing measured', {}, { ...SUMMARY, measurements: [] }],
    ],
  },
};

function outOfCredits(explanation: string) {
  return { explanation, witnesses: [{ name: CPU_CREDITS_WITNESS, agrees: true, detail: OUT_OF_CREDITS }] };
}

function peering(status: string, range: string): Partial<Account> {
  return {
    listStackResources: async () => [
      { logicalId: 'Peering', type: 'AWS::EC2::VPCPeeringConnection', physicalId: 'pcx-1' },
    ],
    describePeering: async () => ({ status, ranges: ['10.0.0.0/16', range] }),
  };
}

function withVerdict(verdict: object): object {
  return { ...SUMMARY, measurements: [{ ...MEASUREMENT, verdict: { ...MEASUREMENT.verdict, ...verdict } }] };
}

test('every check has answers of both kinds', () => {
  const elsewhere = [
    'documents',
    'lost-host-fails-the-run',
    'stop-leaves-nothing',
    'stop-during-launch-leaves-nothing',
    'sweeper-removes-what-has-expired',
  ];
  expect([...Object.keys(CASES), ...elsewhere].sort()).toEqual(CHECKS.map(({ id }) => id).sort());
  for (const { bad } of Object.values(CASES)) expect(bad.length).toBeGreaterThan(0);
});

const good = Object.entries(CASES).map(([id, { ends, good: answer }]) => ({ id, ends, what: answer[0], answer }));
const bad = Object.entries(CASES).flatMap(([id, { ends, bad: answers }]) =>
  answers.map((answer) => ({ id, ends, what: answer[0], answer })),
);

test.each(good)('$id with $what is proven', async ({ id, ends, answer: [, answers, summary, left] }) => {
  const fake = service(ends, answers, summary, left);
  const { proven, call, evidence } = await look(id, fake);
  expect({ proven, evidence }).toEqual({ proven: true, evidence: expect.stringMatching(/./) as unknown });
  const started = [...fake.inputs.keys()].map((name) => name.replace(/^proof-/, ''));
  expect(runsOf(CHECKS.filter((check) => check.id === id))).toEqual(expect.arrayContaining(started));
  expect(call).toMatch(/^[a-z0-9]+ [A-Z]/);
});

test.each(bad)('$id with $what is not proven', async ({ id, ends, answer: [, answers, summary, left] }) => {
  const { proven, evidence } = await look(id, service(ends, answers, summary, left));
  expect({ proven, evidence }).toEqual({ proven: false, evidence: expect.stringMatching(/./) as unknown });
});

test('a script that fails on the host, or a run that ends too early, is an error and no proof', async () => {
  const failing: Partial<Account> = {
    sendShellScript: async () => 'command',
    scriptResult: async () => ({ status: 'Failed', standardOutput: '', standardError: 'python3: not found' }),
  };
  await expect(look('host-is-quiet', service('RUNNING', failing))).rejects.toThrow('Failed: python3: not found');
  await expect(look('host-is-quiet', service('SUCCEEDED', {}))).rejects.toThrow('must be measuring, was SUCCEEDED');
});

test.each([...Object.keys(CASES).filter((id) => id.endsWith('-completes')), 's3-urls-stay-secret', 'plan-is-checked'])(
  '%s with an execution that failed is not proven, whatever else it shows',
  async (id) => {
    const answers = { ...outputs('measured'), ...dryRun(['c5.large 0.10 USD']) };
    const { proven, evidence } = await look(id, service('FAILED', answers));
    expect({ proven, evidence }).toEqual({ proven: false, evidence: expect.stringMatching(/^FAILED/) as unknown });
  },
);

test('a query that fails is an error with its name, and no proof', async () => {
  const failing = { ...querying(QUERY_NAMES), runAthenaQuery: () => Promise.reject(new Error('no permission')) };
  await expect(look('queries-run', service('SUCCEEDED', failing))).rejects.toThrow(
    'measurements of the run: Error: no permission',
  );
});

test.each(Object.keys(RUN_PLANS) as (keyof typeof RUN_PLANS)[])('the run %s is a valid plan with a price', (name) => {
  const { expectedUsd, upperUsd } = priceOfRun(name);
  expect(upperUsd).toBeGreaterThanOrEqual(expectedUsd);
});
