import { describe, expect, test } from '@jest/globals';
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import { makeSweepOrphans, type SweepOrphansDependencies } from '../../lambdas/sweep-orphans/sweep-orphans';
import { awsError, FakeEc2 } from '../support/fake-ec2';
import { FakeExecutions } from '../support/fake-executions';
import { FakeLoadBalancers } from '../support/fake-load-balancers';

const MACHINE = 'pair-machine';
const RUN_MACHINE = 'run-machine';
const FUTURE = '2026-11-20T13:00:00.000Z';
const PAST = '2026-11-20T11:59:59.000Z';

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
  const reaped: { stateMachineArn: string; name: string }[] = [];
  executions.add(MACHINE, 'run-1-p0001', 'RUNNING');
  executions.add(MACHINE, 'run-1-p0002', 'SUCCEEDED');
  const sweep = makeSweepOrphans({
    stackName: 'TheStack',
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
    runStateMachineArn: RUN_MACHINE,
    startReaper: ({ detail }) => {
      reaped.push(detail);
      return Promise.resolve();
    },
    describePairExecution: (name) => executions.describeExecution(MACHINE, name),
    now: () => new Date('2026-11-20T12:00:00.000Z'),
    log: () => undefined,
    ...refused,
  });
  return { sweep, ec2, elb, reaped };
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

  test('starts the reaper once for each run that left something, and for no other', async () => {
    const { sweep, ec2, reaped } = setUp();
    ec2.addHost('i-1', tagsOf('p0001'));
    ec2.addHost('i-2', tagsOf('p0002'));
    ec2.addHost('i-3', tagsOf('p0003'));
    ec2.addHost('i-4', { 'network-benchmark:stack': 'TheStack' });
    expect(reaped).toEqual([]);

    await sweep();
    expect(reaped).toEqual([{ stateMachineArn: RUN_MACHINE, name: 'run-1' }]);

    await sweep();
    expect(reaped).toHaveLength(1);
  });

  test('removes everything and fails when the reaper cannot be started', async () => {
    const { sweep, ec2 } = setUp({ startReaper: () => Promise.reject(awsError('AccessDeniedException')) });
    ec2.addHost('i-1', tagsOf('p0002'));

    await expect(sweep()).rejects.toThrow('results of run run-1: AccessDeniedException');
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

  test.each<[keyof SweepOrphansDependencies, string, readonly string[]]>([
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
