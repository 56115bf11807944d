import { describe, expect, test } from '@jest/globals';
import type { MeasurementResult } from '../../domain/measurement/measurement';
import { measurementResultKey, pairHostsKey, planKey, summaryKey } from '../../domain/workflow/object-keys';
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import { makeReapRun } from '../../lambdas/reap-run/reap-run';
import { FakeEc2 } from '../support/fake-ec2';
import { FakeExecutions } from '../support/fake-executions';
import { FakeLoadBalancers } from '../support/fake-load-balancers';
import { FakeStore } from '../support/fake-store';
import { plannedRun, RUN_ID } from '../support/planned-run';

const PAIR_MACHINE = 'arn:pair';
const RUN_MACHINE = 'arn:run';

const tagsOf = (runId: string, pairId: string, stack = 'TheStack'): Tags => ({
  'network-benchmark:stack': stack,
  'network-benchmark:run-id': runId,
  'network-benchmark:pair-id': pairId,
});

interface Invocation {
  readonly functionName: string;
  readonly payload: Record<string, unknown>;
}

/** A run of two pairs with a latency and a throughput measurement each. */
function setUp() {
  const ec2 = new FakeEc2();
  const elb = new FakeLoadBalancers();
  /** What AWS does while the reaper waits. */
  const clock = { sleep: (): void => undefined, count: 0 };
  const executions = new FakeExecutions();
  const store = new FakeStore();
  const invocations: Invocation[] = [];
  const cancelled: string[] = [];
  const commands = new Map<string, string[]>();
  store.putJson(
    planKey(RUN_ID),
    plannedRun({ pairs: Array.from({ length: 2 }, () => ({ clientType: 'c5.xlarge', serverType: 'c5.xlarge' })) }),
  );
  const reap = makeReapRun({
    stackName: 'TheStack',
    pairStateMachineArn: PAIR_MACHINE,
    runStateMachineArn: RUN_MACHINE,
    analyseFunctionName: 'analyse',
    summariseFunctionName: 'summarise',
    findHosts: ec2.findHosts,
    terminateHosts: ec2.terminateHosts,
    findPlacementGroups: ec2.findPlacementGroups,
    deletePlacementGroup: ec2.deletePlacementGroup,
    findLoadBalancers: elb.findLoadBalancers,
    deleteLoadBalancer: elb.deleteLoadBalancer,
    findTargetGroups: elb.findTargetGroups,
    deleteTargetGroup: elb.deleteTargetGroup,
    findSecurityGroups: ec2.findSecurityGroups,
    revokeIngress: ec2.revokeIngress,
    deleteSecurityGroup: ec2.deleteSecurityGroup,
    listUnfinishedCommands: async (instanceId) => commands.get(instanceId) ?? [],
    cancelCommand: async (commandId, instanceId) => {
      cancelled.push(`${commandId} ${instanceId}`);
      commands.delete(instanceId);
    },
    listRunningExecutions: executions.listRunningExecutions,
    stopExecution: executions.stopExecution,
    describeExecution: executions.describeExecution,
    invokeFunction: async <T>(functionName: string, payload: unknown): Promise<T> => {
      const request = payload as Record<string, unknown>;
      invocations.push({ functionName, payload: request });
      if (functionName === 'summarise') {
        store.putJson(summaryKey(RUN_ID), { interruptedReason: request.interruptedReason });
        return { runId: RUN_ID, outcome: 'incomplete' } as T;
      }
      const measurementId = `p000${Number(request.pairIndex) + 1}-m0${Number(request.measurementIndex) + 1}`;
      const response = { measurementId, status: 'truncated', reason: request.failureReason, verdictKind: null };
      store.putJson(measurementResultKey(RUN_ID, measurementId), response);
      return response as T;
    },
    getObject: store.getObject,
    listObjects: store.listObjects,
    sleep: async () => {
      clock.count += 1;
      clock.sleep();
    },
    log: () => undefined,
  });
  const eventOf = (stateMachineArn: string, name: string) => ({ detail: { stateMachineArn, name } });
  const putResult = (measurementId: string, result: Partial<MeasurementResult>) =>
    store.putJson(measurementResultKey(RUN_ID, measurementId), result);
  const launchPair = async (pairId: string) => {
    store.putJson(pairHostsKey(RUN_ID, pairId), {});
    ec2.addHost(`i-client-${pairId}`, tagsOf(RUN_ID, pairId));
    ec2.addHost(`i-server-${pairId}`, tagsOf(RUN_ID, pairId));
    await ec2.createPlacementGroup(`group-${pairId}`, 'cluster', tagsOf(RUN_ID, pairId));
  };
  return { reap, ec2, elb, clock, executions, store, invocations, cancelled, commands, eventOf, putResult, launchPair };
}

