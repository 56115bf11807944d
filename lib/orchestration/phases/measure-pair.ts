import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Choice, Condition, Pass, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import type { State } from 'aws-cdk-lib/aws-stepfunctions';
import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ErrorName } from '../../../domain/workflow/error-names';
import { CAUGHT_ERROR, jsonata } from '../expressions';
import { INCOMPLETE_SERIES_RETRY, REPEATABLE_CALL_RETRY } from '../retries';
import { apiCall, invocation } from '../tasks';
import { HostCommandPhase } from './host-command';

export interface MeasurePairProps {
  readonly analyseMeasurement: IFunction;
  /** Entered when everything has been measured, or a host is lost. */
  readonly next: State;
}

/**
 * After a failure the surviving streamer gets the time to cut and upload the chunk it is filling (one each 10 s) before
 * its command is cancelled: what was measured up to the failure is kept.
 */
const LAST_CHUNK = Duration.seconds(12);

const FAILURES_WITH_THIS_ONE = '$append($failures, [$measurement.measurementId & ": " & $failureReason])';

/**
 * One measurement after the other, each once: serve, measure, analyse. A measurement that fails is analysed for what
 * there is of it and remembered; the next one goes on, unless a host is lost.
 */
export class MeasurePairPhase extends Construct {
  readonly startState: State;

  constructor(scope: Construct, id: string, props: MeasurePairProps) {
    super(scope, id);
    const nextMeasurement = Choice.jsonata(this, 'Next measurement?');
    const afterThisOne = {
      measurementIndex: jsonata('$measurementIndex + 1'),
    };
    const payload = {
      runId: jsonata('$runId'),
      pairIndex: jsonata('$pairIndex'),
      measurementIndex: jsonata('$measurement.measurementIndex'),
    };

    const analyse = invocation(this, 'Analyse measurement', {
      comment: 'The raw streams are in the store once their manifests are',
      handler: props.analyseMeasurement,
      payload: { ...payload, acceptTruncated: false, failureReason: null },
      retry: INCOMPLETE_SERIES_RETRY,
      assign: {
        ...afterThisOne,
        failures: jsonata(
          '($result := $states.result.Payload; $result.status in ["complete", "not_applicable"] ? $failures : ' +
            '$append($failures, [$result.measurementId & ": " & ($result.reason = null ? $result.status : $result.reason)]))',
        ),
      },
    });
    const analyseTruncated = invocation(this, 'Analyse what there is', {
      handler: props.analyseMeasurement,
      payload: { ...payload, acceptTruncated: true, failureReason: jsonata('$failureReason') },
      assign: { ...afterThisOne, failures: jsonata(FAILURES_WITH_THIS_ONE) },
    });
    const notAnalysed = Pass.jsonata(this, 'Measurement not analysed', {
      assign: {
        ...afterThisOne,
        failures: jsonata(FAILURES_WITH_THIS_ONE),
      },
    });

    const awaitLastChunk = Wait.jsonata(this, 'Await last chunk', { time: WaitTime.duration(LAST_CHUNK) });
    const cancelMeasure = this.cancel('Cancel measure', '$measureCommandId', analyseTruncated);
    const cancelServe = this.cancel('Cancel serve', '$serveCommandId', cancelMeasure);
    awaitLastChunk.next(cancelServe);

    const measure = new HostCommandPhase(this, 'Measure', {
      comment: 'Never sent twice: the pair has spent its network credits',
      command: '$measurement.measure',
      instanceIds: '[$pair.clientInstanceId]',
      commandIdVariable: 'measureCommandId',
      succeeded: analyse,
      failed: awaitLastChunk,
    });
    const serve = new HostCommandPhase(this, 'Serve', {
      comment: 'Ends well as soon as the server listens',
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

  /** Best effort: the hosts end at the teardown, whatever still runs on them. */
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
