import { planKey, reportKey, summaryKey, unfinishedKey } from '../../domain/workflow/object-keys';
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import { makeSweepOrphans, type SweepOrphansDependencies } from '../../lambdas/sweep-orphans/sweep-orphans';
import { awsError, FakeEc2 } from '../support/fake-ec2';
import { FakeExecutions } from '../support/fake-executions';
import { FakeLoadBalancers } from '../support/fake-load-balancers';
import { addOwnPath } from '../support/own-path';
import { FakeStore } from '../support/fake-store';

const MACHINE = 'pair-machine';
const RUN_MACHINE = 'run-machine';
const NOW = new Date('2026-11-20T12:00:00.000Z');
const FUTURE = '2026-11-20T13:00:00.000Z';
const PAST = '2026-11-20T11:59:59.000Z';
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const tagsOf = (pairId: string, expiresAt = FUTURE, stack = 'TheStack'): Tags => ({
  'network-benchmark:stack': stack,
  'network-benchmark:run-id': 'run-1',
  'network-benchmark:pair-id': pairId,
  'network-benchmark:expires-at': expiresAt,
});

function setUp(refused: Partial<SweepOrphansDependencies> = {}) {
  const ec2 = new FakeEc2();
  const elb = new FakeLoadBalancers();
  const executions = new FakeExecutions();
  const store = new FakeStore();
  const reportQuestions: string[] = [];
  const reaped: unknown[] = [];
  const folded: string[] = [];
  executions.add(MACHINE, 'run-1-p0001', 'RUNNING');
  executions.add(MACHINE, 'run-1-p0002', 'SUCCEEDED');
  const sweep = makeSweepOrphans({
    stackName: 'TheStack',
    ...ec2,
    ...elb,
    ...executions,
    runStateMachineArn: RUN_MACHINE,
    store: {
      inventory: store.adapter.inventory,
      unfinishedKeys: store.adapter.unfinishedKeys,
      hasReport: (runId) => {
        reportQuestions.push(runId);
        return store.adapter.hasReport(runId);
      },
    },
    startReaper: ({ laterLookAt }) => {
      reaped.push(laterLookAt);
      return Promise.resolve();
    },
    startFold: ({ unfinishedKey }) => {
      folded.push(unfinishedKey);
      return Promise.resolve();
    },
    describePairExecution: (name) => executions.describeExecution(MACHINE, name),
    now: () => NOW,
    log: () => undefined,
    ...refused,
  });
  return { sweep, ec2, elb, executions, store, reportQuestions, reaped, folded };
}

