import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib';
import { Choice, Pass, Wait, WaitTime, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { ErrorName } from '../../../domain/workflow/error-names';
import { pairErrorText, jsonata } from '../expressions';
import { INCOMPLETE_SERIES_RETRY } from '../retries';
import { apiCall, catchAll, invocation, when } from '../tasks';
import { hostCommandPhase } from './hosts';

/**
 * After a failure, the remaining streamer gets time to upload its current chunk (it uploads one every 10 s) before its
 * command is cancelled. This keeps what was measured up to the failure.
 */
const LAST_CHUNK_WAIT = Duration.seconds(12);

/** Shown in the console, so that it tells the current measurement. */
const SHOWN = {
  measurementId: jsonata('$measurement.measurementId'),
  document: jsonata('$measurement.measure.document'),
};

/**
 * Runs the measurements one after the other, each of them once: serve, measure, analyse.
 *
 * | what happens                        | what follows                                                               |
 * | ----------------------------------- | -------------------------------------------------------------------------- |
 * | server and tool succeed             | analyse the measurement, which waits for the manifests                     |
 * | server or tool fails, but hosts run | await the last chunk, cancel both commands, analyse what there is          |
 * | a host is lost                      | the same, and no further measurement                                       |
 * | a manifest is missing after retries | analyse what there is, which finds out why                                 |
 * | the analysis fails                  | record the failure and go on with the next measurement                     |
 *
 * @param next entered when everything has been measured, or when a host is lost
 */
export function measurePairPhase(scope: Construct, analyseMeasurement: IFunction, next: State): State {
  const nextMeasurement = Choice.jsonata(scope, 'Next measurement?');
  const nextIndex = { measurementIndex: jsonata('$measurementIndex + 1') };
  const failuresOfResult =
    '($result := $states.result.Payload; $result.status in ["complete", "not_applicable"] ? $failures : ' +
    '$append($failures, [$result.measurementId & ": " & ($result.reason = null ? $result.status : $result.reason)]))';
  const payload = {
    runId: jsonata('$runId'),
    pairIndex: jsonata('$pairIndex'),
    measurementIndex: jsonata('$measurement.measurementIndex'),
  };

  const analyse = invocation(scope, 'Analyse measurement', {
    comment: 'Waits for the manifests, which the hosts upload after all other parts of their raw streams',
    handler: analyseMeasurement,
    payload: { ...payload, acceptTruncated: false, failureReason: null },
    retry: INCOMPLETE_SERIES_RETRY,
    assign: { ...nextIndex, failures: jsonata(failuresOfResult) },
  });
  const analyseTruncated = invocation(scope, 'Analyse what there is', {
    handler: analyseMeasurement,
    payload: { ...payload, acceptTruncated: true, failureReason: jsonata('$failureReason') },
    assign: { ...nextIndex, failures: jsonata(failuresOfResult) },
  });
  const notAnalysed = Pass.jsonata(scope, 'Measurement not analysed', {
    assign: {
      ...nextIndex,
      failures: jsonata('$append($failures, [$measurement.measurementId & ": " & $failureReason])'),
    },
  });

  const awaitLastChunk = Wait.jsonata(scope, 'Await last chunk', { time: WaitTime.duration(LAST_CHUNK_WAIT) });
  const cancelMeasure = cancel(scope, 'Cancel measure', '$measureCommandId', analyseTruncated);
  const cancelServe = cancel(scope, 'Cancel serve', '$serveCommandId', cancelMeasure);
  awaitLastChunk.next(cancelServe);

  const measure = hostCommandPhase(scope, {
    phase: 'Measure',
    comment: 'Never sent twice, because the pair has spent its network credits',
    command: '$measurement.measure',
    instanceIds: '[$pair.clientInstanceId]',
    shown: SHOWN,
    commandIdVariable: 'measureCommandId',
    succeeded: analyse,
    failed: awaitLastChunk,
  });
  const serve = hostCommandPhase(scope, {
    phase: 'Serve',
    comment: 'Succeeds as soon as the server listens',
    command: '$measurement.serve',
    instanceIds: '[$pair.serverInstanceId]',
    shown: SHOWN,
    commandIdVariable: 'serveCommandId',
    succeeded: measure,
    failed: awaitLastChunk,
  });

  analyse.addCatch(analyseTruncated, { errors: [ErrorName.IncompleteSeries], assign: { failureReason: null } });
  const analysisFailed = `"the analysis failed: " & ${pairErrorText()}`;
  catchAll([analyse], notAnalysed, analysisFailed);
  catchAll([analyseTruncated], notAnalysed, `($failureReason = null ? "" : $failureReason & "; ") & ${analysisFailed}`);
  for (const state of [analyse, analyseTruncated, notAnalysed]) state.next(nextMeasurement);

  const begin = Choice.jsonata(scope, 'Server needed?')
    .when(when('$measurement.serve = null'), measure)
    .otherwise(serve);
  return nextMeasurement
    .when(when('$not($hostLost) and $measurementIndex < $count($measurements)'), begin, {
      outputs: {
        measurementId: jsonata('$measurements[$measurementIndex].measurementId'),
        document: jsonata('$measurements[$measurementIndex].measure.document'),
      },
      assign: {
        measurement: jsonata('$measurements[$measurementIndex]'),
        serveCommandId: jsonata('""'),
        measureCommandId: jsonata('""'),
      },
    })
    .otherwise(next);
}

/** Ignores errors, because the teardown terminates the hosts with everything that still runs on them. */
function cancel(scope: Construct, id: string, commandId: string, next: State): State {
  const parameters = { CommandId: jsonata(commandId) };
  const task = apiCall(scope, id, { service: 'ssm', action: 'cancelCommand', parameters });
  task.addCatch(next, { errors: ['States.ALL'] });
  task.next(next);
  return Choice.jsonata(scope, `${id}?`)
    .when(when(`${commandId} != ""`), task)
    .otherwise(next);
}
