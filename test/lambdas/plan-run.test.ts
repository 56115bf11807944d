import { describe, expect, test } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { PlannedRun } from '../../domain/model/planned-run';
import { measurementSamplesKey, planKey, reportKey, rowPartKey } from '../../domain/workflow/object-keys';
import { HISTORY_EVENT_BUDGET, hostDeadlines } from '../../domain/workflow/polling';
import { makePlanRun, type PlanRunDependencies } from '../../lambdas/plan-run/plan-run';
import { FakeStore } from '../support/fake-store';
import { subnet } from '../support/planned-run';

const TYPES = {
  'c5.xlarge': { architectures: ['x86_64'], zones: ['a', 'b'] },
  'c7g.large': { architectures: ['arm64'], zones: ['a'] },
  'c5.metal': { architectures: ['x86_64'], zones: ['a'] },
};

function makeDeps(overrides: Partial<PlanRunDependencies> = {}) {
  const store = new FakeStore();
  const asked: string[] = [];
  store.putJson(planKey('run-0'), {});
  const deps: PlanRunDependencies = {
    subnetIds: ['subnet-a', 'subnet-b'],
    peeredSubnetIds: [],
    describeSubnets: async (ids) => ids.map((id) => subnet(id.replace('subnet-', ''))),
    describeInstanceTypes: async (names) =>
      Object.entries(TYPES)
        .filter(([name]) => names.includes(name))
        .map(([instanceType, { architectures }]) => ({
          instanceType,
          architectures,
          isBareMetal: instanceType === 'c5.metal' ? true : undefined,
          vcpuCount: 4,
          baselineBitsPerSecond: 1.25e9,
          peakBitsPerSecond: 10e9,
          isBurstableCpu: false,
          supportsClusterPlacement: true,
          supportsEnaExpress: true,
        })),
    describeTypeNames: async () => Object.keys(TYPES),
    describeZoneOfferings: async (names, zones) =>
      Object.entries(TYPES).flatMap(([instanceType, type]) =>
        type.zones
          .map((letter) => ({ instanceType, zone: `eu-test-1${letter}` }))
          .filter(({ zone }) => names.includes(instanceType) && zones.includes(zone)),
      ),
    getParameter: async (name) => {
      asked.push(name);
      return name.includes('amd64') ? 'ami-x86' : 'ami-arm';
    },
    findSubnets: async () => [],
    findPrivateWaysOut: async () => new Map(),
    findImages: async () => [],
    findParameter: async () => undefined,
    ec2Region: async () => 'eu-test-1',
    deployed: { hostVpcs: [], hasPublicAddresses: true, imageParameters: ['/network-benchmark/images/*'] },
    limits: {},
    findFreePlanTypes: async () => undefined,
    describeVcpusInUse: async () => [],
    getEc2Quota: async () => 32,
    runQuery: async () => [],
    store: store.adapter,
    deploymentTags: {},
    now: () => new Date('2026-11-20T23:59:59.500Z'),
    log: () => undefined,
    ...overrides,
  };
  /** Keys of this run, without those of the run to compare with. */
  const written = () => store.keys().filter((key) => key !== planKey('run-0'));
  const planned = () => store.json<PlannedRun>(planKey('run-1'));
  return { planRun: makePlanRun(deps), store, planned, written, asked };
}

const plan = {
  name: 'a plan',
  order: 'as_written',
  pairs: [
    { clientType: 'c5.xlarge', serverType: 'c7g.large' },
    { clientType: 'c5.xlarge', serverType: 'c5.xlarge', zoneRelation: 'other_zone' },
  ],
  measurements: [{ tool: 'iperf3', durationSeconds: 60 }],
  concurrency: 2,
};