describe('the sweeper', () => {
  test('keeps the hosts of a running pair', async () => {
    const { sweep, ec2 } = setUp();
    ec2.addHost('i-1', tagsOf('p0001'));

    expect((await sweep()).orphans).toEqual([]);
    expect(ec2.running()).toEqual(['i-1']);
  });

  test.each<[string, Tags]>([
    ['past its time, though its pair runs', tagsOf('p0001', PAST)],
    ['of a pair that has ended', tagsOf('p0002')],
    ['of a pair that never was', tagsOf('p0009')],
    ['without a time', { ...tagsOf('p0001'), 'network-benchmark:expires-at': '' }],
    ['with a time that is none', { ...tagsOf('p0001'), 'network-benchmark:expires-at': 'tomorrow' }],
    ['with nothing but the tag of the stack', { 'network-benchmark:stack': 'TheStack' }],
  ])('terminates a host %s', async (_, tags) => {
    const { sweep, ec2 } = setUp();
    ec2.addHost('i-1', tags);

    expect((await sweep()).orphans).toEqual(['host i-1']);
    expect(ec2.running()).toEqual([]);
  });

  test('keeps everything of another stack, whatever its age', async () => {
    const { sweep, ec2 } = setUp();
    ec2.addHost('i-1', tagsOf('p0009', PAST, 'AnotherStack'));
    await ec2.createPlacementGroup('group', 'cluster', tagsOf('p0009', PAST, 'AnotherStack'));

    await sweep();

    expect(ec2.running()).toEqual(['i-1']);
    expect(ec2.placementGroups.size).toBe(1);
  });

  test('removes hosts before their placement group, which can be removed once it is empty', async () => {
    const { sweep, ec2 } = setUp();
    ec2.addHost('i-1', tagsOf('p0002'));
    await ec2.createPlacementGroup('group', 'cluster', tagsOf('p0002'));
    ec2.isGroupEmpty = () => false;

    expect(await sweep()).toEqual({
      orphans: ['host i-1', 'placement group group'],
      remaining: ['host i-1', 'placement group group'],
    });
    ec2.isGroupEmpty = () => ec2.running().length === 0;
    expect(await sweep()).toEqual({ orphans: ['placement group group'], remaining: [] });
    expect(await sweep()).toEqual({ orphans: [], remaining: [] });
  });

  test('does not report a host that is shutting down again', async () => {
    const { sweep, ec2 } = setUp();
    ec2.addHost('i-1', tagsOf('p0002'), 'shutting-down');

    expect((await sweep()).orphans).toEqual([]);
  });

  test('removes load balancers, target groups and security groups whose pair has ended, and no others', async () => {
    const { sweep, ec2, elb } = setUp();
    for (const pairId of ['p0001', 'p0002']) {
      const tags = tagsOf(pairId);
      const securityGroupId = await ec2.createSecurityGroup({ name: pairId, description: '', vpcId: 'vpc-1', tags });
      await elb.createLoadBalancer({ name: `lb-${pairId}`, subnetId: 'subnet-a', securityGroupId, tags });
    }
    await elb.createTargetGroup({
      name: 'tg-p0002',
      vpcId: 'vpc-1',
      protocol: 'TCP',
      port: 5201,
      healthCheckPort: 5200,
      tags: tagsOf('p0002'),
    });

    const { orphans } = await sweep();

    expect(orphans).toEqual(['load balancer lb-p0002', 'target group tg-p0002', 'security group p0002']);
    expect([...elb.loadBalancers.values()].map(({ name }) => name)).toEqual(['lb-p0001']);
    expect([...ec2.securityGroups.keys()]).toEqual(['sg-of-p0001']);
  });
});

test('removes the groups in both networks of a pair that has ended, although they name each other', async () => {
  const { sweep, ec2 } = setUp();
  for (const pairId of ['p0001', 'p0002']) await addOwnPath(ec2, pairId, tagsOf(pairId));

  expect((await sweep()).orphans).toEqual(['security group p0002', 'security group p0002']);
  expect([...ec2.securityGroups.values()].map(({ name }) => name)).toEqual(['p0001', 'p0001']);
});

describe('a pair whose hosts shut down for long, as bare metal does', () => {
  async function leaving(endedMinutesAgo: number) {
    const made = setUp();
    made.executions.add(MACHINE, 'run-1-p0002', 'ABORTED', { endedAt: minutesAgo(endedMinutesAgo) });
    const tags = tagsOf('p0002');
    made.ec2.addHost('i-metal', tags, 'shutting-down');
    await made.ec2.createPlacementGroup('group', 'cluster', tags);
    await made.ec2.createSecurityGroup({ name: 'sg', description: '', vpcId: 'vpc-1', tags });
    made.ec2.isGroupEmpty = () => made.ec2.running().length === 0;
    made.ec2.isGroupAttached = () => made.ec2.running().length > 0;
    return made;
  }

  test('leaves no orphans: its groups are tried at each sweep, and go once the hosts are gone', async () => {
    const { sweep, ec2 } = await leaving(44);

    expect(await sweep()).toEqual({ orphans: [], remaining: ['placement group group', 'security group sg'] });
    await ec2.terminateHosts(['i-metal']);
    expect(await sweep()).toEqual({ orphans: [], remaining: [] });
    expect([ec2.placementGroups.size, ec2.securityGroups.size]).toEqual([0, 0]);
  });

  test('leaves orphans when its groups are still there after the longest deadline', async () => {
    const { sweep } = await leaving(46);

    expect((await sweep()).orphans).toEqual(['placement group group', 'security group sg']);
  });

  test('leaves orphans where nobody has terminated its hosts, or removed its load balancer', async () => {
    const { sweep, ec2, elb } = await leaving(1);
    ec2.addHost('i-running', tagsOf('p0002'));
    await elb.createLoadBalancer({ name: 'lb', subnetId: 'a', securityGroupId: 'sg', tags: tagsOf('p0002') });

    expect((await sweep()).orphans).toEqual(['host i-running', 'load balancer lb']);
  });
});

