/**
 * Folds a run: combines the parts of its measurements into a few objects of `measurements` and `samples`, because a
 * query pays for every object that it reads. Gzip members can simply be concatenated, so samples are not decompressed.
 *
 * An object of a table is always replaced as a whole from all current parts. Folding may therefore be repeated,
 * interrupted or run twice at the same time without losing or duplicating a row.
 */
import pMap from 'p-map';
import type { RunCost } from '../../domain/model/cost';
import { groupBy, zip } from '../../domain/maths/elements';
import type { PlannedRun } from '../../domain/model/planned-run';
import { METRICS } from '../../domain/model/sample';
import type { RunSummaryJson } from '../../domain/run/summary';
import { measurementCostRow, runEndingRow, type Row } from '../../domain/tables/columns';
import {
  costKey,
  liveMeasurementsPrefix,
  measurementIdOfRowPart,
  measurementIdOfSamples,
  measurementRowsKey,
  measurementSamplesPrefix,
  rowPartsPrefix,
  samplesKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ObjectVersion, ReadableBucket, WritableBucket } from '../adapters/s3';
import {
  decodeDocument,
  decodeGzipLines,
  decodeMeasurementSamples,
  encodeGzipRows,
  NDJSON_GZIP_TYPE,
} from './encoding';

export type RunFolding = ReturnType<typeof runFolding>;
type FoldedBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket;

/**
 * How many measurements share an object with the samples of one metric. For a run of 3,000, a query of one metric reads
 * 30 objects of at most 12 MB each; with 10 per object it would read 300. With 1,000 it would read three, each by a
 * single reader, because gzip can't be split. The fold holds one piece of all metrics in memory: 961 MiB at most, 828
 * MiB for 10 and 1,172 MiB for 1,000, of the function's 1,769 MiB. The CPU time is the same (`npm run bench:fold`).
 */
const MEASUREMENTS_PER_PIECE = 100;
const CONCURRENT_OBJECTS = { concurrency: 32 };

type Piece = 'measurements' | number;

interface Part extends ObjectVersion {
  readonly kind: 'row' | 'samples';
  readonly measurementId: string;
}

export function runFolding(bucket: FoldedBucket) {
  const { listVersions, getObject, getDescribedObject, putObject, listObjects, deleteObjects } = bucket;

  const rowParts = async (runId: string): Promise<Part[]> =>
    (await listVersions(rowPartsPrefix(runId))).map((object) => {
      return { ...object, kind: 'row', measurementId: measurementIdOfRowPart(object.key, runId) };
    });

  const samplesParts = async (runId: string): Promise<Part[]> =>
    (await listVersions(measurementSamplesPrefix(runId))).map((object) => {
      return { ...object, kind: 'samples', measurementId: measurementIdOfSamples(object.key, runId) };
    });

  /** Groups the parts that are folded together: all rows of measurements, or the samples of some measurements. */
  const findPieces = async (run: PlannedRun): Promise<Map<Piece, readonly Part[]>> => {
    const positions = new Map(
      run.pairs.flatMap(({ measurements }) => measurements).map(({ measurementId }, index) => [measurementId, index]),
    );
    const parts = [...(await rowParts(run.runId)), ...(await samplesParts(run.runId))];
    return groupBy(parts, ({ key, kind, measurementId }) => {
      const position = positions.get(measurementId);
      if (position === undefined) throw new Error(`${key}: the plan of run ${run.runId} has no such measurement`);
      return kind === 'row' ? 'measurements' : Math.floor(position / MEASUREMENTS_PER_PIECE);
    });
  };

  /** Adds the prices and the run's outcome to the rows of measurements, because both are known only at the end. */
  const completeRows = async (runId: string, parts: readonly Part[], bodies: readonly Uint8Array[]) => {
    const { measurements } = await findCost(bucket, runId);
    const ending = await findEnding(bucket, runId);
    const costs = new Map(measurements.map((cost) => [cost.measurementId, measurementCostRow(cost)]));
    const rows = zip(parts, bodies).flatMap(([{ key, measurementId }, body]) =>
      (decodeGzipLines(key, body) as Row[]).map((row) => ({ ...row, ...costs.get(measurementId), ...ending })),
    );
    return encodeGzipRows(rows);
  };

  const writePiece = async ({ day, runId }: PlannedRun, piece: Piece, parts: readonly Part[]): Promise<void> => {
    if (piece === 'measurements') {
      const bodies = await pMap(parts, ({ key }) => getObject(key), CONCURRENT_OBJECTS);
      return putObject(measurementRowsKey(day, runId), await completeRows(runId, parts, bodies), NDJSON_GZIP_TYPE);
    }
    const decoded = await pMap(
      parts,
      async ({ key }) => decodeMeasurementSamples(key, await getDescribedObject(key)),
      CONCURRENT_OBJECTS,
    );
    await pMap(METRICS, async (metric) => {
      const key = samplesKey(metric, day, runId, piece);
      const members = decoded.flatMap((part) => part.get(metric) ?? []);
      if (members.length > 0) return putObject(key, Buffer.concat(members), NDJSON_GZIP_TYPE);
      // A metric without samples gets no object, but an earlier analysis may have found some.
      if ((await listObjects(key)).length > 0) await putObject(key, encodeGzipRows([]), NDJSON_GZIP_TYPE);
    });
  };

  return {
    earlierCost: (runId: string) => findCost(bucket, runId),

    sampledIds: async (runId: string): Promise<ReadonlySet<string>> =>
      new Set((await samplesParts(runId)).map(({ measurementId }) => measurementId)),

    /** @param lateMeasurementId folds only the objects that contain rows of this measurement */
    foldRun: async (run: PlannedRun, lateMeasurementId?: string): Promise<void> => {
      const folded = new Map<Piece, string>();
      // Another call may write or fold parts at the same time, so repeat until no part has changed since its fold.
      for (;;) {
        const changed = [...(await findPieces(run))].filter(
          ([piece, parts]) =>
            folded.get(piece) !== fingerprint(parts) &&
            (lateMeasurementId === undefined || parts.some((part) => part.measurementId === lateMeasurementId)),
        );
        if (changed.length === 0) break;
        for (const [piece, parts] of changed) {
          await writePiece(run, piece, parts);
          folded.set(piece, fingerprint(parts));
        }
      }
      // `measurements` now has the rows, so the live copies are deleted.
      await deleteObjects(await listObjects(liveMeasurementsPrefix(run.day, run.runId)));
    },
  };
}

/** The price of a run from its last summary; empty before the first. */
async function findCost(
  { listObjects, getObject }: Pick<FoldedBucket, 'listObjects' | 'getObject'>,
  runId: string,
): Promise<Pick<RunCost, 'pairs' | 'measurements'>> {
  const key = costKey(runId);
  if ((await listObjects(key)).length === 0) return { pairs: [], measurements: [] };
  return decodeDocument<RunCost>(key, await getObject(key), 'network-benchmark.cost.v1');
}

/** How a run ended, from its last summary; empty before the first. */
async function findEnding(
  { listObjects, getObject }: Pick<FoldedBucket, 'listObjects' | 'getObject'>,
  runId: string,
): Promise<Row> {
  const key = summaryKey(runId);
  if ((await listObjects(key)).length === 0) return {};
  return runEndingRow(decodeDocument<RunSummaryJson>(key, await getObject(key), 'network-benchmark.summary.v1'));
}

const fingerprint = (parts: readonly Part[]) => parts.map(({ key, etag }) => `${key} ${etag}`).join('\n');
