/**
 * Folds a run: the parts of its measurements become few objects of the tables, because a query pays for every object
 * that it reads. Members of a gzip file may simply follow each other, so nothing is decompressed.
 *
 * An object of a table is always replaced whole, by what all parts are at that time. Folding may therefore be repeated,
 * cut off anywhere, or done twice at the same moment: no row is lost, and none is there twice.
 */
import pMap from 'p-map';
import { groupBy } from '../../domain/maths/group-by';
import type { PlannedRun } from '../../domain/model/planned-run';
import { METRICS } from '../../domain/model/sample';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import {
  liveMeasurementsPrefix,
  measurementRowsKey,
  parsePartKey,
  partsPrefix,
  samplesKey,
  type PartKind,
} from '../../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ObjectVersion, ReadableBucket, WritableBucket } from '../adapters/s3';
import { decodeSamplesPart, encodeGzipRows, NDJSON_GZIP_TYPE } from './encoding';

export type RunFolding = ReturnType<typeof runFolding>;
type FoldedBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket;

/**
 * Measurements whose samples of one metric share an object. An hour's counters of one measurement are some 0.8 MB, so that the
 * largest objects stay within what a function holds in its memory and one reader of a query reads in seconds.
 */
const MEASUREMENTS_PER_PIECE = 100;
const CONCURRENT_OBJECTS = { concurrency: 32 };
const MILLISECONDS_PER_DAY = 86_400_000;

type Piece = 'measurements' | number;

interface Part extends ObjectVersion {
  readonly kind: PartKind;
  readonly measurementId: string;
}

export function runFolding(bucket: FoldedBucket, now: () => Date) {
  const { listVersions, getObject, putObject, listObjects, deleteObjects } = bucket;

  const findParts = async (runId: string): Promise<Part[]> =>
    (await listVersions(partsPrefix(runId))).map((object) => ({ ...object, ...parsePartKey(object.key, runId) }));

  /** The parts of a run that are folded together: all rows of measurements, or the samples of some measurements. */
  const findPieces = async (run: PlannedRun): Promise<Map<Piece, readonly Part[]>> => {
    const positions = new Map(
      run.pairs.flatMap(({ measurements }) => measurements).map(({ measurementId }, index) => [measurementId, index]),
    );
    return groupBy(await findParts(run.runId), ({ key, kind, measurementId }) => {
      const position = positions.get(measurementId);
      if (position === undefined) throw new Error(`${key}: the plan of run ${run.runId} has no such measurement`);
      return kind === 'measurement' ? 'measurements' : Math.floor(position / MEASUREMENTS_PER_PIECE);
    });
  };

  const writePiece = async ({ day, runId }: PlannedRun, piece: Piece, parts: readonly Part[]): Promise<void> => {
    const bodies = await pMap(parts, ({ key }) => getObject(key), CONCURRENT_OBJECTS);
    if (piece === 'measurements') {
      return putObject(measurementRowsKey(day, runId), Buffer.concat(bodies), NDJSON_GZIP_TYPE);
    }
    const decoded = parts.map(({ key }, index) => decodeSamplesPart(key, bodies[index] ?? new Uint8Array()));
    await pMap(METRICS, async (metric) => {
      const key = samplesKey(metric, day, runId, piece);
      const members = decoded.flatMap((part) => part.get(metric) ?? []);
      if (members.length > 0) return putObject(key, Buffer.concat(members), NDJSON_GZIP_TYPE);
      // A metric without samples gets no object, but an earlier analysis may have found some.
      if ((await listObjects(key)).length > 0) await putObject(key, encodeGzipRows([]), NDJSON_GZIP_TYPE);
    });
  };

  return {
    /** The measurements that have samples; parts are kept for 90 days. */
    sampledIds: async (runId: string): Promise<ReadonlySet<string>> => {
      const parts = await findParts(runId);
      return new Set(parts.filter(({ kind }) => kind === 'samples').map(({ measurementId }) => measurementId));
    },

    /**
     * @param lateMeasurementId folds only the objects that have rows of this measurement
     * @returns false, and leaves the tables as they are, when parts of the run may have expired: the parts that are left
     * would replace more rows than they have
     */
    foldRun: async (run: PlannedRun, lateMeasurementId?: string): Promise<boolean> => {
      if (now().getTime() > Date.parse(run.createdAt) + RETENTION_DAYS.parts * MILLISECONDS_PER_DAY) return false;
      const folded = new Map<Piece, string>();
      // Somebody may write a part, or fold an earlier state of the parts, at the same time. Whoever is last notices it here.
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
      // From here on `measurements` has the rows.
      await deleteObjects(await listObjects(liveMeasurementsPrefix(run.day, run.runId)));
      return true;
    },
  };
}

const fingerprint = (parts: readonly Part[]) => parts.map(({ key, etag }) => `${key} ${etag}`).join('\n');
