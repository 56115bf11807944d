/** Checks the state of the pair's instances, which shows a lost host even when its agent no longer answers. */
import { Condition } from 'aws-cdk-lib/aws-stepfunctions';
import type { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { PAIR_INSTANCE_IDS, hostNameExpression, jsonata } from '../expressions';
import { REPEATABLE_CALL_RETRY } from '../retries';
import { apiCall } from '../tasks';

/** Sets `$hostsLost` to one sentence per host that is neither running nor about to run. */
export function lookAtHosts(scope: Construct, id: string): CallAwsService {
  return apiCall(scope, id, {
    service: 'ec2',
    action: 'describeInstances',
    parameters: { InstanceIds: jsonata(PAIR_INSTANCE_IDS) },
    retry: REPEATABLE_CALL_RETRY,
    assign: {
      hostsLost: jsonata(
        '[$states.result.Reservations.Instances[$not(State.Name in ["pending", "running"])].' +
          `("host " & ${hostNameExpression('InstanceId')} & " is no longer running (" & State.Name & ")")]`,
      ),
    },
    outputs: jsonata('[$states.result.Reservations.Instances.{"InstanceId": InstanceId, "State": State.Name}]'),
  });
}

export function hostLostCondition(): Condition {
  return Condition.jsonata(jsonata('$count($hostsLost) > 0'));
}

export const LOST_HOSTS_ASSIGNMENT = {
  hostLost: true,
  failureReason: jsonata('$join($hostsLost, "; ")'),
};