describe('plan-run', () => {
  test('stores the expanded plan and returns only where it is', async () => {
    const { planRun, planned } = makeDeps();

    const response = await planRun({ runId: 'run-1', plan });

    expect(response).toEqual({
      runId: 'run-1',
      pairs: [
        { pairIndex: 0, label: 'p0001 c5.xlarge to c7g.large', ...hostDeadlines(false) },
        { pairIndex: 1, label: 'p0002 c5.xlarge to c5.xlarge', ...hostDeadlines(false) },
      ],
      dryRun: false,
      concurrency: 2,
      planUri: 's3://results/reports/run-1/plan.json',
      forecastUri: 's3://results/reports/run-1/forecast.json',
      expectedUsd: expect.any(Number),
      upperUsd: expect.any(Number),
    });
    const run = planned();
    expect(run).toMatchObject({
      runId: 'run-1',
      createdAt: '2026-11-20T23:59:59.500Z',
      day: '2026-11-20',
      images: { x86_64: 'ami-x86', arm64: 'ami-arm' },
      instanceTypes: { 'c5.xlarge': { architecture: 'x86_64' }, 'c7g.large': { architecture: 'arm64' } },
    });
    expect(run.pairs[0]!.candidateSubnets).toEqual([{ client: subnet('a'), server: subnet('a') }]);
    expect(run.pairs[1]!.candidateSubnets).toEqual([
      { client: subnet('a'), server: subnet('b') },
      { client: subnet('b'), server: subnet('a') },
    ]);
  });

  test('gives a pair with a bare-metal host the time that bare metal takes, in its input and in its deadline', async () => {
    const { planRun, planned } = makeDeps();
    const pairs = [
      { clientType: 'c5.xlarge', serverType: 'c5.xlarge' },
      { clientType: 'c5.xlarge', serverType: 'c5.metal' },
    ];

    const response = await planRun({ runId: 'run-1', plan: { ...plan, pairs } });

    expect(response.pairs).toEqual([
      { pairIndex: 0, label: 'p0001 c5.xlarge to c5.xlarge', ...hostDeadlines(false) },
      { pairIndex: 1, label: 'p0002 c5.xlarge to c5.metal', ...hostDeadlines(true) },
    ]);
    const [virtual, metal] = planned().pairs;
    expect(metal!.hostDeadlines).toEqual(hostDeadlines(true));
    const longer = hostDeadlines(true).onlineDeadlineSeconds - hostDeadlines(false).onlineDeadlineSeconds;
    expect(metal!.lifetimeSeconds - virtual!.lifetimeSeconds).toBe(longer);
  });

  test('resolves an image only for the architectures in use', async () => {
    const { planRun, asked } = makeDeps();

    await planRun({ runId: 'run-1', plan: { ...plan, pairs: [plan.pairs[1]] } });

    expect(asked).toEqual(['/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id']);
  });

  test('fails with the problems of schema, checks and EC2 together, and stores nothing', async () => {
    const { planRun, written, asked } = makeDeps();
    const wrong = {
      ...plan,
      pairs: [...plan.pairs, { clientType: 'c5.huge', serverType: 'c5.xlarge' }, { clientType: 'c5.xlarge' }],
      measurements: [{ tool: 'iperf3', durationSeconds: 60, protocol: 'udp' }],
      concurrency: 0,
      compareTo: 'run-9',
    };

    const refused = planRun({ runId: 'no spaces here', plan: wrong });

    await expect(refused).rejects.toMatchObject({ name: 'InvalidPlanError' });
    const { message } = (await refused.catch((error: unknown) => error)) as Error;
    expect(message.split('\n').map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'plan.pairs[2].clientType',
      'plan.pairs[3].serverType',
      'plan.measurements[0].targetBitsPerSecond',
      'plan.concurrency',
      'plan.compareTo',
      'execution.name',
    ]);
    expect(written()).toEqual([]);
    expect(asked).toEqual([]);
  });

  test.each([[{}], [null], ['{}'], [[]]])('fails with a readable message for %j', async (submitted) => {
    const { planRun } = makeDeps();

    await expect(planRun({ runId: 'run-1', plan: submitted })).rejects.toMatchObject({ name: 'InvalidPlanError' });
  });

  test('fails when EC2 fails, because a plan that could not be checked must not be launched', async () => {
    const { planRun, written } = makeDeps({
      describeZoneOfferings: async () => {
        throw new Error('RequestLimitExceeded');
      },
    });

    await expect(planRun({ runId: 'run-1', plan })).rejects.toThrow('RequestLimitExceeded');
    expect(written()).toEqual([]);
  });
});

