import { describe, expect, test } from '@jest/globals';
import type { PlannedRun } from '../../domain/plan/planned-run';
import type { PairHosts } from '../../domain/workflow/contracts';
import { pairHostsKey, planKey } from '../../domain/workflow/object-keys';
import { makeLaunchPair, type LaunchPairDependencies } from '../../lambdas/launch-pair/launch-pair';
import { awsError, FakeEc2 } from '../support/fake-ec2';
import { FakeStore } from '../support/fake-store';
import { plannedRun, RUN_ID, typeFacts } from '../support/planned-run';

function plannedPair(conditions: Record<string, unknown>): PlannedRun {
  return plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', ...conditions }] });
}

function setUp(run: PlannedRun = plannedRun(), overrides: Partial<LaunchPairDependencies> = {}) {
  const store = new FakeStore();
  const ec2 = new FakeEc2();
  const slept: number[] = [];
  let now = Date.parse('2026-11-20T10:00:00.000Z');
  store.putJson(planKey(RUN_ID), run);
  const launchPair = makeLaunchPair({
    bucketName: 'results',
    stackName: 'TheStack',
    vpcId: 'vpc-1',
    securityGroupId: 'sg-1',
    peeredSecurityGroupId: 'sg-peered',
    launchTemplateId: 'lt-1',
    runHost: ec2.runHost,
    terminateHosts: ec2.terminateHosts,
    createSecurityGroup: ec2.createSecurityGroup,
    createPlacementGroup: ec2.createPlacementGroup,
    getObject: store.getObject,
    putObject: store.putObject,
    putObjectOnce: store.putObjectOnce,
    // Time goes on between any two looks at the clock.
    now: () => new Date((now += 1_000)),
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    log: () => undefined,
    ...overrides,
  });
  return { launchPair: () => launchPair({ runId: RUN_ID, pairIndex: 0 }), store, ec2, slept };
}