describe('a run that ended without a report', () => {
  const endedRun = (status: 'ABORTED' | 'TIMED_OUT' | 'FAILED' | 'SUCCEEDED' = 'ABORTED', endedMinutesAgo = 1) => {
    const made = setUp();
    made.executions.add(RUN_MACHINE, 'run-1', status, { endedAt: minutesAgo(endedMinutesAgo) });
    made.executions.succeededTasks.add(`${RUN_MACHINE}:run-1`);
    made.store.putJson(planKey('run-1'), {});
    return made;
  };

  test.each(['ABORTED', 'TIMED_OUT', 'FAILED'] as const)('and is %s is given to the reaper', async (status) => {
    const { sweep, reaped } = endedRun(status);

    await sweep();

    expect(reaped).toEqual([{ detail: { stateMachineArn: RUN_MACHINE, name: 'run-1' } }]);
  });

  test('is given to it again by the next sweep, until there is the report, which is written last', async () => {
    const { sweep, store, reaped } = endedRun();
    await sweep();
    store.putJson(summaryKey('run-1'), {});
    await sweep();
    expect(reaped).toHaveLength(2);

    store.putJson(reportKey('run-1'), {});
    await sweep();
    expect(reaped).toHaveLength(2);
  });

  test('because it was stopped before it stored its plan is given to the reaper', async () => {
    const { sweep, executions, store, reaped } = endedRun();
    executions.succeededTasks.clear();
    store.objects.clear();

    await sweep();

    expect(reaped).toHaveLength(1);
  });

  test('because only its plan was removed, or its plan was refused, is given to the reaper', async () => {
    const { sweep, store, reaped } = endedRun();
    store.objects.clear();
    store.putJson(summaryKey('run-1'), {});

    await sweep();

    expect(reaped).toHaveLength(1);
  });

  test('because somebody has removed it from the store is left alone', async () => {
    const { sweep, store, reaped } = endedRun();
    store.objects.clear();

    await sweep();

    expect(reaped).toEqual([]);
  });

  test('but succeeded, or still runs, is left alone', async () => {
    const { sweep, executions, store, reaped } = endedRun('SUCCEEDED');
    executions.add(RUN_MACHINE, 'run-2', 'RUNNING');
    store.putJson(planKey('run-2'), {});

    await sweep();

    expect(reaped).toEqual([]);
  });

  test('is asked for only in its first six hours, however many older runs there are', async () => {
    const { sweep, executions, store, reportQuestions, reaped } = endedRun('FAILED', 6 * 60);
    for (let number = 0; number < 500; number += 1) {
      executions.add(RUN_MACHINE, `old-${number}`, 'FAILED', { endedAt: minutesAgo(6 * 60 + 1 + number) });
      store.putJson(planKey(`old-${number}`), {});
    }

    await sweep();

    expect(reportQuestions).toEqual(['run-1']);
    expect(reaped).toHaveLength(1);
  });
});