describe('a run id that Step Functions gives again', () => {
  const startedAt = '2026-11-20T23:59:59.200Z';
  const earlier = '2026-08-20T10:00:00.000Z';
  const request = { runId: 'run-1', plan, startedAt };
  const bytesOf = (store: FakeStore) => new Map(store.objects);

  test('is refused before anything is asked or written, with a sentence that says when the earlier run was', async () => {
    const { planRun, store, asked } = makeDeps();
    await planRun({ ...request, startedAt: earlier });
    const before = bytesOf(store);
    const askedBefore = asked.length;

    const refused = planRun(request);

    await expect(refused).rejects.toMatchObject({
      name: 'RunIdTakenError',
      message:
        'execution.name: must be a name that the store has no run of, got "run-1", the name of an earlier run, which ' +
        'began at 2026-08-20T10:00:00.000Z; nothing was launched, and the earlier run stays as it is; start the ' +
        'execution again with another name',
    });
    expect(bytesOf(store)).toEqual(before);
    expect(asked).toHaveLength(askedBefore);
  });

  test('is refused after a dry run and after a refused plan, too', async () => {
    const { planRun } = makeDeps();
    await planRun({ runId: 'dry', plan: { ...plan, dryRun: true }, startedAt: earlier });
    await planRun({ runId: 'bad', plan: {}, startedAt: earlier }).catch(() => undefined);

    await expect(planRun({ ...request, runId: 'dry' })).rejects.toMatchObject({ name: 'RunIdTakenError' });
    await expect(planRun({ ...request, runId: 'bad' })).rejects.toMatchObject({ name: 'RunIdTakenError' });
  });

  test.each([
    ['a plan', planKey('run-1')],
    ['a report', reportKey('run-1')],
    ['rows', rowPartKey('run-1', 'p0001-m01')],
    ['samples', measurementSamplesKey('run-1', 'p0001-m01')],
  ])('is refused where %s alone is left of an earlier run, however often it is asked', async (_, key) => {
    const { planRun, store } = makeDeps();
    store.putJson(key, {});
    const before = bytesOf(store);

    await expect(planRun(request)).rejects.toThrow('the name of an earlier run; nothing');
    await expect(planRun(request)).rejects.toThrow('the name of an earlier run; nothing');

    expect(bytesOf(store)).toEqual(before);
  });

  test('is no reason to refuse the same execution, which may ask again at any point', async () => {
    const { planRun, store } = makeDeps();
    const first = await planRun(request);
    const planned = store.text(planKey('run-1'));
    await expect(planRun(request)).resolves.toEqual(first);
    await expect(planRun({ ...request, startedAt: '2026-11-20T23:59:59.900Z' })).resolves.toEqual(first);
    expect(store.text(planKey('run-1'))).toBe(planned);

    store.objects.delete(planKey('run-1'));
    await expect(planRun(request)).resolves.toEqual(first);
  });
});

