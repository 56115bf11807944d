/** Reads what the measurements of a run came to and writes its summary. */
import type { MeasurementResult } from '../../domain/measurement/measurement';
import type { PlannedRun } from '../../domain/plan/planned-run';
import type { RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import { pairId } from '../../domain/workflow/identifiers';
import { measurementResultKey, planKey, reportKey, summaryKey } from '../../domain/workflow/object-keys';
import type { AthenaRow } from '../adapters/athena';
import type { Execution } from '../adapters/sfn';
import type { Log } from '../shared/logger';
import { decodeJson, encodeJson } from '../shared/stored-json';

export interface SummariseRunDependencies {
  readonly bucketName: string;
  describePairExecution(name: string): Promise<Execution | undefined>;
  runQuery(sql: string, deadlineSeconds: number): Promise<AthenaRow[]>;
  findObject(key: string): Promise<Uint8Array | undefined>;
  putObject(key: string, body: Uint8Array, contentType: string): Promise<void>;
  now(): Date;
  readonly log: Log;
}

export function makeSummariseRun(deps: SummariseRunDependencies) {
  return async (request: SummariseRunRequest): Promise<RunOutcome> => {
    const { runId } = request;
    const planBody = await deps.findObject(planKey(runId));
    if (planBody === undefined) throw new Error(`${planKey(runId)}: must exist, got no such object`);
    const run = decodeJson<PlannedRun>(planKey(runId), planBody);
    const results: MeasurementResult[] = [];
    for (const measurement of run.pairs.flatMap((pair) => pair.measurements)) {
      const key = measurementResultKey(runId, measurement.measurementId);
      const body = await deps.findObject(key);
      if (body !== undefined) results.push(decodeJson<MeasurementResult>(key, body));
    }
    const complete = results.filter((result) => result.status === 'complete').length;
    const planned = run.pairs.reduce((sum, pair) => sum + pair.measurements.length, 0);
    const outcome: RunOutcome = {
      runId,
      outcome: complete === planned ? 'complete' : complete > 0 ? 'incomplete' : 'failed',
      verdicts: results.map((result) =>
        `${result.measurementId} ${result.status} ${result.verdict?.kind ?? ''}`.trim(),
      ),
      failedPairs: request.pairs.filter((pair) => pair.status === 'failed').map((pair) => pairId(pair.pairIndex)),
      report: `s3://${deps.bucketName}/${reportKey(runId)}`,
      summary: `s3://${deps.bucketName}/${summaryKey(runId)}`,
    };
    await deps.putObject(summaryKey(runId), encodeJson({ ...outcome, measurements: results }), 'application/json');
    return outcome;
  };
}