describe('a run that was stopped', () => {
  async function stoppedRun() {
    const all = setUp();
    all.executions.add(RUN_MACHINE, RUN_ID, 'ABORTED', { cause: 'changed my mind' });
    all.executions.add(PAIR_MACHINE, 'run-1-p0001', 'RUNNING');
    all.executions.add(PAIR_MACHINE, 'run-1-p0002', 'RUNNING');
    all.executions.add(PAIR_MACHINE, 'run-11-p0001', 'RUNNING');
    await all.launchPair('p0001');
    await all.launchPair('p0002');
    all.ec2.addHost('i-other-run', tagsOf('run-11', 'p0001'));
    all.ec2.addHost('i-other-stack', tagsOf(RUN_ID, 'p0001', 'AnotherStack'));
    return all;
  }

  test('leaves no child execution, no command, no host and no placement group, and touches nobody else’s', async () => {
    const { reap, ec2, executions, cancelled, commands, eventOf } = await stoppedRun();
    commands.set('i-client-p0001', ['command-1']);

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(executions.stopped.sort()).toEqual(['run-1-p0001', 'run-1-p0002']);
    expect(cancelled).toEqual(['command-1 i-client-p0001']);
    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
    expect([...ec2.placementGroups.keys()]).toEqual([]);
  });

  test('has what it measured analysed, truncated, and is summarised with the reason', async () => {
    const { reap, invocations, eventOf, putResult } = await stoppedRun();
    putResult('p0001-m01', { status: 'complete' });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(
      invocations.map(({ functionName, payload }) => [functionName, payload.pairIndex, payload.measurementIndex]),
    ).toEqual(
      expect.arrayContaining([
        ['analyse', 0, 1],
        ['analyse', 1, 0],
        ['analyse', 1, 1],
      ]),
    );
    expect(invocations[0]!.payload).toMatchObject({
      runId: RUN_ID,
      acceptTruncated: true,
      failureReason: "the pair's execution was stopped: RunEnded: the run ended as ABORTED",
    });
    expect(invocations.slice(3)).toEqual([
      {
        functionName: 'summarise',
        payload: { runId: RUN_ID, pairs: [], interruptedReason: 'the run was stopped: changed my mind' },
      },
    ]);
  });

  test('is reaped three times with the same end, whatever form the event takes', async () => {
    const { reap, ec2, invocations, eventOf } = await stoppedRun();
    const event = eventOf(RUN_MACHINE, RUN_ID);
    await reap(event);
    const first = invocations.length;

    await reap({ Records: [{ body: JSON.stringify(event) }] });
    await reap({ Records: [{ body: JSON.stringify(event) }] });

    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
    // What ended early is looked at again, because a dying host may still have sent a chunk; nothing new, no new summary.
    expect(invocations.slice(first).map(({ functionName }) => functionName)).toEqual(Array(8).fill('analyse'));
  });

  test('a host that appears after the first look is gone after the next', async () => {
    const { reap, ec2, eventOf } = await stoppedRun();
    await reap(eventOf(RUN_MACHINE, RUN_ID));
    ec2.addHost('i-late', tagsOf(RUN_ID, 'p0002'));

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.running()).toEqual(['i-other-run', 'i-other-stack']);
  });

  test('a placement group that is still in use goes at the next look', async () => {
    const { reap, ec2, eventOf } = await stoppedRun();
    ec2.isGroupEmpty = () => false;
    await reap(eventOf(RUN_MACHINE, RUN_ID));
    expect(ec2.placementGroups.size).toBe(2);
    ec2.isGroupEmpty = () => true;

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.placementGroups.size).toBe(0);
  });

  test('leaves no load balancer, target group or security group either, also where rules name groups', async () => {
    const { reap, ec2, elb, eventOf } = await stoppedRun();
    await connectPair(ec2, elb);

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect([elb.loadBalancers.size, elb.targetGroups.size, ec2.securityGroups.size]).toEqual([0, 0, 0]);
  });

  test('a later look stays until AWS has let go of everything', async () => {
    const { reap, ec2, elb, clock, eventOf } = await stoppedRun();
    await connectPair(ec2, elb);
    ec2.isGroupAttached = () => clock.count < 3;

    await reap({ Records: [{ body: JSON.stringify(eventOf(RUN_MACHINE, RUN_ID)) }] });

    expect(clock.count).toBe(3);
    expect(ec2.securityGroups.size).toBe(0);
  });

  test('the first look waits for nothing', async () => {
    const { reap, ec2, elb, clock, eventOf } = await stoppedRun();
    await connectPair(ec2, elb);
    ec2.isGroupAttached = () => true;

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(clock.count).toBe(0);
  });

  test('a later look that does not get there fails, so that its event comes again', async () => {
    const { reap, ec2, elb, eventOf, invocations } = await stoppedRun();
    await connectPair(ec2, elb);
    ec2.isGroupAttached = (groupId) => groupId === 'sg-of-hosts';

    await expect(reap({ Records: [{ body: JSON.stringify(eventOf(RUN_MACHINE, RUN_ID)) }] })).rejects.toThrow(
      'run run-1: must leave nothing, still there: security group hosts',
    );
    // What was measured is safe by then.
    expect(invocations.map(({ functionName }) => functionName)).toContain('summarise');
  });
});