describe('the ends that a plan names', () => {
  const named = {
    'subnet-0000000a': { ...subnet('a'), subnetId: 'subnet-0000000a', vpcId: 'vpc-user' },
    'subnet-0000000c': { ...subnet('c'), subnetId: 'subnet-0000000c', vpcId: 'vpc-user' },
  };
  const parameters: Record<string, string> = {
    '/network-benchmark/images/tools': 'ami-00000001',
    '/network-benchmark/images/gone': 'ami-00000002',
    '/network-benchmark/images/text': 'not an image',
  };
  function makeHosts(overrides: Partial<PlanRunDependencies> = {}) {
    const calls: string[] = [];
    const made = makeDeps({
      findSubnets: async (ids) => {
        calls.push(`subnets ${ids.join(' ')}`);
        return Object.values(named)
          .filter(({ subnetId }) => ids.includes(subnetId))
          .map((each) => ({ ...each, state: 'available', availableAddressCount: 100 }));
      },
      findImages: async (ids) => {
        calls.push(`images ${ids.join(' ')}`);
        const facts = { name: 'tools', architecture: 'x86_64', state: 'available', isWindows: false };
        const image = { imageId: 'ami-00000001', ...facts, rootDeviceName: '/dev/xvda', rootVolumeGibibytes: 8 };
        return [image].filter(({ imageId }) => ids.includes(imageId));
      },
      findParameter: async (name) => {
        calls.push(name);
        return parameters[name];
      },
      deployed: {
        hostVpcs: ['vpc-user'],
        hasPublicAddresses: false,
        imageParameters: ['/network-benchmark/images/*'],
      },
      ...overrides,
    });
    return { ...made, calls };
  }
  const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
  const pairWith = (client: object, server: object = {}) => ({ ...plan, pairs: [{ ...types, client, server }] });

  const bothOut = (out: boolean) => new Map(Object.keys(named).map((subnetId) => [subnetId, out]));
  const denied = () => Promise.reject(new Error('not authorized to ec2:DescribeRouteTables'));
  test.each([
    ['none of both can', async () => bothOut(false), [], 'client and the server .* will fail after launch'],
    ['both can', async () => bothOut(true), [], undefined],
    [
      'one can',
      async () => bothOut(true).set('subnet-0000000a', false),
      [],
      'the client would install .* will fail after launch',
    ],
    ['it is unknown', async () => new Map<string, boolean>(), [], 'if its subnet has no route to a NAT gateway'],
    ['the routes can not be read', denied, ['plan.pairs: the routes'], 'if its subnet has no route to a NAT gateway'],
  ] as const)('a private host without the tools is warned of by its routes: %s', async (_, ask, notes, expected) => {
    const { planRun } = makeHosts({
      findPrivateWaysOut: ask,
      describeZoneOfferings: async (__, zones) => zones.map((zone) => ({ instanceType: 'c5.xlarge', zone })),
    });
    const pairs = pairWith({ subnetId: 'subnet-0000000a' }, { subnetId: 'subnet-0000000c' });

    const { forecast } = await planRun({ runId: 'run-1', plan: { ...pairs, dryRun: true } });

    const lines = forecast!.join('\n').split('\n');
    const warnings = lines.filter((line) => line.includes('would install the tools'));
    expect(warnings).toEqual(expected === undefined ? [] : [expect.stringMatching(new RegExp(expected))]);
    expect(lines.filter((line) => line.startsWith('plan.pairs: the routes'))).toHaveLength(notes.length);
  });

  test('the routes are asked for without waiting for anything but the subnets', async () => {
    const order: string[] = [];
    const { planRun } = makeHosts({
      findPrivateWaysOut: async () => {
        order.push('routes asked for');
        return bothOut(true);
      },
      runQuery: async () => {
        await setImmediate();
        order.push('earlier runs answered');
        return [];
      },
      describeZoneOfferings: async (_, zones) => {
        await setImmediate();
        order.push('offer answered');
        return zones.map((zone) => ({ instanceType: 'c5.xlarge', zone }));
      },
    });
    const pairs = pairWith({ subnetId: 'subnet-0000000a' }, { subnetId: 'subnet-0000000c' });
    await planRun({ runId: 'run-1', plan: { ...pairs, dryRun: true } });
    expect(order).toHaveLength(3);
    expect(order[0]).toBe('routes asked for');
  });

  test('nobody asks for routes where every host has a public address', async () => {
    const asked: unknown[] = [];
    const { planRun } = makeDeps({
      findPrivateWaysOut: async (subnets) => {
        asked.push(subnets);
        return new Map();
      },
    });
    await planRun({ runId: 'run-1', plan });
    expect(asked).toEqual([]);
  });

  test('are looked up, and are in the planned pair with everything that was found out', async () => {
    const { planRun, planned, calls } = makeHosts({
      describeZoneOfferings: async (_, zones) => zones.map((zone) => ({ instanceType: 'c5.xlarge', zone })),
    });
    const imageId = '/network-benchmark/images/tools';

    await planRun({
      runId: 'run-1',
      plan: pairWith({ subnetId: 'subnet-0000000c', imageId }, { subnetId: 'subnet-0000000a', publicAddress: true }),
    });

    const [pair] = planned().pairs;
    expect(pair).toMatchObject({
      path: 'own',
      zoneRelation: 'other_zone',
      candidateSubnets: [{ client: named['subnet-0000000c'], server: named['subnet-0000000a'] }],
      clientPinnedPlace: 'subnet-0000000c',
      serverPinnedPlace: 'subnet-0000000a',
      clientPinnedImage: imageId,
      ends: {
        client: {
          publicAddress: false,
          image: { imageId: 'ami-00000001', rootDeviceName: '/dev/xvda', rootVolumeGibibytes: 8, name: 'tools' },
        },
        server: { publicAddress: true },
      },
    });
    expect(pair).not.toHaveProperty('client');
    expect(calls).toEqual(['subnets subnet-0000000a subnet-0000000c', imageId, 'images ami-00000001']);
  });

  test('are all refused at once, whichever of them AWS does not know', async () => {
    const { planRun, calls, written } = makeHosts();
    const wrong = {
      ...plan,
      pairs: [
        { ...types, client: { subnetId: 'subnet-00000000', imageId: '/network-benchmark/images/none' } },
        { ...types, server: { zoneId: 'eut1-az9', imageId: '/secret/parameter' } },
        { ...types, client: { imageId: '/network-benchmark/images/gone' }, server: { imageId: 'ami-00000003' } },
        { ...types, client: { imageId: '/network-benchmark/images/text' } },
        { ...types, path: 'own' },
      ],
    };

    const { message } = (await planRun({ runId: 'run-1', plan: wrong }).catch((error: unknown) => error)) as Error;

    expect(message.split('\n').map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'plan.pairs[0].client.imageId',
      'plan.pairs[0].client.subnetId',
      'plan.pairs[1].server.imageId',
      'plan.pairs[1].server.zoneId',
      'plan.pairs[2].client.imageId',
      'plan.pairs[2].server.imageId',
      'plan.pairs[3].client.imageId',
      'plan.pairs[4].path',
    ]);
    expect(calls).not.toContain('/secret/parameter');
    expect(calls).toContain('images ami-00000002 ami-00000003');
    expect(written()).toEqual([]);
  });

  test('cost no call where the plan names none, and hosts get the address that the stack gives', async () => {
    const { planRun, calls, planned } = makeHosts();
    await planRun({ runId: 'run-1', plan });
    expect(calls).toEqual([]);
    const [pair] = planned().pairs;
    expect(pair!.ends).toEqual({ client: { publicAddress: false }, server: { publicAddress: false } });
  });
});

