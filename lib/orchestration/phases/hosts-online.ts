import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { HOST_POLLING } from '../../../domain/workflow/polling';
import { CAUGHT_ERROR, PAIR_INSTANCE_IDS, elapsedSecondsExpression, jsonata } from '../expressions';
import { apiCall, failingWith, lookAgain, pauseOf, when } from '../tasks';
import { lookAtHosts } from './hosts-alive';

const ELAPSED = elapsedSecondsExpression('$launchedAt');

/**
 * Waits until the agents of both hosts have registered with Systems Manager, at most `$onlineDeadlineSeconds`.
 * @param failed entered with `$failureReason`
 */
export function hostsOnlinePhase(scope: Construct, succeeded: State, failed: State): State {
  const phase = 'Hosts online';
  const find = apiCall(scope, `${phase}: find agents`, {
    comment: 'A host is online when its agent has registered with Systems Manager',
    service: 'ssm',
    action: 'describeInstanceInformation',
    parameters: { Filters: [{ Key: 'InstanceIds', Values: jsonata(PAIR_INSTANCE_IDS) }] },
    assign: { onlineCount: jsonata('$count($states.result.InstanceInformationList[PingStatus = "Online"])') },
    outputs: jsonata('[$states.result.InstanceInformationList.{"InstanceId": InstanceId, "PingStatus": PingStatus}]'),
  });
  const pause = pauseOf(scope, phase, HOST_POLLING, ELAPSED);
  const look = lookAtHosts(scope, phase, pause, failed);
  const tooFew =
    '$string($onlineCount) & " of 2 agents have registered within " & $string($onlineDeadlineSeconds) & " s"';
  find.next(
    Choice.jsonata(scope, `${phase}: both?`)
      .when(when('$onlineCount = 2'), succeeded)
      .when(when(`${ELAPSED} > $onlineDeadlineSeconds`), failed, failingWith(tooFew))
      .otherwise(look),
  );
  pause.next(find);
  lookAgain(scope, {
    phase,
    tasks: [find, look],
    isOverdue: `${ELAPSED} > $onlineDeadlineSeconds`,
    overdue: failed,
    reason: `"waiting for the hosts: " & ${CAUGHT_ERROR}`,
    pause,
  });
  return find;
}
