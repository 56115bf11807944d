/** Checks of whole runs: that they complete, and what they leave. */
import { ResourceTag } from '../../domain/workflow/resource-tags';
import { Failures } from '../../lambdas/shared/failures';
import { findPairResources } from '../../lambdas/shared/pair-removal';
import type { Check, CheckContext, Finding } from '../check';
import type { RunName } from '../run-plans';

/** How long the service may take to clear up after a stopped run: its last look ends after ten minutes. */
const CLEARING_SECONDS = 660;
const LOOK_SECONDS = 5;

function completes(id: string, run: RunName, title: string, matters: string): Check {
  return {
    id,
    title,
    matters,
    provenBy: 'The execution is `SUCCEEDED`, and its summary has the outcome `complete`.',
    run,
    ownUsd: 0,
    ownMinutes: 0,
    byHand:
      'arn=$(start smoke-1 examples/plans/smoke.json)\n' +
      'sleep 420; aws stepfunctions describe-execution --execution-arn "$arn" --query \'[status,error,cause]\'',
    look: async (context): Promise<Finding> => {
      const { runs, stack } = context;
      const { status, name, error, cause } = await runs.ended(run);
      const summary = await runs.summary(run, 0);
      const proven = status === 'SUCCEEDED' && summary?.outcome === 'complete';
      const reason = error === undefined ? '' : `, ${error}: ${cause ?? ''}`;
      const measured =
        summary?.measurements.map(({ tool, status: each }) => `${tool} ${each}`).join(', ') ?? 'no summary';
      return {
        proven,
        call: `states DescribeExecution ${name}; s3 GetObject ${stack.bucket}/reports/${name}/summary.json`,
        evidence: `${status}${reason}; ${measured}`,
      };
    },
  };
}

/** Stops the run, and then only looks: nothing but the service may clear up. */
async function clearsUp({ account, stack, runs, wait }: CheckContext, run: RunName, needsSummary: boolean) {
  const runId = await runs.start(run);
  await account.stopExecution(stack.runStateMachineArn, runId, 'Proof', 'stopped to see what is left');
  const tags = { [ResourceTag.stack]: stack.name, [ResourceTag.runId]: runId };
  const call = `states StopExecution ${runId}; ec2, elasticloadbalancing Describe… by tag ${ResourceTag.runId}=${runId}`;
  for (let waited = 0; ; waited += LOOK_SECONDS) {
    const failures = new Failures();
    const found = await findPairResources(account, tags, failures);
    failures.throwIfAny();
    const left = [
      ...[...found.hosts, ...found.leavingHosts].map(({ instanceId, state }) => `host ${instanceId} (${state})`),
      ...found.placementGroups.map(({ name }) => `placement group ${name}`),
      ...found.dataPath.map(({ name }) => name),
    ];
    const summary = await runs.summary(run, 0);
    if (left.length === 0 && (summary !== undefined || !needsSummary)) {
      const reason = summary?.interruptedReason ?? 'no summary';
      return { proven: true, call, evidence: `nothing left ${waited} s after the stop; summary: ${reason}` };
    }
    if (waited >= CLEARING_SECONDS) {
      const evidence = `${waited} s after the stop: ${left.join(', ') || 'nothing left'}, ${summary ? 'a' : 'no'} summary`;
      return { proven: false, call, evidence };
    }
    await wait(LOOK_SECONDS);
  }
}

export const runChecks: Check[] = [
  completes(
    'run-completes',
    'smoke',
    'A run completes with the roles as they are',
    'Hosts register with the minimal role, the agent (or the fallback) sets `SSM_…`, `ssm:resourceTag` admits the ' +
      "command, the nested execution's rule works, and nothing ends with `AccessDenied`.",
  ),
  {
    id: 'stop-leaves-nothing',
    title: 'Stopping a run that measures leaves nothing, and its results are kept',
    matters: 'A stop runs no Catch, so that the reaper has to terminate the hosts and to save what was measured.',
    provenBy: 'No host, placement group, load balancer or security group of the run is left, and there is a summary.',
    run: 'stopped',
    ownUsd: 0,
    ownMinutes: 2,
    byHand:
      'arn=$(start stop-1 examples/plans/burst-30-minutes-m5.2xlarge.json); sleep 150\n' +
      'aws stepfunctions stop-execution --execution-arn "$arn"; sleep 360; hosts stop-1',
    look: async (context) => {
      await context.runs.measuring('stopped');
      return clearsUp(context, 'stopped', true);
    },
  },
];