const crossZonePlan = {
  ...plan,
  pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', zoneRelation: 'other_zone' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 1800 }],
};

describe('before the first launch', () => {
  test('a plan that could exceed its cost limit launches nothing and reports what it could cost', async () => {
    const { planRun, written } = makeDeps();

    await expect(planRun({ runId: 'run-1', plan: { ...crossZonePlan, maxCostUsd: 10 } })).rejects.toThrow(
      /^plan\.maxCostUsd: must be at least 4\d\.\d\d, because the run can cost that much, got 10$/,
    );
    expect(written()).toEqual([]);
    await expect(planRun({ runId: 'run-1', plan: { ...crossZonePlan, maxCostUsd: 100 } })).resolves.toMatchObject({
      pairs: [{ pairIndex: 0 }],
    });
  });

  test('a plan with too many hosts or vCPUs at the same time launches nothing', async () => {
    const { planRun, written } = makeDeps({ getEc2Quota: async () => 7 });

    const refused = planRun({ runId: 'run-1', plan: { ...crossZonePlan, maxInstances: 2, repetitions: 3 } });
    const { message } = (await refused.catch((error: unknown) => error)) as Error;
    expect(message.split('\n').map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'plan.concurrency',
      'plan.maxInstances',
    ]);
    expect(written()).toEqual([]);
  });

  const twoPairs = { ...crossZonePlan, repetitions: 2, concurrency: 2 };
  const cheap = { instanceUsdPerHour: { 'c5.xlarge': 0 }, crossZoneUsdPerGigabyteEachWay: 0 };

  test.each([
    ['nothing that is under them', { maxCostUsdPerRun: 93, maxInstances: 4 }, { maxCostUsd: 93, maxInstances: 4 }, []],
    [
      'a run that can cost more, with its other problems',
      { maxCostUsdPerRun: 50.5 },
      { order: 'up' },
      [
        /^plan\.order: must be one of .*, got "up"$/,
        /^plan: must be a run that can cost at most 50\.5 USD at list prices \(the deployment's maxCostUsdPerRun\), got 91\.55$/,
      ],
    ],
    [
      'one that is cheaper only by prices of its own',
      { maxCostUsdPerRun: 50.5 },
      { prices: cheap },
      [/^plan: must be a run that can cost at most 50\.5 USD .*, got 91\.55$/],
    ],
    [
      "a limit of the plan above the deployment's",
      { maxCostUsdPerRun: 93, maxInstances: 4 },
      { maxCostUsd: 93.5, maxInstances: 5 },
      [
        /^plan\.maxCostUsd: must be at most 93, the deployment's maxCostUsdPerRun, got 93\.5$/,
        /^plan\.maxInstances: must be at most 4, because the deployment's maxInstances is 4, got 5$/,
      ],
    ],
    [
      'too many hosts at the same time',
      { maxInstances: 3 },
      {},
      [
        "plan.concurrency: must be at most 1, because the deployment's maxInstances is 3 and the run would have 4 hosts " +
          'at the same time, got 2',
      ],
    ],
  ] as const)('the limits of a deployment refuse %s', async (_what, limits, fields, refusals) => {
    const { planRun, written } = makeDeps({ limits, ec2Region: async () => 'us-east-1' });
    const run = planRun({ runId: 'run-1', plan: { ...twoPairs, ...fields } });
    if (refusals.length === 0) return expect(run).resolves.toMatchObject({ dryRun: false });
    const { message } = (await run.catch((error: unknown) => error)) as Error;
    expect(message.split('\n')).toEqual(
      refusals.map((each) => (typeof each === 'string' ? each : (expect.stringMatching(each) as unknown))),
    );
    expect(written()).toEqual([]);
    return undefined;
  });

  test.each([
    ['us-east-1', {}, undefined],
    ['eu-test-1', {}, /^plan\.prices\.instanceUsdPerHour: must be a price for c5\.xlarge, .*npm run prices fetches/],
    ['eu-test-1', { maxCostUsd: 93 }, /^plan\.prices\.instanceUsdPerHour: must be a price for c5\.xlarge/],
    ['eu-test-1', { prices: { instanceUsdPerHour: { 'c5.xlarge': 0.2 } } }, undefined],
    ['eu-test-1', { prices: { instanceUsdPerHour: { 'c5.xlarge': 50 } } }, /^plan: must be .* at most 93 USD/],
  ])("no other Region's price is held against a deployment's limit in %s: %j", async (region, fields, refusal) => {
    const { planRun } = makeDeps({ limits: { maxCostUsdPerRun: 93 }, ec2Region: async () => region });
    const run = planRun({ runId: 'run-1', plan: { ...crossZonePlan, ...fields } });
    await (refusal === undefined
      ? expect(run).resolves.toMatchObject({ dryRun: false })
      : expect(run).rejects.toThrow(refusal));
  });

  test.each([
    ['us-east-1', /list prices in us-east-1, instances as of 2026-07-20, services as of 2026-11-21, before tax/],
    ['eu-test-1', /, used because those of eu-test-1 are not recorded, before tax/],
  ])('the forecast and the stored plan of a run in %s name whose prices they rest on', async (region, words) => {
    const { planRun, store } = makeDeps({ ec2Region: async () => region });
    const { forecast } = await planRun({ runId: 'run-1', plan: { ...crossZonePlan, dryRun: true } });
    expect(forecast?.join(' ')).toMatch(words);
    expect(store.json(planKey('run-1'))).toMatchObject({ region });
  });

  test('a dry run returns the whole forecast', async () => {
    const { planRun } = makeDeps();

    const { dryRun, forecast } = await planRun({ runId: 'run-1', plan: { ...crossZonePlan, dryRun: true } });

    expect(dryRun).toBe(true);
    expect(forecast!.join('\n')).toMatch(/cross zone traffic +\S+ +45\.00/);
  });

  test('a dry run of a thousand pairs returns their total and fits into a state', async () => {
    const { planRun } = makeDeps({
      runQuery: async () => {
        throw new Error('the tables are away');
      },
    });
    const pairs = Array.from({ length: 1000 }, () => crossZonePlan.pairs[0]);

    const answer = await planRun({ runId: 'run-1', plan: { ...crossZonePlan, pairs, dryRun: true } });

    const text = answer.forecast!.join('\n');
    expect(text).toMatch(/^client → server +where +measurement/);
    expect(text).toMatch(/and \d+ more lines, whole in forecastUri/);
    expect(text).toMatch(/cross zone traffic +\S+ +45000\.00/);
    expect(text).toContain('plan: forecast without earlier runs: the tables are away');
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(200_000);
  });

  test('earlier runs sharpen the forecast; without them there is a forecast with a warning', async () => {
    const row = {
      instance_type: 'c5.xlarge',
      measurement_count: '3',
      burst_bits_per_second: '9.5e9',
      baseline_bits_per_second: '1.25e9',
      bucket_bits: '1e12',
      bucket_low_bits: '0.9e12',
      bucket_high_bits: '1.1e12',
    };
    const forecastOf = async (runQuery: PlanRunDependencies['runQuery']) => {
      const { planRun } = makeDeps({ runQuery });
      return (await planRun({ runId: 'run-1', plan: { ...crossZonePlan, dryRun: true } })).forecast!.join('\n');
    };

    expect(await forecastOf(async () => [row])).toContain('(earlier results)');
    const failed = await forecastOf(async () => {
      throw new Error('the tables are away');
    });
    expect(failed).not.toContain('(earlier results)');
    expect(failed).toContain('plan: forecast without earlier runs: the tables are away');
  });

  describe('what the account can launch now', () => {
    const twoPairs = { ...plan, pairs: [plan.pairs[1], plan.pairs[1]], dryRun: false };
    const running = (instanceType: string, vcpuCount: number) => ({ instanceType, vcpuCount });

    test('two pairs of eight vCPUs are measured one after the other where one fits, and the plan says so', async () => {
      const { planRun, planned } = makeDeps({
        getEc2Quota: async () => 40,
        // The P instance counts against another quota.
        describeVcpusInUse: async () => [running('m5.4xlarge', 16), running('t3.nano', 16), running('p3.2xlarge', 8)],
      });

      await expect(planRun({ runId: 'run-1', plan: twoPairs })).resolves.toMatchObject({ concurrency: 1 });
      expect(planned().plan.concurrency).toBe(1);
      const { forecast } = await planRun({ runId: 'run-2', plan: { ...twoPairs, dryRun: true } });
      expect(forecast).toContain(
        "plan.concurrency: lowered from 2 to 1, because the account's quota for Standard (A, C, D, H, I, M, R, T, Z) " +
          'instances (L-1216C47A) is 40 vCPUs, of which 32 are in use',
      );
    });

    test('a run is refused if not even one of its pairs fits beside what runs', async () => {
      const { planRun, written } = makeDeps({ describeVcpusInUse: async () => [running('m5.4xlarge', 25)] });

      await expect(planRun({ runId: 'run-1', plan: twoPairs })).rejects.toThrow(
        /^plan\.concurrency: must be 1 with smaller types, because .* is 32 vCPUs, of which 25 are in use, and the largest pair needs 8 vCPUs, got 2$/,
      );
      expect(written()).toEqual([]);
    });

    test.each([
      [
        ['c5.xlarge', 't3.micro'],
        ['plan.pairs[0].serverType', 'c7g.large'],
      ],
      [
        ['c7g.large', 't3.micro'],
        ['plan.pairs[0].clientType', 'c5.xlarge'],
      ],
    ])('on a free plan with %j, other types are refused by name', async (freePlanTypes, [path, refused]) => {
      const { planRun } = makeDeps({ findFreePlanTypes: async () => freePlanTypes });

      await expect(planRun({ runId: 'run-1', plan: { ...plan, pairs: [plan.pairs[0]] } })).rejects.toThrow(
        `${path}: must be a type that the account's free plan may launch (${freePlanTypes.join(', ')}), got "${refused}"`,
      );
    });

    test('an account plan that AWS fails to tell refuses nothing, and a warning says so', async () => {
      const { planRun } = makeDeps({
        findFreePlanTypes: async () => {
          throw new Error('503');
        },
      });

      const { forecast } = await planRun({ runId: 'run-1', plan: { ...plan, dryRun: true } });
      expect(forecast).toContain("plan.pairs: not compared with the account's free plan, which could not be read: 503");
    });
  });

  test('an unreadable quota does not reject the plan, and a warning says so', async () => {
    const { planRun } = makeDeps({
      getEc2Quota: async () => {
        throw new Error('NoSuchResourceException');
      },
    });

    const { forecast } = await planRun({ runId: 'run-1', plan: { ...crossZonePlan, dryRun: true } });
    expect(forecast).toContain(
      'plan.concurrency: not compared with quota L-1216C47A, which could not be read: NoSuchResourceException',
    );
  });

  test('the run to compare with must exist', async () => {
    const { planRun } = makeDeps();

    await expect(planRun({ runId: 'run-1', plan: { ...plan, compareTo: 'run-0' } })).resolves.toBeDefined();
    await expect(planRun({ runId: 'run-1', plan: { ...plan, compareTo: 'run-9' } })).rejects.toThrow(
      'plan.compareTo: must be previous, or the name of a run whose plan is in the store, got "run-9"',
    );
  });

  describe('the previous run of the plan', () => {
    const compared = { ...plan, name: 'weekly check', compareTo: 'previous' };
    const storedRun = (store: FakeStore) => store.json<PlannedRun>('reports/run-1/plan.json').previousRun;

    test('is looked up once, by the name of the plan, and stored', async () => {
      const queries: string[] = [];
      const { planRun, store } = makeDeps({
        runQuery: async (sql) => {
          queries.push(sql);
          return sql.includes('FROM runs') ? [{ run_id: 'run-0' }] : [];
        },
      });

      await planRun({ runId: 'run-1', plan: compared });

      expect(storedRun(store)).toEqual({ runId: 'run-0', reason: null });
      const [query, ...others] = queries.filter((sql) => sql.includes('FROM runs'));
      expect(others).toEqual([]);
      expect(query).toContain("plan_name = 'weekly check'");
      expect(query).toContain("created_at < '2026-11-20T23:59:59.500Z'");
    });

    test('that there is not is no error, and a dry run says so', async () => {
      const { planRun, store } = makeDeps();
      const reason = 'no earlier complete run of plan weekly check in 178 days';

      const { forecast } = await planRun({ runId: 'run-1', plan: { ...compared, dryRun: true } });

      expect(storedRun(store)).toEqual({ runId: null, reason });
      expect(forecast).toContain(`compared with no run: ${reason}`);
    });

    test('that could not be looked up is no error either', async () => {
      const { planRun, store } = makeDeps({
        runQuery: async () => {
          throw new Error('no answer within 30 s');
        },
      });

      await planRun({ runId: 'run-1', plan: compared });

      const reason = 'earlier runs of plan weekly check could not be queried: no answer within 30 s';
      expect(storedRun(store)).toEqual({ runId: null, reason });
    });

    test('is not looked up for other plans', async () => {
      const queries: string[] = [];
      const runQuery: PlanRunDependencies['runQuery'] = async (sql) => {
        queries.push(sql);
        return [];
      };
      const { planRun, store } = makeDeps({ runQuery });
      await planRun({ runId: 'run-1', plan });
      expect(storedRun(store)).toBeUndefined();
      expect(queries.some((sql) => sql.includes('FROM runs'))).toBe(false);
    });
  });

  test('what the plan expects is in the forecast of a dry run, and refused where it is not measured', async () => {
    const { planRun, written } = makeDeps();
    const expected = (entry: unknown) => ({ ...plan, dryRun: true, expect: [entry] });

    await expect(planRun({ runId: 'run-1', plan: expected({ 'rttMicros.p99': { max: 500 } }) })).rejects.toThrow(
      /^plan\.expect\[0\]\["rttMicros\.p99"\]: must be a figure that the selected measurements have: throughput/,
    );
    expect(written()).toEqual([]);
    const { forecast } = await planRun({
      runId: 'run-1',
      plan: expected({ type: 'c7g.large', baselineBitsPerSecond: { min: 1.2e9 } }),
    });
    expect(forecast).toContain('The plan expects:');
    expect(forecast).toContain('  baseline of c7g.large: at least 1.20 Gbit/s');
  });

  test("a pair that can't be measured is planned with its reason and not launched", async () => {
    const { planRun, planned } = makeDeps();
    const pairs = [...plan.pairs, { clientType: 'c5.xlarge', serverType: 'c5.xlarge', path: 'peering' }];

    const launched = await planRun({ runId: 'run-1', plan: { ...plan, pairs } });

    expect(launched.pairs.map(({ pairIndex }) => pairIndex)).toEqual([0, 1]);
    expect(planned().pairs[2]!.measurements[0]!.notApplicable).toMatch(/peering/);
  });
});