/** What connect-pair makes for the first pair. */
async function connectPair(ec2: FakeEc2, elb: FakeLoadBalancers): Promise<void> {
  const tags = tagsOf(RUN_ID, 'p0001');
  const group = (name: string) => ec2.createSecurityGroup({ name, description: '', vpcId: 'vpc-1', tags });
  const [hosts, balancer] = [await group('hosts'), await group('load-balancer')];
  await ec2.admitTraffic(hosts, [{ securityGroupId: balancer }]);
  await ec2.admitTraffic(balancer, [{ securityGroupId: hosts }]);
  await elb.createLoadBalancer({ name: 'lb', subnetId: 'subnet-a', securityGroupId: balancer, tags });
  await elb.createTargetGroup({
    name: 'tg',
    vpcId: 'vpc-1',
    protocol: 'TCP',
    port: 5201,
    healthCheckPort: 5200,
    tags,
  });
}

describe('a pair that was stopped', () => {
  test('takes only its own hosts with it, and leaves the summary to its run', async () => {
    const { reap, ec2, executions, invocations, eventOf, launchPair } = setUp();
    executions.add(RUN_MACHINE, RUN_ID, 'RUNNING');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'ABORTED');
    executions.add(PAIR_MACHINE, 'run-1-p0002', 'RUNNING');
    await launchPair('p0001');
    await launchPair('p0002');

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    expect(ec2.running()).toEqual(['i-client-p0002', 'i-server-p0002']);
    expect([...ec2.placementGroups.keys()]).toEqual(['group-p0002']);
    expect(executions.stopped).toEqual([]);
    expect(invocations.map(({ functionName, payload }) => [functionName, payload.pairIndex])).toEqual([
      ['analyse', 0],
      ['analyse', 0],
    ]);
  });
});

describe('a pair that failed by itself', () => {
  test('has analysed its measurements; nothing is analysed again', async () => {
    const { reap, executions, invocations, eventOf, launchPair, putResult } = setUp();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'FAILED');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'complete' });
    putResult('p0001-m02', { status: 'truncated', reason: 'host killed' });

    await reap(eventOf(PAIR_MACHINE, 'run-1-p0001'));

    expect(invocations.map(({ functionName }) => functionName)).toEqual(['summarise']);
  });

  test('and whose run has summarised itself: nothing is left to do', async () => {
    const { reap, executions, store, invocations, eventOf, launchPair, putResult } = setUp();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'FAILED');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'truncated', reason: 'host killed' });
    putResult('p0001-m02', { status: 'failed', reason: 'host killed' });
    store.putJson(summaryKey(RUN_ID), { interruptedReason: null });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([]);
  });

  test('a pair that died without a word is salvaged although its run counts it as failed', async () => {
    const { reap, executions, store, invocations, eventOf, launchPair, putResult } = setUp();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');
    executions.add(PAIR_MACHINE, 'run-1-p0001', 'TIMED_OUT');
    await launchPair('p0001');
    putResult('p0001-m01', { status: 'complete' });
    putResult('p0001-m02', { status: 'failed', reason: 'no result was written' });
    store.putJson(summaryKey(RUN_ID), { interruptedReason: null });

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([
      expect.objectContaining({ functionName: 'analyse' }),
      { functionName: 'summarise', payload: { runId: RUN_ID, pairs: [], interruptedReason: null } },
    ]);
  });
});

describe('an event that is not about an end of ours', () => {
  test('a run that was redriven keeps its hosts', async () => {
    const { reap, ec2, executions, eventOf, launchPair } = setUp();
    executions.add(RUN_MACHINE, RUN_ID, 'RUNNING');
    await launchPair('p0001');

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(ec2.running()).toHaveLength(2);
  });

  test('a run that was refused left nothing', async () => {
    const { reap, executions, store, invocations, eventOf } = setUp();
    store.objects.clear();
    executions.add(RUN_MACHINE, RUN_ID, 'FAILED');

    await reap(eventOf(RUN_MACHINE, RUN_ID));

    expect(invocations).toEqual([]);
  });

  test('an execution of the pair machine that somebody started by hand', async () => {
    const { reap, ec2, executions, eventOf, launchPair } = setUp();
    executions.add(PAIR_MACHINE, 'by-hand', 'FAILED');
    await launchPair('p0001');

    await reap(eventOf(PAIR_MACHINE, 'by-hand'));

    expect(ec2.running()).toHaveLength(2);
  });

  test('fails for another state machine, and for what is no such event', async () => {
    const { reap, eventOf } = setUp();

    await expect(reap(eventOf('arn:other', 'x'))).rejects.toThrow('stateMachineArn: must be one of this stack');
    await expect(reap({ Records: [{ body: '{}' }] })).rejects.toThrow('event: must have detail.stateMachineArn');
  });
});
