import { Choice, Condition, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { HOST_POLLING, HOSTS_ONLINE_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { CAUGHT_ERROR, PAIR_INSTANCE_IDS, elapsedSecondsExpression, jsonata, pauseExpression } from '../expressions';
import { REPEATABLE_CALL_RETRY } from '../retries';
import { apiCall, phaseName } from '../tasks';
import { LOST_HOSTS_ASSIGNMENT, hostLostCondition, lookAtHosts } from './hosts-alive';

export interface HostsOnlineProps {
  readonly succeeded: State;
  /** Entered with `$failureReason`. */
  readonly failed: State;
}

const ELAPSED = elapsedSecondsExpression('$launchedAt');

/** Waits until the agents of both hosts have registered with Systems Manager. */
export class HostsOnlinePhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: HostsOnlineProps) {
    super(scope, id);
    const phase = phaseName(id);
    const find = apiCall(this, `${phase}: find agents`, {
      comment: 'A host is online when its agent has registered with Systems Manager',
      service: 'ssm',
      action: 'describeInstanceInformation',
      parameters: { Filters: [{ Key: 'InstanceIds', Values: jsonata(PAIR_INSTANCE_IDS) }] },
      retry: REPEATABLE_CALL_RETRY,
      assign: { onlineCount: jsonata('$count($states.result.InstanceInformationList[PingStatus = "Online"])') },
      outputs: jsonata('[$states.result.InstanceInformationList.{"InstanceId": InstanceId, "PingStatus": PingStatus}]'),
    });
    const look = lookAtHosts(this, `${phase}: look at hosts`);
    const pause = Wait.jsonata(this, `${phase}: wait`, {
      time: WaitTime.seconds(jsonata(pauseExpression(HOST_POLLING, ELAPSED))),
    });
    const online = Choice.jsonata(this, `${phase}: both?`)
      .when(Condition.jsonata(jsonata('$onlineCount = 2')), props.succeeded)
      .when(Condition.jsonata(jsonata(`${ELAPSED} > ${HOSTS_ONLINE_DEADLINE_SECONDS}`)), props.failed, {
        assign: {
          failureReason: jsonata(
            `$string($onlineCount) & " of 2 agents have registered within ${HOSTS_ONLINE_DEADLINE_SECONDS} s"`,
          ),
        },
      })
      .otherwise(look);
    const alive = Choice.jsonata(this, `${phase}: hosts alive?`)
      .when(hostLostCondition(), props.failed, { assign: LOST_HOSTS_ASSIGNMENT })
      .otherwise(pause);

    for (const task of [find, look]) {
      task.addCatch(props.failed, {
        errors: ['States.ALL'],
        assign: { failureReason: jsonata(`"waiting for the hosts: " & ${CAUGHT_ERROR}`) },
      });
    }
    find.next(online);
    look.next(alive);
    pause.next(find);
    this.startState = find;
  }
}
