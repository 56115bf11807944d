/**
 * Analyses the raw streams of one measurement and stores its result, samples and row. Repeating it changes nothing.
 *
 * summarise-run folds the run. If there is a summary, this measurement came too late for that and is folded here. An
 * analysis that is killed in between leaves an object with which the sweep asks for the fold.
 */
import { analyseStreams, type FoundStreams } from '../../domain/analysis/measurement-result';
import type { HostRole } from '../../domain/model/host-role';
import { verdictWord } from '../../domain/model/verdict';
import { toolModule } from '../../domain/tools/catalogue';
import type {
  AnalyseMeasurementRequest,
  AnalyseMeasurementResponse,
  FoldUnfinishedRequest,
} from '../../domain/workflow/contracts';
import { IncompleteSeriesError } from '../../domain/workflow/error-names';
import { parseUnfinishedKey } from '../../domain/workflow/object-keys';
import type { RunFolding } from '../result-store/folding';
import type { ResultFinder, ResultReader } from '../result-store/reader';
import type { RawStreamReader, StoredStream } from '../result-store/raw-stream';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/runtime';

export interface AnalyseMeasurementDependencies {
  /** The role id of the hosts. A host uploads under its `aws:userid`, which is `<role id>:<instance id>`. */
  readonly hostRoleId: string;
  readonly store: Pick<
    ResultReader & ResultFinder & RawStreamReader & ResultWriter & RunFolding,
    | 'hasPlan'
    | 'plan'
    | 'plannedPair'
    | 'hosts'
    | 'rawStream'
    | 'beginAnalysis'
    | 'writeResult'
    | 'hasSummary'
    | 'foldRun'
    | 'finishAnalysis'
  >;
  readonly now: () => Date;
  readonly log: Log;
}

export function makeAnalyseMeasurement({ hostRoleId, store, now, log }: AnalyseMeasurementDependencies) {
  return async (request: AnalyseMeasurementRequest): Promise<AnalyseMeasurementResponse> => {
    const { runId, pairIndex, measurementIndex, failureReason } = request;
    const { run, pair } = await store.plannedPair(request);
    const measurement = pair.measurements[measurementIndex];
    if (measurement === undefined) {
      throw new Error(`measurement ${measurementIndex} of pair ${pairIndex}: must be in the plan of ${runId}, is not`);
    }
    const { measurementId } = measurement;
    const hosts = await store.hosts(runId, pair.pairId);

    const read = async (hostRole: HostRole): Promise<StoredStream> => {
      const userId = `${hostRoleId}:${hosts[hostRole].instanceId}`;
      const found = await store.rawStream({ userId, runId, measurementId, hostRole });
      if (found.manifest === undefined && !request.acceptTruncated) {
        throw new IncompleteSeriesError(
          `${measurementId}: manifest of the ${hostRole} must be in the store, is not yet`,
        );
      }
      return found;
    };
    const client = await read('client');
    const isServed = toolModule(measurement.tool).serve !== undefined;
    const streams: FoundStreams = isServed ? { client, server: await read('server') } : { client };

    const { result, samples } = analyseStreams({ run, pair, measurement, hosts, streams, failureReason });
    const unfinishedKey = await store.beginAnalysis({ runId, measurementId, begunAt: now() });
    await store.writeResult(result, samples);
    const isLate = await store.hasSummary(runId);
    if (isLate) await store.foldRun(run, measurementId);
    await store.finishAnalysis(unfinishedKey);

    const { status, reason = null } = result;
    const answer = { measurementId, status, reason, verdict: result.verdict && verdictWord(result.verdict) };
    log('measurement analysed', { runId, ...answer, sampleCount: samples.length, isLate });
    return answer;
  };
}

/** Folds what an analysis wrote that was cut off, unless its run was deleted or is still to be folded as a whole. */
export function makeFoldUnfinished({ store, log }: Pick<AnalyseMeasurementDependencies, 'store' | 'log'>) {
  return async ({ unfinishedKey }: FoldUnfinishedRequest): Promise<void> => {
    const { runId, measurementId } = parseUnfinishedKey(unfinishedKey);
    if ((await store.hasPlan(runId)) && (await store.hasSummary(runId))) {
      await store.foldRun(await store.plan(runId), measurementId);
    }
    await store.finishAnalysis(unfinishedKey);
    log('unfinished analysis folded', { runId, measurementId });
  };
}
