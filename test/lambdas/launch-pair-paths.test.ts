/** What a pair's path and its ENA Express ask of the launch. */
import type { PairHosts } from '../../domain/workflow/contracts';
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import { pairHostsKey } from '../../domain/workflow/object-keys';
import { awsError } from '../support/fake-ec2';
import { launching, plannedPair } from '../support/launching';
import { RUN_ID } from '../support/planned-run';

describe('a launch', () => {
  test.each(['public', 'nlb'] as const)('for the path %s gives both hosts a group of their own', async (path) => {
    const { launchPair, ec2, store } = launching(plannedPair({ path }));

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

  test('for a path of the stack has public addresses and the disk of Ubuntu’s images, and needs no probe', async () => {
    const { launchPair, ec2 } = launching();

    expect((await launchPair()).probe).toBeNull();
    for (const { hasPublicAddress, rootDisk } of ec2.requests) {
      expect([hasPublicAddress, rootDisk]).toEqual([true, { deviceName: '/dev/sda1', gibibytes: 10 }]);
    }
  });

  test('for the path peering puts the server into the second network’s group', async () => {
    const { launchPair, ec2 } = launching(plannedPair({ path: 'peering' }));

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
    const { launchPair, ec2 } = launching(plannedPair({ path: 'peering' }), { peeredSecurityGroupId: undefined });

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
      const { launchPair, ec2 } = launching(plannedPair({ enaExpress, enaExpressUdp }));

      await launchPair();

      expect(ec2.requests.map((request) => request.enaExpress)).toEqual(asked);
    },
  );

  test('waits until its new security group is known everywhere', async () => {
    const { launchPair, ec2, slept } = launching(plannedPair({ path: 'public' }));
    let left = 2;
    ec2.refuse = () => (left-- > 0 ? awsError('InvalidGroup.NotFound') : undefined);

    await launchPair();

    expect(slept).toEqual([1_000, 2_000]);
    expect(ec2.running()).toHaveLength(2);
  });
});

describe('a launch over the account’s own way', () => {
  const subnet = (subnetId: string, vpcId: string) => ({ subnetId, zone: 'eu-test-1a', zoneId: 'eut1-az1', vpcId });
  const NAME = 'network-benchmark-run-1-p0001';

  /** A pair between two subnets that its plan names. */
  function ownPair(client: string, server: string, ends?: PlannedPair['ends']): PlannedRun {
    const run = plannedPair({});
    const candidateSubnets = [{ client: subnet('subnet-a', client), server: subnet('subnet-b', server) }];
    return { ...run, pairs: run.pairs.map((pair) => ({ ...pair, path: 'own', candidateSubnets, ends })) };
  }

  test('puts each host into a group of its network alone, which admits the other host alone', async () => {
    const { launchPair, ec2, store } = launching(ownPair('vpc-2', 'vpc-3'));

    const { probe } = await launchPair();

    const hosts = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    const { client, server, securityGroupIds } = hosts;
    expect(hosts.securityGroupId).toBeUndefined();
    expect([...ec2.securityGroups]).toMatchObject([
      [
        securityGroupIds!.client,
        { name: NAME, vpcId: 'vpc-2', tags: ec2.securityGroups.get(securityGroupIds!.server)!.tags },
      ],
      [securityGroupIds!.server, { name: NAME, vpcId: 'vpc-3' }],
    ]);
    expect(ec2.securityGroups.get(securityGroupIds!.client)!.sources).toEqual([{ cidr: `${server.privateIp}/32` }]);
    expect(ec2.securityGroups.get(securityGroupIds!.server)!.sources).toEqual([{ cidr: `${client.privateIp}/32` }]);
    expect(ec2.requests.map(({ tags, securityGroupIds: groups }) => [tags['network-benchmark:role'], groups])).toEqual([
      ['server', [securityGroupIds!.server]],
      ['client', [securityGroupIds!.client]],
    ]);
    expect(probe).toMatchObject({
      document: 'probe-path',
      parameters: { ServerAddress: [server.privateIp], Port: ['5201'] },
    });
  });

  test('makes one group for two hosts in one network', async () => {
    const { launchPair, ec2, store } = launching(ownPair('vpc-2', 'vpc-2'));

    await launchPair();

    const { client, server, securityGroupIds } = store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001'));
    expect(securityGroupIds!.client).toBe(securityGroupIds!.server);
    expect([...ec2.securityGroups.values()].map(({ sources }) => sources)).toEqual([
      [{ cidr: `${client.privateIp}/32` }, { cidr: `${server.privateIp}/32` }],
    ]);
  });

  test('that is killed after any of its calls makes the same when it is repeated', async () => {
    const run = ownPair('vpc-2', 'vpc-3');
    const whole = launching(run);
    await whole.launchPair();
    let killed = 0;
    for (;;) {
      const there = launching(run);
      if (!(await isKilled(run, there, killed + 1))) break;
      killed += 1;

      await launching(run, {}, there).launchPair();

      expect([...there.ec2.securityGroups]).toEqual([...whole.ec2.securityGroups]);
      expect(there.ec2.running()).toHaveLength(2);
    }
    // The intent, two groups, two hosts, their document, and two rules.
    expect(killed).toBe(8);
  });

  /** Launches, and kills the process after a number of calls. @returns false if it needed no more calls than that */
  async function isKilled(run: PlannedRun, there: ReturnType<typeof launching>, afterCalls: number): Promise<boolean> {
    let die: (isKilled: boolean) => void = () => undefined;
    const death = new Promise<boolean>((resolve) => (die = resolve));
    let calls = 0;
    const mortal =
      <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        const result = await work(...args);
        calls += 1;
        if (calls < afterCalls) return result;
        die(true);
        return new Promise(() => undefined);
      };
    const { ec2 } = there;
    const { adapter } = there.store;
    const { launchPair } = launching(
      run,
      {
        createSecurityGroup: mortal(ec2.createSecurityGroup),
        runHost: mortal(ec2.runHost),
        admitTraffic: mortal(ec2.admitTraffic),
        store: {
          ...adapter,
          writeLaunchIntentOnce: mortal(adapter.writeLaunchIntentOnce),
          writeHosts: mortal(adapter.writeHosts),
        },
      },
      there,
    );
    return Promise.race([death, launchPair().then(() => false)]);
  }

  test('takes image, disk and public address of each host from its end', async () => {
    const image = { imageId: 'ami-own', rootDeviceName: '/dev/xvda', rootVolumeGibibytes: 30, name: 'own' };
    const small = { ...image, rootVolumeGibibytes: 8 };
    const { launchPair, ec2, store } = launching(
      ownPair('vpc-2', 'vpc-3', {
        client: { publicAddress: false, image },
        server: { publicAddress: true, image: small },
      }),
    );

    await launchPair();

    expect(
      ec2.requests.map(({ imageId, hasPublicAddress, rootDisk }) => ({ imageId, hasPublicAddress, rootDisk })),
    ).toEqual([
      { imageId: 'ami-own', hasPublicAddress: true, rootDisk: { deviceName: '/dev/xvda', gibibytes: 10 } },
      { imageId: 'ami-own', hasPublicAddress: false, rootDisk: { deviceName: '/dev/xvda', gibibytes: 30 } },
    ]);
    expect(store.json<PairHosts>(pairHostsKey(RUN_ID, 'p0001')).client.imageId).toBe('ami-own');
  });
});
