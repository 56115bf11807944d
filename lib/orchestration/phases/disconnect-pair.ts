import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { DISCONNECT_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { jsonata } from '../expressions';
import { catchAll, invocation, pollHandler } from '../tasks';
import { tearDownFailed } from './tear-down';

/**
 * Calls disconnect-pair, once the hosts are gone, until nothing of the pair's path remains. The handler finds the path
 * by its tags, because this execution may not know all that was created. If something remains at the deadline, the pair
 * fails, and reap-run and sweep-orphans try again later.
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
