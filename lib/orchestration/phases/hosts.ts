/** Phases that wait until the hosts of a pair are online, and until a document has run on them. */
import { type State, Choice, type TaskStateBase, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { HOST_POLLING } from '../../../domain/workflow/polling';
import {
  pairErrorText,
  PAIR_INSTANCE_IDS,
  elapsedSecondsExpression,
  jsonata,
  commandPauseExpression,
  hostNameExpression,
  invocationFailureExpression,
  DELIVERY_TIMEOUT_SECONDS,
  lostHostsExpression,
} from '../expressions';
import { apiCall, failingWith, lookAgain, pauseOf, when, catchAll } from '../tasks';
import { SEND_COMMAND_RETRY } from '../retries';

const SINCE_LAUNCH = elapsedSecondsExpression('$launchedAt');

/**
 * Waits up to `$onlineDeadlineSeconds` until the agents of both hosts have registered with Systems Manager.
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
  const pause = pauseOf(scope, phase, HOST_POLLING, SINCE_LAUNCH);
  const look = lookAtHosts(scope, phase, pause, failed);
  const tooFew =
    '$string($onlineCount) & " of 2 agents have registered within " & $string($onlineDeadlineSeconds) & " s"';
  find.next(
    Choice.jsonata(scope, `${phase}: both?`)
      .when(when('$onlineCount = 2'), succeeded)
      .when(when(`${SINCE_LAUNCH} > $onlineDeadlineSeconds`), failed, failingWith(tooFew))
      .otherwise(look),
  );
  pause.next(find);
  lookAgain(scope, {
    phase,
    tasks: [find, look],
    isOverdue: `${SINCE_LAUNCH} > $onlineDeadlineSeconds`,
    overdue: failed,
    what: '"waiting for the hosts"',
    pause,
  });
  return find;
}

export interface HostCommandProps {
  readonly phase: string;
  readonly comment: string;
  /** A JSONata expression for the `HostCommand`, for example `$pair.prepare`. */
  readonly command: string;
  /** A JSONata expression for the list of hosts on which the command runs. */
  readonly instanceIds: string;
  readonly succeeded: State;
  /** The state to enter with `$failureReason`, and with `$hostLost` if a lost host is the reason. */
  readonly failed: State;
  /** What the console shows about the execution besides the command's id, by name. */
  readonly shown?: Readonly<Record<string, string>>;
  readonly commandIdVariable: string;
  /**
   * Variable for the document's output on its single host. The service may report success shortly before it has the
   * output, so with this variable success counts only with an output. @default none
   */
  readonly outputVariable?: string;
}

const SINCE_COMMAND = elapsedSecondsExpression('$commandSentAt');
const ENDED_BADLY = '["Failed", "TimedOut", "Cancelled"]';

/**
 * Sends one document to one host or both, and polls the command until it ends. Each poll also checks the state of the
 * instances, because a command on a dead host stays `InProgress` until its own timeout. A poll that fails is repeated
 * until the command's deadline, because the measurement continues meanwhile.
 */
export function hostCommandPhase(scope: Construct, props: HostCommandProps): State {
  const { phase, command, instanceIds, succeeded, failed, outputVariable } = props;
  const send = apiCall(scope, `${phase}: send command`, {
    comment: props.comment,
    service: 'ssm',
    action: 'sendCommand',
    parameters: {
      DocumentName: jsonata(`$lookup($documents, ${command}.document).name`),
      DocumentVersion: jsonata(`$lookup($documents, ${command}.document).version`),
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
    time: WaitTime.seconds(jsonata(commandPauseExpression(SINCE_COMMAND, '$command.expectedSeconds'))),
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
    .when(when(`${SINCE_COMMAND} > $command.deadlineSeconds`), failed, failingWith(overdue))
    .otherwise(look);
  send.next(read).next(ended);
  pause.next(read);
  catchAll([send], failed, `${command}.document & ": " & ${pairErrorText()}`);
  lookAgain(scope, {
    phase,
    tasks: [read, look],
    isOverdue: `${SINCE_COMMAND} > $command.deadlineSeconds`,
    overdue: failed,
    what: '$command.document',
    pause,
  });
  return send;
}

/**
 * Fails if an instance of the pair is neither running nor pending, which shows a lost host even if its agent is silent.
 * @param failed entered with `$failureReason` and `$hostLost`
 */
function lookAtHosts(scope: Construct, phase: string, alive: State, failed: State): TaskStateBase {
  const look = apiCall(scope, `${phase}: look at hosts`, {
    service: 'ec2',
    action: 'describeInstances',
    parameters: { InstanceIds: jsonata(PAIR_INSTANCE_IDS) },
    assign: { hostsLost: jsonata(lostHostsExpression('$states.result.Reservations')) },
    outputs: jsonata('[$states.result.Reservations.Instances.{"InstanceId": InstanceId, "State": State.Name}]'),
  });
  const lost = { assign: { hostLost: true, failureReason: jsonata('$join($hostsLost, "; ")') } };
  look.next(
    Choice.jsonata(scope, `${phase}: hosts alive?`).when(when('$count($hostsLost) > 0'), failed, lost).otherwise(alive),
  );
  return look;
}