describe('tags', () => {
  const deploymentTags = { Team: 'net', CostCenter: '1' };

  test('of the deployment and of the plan are stored together, and the plan counts where both have a key', async () => {
    const { planRun, planned } = makeDeps({ deploymentTags });

    await planRun({ runId: 'run-1', plan: { ...plan, tags: { CostCenter: '2' } } });

    expect(planned().tags).toEqual({ Team: 'net', CostCenter: '2' });
  });

  test('that find no room beside the deployment are refused before anything is stored', async () => {
    const { planRun, written } = makeDeps({ deploymentTags });
    const tags = Object.fromEntries(Array.from({ length: 43 }, (_, index) => [`Key${index}`, 'v']));

    await expect(planRun({ runId: 'run-1', plan: { ...plan, tags } })).rejects.toThrow(
      'plan.tags: must be fewer, because 44 tags are allowed, including the 2 of the deployment (this run would have 45;',
    );
    expect(written()).toEqual([]);
  });
});

describe('a deployment that is a scaled model of EC2', () => {
  const deploymentTags = { ScaledModel: 'lab', RateDivisor: '10', TimeDivisor: '20' };

  test('is stored with the plan, whatever the tags of the plan say, and stands below the forecast', async () => {
    const { planRun, planned } = makeDeps({ deploymentTags });
    const { forecast } = await planRun({
      runId: 'run-1',
      plan: { ...plan, dryRun: true, tags: { RateDivisor: '1' } },
    });
    expect(planned().scaledModel).toEqual({
      name: 'lab',
      rateDivisor: 10,
      timeDivisor: 20,
    });
    expect(forecast?.join('\n')).toContain('Measured in "lab", a scaled model of EC2');
  });

  test('is nothing that EC2 is', async () => {
    const { planRun, planned } = makeDeps();
    await planRun({ runId: 'run-1', plan });
    expect(planned()).not.toHaveProperty('scaledModel');
  });
});

