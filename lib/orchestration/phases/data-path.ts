import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type State, Choice } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { pairErrorText, jsonata } from '../expressions';
import { catchAll, invocation, when, pollHandler } from '../tasks';
import { hostCommandPhase } from './hosts';
import { CONNECT_DEADLINE_SECONDS, DISCONNECT_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { tearDownFailed } from './tear-down';

export interface ProbePathProps {
  readonly connectPair: IFunction;
  readonly succeeded: State;
  /** The state to enter with `$failureReason`. */
  readonly failed: State;
}

/**
 * Probes the path between the hosts if it is the account's own. This comes before the hosts are prepared, which may
 * take minutes. connect-pair stores the result and fails if nothing arrives.
 */
export function probePathPhase(scope: Construct, { connectPair, succeeded, failed }: ProbePathProps): State {
  const phase = 'Probe path';
  const judge = invocation(scope, `${phase}: judge`, {
    comment: 'Stores what the probe found, and fails where nothing arrives',
    handler: connectPair,
    payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex'), probeOutput: jsonata('$probeOutput') },
    outputs: {},
  });
  catchAll([judge], failed, `"connecting the hosts: " & ${pairErrorText()}`);
  judge.next(succeeded);
  const probe = hostCommandPhase(scope, {
    phase,
    comment: 'Tries to reach the server from the client',
    command: '$pair.probe',
    instanceIds: '[$pair.clientInstanceId]',
    commandIdVariable: 'probeCommandId',
    outputVariable: 'probeOutput',
    succeeded: judge,
    failed,
  });
  return Choice.jsonata(scope, `${phase}?`).when(when('$type($pair.probe) = "object"'), probe).otherwise(succeeded);
}

export interface ConnectPairProps {
  readonly connectPair: IFunction;
  /** The state to enter with `$measurements`, once the path is ready. */
  readonly succeeded: State;
  /** The state to enter with `$failureReason`. */
  readonly failed: State;
}

/** Calls connect-pair until the path from client to server is ready; a private path is ready at once. */
export function connectPairPhase(scope: Construct, props: ConnectPairProps): State {
  const phase = 'Connect pair';
  const connect = invocation(scope, phase, {
    comment: 'Creates what the path still lacks, and reports what it waits for',
    handler: props.connectPair,
    payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex') },
    assign: {
      connected: jsonata('$states.result.Payload.ready'),
      waitingFor: jsonata('$states.result.Payload.ready ? "" : $states.result.Payload.waitingFor'),
      measurements: jsonata('$states.result.Payload.ready ? $states.result.Payload.measurements : []'),
    },
    outputs: jsonata('$states.result.Payload.{"ready": ready, "waitingFor": waitingFor}'),
  });
  catchAll([connect], props.failed, `"connecting the hosts: " & ${pairErrorText()}`);
  return pollHandler(scope, {
    phase,
    task: connect,
    startedAt: 'connectStartedAt',
    question: 'connected?',
    isDone: '$connected',
    done: props.succeeded,
    deadlineSeconds: CONNECT_DEADLINE_SECONDS,
    overdue: props.failed,
    overdueReason: `"the hosts are not connected after ${CONNECT_DEADLINE_SECONDS} s, still waiting for " & $waitingFor`,
  });
}

/**
 * Calls disconnect-pair after the hosts are gone until nothing of the pair's path remains. The handler finds the path
 * by tag, because this execution may not know everything that was created. If something remains at the deadline, the
 * pair fails, and reap-run and sweep-orphans try again later.
 */
export function disconnectPairPhase(scope: Construct, disconnectPair: IFunction, next: State): State {
  const phase = 'Disconnect pair';
  const disconnect = invocation(scope, phase, {
    comment: 'Removes the load balancer, target groups and security groups of this pair',
    handler: disconnectPair,
    payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex') },
    assign: { pathRemaining: jsonata('[$states.result.Payload.remaining]') },
  });
  const failed = tearDownFailed(scope, phase, next);
  catchAll([disconnect], failed);
  return pollHandler(scope, {
    phase,
    task: disconnect,
    startedAt: 'disconnectStartedAt',
    question: 'anything left?',
    isDone: '$count($pathRemaining) = 0',
    done: next,
    deadlineSeconds: DISCONNECT_DEADLINE_SECONDS,
    overdue: failed,
    overdueReason: `$join($pathRemaining, ", ") & " not removed after ${DISCONNECT_DEADLINE_SECONDS} s"`,
  });
}