describe('a launch', () => {
  test('asks for each host by itself, with everything that EC2 wants under the interface', async () => {
    const { launchPair, ec2 } = setUp();

    await launchPair();

    expect(ec2.requests).toHaveLength(2);
    expect(ec2.requests[0]).toEqual({
      clientToken: expect.stringMatching(/^[0-9a-f]{64}$/),
      launchTemplateId: 'lt-1',
      instanceType: 'c5.xlarge',
      imageId: 'ami-x86',
      subnetId: 'subnet-a',
      securityGroupIds: ['sg-1'],
      idleTcpConnectionSeconds: 10_800,
      isBurstableCpu: false,
      tags: {
        'network-benchmark:stack': 'TheStack',
        'network-benchmark:run-id': 'run-1',
        'network-benchmark:pair-id': 'p0001',
        'network-benchmark:role': 'server',
        'network-benchmark:expires-at': expect.stringMatching(/^2026-11-20T1[0-9]:.*Z$/),
      },
    });
    expect(ec2.requests[1]!.tags['network-benchmark:role']).toBe('client');
    expect(ec2.requests[1]!.clientToken).not.toBe(ec2.requests[0]!.clientToken);
  });

  test('hosts expire when their pair has had all the time it can take', async () => {
    const run = plannedRun();
    const { launchPair, ec2, store } = setUp(run);

    await launchPair();

    const { launchedAt } = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    const expiresAt = Date.parse(ec2.requests[0]!.tags['network-benchmark:expires-at']!);
    expect(expiresAt - Date.parse(launchedAt)).toBe(run.pairs[0]!.lifetimeSeconds * 1000);
  });

  test('records the hosts, and answers with the command that prepares them', async () => {
    const { launchPair, store } = setUp();

    const response = await launchPair();

    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    expect(hosts.server).toEqual({
      instanceId: response.serverInstanceId,
      instanceType: 'c5.xlarge',
      zone: 'eu-test-1a',
      subnetId: 'subnet-a',
      imageId: 'ami-x86',
      privateIp: '10.0.0.1',
    });
    expect(hosts.client.instanceId).toBe(response.clientInstanceId);
    expect(response.prepare.parameters).toEqual({
      RunId: ['run-1'],
      PairId: ['p0001'],
      BucketName: ['results'],
      ExecutionTimeoutSeconds: ['600'],
      MtuBytes: ['9001'],
      HealthCheckPort: ['0'],
      Programs: [expect.stringContaining('iperf3')],
    });
    expect(response).not.toHaveProperty('placementGroupName');
    expect(hosts).not.toHaveProperty('securityGroupId');
  });

  test('takes the image of each host’s architecture and standard credits for a T type', async () => {
    const run = plannedRun({ pairs: [{ clientType: 't4g.micro', serverType: 'c5.xlarge' }] }, [
      typeFacts('t4g.micro', { architecture: 'arm64', isBurstableCpu: true }),
      typeFacts('c5.xlarge'),
    ]);
    const { launchPair, ec2 } = setUp(run);

    await launchPair();

    expect(ec2.requests.map(({ imageId, isBurstableCpu }) => [imageId, isBurstableCpu])).toEqual([
      ['ami-x86', false],
      ['ami-arm', true],
    ]);
  });

  test('puts both hosts into a placement group of their own, tagged like them', async () => {
    const run = plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', placement: 'cluster' }] });
    const { launchPair, ec2 } = setUp(run);

    const { placementGroupName } = await launchPair();

    expect(placementGroupName).toBe('network-benchmark-run-1-p0001');
    expect(ec2.placementGroups.get(placementGroupName!)).toMatchObject({
      strategy: 'cluster',
      tags: { 'network-benchmark:stack': 'TheStack', 'network-benchmark:pair-id': 'p0001' },
    });
    expect(ec2.requests.map((request) => request.placementGroupName)).toEqual([placementGroupName, placementGroupName]);
  });

  test.each(['public', 'nlb'] as const)('for the path %s gives both hosts a group of their own', async (path) => {
    const { launchPair, ec2, store } = setUp(plannedPair({ path }));

    const { prepare } = await launchPair();

    const [groupId, group] = [...ec2.securityGroups][0]!;
    expect(group).toMatchObject({
      name: 'network-benchmark-run-1-p0001',
      vpcId: 'vpc-1',
      tags: {
        'network-benchmark:stack': 'TheStack',
        'network-benchmark:pair-id': 'p0001',
        'network-benchmark:expires-at': ec2.requests[0]!.tags['network-benchmark:expires-at'],
      },
    });
    expect(ec2.requests.map(({ securityGroupIds }) => securityGroupIds)).toEqual([
      ['sg-1', groupId],
      ['sg-1', groupId],
    ]);
    expect(store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001')).securityGroupId).toBe(groupId);
    expect(prepare.parameters.HealthCheckPort).toEqual([path === 'nlb' ? '5200' : '0']);
  });

  test('for the path peering puts the server into the second network’s group', async () => {
    const { launchPair, ec2 } = setUp(plannedPair({ path: 'peering' }));

    await launchPair();

    expect(
      ec2.requests.map(({ tags, securityGroupIds }) => [tags['network-benchmark:role'], securityGroupIds]),
    ).toEqual([
      ['server', ['sg-peered']],
      ['client', ['sg-1']],
    ]);
    expect(ec2.securityGroups.size).toBe(0);
  });

  test('for the path peering fails in a stack that has no second network', async () => {
    const { launchPair, ec2 } = setUp(plannedPair({ path: 'peering' }), { peeredSecurityGroupId: undefined });

    await expect(launchPair()).rejects.toMatchObject({ name: 'LaunchFailedError' });
    expect(ec2.running()).toEqual([]);
  });

  test.each([
    ['off', false, [undefined, undefined]],
    ['one_side', false, [undefined, { udp: false }]],
    ['both', false, [{ udp: false }, { udp: false }]],
    ['both', true, [{ udp: true }, { udp: true }]],
  ] as const)(
    'switches ENA Express %s (for UDP: %s), server before client',
    async (enaExpress, enaExpressUdp, asked) => {
      const { launchPair, ec2 } = setUp(plannedPair({ enaExpress, enaExpressUdp }));

      await launchPair();

      expect(ec2.requests.map((request) => request.enaExpress)).toEqual(asked);
    },
  );

  test('that is retried by Lambda asks for the very same hosts', async () => {
    const { launchPair, ec2 } = setUp();

    const first = await launchPair();
    const second = await launchPair();

    expect(second).toEqual(first);
    expect(ec2.running()).toHaveLength(2);
  });

  test('waits until its new security group is known everywhere', async () => {
    const { launchPair, ec2, slept } = setUp(plannedPair({ path: 'public' }));
    let left = 2;
    ec2.refuse = () => (left-- > 0 ? awsError('InvalidGroup.NotFound') : undefined);

    await launchPair();

    expect(slept).toEqual([1_000, 2_000]);
    expect(ec2.running()).toHaveLength(2);
  });

  test('that broke off between the hosts goes on with the first of them', async () => {
    const run = plannedRun();
    const { launchPair, ec2 } = setUp(run, {
      terminateHosts: async () => {
        throw new Error('the function was killed');
      },
    });
    ec2.refuse = ({ tags }) => (tags['network-benchmark:role'] === 'client' ? awsError('InternalError') : undefined);
    await expect(launchPair()).rejects.toThrow('the function was killed');
    ec2.refuse = () => undefined;

    await launchPair();

    expect(ec2.running()).toHaveLength(2);
  });
});

describe('a zone without room', () => {
  test.each([
    'InsufficientInstanceCapacity',
    'InsufficientHostCapacity',
    'InsufficientFreeAddressesInSubnet',
    'Unsupported',
    'TerminatedHost',
  ])('%s: the pair goes to the next zone, whole', async (code) => {
    const { launchPair, ec2, store } = setUp();
    ec2.refuse = ({ subnetId }) => (subnetId === 'subnet-a' ? awsError(code) : undefined);

    await launchPair();

    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    expect([hosts.client.zone, hosts.server.zone]).toEqual(['eu-test-1b', 'eu-test-1b']);
    expect(ec2.running()).toHaveLength(2);
  });

  test("the second host's failure terminates the first", async () => {
    const { launchPair, ec2 } = setUp();
    ec2.refuse = ({ subnetId, tags }) =>
      subnetId === 'subnet-a' && tags['network-benchmark:role'] === 'client'
        ? awsError('InsufficientInstanceCapacity')
        : undefined;

    await launchPair();

    expect(ec2.hosts.map(({ state, request }) => [state, request.subnetId])).toEqual([
      ['terminated', 'subnet-a'],
      ['running', 'subnet-b'],
      ['running', 'subnet-b'],
    ]);
  });

  test('fails with every zone’s refusal, and nothing left, when no zone has room', async () => {
    const { launchPair, ec2, store } = setUp();
    ec2.refuse = ({ tags }) =>
      tags['network-benchmark:role'] === 'client' ? awsError('InsufficientInstanceCapacity', 'no room') : undefined;

    await expect(launchPair()).rejects.toMatchObject({
      name: 'LaunchFailedError',
      message:
        'p0001: no room for c5.xlarge and c5.xlarge in any zone (client in eu-test-1a: InsufficientInstanceCapacity: no room; client in eu-test-1b: InsufficientInstanceCapacity: no room; client in eu-test-1c: InsufficientInstanceCapacity: no room)',
    });
    expect(ec2.running()).toEqual([]);
    expect(store.keys()).not.toContain(pairHostsKey(RUN_ID, 'p0001'));
  });
});

describe('an error that no other zone would cure', () => {
  test.each(['VcpuLimitExceeded', 'InstanceLimitExceeded', 'UnauthorizedOperation', 'InvalidAMIID.NotFound'])(
    '%s fails at once, with EC2’s words, and terminates the first host',
    async (code) => {
      const { launchPair, ec2 } = setUp();
      ec2.refuse = ({ tags }) =>
        tags['network-benchmark:role'] === 'client' ? awsError(code, 'that is how it is') : undefined;

      await expect(launchPair()).rejects.toMatchObject({
        name: 'LaunchFailedError',
        message: `p0001 client: eu-test-1a: ${code}: that is how it is`,
      });
      expect(ec2.requests).toHaveLength(2);
      expect(ec2.running()).toEqual([]);
    },
  );
});

describe('throttling', () => {
  test('is waited out with the same token', async () => {
    const { launchPair, ec2, slept } = setUp();
    let left = 3;
    ec2.refuse = () => (left-- > 0 ? awsError('RequestLimitExceeded') : undefined);

    await launchPair();

    expect(slept).toEqual([1_000, 2_000, 4_000]);
    expect(new Set(ec2.requests.slice(0, 4).map((request) => request.clientToken)).size).toBe(1);
    expect(ec2.running()).toHaveLength(2);
  });

  test('that does not end is a failed launch', async () => {
    const { launchPair, ec2 } = setUp();
    ec2.refuse = () => awsError('RequestLimitExceeded');

    await expect(launchPair()).rejects.toMatchObject({ name: 'LaunchFailedError' });
    expect(ec2.requests).toHaveLength(6);
  });
});

test('fails for a pair that the plan does not have', async () => {
  const { store, ec2 } = setUp();
  const launchPair = makeLaunchPair({
    getObject: store.getObject,
    runHost: ec2.runHost,
  } as unknown as LaunchPairDependencies);

  await expect(launchPair({ runId: RUN_ID, pairIndex: 7 })).rejects.toThrow('pairIndex: must be 0 to 0, got 7');
});
