import { describe, expect, test } from '@jest/globals';
import type { PairHosts, RefusedLaunch } from '../../domain/workflow/contracts';
import { pairHostsKey, planKey, refusedLaunchKey } from '../../domain/workflow/object-keys';
import { makeLaunchPair, type LaunchPairDependencies } from '../../lambdas/launch-pair/launch-pair';
import { awsError } from '../support/fake-ec2';
import { launching, plannedPair } from '../support/launching';
import { plannedRun, RUN_ID, typeFacts } from '../support/planned-run';

describe('a launch', () => {
  test('requests each host with its own call, with subnet and groups in the interface specification', async () => {
    const { launchPair, ec2 } = launching();

    await launchPair();

    expect(ec2.requests).toHaveLength(2);
    expect(ec2.requests[0]).toEqual({
      clientToken: expect.stringMatching(/^[0-9a-f]{64}$/),
      launchTemplateId: 'lt-1',
      instanceType: 'c5.xlarge',
      imageId: 'ami-x86',
      subnetId: 'subnet-a',
      securityGroupIds: ['sg-1'],
      hasPublicAddress: true,
      rootDisk: { deviceName: '/dev/sda1', gibibytes: 10 },
      idleTcpConnectionSeconds: 10_800,
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

  test("sets the expiry of the hosts to the end of their pair's longest lifetime", async () => {
    const run = plannedRun();
    const { launchPair, ec2, store } = launching(run);

    await launchPair();

    const { launchedAt } = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    const expiresAt = Date.parse(ec2.requests[0]!.tags['network-benchmark:expires-at']!);
    expect(expiresAt - Date.parse(launchedAt)).toBe(run.pairs[0]!.lifetimeSeconds * 1000);
  });

  test('launches nothing for an execution that was redriven, and says what to do instead', async () => {
    const { launchPair, ec2, store } = launching();

    await expect(launchPair(1)).rejects.toThrow(
      "p0001: a pair can't be redriven, because its hosts were fresh only once; start a run of the same plan",
    );
    expect(ec2.requests).toEqual([]);
    expect(store.keys()).toEqual([planKey(RUN_ID)]);
  });

  test('stores the hosts, and returns the command that prepares them', async () => {
    const { launchPair, store } = launching();

    const response = await launchPair();

    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    expect(hosts.server).toEqual({
      instanceId: response.serverInstanceId,
      instanceType: 'c5.xlarge',
      zone: 'eu-test-1a',
      zoneId: 'eut1-az3',
      subnetId: 'subnet-a',
      vpcId: 'vpc-hosts',
      imageId: 'ami-x86',
      privateIp: '10.0.0.1',
    });
    expect(hosts.isDisplaced).toBe(false);
    expect(hosts.client.instanceId).toBe(response.clientInstanceId);
    expect(response.prepare.parameters).toEqual({
      RunId: ['run-1'],
      PairId: ['p0001'],
      BucketName: ['results'],
      ExecutionTimeoutSeconds: ['600'],
      MtuBytes: ['9001'],
      EnaExpress: ['off'],
      HealthCheckPort: ['0'],
      Programs: [expect.stringContaining(',nginx,')],
      Packages: [expect.stringContaining(',nginx-light,')],
    });
    expect(response.placementGroupName).toBeUndefined();
    expect(hosts).not.toHaveProperty('securityGroupId');
  });

  test('uses the image of each host’s architecture', async () => {
    const run = plannedRun({ pairs: [{ clientType: 't4g.micro', serverType: 'c5.xlarge' }] }, [
      typeFacts('t4g.micro', { architecture: 'arm64', isBurstableCpu: true }),
      typeFacts('c5.xlarge'),
    ]);
    const { launchPair, ec2 } = launching(run);

    await launchPair();

    expect(ec2.requests.map(({ imageId }) => imageId)).toEqual(['ami-x86', 'ami-arm']);
  });

  test.each([
    ["by EC2's default for the type", {}, ['standard', 'unlimited']],
    [
      'as the plan wants them',
      { clientCpuCredits: 'standard', serverCpuCredits: 'unlimited' },
      ['unlimited', 'standard'],
    ],
  ])('requests CPU credits for a T type, %s', async (_, wanted, requested) => {
    const run = plannedRun({ pairs: [{ clientType: 't4g.micro', serverType: 't2.micro', ...wanted }] }, [
      typeFacts('t4g.micro', { isBurstableCpu: true }),
      typeFacts('t2.micro', { isBurstableCpu: true }),
    ]);
    const { launchPair, ec2 } = launching(run);

    await launchPair();

    // The server first.
    expect(ec2.requests.map(({ cpuCredits }) => cpuCredits)).toEqual(requested);
  });

  test('requests no CPU credits for another type, because EC2 refuses them', async () => {
    const { launchPair, ec2 } = launching();

    await launchPair();

    expect(ec2.requests.map(({ cpuCredits }) => cpuCredits)).toEqual([undefined, undefined]);
  });

  test('sets no idle timeout for a type on Xen, because EC2 refuses it there', async () => {
    const run = plannedRun({ pairs: [{ clientType: 'm4.xlarge', serverType: 'c5.xlarge' }] }, [
      typeFacts('m4.xlarge', { hypervisor: 'xen' }),
      typeFacts('c5.xlarge', { hypervisor: 'nitro' }),
    ]);
    const { launchPair, ec2 } = launching(run);

    await launchPair();

    expect(ec2.requests.map((request) => [request.instanceType, request.idleTcpConnectionSeconds])).toEqual([
      ['c5.xlarge', 10_800],
      ['m4.xlarge', undefined],
    ]);
  });

  test('puts both hosts into a placement group of their own, with the same tags', async () => {
    const run = plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', placement: 'cluster' }] });
    const { launchPair, ec2 } = launching(run);

    const { placementGroupName } = await launchPair();

    expect(placementGroupName).toBe('network-benchmark-run-1-p0001');
    expect(ec2.placementGroups.get(placementGroupName!)).toMatchObject({
      strategy: 'cluster',
      tags: { 'network-benchmark:stack': 'TheStack', 'network-benchmark:pair-id': 'p0001' },
    });
    expect(ec2.requests.map((request) => request.placementGroupName)).toEqual([placementGroupName, placementGroupName]);
  });

  test('that Lambda retries requests the same hosts', async () => {
    const { launchPair, ec2 } = launching();

    const first = await launchPair();
    const second = await launchPair();

    expect(second).toEqual(first);
    expect(ec2.running()).toHaveLength(2);
  });

  test('that broke off between the two hosts keeps the first one when it is repeated', async () => {
    const run = plannedRun();
    const { launchPair, ec2 } = launching(run, {
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

describe('the tags of the user', () => {
  const tags = { CostCenter: '42', Team: 'net' };
  const run = plannedRun({
    pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', placement: 'cluster', path: 'nlb' }],
    tags,
  });

  test('are on the hosts, the placement group and the security group, beside ours', async () => {
    const { launchPair, ec2 } = launching(run);

    await launchPair();

    const made = [...ec2.requests, ...ec2.placementGroups.values(), ...ec2.securityGroups.values()];
    expect(made).toHaveLength(4);
    for (const each of made) {
      expect(each.tags).toMatchObject({ ...tags, 'network-benchmark:stack': 'TheStack' });
    }
  });

  test('are the same in a repeated call, whose client token EC2 would refuse otherwise', async () => {
    const { launchPair, ec2 } = launching(run);

    const first = await launchPair();
    const second = await launchPair();

    expect(second).toEqual(first);
    expect(ec2.requests[2]).toEqual(ec2.requests[0]);
  });

  test('never replace ours', async () => {
    const { launchPair, ec2 } = launching({ ...run, tags: { 'network-benchmark:stack': 'AnotherStack' } });

    await launchPair();

    expect(ec2.requests[0]!.tags['network-benchmark:stack']).toBe('TheStack');
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
    const { launchPair, ec2, store } = launching();
    ec2.refuse = ({ subnetId }) => (subnetId === 'subnet-a' ? awsError(code) : undefined);

    await launchPair();

    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    expect([hosts.client.zone, hosts.server.zone]).toEqual(['eu-test-1b', 'eu-test-1b']);
    expect([hosts.client.zoneId, hosts.server.zoneId, hosts.isDisplaced]).toEqual(['eut1-az2', 'eut1-az2', true]);
    expect(ec2.running()).toHaveLength(2);
  });

  test('leaves a record of the host that was launched and discarded, because EC2 charges for it', async () => {
    const { launchPair, store, ec2 } = launching();
    ec2.refuse = ({ subnetId, tags }) =>
      subnetId === 'subnet-a' && tags['network-benchmark:role'] === 'client'
        ? awsError('InsufficientInstanceCapacity')
        : undefined;

    await launchPair();

    const { discarded } = store.json<RefusedLaunch>(refusedLaunchKey(RUN_ID, 'p0001', 0));
    expect(discarded).toMatchObject({
      instanceType: 'c5.xlarge',
      terminatedAt: expect.stringMatching(/^2026-11-20T10/),
    });
    expect(store.keys('reports/run-1/pairs/p0001-refused-')).toHaveLength(1);
  });

  test('leaves a record without a host where none was launched', async () => {
    const { launchPair, store, ec2 } = launching();
    ec2.refuse = () => awsError('VcpuLimitExceeded');
    await expect(launchPair()).rejects.toThrow('VcpuLimitExceeded');
    expect(store.json(refusedLaunchKey(RUN_ID, 'p0001', 0))).toEqual({ discarded: null });
  });

  test("the second host's failure terminates the first", async () => {
    const { launchPair, ec2 } = launching();
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

  test("the next zone gets a cluster group of its own, because the first zone's is still in use", async () => {
    const { launchPair, ec2, store } = launching(plannedPair({ placement: 'cluster' }));
    ec2.refuse = ({ subnetId, tags }) =>
      subnetId === 'subnet-a' && tags['network-benchmark:role'] === 'client'
        ? awsError('InsufficientInstanceCapacity')
        : undefined;

    const { placementGroupName } = await launchPair();

    expect(placementGroupName).toBe('network-benchmark-run-1-p0001-2');
    expect(store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001')).placementGroupName).toBe(placementGroupName);
    expect([...ec2.placementGroups.keys()]).toEqual(['network-benchmark-run-1-p0001', placementGroupName]);
    expect(ec2.requests.at(-1)!.placementGroupName).toBe(placementGroupName);
  });

  test.each(['spread', 'partition'])(
    'does not end a group of strategy %s, which is in every zone',
    async (placement) => {
      const { launchPair, ec2 } = launching(plannedPair({ placement }));
      ec2.refuse = ({ subnetId }) => (subnetId === 'subnet-a' ? awsError('InsufficientInstanceCapacity') : undefined);

      await launchPair();

      expect([...ec2.placementGroups.keys()]).toEqual(['network-benchmark-run-1-p0001']);
    },
  );

  test('fails with the refusals of all zones, and leaves nothing, when no zone has room', async () => {
    const { launchPair, ec2, store } = launching();
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

describe('an error that every zone would return', () => {
  test.each([
    'VcpuLimitExceeded',
    'InstanceLimitExceeded',
    'InvalidParameterCombination',
    'PendingVerification',
    'OptInRequired',
    'Blocked',
    'UnauthorizedOperation',
    'InvalidAMIID.NotFound',
  ])('%s fails at once, with EC2’s words, and terminates the first host', async (code) => {
    const { launchPair, ec2 } = launching();
    ec2.refuse = ({ tags }) =>
      tags['network-benchmark:role'] === 'client' ? awsError(code, 'that is how it is') : undefined;

    await expect(launchPair()).rejects.toMatchObject({
      name: 'LaunchFailedError',
      message: `p0001 client: eu-test-1a: ${code}: that is how it is`,
    });
    expect(ec2.requests).toHaveLength(2);
    expect(ec2.running()).toEqual([]);
  });
});

describe('throttling', () => {
  test('is repeated with the same token until it ends', async () => {
    const { launchPair, ec2, slept } = launching();
    let left = 3;
    ec2.refuse = () => (left-- > 0 ? awsError('RequestLimitExceeded') : undefined);

    await launchPair();

    expect(slept).toEqual([1_000, 2_000, 4_000]);
    expect(new Set(ec2.requests.slice(0, 4).map((request) => request.clientToken)).size).toBe(1);
    expect(ec2.running()).toHaveLength(2);
  });

  test.each(['InvalidGroup.NotFound', 'InvalidSecurityGroupID.NotFound', 'InvalidPlacementGroup.Unknown'])(
    'is not the only thing that passes: %s of what was made a moment ago does, too',
    async (code) => {
      const { launchPair, ec2, slept } = launching(plannedPair({ placement: 'cluster' }));
      let left = 2;
      ec2.refuse = () => (left-- > 0 ? awsError(code) : undefined);

      await launchPair();

      expect(slept).toEqual([1_000, 2_000]);
      expect(ec2.running()).toHaveLength(2);
    },
  );

  test('of the placement group is repeated, too', async () => {
    const run = plannedPair({ placement: 'cluster' });
    let left = 1;
    const { launchPair, ec2, slept } = launching(run, {
      createPlacementGroup: async () => {
        if (left-- > 0) throw awsError('RequestLimitExceeded');
      },
    });

    await launchPair();

    expect(slept).toEqual([1_000]);
    expect(ec2.running()).toHaveLength(2);
  });

  test('that does not end fails the launch', async () => {
    const { launchPair, ec2 } = launching();
    ec2.refuse = () => awsError('RequestLimitExceeded');

    await expect(launchPair()).rejects.toMatchObject({ name: 'LaunchFailedError' });
    expect(ec2.requests).toHaveLength(6);
  });
});

test('fails for a pair that the plan does not have', async () => {
  const { store, ec2 } = launching();
  const launchPair = makeLaunchPair({
    store: store.adapter,
    runHost: ec2.runHost,
  } as unknown as LaunchPairDependencies);

  await expect(launchPair({ runId: RUN_ID, pairIndex: 7 })).rejects.toThrow('pairIndex: must be 0 to 0, got 7');
});