describe('a plan of a thousand pairs', () => {
  const many = {
    ...crossZonePlan,
    pairs: Array.from({ length: 1000 }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' })),
    measurements: [{ tool: 'iperf3', durationSeconds: 1800 }],
  };
  /** What a state of Step Functions carries at most. */
  const PAYLOAD_BYTES = 256 * 1024;

  test.each([false, true])('dry run %s: is planned and fits into a state', async (dryRun) => {
    const { planRun } = makeDeps();
    const response = await planRun({ runId: 'r'.repeat(74), plan: { ...many, dryRun } });
    expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThan(PAYLOAD_BYTES);
    expect(response.pairs).toHaveLength(dryRun ? 0 : 1000);
  });

  test('the results of its pairs fit into a state, too', () => {
    const outcomes = Array.from({ length: 1000 }, (_, pairIndex) => ({ pairIndex, status: 'complete' }));
    const input = JSON.stringify({ runId: 'r'.repeat(74), pairs: outcomes, interruptedReason: null });
    expect(Buffer.byteLength(input)).toBeLessThan(PAYLOAD_BYTES);
  });

  test("its run's history stays far below the service's limit, every start retried once", () => {
    // Iteration started and succeeded; the task entered, scheduled, started, submitted, succeeded, exited; a retry's
    // schedule, start and failure; entered and exited of the state that a failure leads to.
    const eventsOfPair = 2 + 6 + 3 + 2;
    expect(1000 * eventsOfPair).toBeLessThan(HISTORY_EVENT_BUDGET);
  });
});
