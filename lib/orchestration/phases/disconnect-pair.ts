import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Choice, Condition, Pass, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { DATA_PATH_POLLING, DISCONNECT_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { CAUGHT_ERROR, elapsedSecondsExpression, jsonata, pauseExpression } from '../expressions';
import { invocation, phaseName } from '../tasks';

export interface DisconnectPairProps {
  readonly disconnectPair: IFunction;
  readonly next: State;
}

const ELAPSED = elapsedSecondsExpression('$disconnectStartedAt');

/**
 * Calls disconnect-pair, once the hosts are gone, until nothing of the pair's path remains. The handler finds the path
 * by its tags, because this execution may not know all that was created. If something remains at the deadline, the pair
 * fails, and reap-run and sweep-orphans try again later.
 */
export class DisconnectPairPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: DisconnectPairProps) {
    super(scope, id);
    const phase = phaseName(id);
    const begin = Pass.jsonata(this, `${phase}: begin`, { assign: { disconnectStartedAt: jsonata('$millis()') } });
    const disconnect = invocation(this, phase, {
      comment: 'Removes the load balancer, target groups and security groups of this pair',
      handler: props.disconnectPair,
      payload: { runId: jsonata('$runId'), pairIndex: jsonata('$pairIndex') },
      assign: { pathRemaining: jsonata('[$states.result.Payload.remaining]') },
    });
    const failed = Pass.jsonata(this, `${phase}: failed`, {
      comment: 'The pair fails; reap-run and sweep-orphans try again later',
      assign: { failures: jsonata('$append($failures, ["teardown: " & $failureReason])') },
    });
    disconnect.addCatch(failed, { errors: ['States.ALL'], assign: { failureReason: jsonata(CAUGHT_ERROR) } });
    const pause = Wait.jsonata(this, `${phase}: wait`, {
      time: WaitTime.seconds(jsonata(pauseExpression(DATA_PATH_POLLING, ELAPSED))),
    });
    const remaining = Choice.jsonata(this, `${phase}: anything left?`)
      .when(Condition.jsonata(jsonata('$count($pathRemaining) = 0')), props.next)
      .when(Condition.jsonata(jsonata(`${ELAPSED} > ${DISCONNECT_DEADLINE_SECONDS}`)), failed, {
        assign: {
          failureReason: jsonata(`$join($pathRemaining, ", ") & " not removed after ${DISCONNECT_DEADLINE_SECONDS} s"`),
        },
      })
      .otherwise(pause);
    begin.next(disconnect);
    disconnect.next(remaining);
    pause.next(disconnect);
    failed.next(props.next);
    this.startState = begin;
  }
}