describe('what AWS refuses', () => {
  const refuse = () => Promise.reject(awsError('UnauthorizedOperation'));

  /** Two hosts, a group and a data path of a pair that has ended. */
  async function orphansIn({ ec2, elb }: Pick<ReturnType<typeof setUp>, 'ec2' | 'elb'>) {
    const tags = tagsOf('p0002');
    ec2.addHost('i-1', tags);
    ec2.addHost('i-2', tags);
    await ec2.createPlacementGroup('group', 'cluster', tags);
    const securityGroupId = await ec2.createSecurityGroup({ name: 'sg', description: '', vpcId: 'vpc-1', tags });
    await elb.createLoadBalancer({ name: 'lb', subnetId: 'subnet-a', securityGroupId, tags });
    const ports = { protocol: 'TCP', port: 5201, healthCheckPort: 5200 } as const;
    await elb.createTargetGroup({ name: 'tg', vpcId: 'vpc-1', ...ports, tags });
  }

  const left = ({ ec2, elb }: Pick<ReturnType<typeof setUp>, 'ec2' | 'elb'>) => [
    ...ec2.running(),
    ...ec2.placementGroups.keys(),
    ...ec2.securityGroups.keys(),
    ...[...elb.loadBalancers.values()].map(({ name }) => name),
    ...[...elb.targetGroups.values()].map(({ name }) => name),
  ];

  test('a protected host: everything else goes, and the error names the host', async () => {
    const made = setUp({
      terminateHosts: async (ids) => {
        if (ids.includes('i-1')) throw awsError('OperationNotPermitted', 'The instance may not be terminated.');
        await made.ec2.terminateHosts(ids);
      },
    });
    await orphansIn(made);

    await expect(made.sweep()).rejects.toThrow('host i-1: OperationNotPermitted: The instance may not be terminated.');
    expect(left(made)).toEqual(['i-1']);
  });

  test('the reaper’s start: everything goes, and the error names the run', async () => {
    const made = setUp({ startReaper: () => Promise.reject(awsError('AccessDeniedException')) });
    made.executions.add(RUN_MACHINE, 'run-1', 'ABORTED', { endedAt: NOW });
    made.store.putJson(planKey('run-1'), {});
    await orphansIn(made);

    await expect(made.sweep()).rejects.toThrow('report of run run-1: AccessDeniedException');
    expect(left(made)).toEqual([]);
  });

  test.each<[keyof SweepOrphansDependencies, string, readonly string[]]>([
    ['listUnsuccessfulExecutions', 'list runs: UnauthorizedOperation', []],
    ['findHosts', 'list hosts: UnauthorizedOperation', ['i-1', 'i-2']],
    ['findPlacementGroups', 'list placement groups: ', ['group']],
    ['deletePlacementGroup', 'placement group group: ', ['group']],
    ['findLoadBalancers', 'list load balancers: ', ['lb', 'tg']],
    ['deleteLoadBalancer', 'load balancer lb: ', ['lb', 'tg']],
    ['findTargetGroups', 'list target groups: ', ['tg']],
    ['deleteTargetGroup', 'target group tg: ', ['tg']],
    ['findSecurityGroups', 'list security groups: ', ['sg-of-sg']],
    ['deleteSecurityGroup', 'security group sg: ', ['sg-of-sg']],
    ['describePairExecution', 'execution run-1-p0002: ', ['i-1', 'i-2', 'group', 'sg-of-sg', 'lb', 'tg']],
  ])('%s: everything else goes, and the error says what stayed', async (call, error, stays) => {
    const made = setUp({ [call]: refuse });
    await orphansIn(made);

    await expect(made.sweep()).rejects.toThrow(error);
    expect(left(made)).toEqual(stays);
  });
});

describe('an analysis that has not finished', () => {
  const begun = (minutes: number) =>
    unfinishedKey({ runId: 'run-1', measurementId: 'p0001-m01', begunAt: minutesAgo(minutes) }, 'a-call');

  test('is folded when its function can no longer be running', async () => {
    const { sweep, store, folded } = setUp();
    for (const minutes of [9, 11]) store.objects.set(begun(minutes), new Uint8Array());

    await sweep();

    expect(folded).toEqual([begun(11)]);
  });

  test('fails the sweep by its name where its fold can not be started, after all others were', async () => {
    const asked: string[] = [];
    const { sweep, store } = setUp({
      startFold: ({ unfinishedKey: key }) => {
        asked.push(key);
        return asked.length === 1 ? Promise.reject(awsError('ThrottlingException')) : Promise.resolve();
      },
    });
    for (const minutes of [12, 11]) store.objects.set(begun(minutes), new Uint8Array());

    await expect(sweep()).rejects.toThrow(`fold of ${begun(12)}`);
    expect(asked).toEqual([begun(12), begun(11)]);
  });
});
