import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib';
import { Choice, Condition, Pass, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ErrorName } from '../../../domain/workflow/error-names';
import { CAUGHT_ERROR, jsonata } from '../expressions';
import { INCOMPLETE_SERIES_RETRY, REPEATABLE_CALL_RETRY } from '../retries';
import { apiCall, invocation } from '../tasks';
import { HostCommandPhase } from './host-command';

export interface MeasurePairProps {
  readonly analyseMeasurement: IFunction;
  /** Entered when everything has been measured, or when a host is lost. */
  readonly next: State;
}

/**
 * After a failure, the streamer that still runs gets time to upload the chunk that it is filling (it uploads one every
 * 10 s) before its command is cancelled. This keeps what was measured up to the failure.
 */
const LAST_CHUNK_WAIT = Duration.seconds(12);

const FAILURES_INCLUDING_THIS = '$append($failures, [$measurement.measurementId & ": " & $failureReason])';

/**
 * Runs the measurements one after the other, each of them once: serve, measure, analyse.
 *
 * | what happens                        | what follows                                                               |
 * | ----------------------------------- | -------------------------------------------------------------------------- |
 * | server and tool succeed             | analyse the measurement, which waits for the manifests                     |
 * | server or tool fails, but hosts run | await the last chunk, cancel both commands, analyse what there is          |
 * | a host is lost                      | the same, and no further measurement                                       |
 * | a manifest is missing after retries | analyse what there is                                                      |
 * | the analysis fails                  | record the failure and go on with the next measurement                     |
 */
export class MeasurePairPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: MeasurePairProps) {
    super(scope, id);
    const nextMeasurement = Choice.jsonata(this, 'Next measurement?');
    const nextIndex = {
      measurementIndex: jsonata('$measurementIndex + 1'),
    };
    const payload = {
      runId: jsonata('$runId'),
      pairIndex: jsonata('$pairIndex'),
      measurementIndex: jsonata('$measurement.measurementIndex'),
    };

    const analyse = invocation(this, 'Analyse measurement', {
      comment: 'Waits for the manifests, which the hosts upload after all other parts of their raw streams',
      handler: props.analyseMeasurement,
      payload: { ...payload, acceptTruncated: false, failureReason: null },
      retry: INCOMPLETE_SERIES_RETRY,
      assign: {
        ...nextIndex,
        failures: jsonata(
          '($result := $states.result.Payload; $result.status in ["complete", "not_applicable"] ? $failures : ' +
            '$append($failures, [$result.measurementId & ": " & ' +
            '($result.reason = null ? $result.status : $result.reason)]))',
        ),
      },
    });
    const analyseTruncated = invocation(this, 'Analyse what there is', {
      handler: props.analyseMeasurement,
      payload: { ...payload, acceptTruncated: true, failureReason: jsonata('$failureReason') },
      assign: { ...nextIndex, failures: jsonata(FAILURES_INCLUDING_THIS) },
    });
    const notAnalysed = Pass.jsonata(this, 'Measurement not analysed', {
      assign: {
        ...nextIndex,
        failures: jsonata(FAILURES_INCLUDING_THIS),
      },
    });

    const awaitLastChunk = Wait.jsonata(this, 'Await last chunk', { time: WaitTime.duration(LAST_CHUNK_WAIT) });
    const cancelMeasure = this.cancel('Cancel measure', '$measureCommandId', analyseTruncated);
    const cancelServe = this.cancel('Cancel serve', '$serveCommandId', cancelMeasure);
    awaitLastChunk.next(cancelServe);

    const measure = new HostCommandPhase(this, 'Measure', {
      comment: 'Never sent twice, because the pair has spent its network credits',
      command: '$measurement.measure',
      instanceIds: '[$pair.clientInstanceId]',
      commandIdVariable: 'measureCommandId',
      succeeded: analyse,
      failed: awaitLastChunk,
    });
    const serve = new HostCommandPhase(this, 'Serve', {
      comment: 'Succeeds as soon as the server listens',
      command: '$measurement.serve',
      instanceIds: '[$pair.serverInstanceId]',
      commandIdVariable: 'serveCommandId',
      succeeded: measure.startState,
      failed: awaitLastChunk,
    });

    const caught = { failureReason: jsonata(CAUGHT_ERROR) };
    analyse.addCatch(analyseTruncated, { errors: [ErrorName.IncompleteSeries], assign: caught });
    analyse.addCatch(notAnalysed, { errors: ['States.ALL'], assign: caught });
    analyseTruncated.addCatch(notAnalysed, {
      errors: ['States.ALL'],
      assign: { failureReason: jsonata(`$failureReason & "; " & ${CAUGHT_ERROR}`) },
    });
    for (const state of [analyse, analyseTruncated, notAnalysed]) state.next(nextMeasurement);

    nextMeasurement
      .when(
        Condition.jsonata(jsonata('$not($hostLost) and $measurementIndex < $count($measurements)')),
        Choice.jsonata(this, 'Server needed?')
          .when(Condition.jsonata(jsonata('$measurement.serve = null')), measure.startState)
          .otherwise(serve.startState),
        {
          assign: {
            measurement: jsonata('$measurements[$measurementIndex]'),
            serveCommandId: jsonata('""'),
            measureCommandId: jsonata('""'),
          },
        },
      )
      .otherwise(props.next);
    this.startState = nextMeasurement;
  }

  /** An error is ignored here, because the teardown ends the hosts together with whatever still runs on them. */
  private cancel(id: string, commandId: string, next: State): State {
    const cancel = apiCall(this, id, {
      service: 'ssm',
      action: 'cancelCommand',
      parameters: { CommandId: jsonata(commandId) },
      retry: REPEATABLE_CALL_RETRY,
    });
    cancel.addCatch(next, { errors: ['States.ALL'] });
    cancel.next(next);
    return Choice.jsonata(this, `${id}?`)
      .when(Condition.jsonata(jsonata(`${commandId} != ""`)), cancel)
      .otherwise(next);
  }
}
