/** The alarm on orphans counts log lines, so its filter must match what sweep-orphans logs. */
import { makeSweepOrphans } from '../../../lambdas/sweep-orphans/sweep-orphans';
import { ORPHAN_MESSAGE_PATTERN } from '../../../lib/operations/alarms';
import { FakeStore } from '../../support/fake-store';
import { resource } from '../../support/synth';

test('the filter counts the line that sweep-orphans logs for each kind of orphan', async () => {
  const messages: string[] = [];
  const sweep = makeSweepOrphans({
    stackName: 'NetworkBenchmark',
    findHosts: async () => [{ instanceId: 'i-1', state: 'running', tags: {} }],
    terminateHosts: () => Promise.resolve(),
    findPlacementGroups: async () => [{ name: 'group', tags: {} }],
    deletePlacementGroup: async () => true,
    findLoadBalancers: async () => [{ arn: 'arn:lb', name: 'lb', tags: {} }],
    deleteLoadBalancer: () => Promise.resolve(),
    findTargetGroups: async () => [{ arn: 'arn:tg', name: 'tg', tags: {} }],
    deleteTargetGroup: async () => true,
    findSecurityGroups: async () => [{ securityGroupId: 'sg-1', name: 'sg', tags: {}, ingress: [] }],
    revokeIngress: () => Promise.resolve(),
    deleteSecurityGroup: async () => true,
    runStateMachineArn: 'run-machine',
    store: new FakeStore().adapter,
    hasSucceededTask: async () => false,
    listUnsuccessfulExecutions: async () => [],
    startReaper: () => Promise.resolve(),
    startFold: () => Promise.resolve(),
    describePairExecution: async () => undefined,
    now: () => new Date('2026-11-20T00:00:00Z'),
    log: (message) => messages.push(message),
  });
  await sweep();

  const prefix = ORPHAN_MESSAGE_PATTERN.replace(/\*$/, '');
  expect(messages).toHaveLength(5);
  for (const message of messages) expect(message).toMatch(new RegExp(`^${prefix}`));
  const filter = resource('AWS::Logs::MetricFilter', 'OperationsAlarmsOrphanLines').Properties;
  expect(filter.FilterPattern).toBe(`{ $.message = "${ORPHAN_MESSAGE_PATTERN}" }`);
});
