import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Choice, Condition, Pass, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { CONNECT_DEADLINE_SECONDS, DATA_PATH_POLLING } from '../../../domain/workflow/polling';
import { CAUGHT_ERROR, elapsedSecondsExpression, jsonata, pauseExpression } from '../expressions';
import { invocation, phaseName } from '../tasks';

export interface ConnectPairProps {
  readonly connectPair: IFunction;
  /** Entered with `$measurements`. */
  readonly succeeded: State;
  /** Entered with `$failureReason`. */
  readonly failed: State;
}

const ELAPSED = elapsedSecondsExpression('$connectStartedAt');

/** Calls connect-pair until the path from client to server carries traffic; a private address does so at once. */
export class ConnectPairPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: ConnectPairProps) {
    super(scope, id);
    const phase = phaseName(id);
    const begin = Pass.jsonata(this, `${phase}: begin`, { assign: { connectStartedAt: jsonata('$millis()') } });
    const connect = invocation(this, phase, {
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
    connect.addCatch(props.failed, {
      errors: ['States.ALL'],
      assign: { failureReason: jsonata(`"connecting the hosts: " & ${CAUGHT_ERROR}`) },
    });
    const pause = Wait.jsonata(this, `${phase}: wait`, {
      time: WaitTime.seconds(jsonata(pauseExpression(DATA_PATH_POLLING, ELAPSED))),
    });
    const connected = Choice.jsonata(this, `${phase}: connected?`)
      .when(Condition.jsonata(jsonata('$connected')), props.succeeded)
      .when(Condition.jsonata(jsonata(`${ELAPSED} > ${CONNECT_DEADLINE_SECONDS}`)), props.failed, {
        assign: {
          failureReason: jsonata(
            `"the hosts are not connected after ${CONNECT_DEADLINE_SECONDS} s, still waiting for " & $waitingFor`,
          ),
        },
      })
      .otherwise(pause);
    begin.next(connect);
    connect.next(connected);
    pause.next(connect);
    this.startState = begin;
  }
}
