import { makeDisconnectPair, type DisconnectPairDependencies } from '../../lambdas/disconnect-pair/disconnect-pair';
import { FakeEc2 } from '../support/fake-ec2';
import { FakeLoadBalancers } from '../support/fake-load-balancers';
import { addBalancedPath, addOwnPath } from '../support/own-path';
import { RUN_ID } from '../support/planned-run';
import { tagsOf } from '../support/reaping';

function setUp() {
  const ec2 = new FakeEc2();
  const elb = new FakeLoadBalancers();
  const deps: DisconnectPairDependencies = {
    stackName: 'TheStack',
    ...ec2,
    ...elb,
    log: () => undefined,
  };
  const disconnectPair = (overrides: Partial<DisconnectPairDependencies> = {}) =>
    makeDisconnectPair({ ...deps, ...overrides })({ runId: RUN_ID, pairIndex: 0 });
  return { disconnectPair, ec2, elb };
}

describe('disconnecting a pair', () => {
  test('removes load balancer, target groups and groups that name each other', async () => {
    const all = setUp();
    await addBalancedPath(all.ec2, all.elb, 'p0001', tagsOf(RUN_ID, 'p0001'));

    expect(await all.disconnectPair()).toEqual({ remaining: [] });
    expect([all.elb.loadBalancers.size, all.elb.targetGroups.size, all.ec2.securityGroups.size]).toEqual([0, 0, 0]);
  });

  test('removes the groups of a pair in both of its networks, although they name each other', async () => {
    const all = setUp();
    await addOwnPath(all.ec2, 'p0001', tagsOf(RUN_ID, 'p0001'));
    await addOwnPath(all.ec2, 'p0002', tagsOf(RUN_ID, 'p0002'));

    expect(await all.disconnectPair()).toEqual({ remaining: [] });
    expect([...all.ec2.securityGroups.values()].map(({ name, vpcId }) => [name, vpcId])).toEqual([
      ['p0002', 'vpc-2'],
      ['p0002', 'vpc-3'],
    ]);
  });

  test('that is killed after any of its calls ends when it is repeated', async () => {
    for (let calls = 1; calls <= 4; calls += 1) {
      const all = setUp();
      await addOwnPath(all.ec2, 'p0001', tagsOf(RUN_ID, 'p0001'));
      let left = calls;
      const dying =
        <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
        async (...args: Args): Promise<Result> => {
          if (left === 0) return new Promise(() => undefined);
          left -= 1;
          return work(...args);
        };
      const { revokeIngress, deleteSecurityGroup } = all.ec2;
      void all.disconnectPair({ revokeIngress: dying(revokeIngress), deleteSecurityGroup: dying(deleteSecurityGroup) });
      await new Promise(setImmediate);
      expect(left).toBe(0);

      expect(await all.disconnectPair()).toEqual({ remaining: [] });
      expect(all.ec2.securityGroups.size).toBe(0);
    }
  });

  test('reports what is still in use, and removes it once it is free', async () => {
    const all = setUp();
    await addBalancedPath(all.ec2, all.elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    all.elb.isFree = () => false;
    all.ec2.isGroupAttached = (groupId) => groupId.endsWith('-lb');

    expect(await all.disconnectPair()).toEqual({ remaining: ['target group tg-p0001', 'security group p0001-lb'] });
    all.elb.isFree = () => true;
    all.ec2.isGroupAttached = () => false;
    expect(await all.disconnectPair()).toEqual({ remaining: [] });
    expect(await all.disconnectPair()).toEqual({ remaining: [] });
  });

  test('touches nothing of another pair or another stack', async () => {
    const all = setUp();
    await addBalancedPath(all.ec2, all.elb, 'p0002', tagsOf(RUN_ID, 'p0002'));
    await all.ec2.createSecurityGroup({
      name: 'another',
      description: '',
      vpcId: 'vpc-1',
      tags: tagsOf(RUN_ID, 'p0001', 'AnotherStack'),
    });

    expect(await all.disconnectPair()).toEqual({ remaining: [] });
    expect([all.elb.loadBalancers.size, all.elb.targetGroups.size, all.ec2.securityGroups.size]).toEqual([1, 1, 3]);
    expect(all.ec2.securityGroups.get('sg-of-p0002')!.sources).toHaveLength(1);
  });

  test('ends at once for a pair that created nothing', async () => {
    expect(await setUp().disconnectPair()).toEqual({ remaining: [] });
  });
});
