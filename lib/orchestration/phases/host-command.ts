import { Choice, Condition, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import type { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import {
  CAUGHT_ERROR,
  commandPauseExpression,
  elapsedSecondsExpression,
  hostNameExpression,
  invocationFailureExpression,
  jsonata,
} from '../expressions';
import { REPEATABLE_CALL_RETRY, SEND_COMMAND_RETRY } from '../retries';
import { apiCall, phaseName } from '../tasks';
import { LOST_HOSTS_ASSIGNMENT, hostLostCondition, lookAtHosts } from './hosts-alive';

export interface HostCommandProps {
  readonly comment: string;
  /** Expression for the `HostCommand`, for example `$pair.prepare`. */
  readonly command: string;
  /** Expression for the list of the hosts that the command runs on. */
  readonly instanceIds: string;
  readonly succeeded: State;
  /** Entered with `$failureReason`, and with `$hostLost` if a lost host is the reason. */
  readonly failed: State;
  /** Variable that stores the command's id. */
  readonly commandIdVariable: string;
}

/** How long the agent may take to fetch a command. It asks all the time, so an agent that takes longer is gone. */
const DELIVERY_TIMEOUT_SECONDS = 60;

const ELAPSED = elapsedSecondsExpression('$commandSentAt');
const ENDED_BADLY = '["Failed", "TimedOut", "Cancelled"]';

/**
 * Sends one document to one host or both, and polls the command until it ends. Each poll also checks the state of the
 * instances, because a command on a host that has died stays `InProgress` until its own timeout.
 */
export class HostCommandPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: HostCommandProps) {
    super(scope, id);
    const phase = phaseName(id);
    const commandId = `$${props.commandIdVariable}`;
    const failure = { failureReason: jsonata(`$command.document & ": " & ${CAUGHT_ERROR}`) };

    const send = apiCall(this, `${phase}: send command`, {
      comment: props.comment,
      service: 'ssm',
      action: 'sendCommand',
      parameters: {
        DocumentName: jsonata(`$lookup($documentNames, ${props.command}.document)`),
        InstanceIds: jsonata(props.instanceIds),
        Parameters: jsonata(`${props.command}.parameters`),
        TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
      },
      retry: SEND_COMMAND_RETRY,
      assign: {
        command: jsonata(props.command),
        commandHostCount: jsonata(`$count(${props.instanceIds})`),
        commandSentAt: jsonata('$millis()'),
        [props.commandIdVariable]: jsonata('$states.result.Command.CommandId'),
      },
      outputs: { CommandId: jsonata('$states.result.Command.CommandId') },
    });
    const read: CallAwsService = apiCall(this, `${phase}: read status`, {
      service: 'ssm',
      action: 'listCommandInvocations',
      parameters: { CommandId: jsonata(commandId), Details: true },
      retry: REPEATABLE_CALL_RETRY,
      assign: {
        succeededCount: jsonata('$count($states.result.CommandInvocations[Status = "Success"])'),
        commandFailure: jsonata(
          `$join([$states.result.CommandInvocations[Status in ${ENDED_BADLY}].` +
            `(${hostNameExpression('InstanceId')} & ": " & ${invocationFailureExpression('$')})], "; ")`,
        ),
      },
      outputs: jsonata(
        '[$states.result.CommandInvocations.{"InstanceId": InstanceId, "StatusDetails": StatusDetails}]',
      ),
    });
    const look = lookAtHosts(this, `${phase}: look at hosts`);
    const pause = Wait.jsonata(this, `${phase}: wait`, {
      time: WaitTime.seconds(jsonata(commandPauseExpression(ELAPSED, '$command.expectedSeconds'))),
    });

    const ended = Choice.jsonata(this, `${phase}: ended?`)
      .when(Condition.jsonata(jsonata('$commandFailure != ""')), props.failed, {
        assign: { failureReason: jsonata('$command.document & " on " & $commandFailure') },
      })
      .when(Condition.jsonata(jsonata('$succeededCount = $commandHostCount')), props.succeeded)
      .when(Condition.jsonata(jsonata(`${ELAPSED} > $command.deadlineSeconds`)), props.failed, {
        assign: {
          failureReason: jsonata(
            '$command.document & " has not ended after " & $string($command.deadlineSeconds) & " s on " & ' +
              `$join(${props.instanceIds}.${hostNameExpression('$')}, " and ")`,
          ),
        },
      })
      .otherwise(look);
    const alive = Choice.jsonata(this, `${phase}: hosts alive?`)
      .when(hostLostCondition(), props.failed, { assign: LOST_HOSTS_ASSIGNMENT })
      .otherwise(pause);

    send.addCatch(props.failed, {
      errors: ['States.ALL'],
      assign: { failureReason: jsonata(`${props.command}.document & ": " & ${CAUGHT_ERROR}`) },
    });
    read.addCatch(props.failed, { errors: ['States.ALL'], assign: failure });
    look.addCatch(props.failed, { errors: ['States.ALL'], assign: failure });
    send.next(read);
    read.next(ended);
    look.next(alive);
    pause.next(read);
    this.startState = send;
  }
}
