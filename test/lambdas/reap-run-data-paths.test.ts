/** What led from client to server is reaped too, and waited for at the later looks. */
import type { ExecutionStatusEvent } from '../../lambdas/reap-run/reap-run';
import { awsError } from '../support/fake-ec2';
import { addBalancedPath, addOwnPath } from '../support/own-path';
import { RUN_ID } from '../support/planned-run';
import { PAIR_MACHINE, reaping, RUN_MACHINE, stoppedRun, tagsOf } from '../support/reaping';

describe('a stopped run’s data paths', () => {
  test('are removed whole, also when rules refer to security groups', async () => {
    const { reap, ec2, elb, eventOf } = await stoppedRun();
    await addBalancedPath(ec2, elb, 'p0001', tagsOf(RUN_ID, 'p0001'));

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect([elb.loadBalancers.size, elb.targetGroups.size, ec2.securityGroups.size]).toEqual([0, 0, 0]);
  });

  test('are removed in both networks of a pair, although their groups name each other', async () => {
    const { reap, ec2, eventOf } = await stoppedRun();
    for (const pairId of ['p0001', 'p0002']) await addOwnPath(ec2, pairId, tagsOf(RUN_ID, pairId));
    await addOwnPath(ec2, 'other', tagsOf('another-run', 'p0001'));

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect([...ec2.securityGroups.values()].map(({ name }) => name)).toEqual(['other', 'other']);
  });

  test('a later look waits until AWS has released everything', async () => {
    const { reap, ec2, elb, clock, eventOf } = await stoppedRun();
    await addBalancedPath(ec2, elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    ec2.isGroupAttached = () => clock.count < 3;

    await reap({ laterLookAt: eventOf(RUN_MACHINE, RUN_ID) });

    expect(clock.count).toBe(3);
    expect(ec2.securityGroups.size).toBe(0);
  });

  test.each([
    // The looks at its run wait.
    ['ABORTED', 0],
    // Nobody looks at its run.
    ['RUNNING', 3],
  ] as const)('a later look at a pair whose run is %s sleeps %d times', async (status, pauses) => {
    const { reap, ec2, elb, clock, executions, eventOf } = reaping();
    executions.add(RUN_MACHINE, RUN_ID, status);
    executions.add(PAIR_MACHINE, `${RUN_ID}-p0001`, 'FAILED');
    await addBalancedPath(ec2, elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    ec2.isGroupAttached = () => clock.count < 3;

    await reap({ laterLookAt: eventOf(PAIR_MACHINE, `${RUN_ID}-p0001`) });

    expect([clock.count, elb.loadBalancers.size, ec2.securityGroups.size > 0]).toEqual([pauses, 0, pauses === 0]);
  });

  test('the first look waits for nothing', async () => {
    const { reap, ec2, elb, clock, eventOf } = await stoppedRun();
    await addBalancedPath(ec2, elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    ec2.isGroupAttached = () => true;

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(clock.count).toBe(0);
  });

  test('a later look fails if something remains', async () => {
    const { reap, ec2, elb, eventOf, invocations } = await stoppedRun();
    await addBalancedPath(ec2, elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    ec2.isGroupAttached = (groupId) => groupId === 'sg-of-p0001';

    await expect(reap({ laterLookAt: eventOf(RUN_MACHINE, RUN_ID) })).rejects.toThrow(
      'run run-1: must leave nothing, still there: security group p0001',
    );
    // What was measured is safe by then.
    expect(invocations.map(({ functionName }) => functionName)).toContain('summarise');
  });
});

describe('a stopped run whose hosts take longer to be gone than a later look waits, as bare metal does', () => {
  const later = (event: ExecutionStatusEvent) => ({ laterLookAt: event });

  /** EC2 accepts the termination of all hosts, and they stay in their groups. */
  async function leavingRun() {
    const made = await stoppedRun({
      terminateHosts: async (ids) => {
        await made.ec2.terminateHosts(ids);
        for (const id of ids) made.ec2.addHost(id, tagsOf(RUN_ID, 'p0001'), 'shutting-down');
      },
    });
    await addBalancedPath(made.ec2, made.elb, 'p0001', tagsOf(RUN_ID, 'p0001'));
    made.ec2.isGroupEmpty = () => false;
    made.ec2.isGroupAttached = () => true;
    return made;
  }

  test('leaves their groups to the sweeper, without an alarm', async () => {
    const { reap, ec2, elb, clock, eventOf, invocations } = await leavingRun();

    await reap(later(eventOf(RUN_MACHINE, RUN_ID)));

    expect(clock.count).toBe(14);
    expect([elb.loadBalancers.size, ec2.placementGroups.size, ec2.securityGroups.size]).toEqual([0, 2, 2]);
    expect(invocations.map(({ functionName }) => functionName)).toContain('summarise');
  });

  test('fails when AWS refuses something besides', async () => {
    const made = await leavingRun();
    made.ec2.isGroupEmpty = () => {
      throw awsError('UnauthorizedOperation');
    };

    await expect(made.reap(later(made.eventOf(RUN_MACHINE, RUN_ID)))).rejects.toThrow(
      'placement group group-p0001: UnauthorizedOperation',
    );
  });

  test('fails when one of its hosts is not shutting down', async () => {
    const made = await leavingRun();
    made.clock.sleep = () => {
      made.ec2.addHost(`i-late-${made.clock.count}`, tagsOf(RUN_ID, 'p0002'));
    };

    await expect(made.reap(later(made.eventOf(RUN_MACHINE, RUN_ID)))).rejects.toThrow('host i-late-14');
  });
});
