import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { CONNECT_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { CAUGHT_ERROR, jsonata } from '../expressions';
import { catchAll, invocation, pollHandler } from '../tasks';

export interface ConnectPairProps {
  readonly connectPair: IFunction;
  /** Entered with `$measurements`. */
  readonly succeeded: State;
  /** Entered with `$failureReason`. */
  readonly failed: State;
}

/** Calls connect-pair until the path from client to server carries traffic; a private address does so at once. */
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
  catchAll([connect], props.failed, `"connecting the hosts: " & ${CAUGHT_ERROR}`);
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
