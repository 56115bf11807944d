/** What a pair's path and its ENA Express ask of the launch. */
import { describe, expect, test } from '@jest/globals';
import type { PairHosts } from '../../domain/workflow/contracts';
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
