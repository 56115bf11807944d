/** Checks the state of the pair's instances, which shows a lost host even when its agent no longer answers. */
import type { State, TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { PAIR_INSTANCE_IDS, jsonata, lostHostsExpression } from '../expressions';
import { apiCall, when } from '../tasks';

/**
 * Goes on if both hosts are running or about to run.
 * @param failed entered with `$failureReason` and `$hostLost`
 */
export function lookAtHosts(scope: Construct, phase: string, alive: State, failed: State): TaskStateBase {
  const look = apiCall(scope, `${phase}: look at hosts`, {
    service: 'ec2',
    action: 'describeInstances',
    parameters: { InstanceIds: jsonata(PAIR_INSTANCE_IDS) },
    assign: {
      hostsLost: jsonata(lostHostsExpression('$states.result.Reservations')),
    },
    outputs: jsonata('[$states.result.Reservations.Instances.{"InstanceId": InstanceId, "State": State.Name}]'),
  });
  const lost = { assign: { hostLost: true, failureReason: jsonata('$join($hostsLost, "; ")') } };
  look.next(
    Choice.jsonata(scope, `${phase}: hosts alive?`).when(when('$count($hostsLost) > 0'), failed, lost).otherwise(alive),
  );
  return look;
}
