import type { State, TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import {
  CAUGHT_ERROR,
  commandPauseExpression,
  elapsedSecondsExpression,
  hostNameExpression,
  invocationFailureExpression,
  jsonata,
} from '../expressions';
import { DELIVERY_TIMEOUT_SECONDS } from '../command-statuses';
import { SEND_COMMAND_RETRY } from '../retries';
import { apiCall, catchAll, failingWith, lookAgain, when } from '../tasks';
import { lookAtHosts } from './hosts-alive';

export interface HostCommandProps {
  readonly phase: string;
  readonly comment: string;
  /** Expression for the `HostCommand`, for example `$pair.prepare`. */
  readonly command: string;
  /** Expression for the list of the hosts that the command runs on. */
  readonly instanceIds: string;
  readonly succeeded: State;
  /** Entered with `$failureReason`, and with `$hostLost` if a lost host is the reason. */
  readonly failed: State;
  /** What people who look at the execution should see beside the command's id, by name. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Variable that stores the command's id. */
  readonly commandIdVariable: string;
  /**
   * Variable that stores what the document printed on its one host. The service may report success a moment before it
   * has the output, so that success then counts only with an output. @default none
   */
  readonly outputVariable?: string;
}

const ELAPSED = elapsedSecondsExpression('$commandSentAt');
const ENDED_BADLY = '["Failed", "TimedOut", "Cancelled"]';

/**
 * Sends one document to one host or both, and polls the command until it ends. Each poll also checks the state of the
 * instances, because a command on a host that has died stays `InProgress` until its own timeout. A poll that AWS does
 * not answer is made again until the command's deadline: the measurement goes on meanwhile.
 */
export function hostCommandPhase(scope: Construct, props: HostCommandProps): State {
  const { phase, command, instanceIds, succeeded, failed, outputVariable } = props;
  const send = apiCall(scope, `${phase}: send command`, {
    comment: props.comment,
    service: 'ssm',
    action: 'sendCommand',
    parameters: {
      DocumentName: jsonata(`$lookup($documentNames, ${command}.document)`),
      // An update of the stack adds a version, which does not always become the default one.
      DocumentVersion: '$LATEST',
      InstanceIds: jsonata(instanceIds),
      Parameters: jsonata(`${command}.parameters`),
      TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
    },
    retry: SEND_COMMAND_RETRY,
    assign: {
      command: jsonata(command),
      commandHostCount: jsonata(`$count(${instanceIds})`),
      commandSentAt: jsonata('$millis()'),
      [props.commandIdVariable]: jsonata('$states.result.Command.CommandId'),
    },
    outputs: { ...props.shown, CommandId: jsonata('$states.result.Command.CommandId') },
  });
  const read: TaskStateBase = apiCall(scope, `${phase}: read status`, {
    service: 'ssm',
    action: 'listCommandInvocations',
    parameters: { CommandId: jsonata(`$${props.commandIdVariable}`), Details: true },
    assign: {
      ...(outputVariable === undefined
        ? {}
        : { [outputVariable]: jsonata('$join([$states.result.CommandInvocations.CommandPlugins.Output])') }),
      succeededCount: jsonata('$count($states.result.CommandInvocations[Status = "Success"])'),
      commandFailure: jsonata(
        `$join([$states.result.CommandInvocations[Status in ${ENDED_BADLY}].` +
          `(${hostNameExpression('InstanceId')} & ": " & ${invocationFailureExpression('$')})], "; ")`,
      ),
    },
    outputs: jsonata('[$states.result.CommandInvocations.{"InstanceId": InstanceId, "StatusDetails": StatusDetails}]'),
  });
  const pause = Wait.jsonata(scope, `${phase}: wait`, {
    time: WaitTime.seconds(jsonata(commandPauseExpression(ELAPSED, '$command.expectedSeconds'))),
  });
  const look = lookAtHosts(scope, phase, pause, failed);
  const overdue =
    '$command.document & " has not ended after " & $string($command.deadlineSeconds) & " s on " & ' +
    `$join(${instanceIds}.${hostNameExpression('$')}, " and ")`;
  const hasSucceeded =
    '$succeededCount = $commandHostCount' + (outputVariable === undefined ? '' : ` and $${outputVariable} != ""`);
  const ended = Choice.jsonata(scope, `${phase}: ended?`)
    .when(when('$commandFailure != ""'), failed, failingWith('$command.document & " on " & $commandFailure'))
    .when(when(hasSucceeded), succeeded)
    .when(when(`${ELAPSED} > $command.deadlineSeconds`), failed, failingWith(overdue))
    .otherwise(look);
  send.next(read).next(ended);
  pause.next(read);
  catchAll([send], failed, `${command}.document & ": " & ${CAUGHT_ERROR}`);
  lookAgain(scope, {
    phase,
    tasks: [read, look],
    isOverdue: `${ELAPSED} > $command.deadlineSeconds`,
    overdue: failed,
    reason: `$command.document & ": " & ${CAUGHT_ERROR}`,
    pause,
  });
  return send;
}
