/** Checks of what a stopped run leaves. They only look: nothing but the service may clear up. */
import { ResourceTag } from '../../../domain/workflow/resource-tags';
import { Failures } from '../../../lambdas/shared/failures';
import { findPairResources } from '../../../lambdas/shared/pair-removal';
import { startAndWait, type Check, type CheckContext, type Finding } from '../check';
import type { RunName } from '../run-plans';

/** How long the service may take to clear up after a stopped run: its last look ends after ten minutes. */
const CLEARING_SECONDS = 660;
const LOOK_SECONDS = 5;
/** The sweeper is started every quarter of an hour. */
const SWEEPING_SECONDS = 1200;
/** A host that is launched late shows up within this time after a stop during the launch (decision 6). */
const LATE_SECONDS = 60;

/** @param quietSeconds how long nothing must be there before it counts as cleared up */
async function clearsUp(context: CheckContext, run: RunName, quietSeconds: number): Promise<Finding> {
  const { account, stack, runs, wait } = context;
  const runId = await runs.start(run);
  await account.stopExecution(stack.runStateMachineArn, runId, 'Proof', 'stopped to see what is left');
  const tags = { [ResourceTag.stack]: stack.name, [ResourceTag.runId]: runId };
  const call = `states StopExecution ${runId}; ec2, elasticloadbalancing Describe… by tag ${ResourceTag.runId}=${runId}`;
  let quietSince: number | undefined;
  for (let waited = 0; ; waited += LOOK_SECONDS) {
    const failures = new Failures();
    const found = await findPairResources(account, tags, failures);
    failures.throwIfAny();
    const left = [
      ...[...found.hosts, ...found.leavingHosts].map(({ instanceId, state }) => `host ${instanceId} (${state})`),
      ...found.placementGroups.map(({ name }) => `placement group ${name}`),
      ...found.dataPath.map(({ name }) => name),
    ];
    quietSince = left.length === 0 ? (quietSince ?? waited) : undefined;
    const summary = await runs.summary(run, 0);
    if (summary !== undefined && quietSince !== undefined && waited - quietSince >= quietSeconds) {
      const reason = summary.interruptedReason ?? 'no reason';
      return { proven: true, call, evidence: `nothing left ${quietSince} s after the stop; summary: ${reason}` };
    }
    if (waited >= CLEARING_SECONDS) {
      const evidence = `${waited} s after the stop: ${left.join(', ') || 'nothing left'}, ${summary ? 'a' : 'no'} summary`;
      return { proven: false, call, evidence };
    }
    await wait(LOOK_SECONDS);
  }
}

const PROVEN_BY =
  'No host, placement group, load balancer or security group of the run is left, and there is a summary.';
const byHand = (runId: string, seconds: number) =>
  `${startAndWait(runId, 'burst-30-minutes-m5.2xlarge', seconds)}\n` +
  `aws stepfunctions stop-execution --execution-arn "$arn"; sleep 360; hosts ${runId}`;

export const stoppingChecks: Check[] = [
  {
    id: 'stop-leaves-nothing',
    title: 'Stopping a run that measures leaves nothing, and its results are kept',
    matters: 'A stop runs no Catch, so that the reaper has to terminate the hosts and to save what was measured.',
    provenBy: PROVEN_BY,
    run: 'stopped',
    ownMinutes: 2,
    byHand: byHand('stop-1', 150),
    look: async (context) => {
      await context.runs.measuring('stopped');
      return clearsUp(context, 'stopped', 0);
    },
  },
  {
    id: 'stop-during-launch-leaves-nothing',
    title: 'Stopping a run during its launch leaves nothing',
    matters: 'A launch that was under way makes its host after the stop. The reaper looks a second and a third time.',
    provenBy: `${PROVEN_BY} It stays so for ${LATE_SECONDS} seconds.`,
    run: 'stopped-early',
    ownMinutes: 2,
    byHand: byHand('stop-2', 8),
    look: async (context) => {
      await context.runs.launching('stopped-early');
      return clearsUp(context, 'stopped-early', LATE_SECONDS);
    },
  },
  {
    id: 'sweeper-removes-what-has-expired',
    title: 'The sweeper removes what has expired, and raises its alarm',
    matters:
      'A rule of EventBridge has to start it, and its role may delete nothing but what has the tag of its stack.',
    provenBy: `A placement group of the stack that belongs to no run is gone within ${SWEEPING_SECONDS / 60} minutes; a free one, with no host in it.`,
    ownMinutes: 15,
    byHand: [
      'tags="[{Key=network-benchmark:stack,Value=$stack},{Key=network-benchmark:run-id,Value=nobodys},{Key=network-benchmark:expires-at,Value=2026-01-01T00:00:00.000Z}]"',
      'aws ec2 create-placement-group --group-name proof-nobodys --strategy cluster --tag-specifications "ResourceType=placement-group,Tags=$tags"',
      'aws ec2 run-instances --instance-type t3.micro --subnet-id "$(resource AWS::EC2::Subnet | cut -f1)" --tag-specifications "ResourceType=instance,Tags=$tags" \\',
      '  --image-id "$(aws ssm get-parameter --name /aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id --query Parameter.Value --output text)"',
      'sleep 1800; hosts nobodys',
      "aws ec2 describe-placement-groups --filters Name=group-name,Values=proof-nobodys --query 'PlacementGroups[].GroupName' --output text",
      "aws cloudwatch describe-alarm-history --history-item-type StateUpdate --query 'AlarmHistoryItems[].[AlarmName,HistorySummary]' --output text",
    ].join('\n'),
    look: async ({ account, stack, runs, wait }) => {
      const name = runs.ownId('expired');
      const tags = { [ResourceTag.stack]: stack.name, [ResourceTag.runId]: name };
      await account.createPlacementGroup(name, 'cluster', {
        ...tags,
        [ResourceTag.expiresAt]: '2026-01-01T00:00:00.000Z',
      });
      for (let waited = 0; ; waited += LOOK_SECONDS) {
        const isThere = (await account.findPlacementGroups(tags)).length > 0;
        if (isThere && waited < SWEEPING_SECONDS) {
          await wait(LOOK_SECONDS);
          continue;
        }
        return {
          proven: !isThere,
          call: `ec2 CreatePlacementGroup, DescribePlacementGroups ${name}`,
          evidence: `${isThere ? 'still there' : 'gone'} after ${waited} s`,
        };
      }
    },
  },
];
