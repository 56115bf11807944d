/**
 * Folds a run: the parts of its measurements become few objects of the tables, because a query pays for every object
 * that it reads. Members of a gzip file may simply follow each other, so no samples are decompressed.
 *
 * An object of a table is always replaced whole, by what all parts are at that time. Folding may therefore be repeated,
 * cut off anywhere, or done twice at the same moment: no row is lost, and none is there twice.
 */
import pMap from 'p-map';
import type { RunCost } from '../../domain/model/cost';
import { groupBy } from '../../domain/maths/group-by';
import { zip } from '../../domain/maths/zip';
import type { PlannedRun } from '../../domain/model/planned-run';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import { measurementCostRow, type Row } from '../../domain/tables/columns';
import {
  costKey,
  liveMeasurementsPrefix,
  measurementRowsKey,
  parsePartKey,
  partsPrefix,
  samplesKey,
  type PartKind,
} from '../../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ObjectVersion, ReadableBucket, WritableBucket } from '../adapters/s3';
import { decodeDocument, decodeGzipLines, encodeGzipRows, NDJSON_GZIP_TYPE } from './encoding';

export type RunFolding = ReturnType<typeof runFolding>;
type FoldedBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket;

/**
 * Measurements whose samples of one metric share an object. An hour's counters of one measurement are some 0.8 MB, so that the
 * largest objects stay within what a function holds in its memory and one reader of a query reads in seconds.
 */
const MEASUREMENTS_PER_PIECE = 100;
const CONCURRENT_OBJECTS = { concurrency: 32 };
const MILLISECONDS_PER_DAY = 86_400_000;

interface Part extends ObjectVersion {
  readonly kind: PartKind;
  readonly measurementId: string;
}

export function runFolding(bucket: FoldedBucket, now: () => Date) {
  const { listVersions, getObject, putObject, listObjects, deleteObjects } = bucket;

  const findParts = async (runId: string): Promise<Part[]> =>
    (await listVersions(partsPrefix(runId))).map((object) => ({ ...object, ...parsePartKey(object.key, runId) }));

  /** The parts of a run by the key of the table's object that they are folded into. */
  const findPieces = async (run: PlannedRun): Promise<Map<string, readonly Part[]>> => {
    const positions = new Map(
      run.pairs.flatMap(({ measurements }) => measurements).map(({ measurementId }, index) => [measurementId, index]),
    );
    return groupBy(await findParts(run.runId), ({ key, kind, measurementId }) => {
      const position = positions.get(measurementId);
      if (position === undefined) throw new Error(`${key}: the plan of run ${run.runId} has no such measurement`);
      return kind === 'measurement'
        ? measurementRowsKey(run.day, run.runId)
        : samplesKey(kind, run.day, run.runId, Math.floor(position / MEASUREMENTS_PER_PIECE));
    });
  };

  /** What `cost.json` adds to the rows of the measurements; nothing without it. */
  const findCosts = async ({ runId }: PlannedRun): Promise<Map<string, Row>> => {
    const { measurements } = await findCost(bucket, runId);
    return new Map(measurements.map((cost) => [cost.measurementId, measurementCostRow(cost)]));
  };

  /** The price is known only at the end of the run, so that the rows of measurements are completed here. */
  const rowsWithCosts = (parts: readonly Part[], members: readonly Uint8Array[], costs: ReadonlyMap<string, Row>) =>
    encodeGzipRows(
      zip(parts, members).flatMap(([{ key, measurementId }, member]) =>
        (decodeGzipLines(key, member) as Row[]).map((row) => ({ ...row, ...costs.get(measurementId) })),
      ),
    );

  const writePiece = async (key: string, parts: readonly Part[], costs: ReadonlyMap<string, Row>): Promise<void> => {
    const filled = parts.filter(hasRows);
    // A metric that nothing has samples of gets no object, but an earlier one must not keep its rows.
    if (filled.length === 0 && (await listObjects(key)).length === 0) return;
    const members = await pMap(filled, (part) => getObject(part.key), CONCURRENT_OBJECTS);
    const isOfSamples = filled[0] !== undefined && filled[0].kind !== 'measurement';
    const body = isOfSamples ? Buffer.concat(members) : rowsWithCosts(filled, members, costs);
    await putObject(key, body, NDJSON_GZIP_TYPE);
  };

  return {
    earlierCost: (runId: string) => findCost(bucket, runId),

    /** The metrics that have samples, by measurement id. */
    sampledMetrics: async (runId: string): Promise<Map<string, ReadonlySet<PartKind>>> => {
      const byMeasurement = groupBy((await findParts(runId)).filter(hasRows), ({ measurementId }) => measurementId);
      return new Map([...byMeasurement].map(([id, parts]) => [id, new Set(parts.map(({ kind }) => kind))]));
    },

    /**
     * @param lateMeasurementId folds only the objects that have rows of this measurement
     * @returns false, and leaves the tables as they are, when parts of the run may have expired: the parts that are left
     * would replace more rows than they have
     */
    foldRun: async (run: PlannedRun, lateMeasurementId?: string): Promise<boolean> => {
      if (now().getTime() > Date.parse(run.createdAt) + RETENTION_DAYS.parts * MILLISECONDS_PER_DAY) return false;
      const folded = new Map<string, string>();
      const costs = await findCosts(run);
      // Somebody may write a part, or fold an earlier state of the parts, at the same time. Whoever is last notices it here.
      for (;;) {
        const changed = [...(await findPieces(run))].filter(
          ([key, parts]) =>
            folded.get(key) !== fingerprint(parts) &&
            (lateMeasurementId === undefined || parts.some((part) => part.measurementId === lateMeasurementId)),
        );
        if (changed.length === 0) break;
        for (const [key, parts] of changed) {
          await writePiece(key, parts, costs);
          folded.set(key, fingerprint(parts));
        }
      }
      // From here on `measurements` has the rows.
      await deleteObjects(await listObjects(liveMeasurementsPrefix(run.day, run.runId)));
      return true;
    },
  };
}

/** The price of a run as its last summary knew it; nothing before the first. */
async function findCost(
  { listObjects, getObject }: Pick<FoldedBucket, 'listObjects' | 'getObject'>,
  runId: string,
): Promise<Pick<RunCost, 'pairs' | 'measurements'>> {
  const key = costKey(runId);
  if ((await listObjects(key)).length === 0) return { pairs: [], measurements: [] };
  return decodeDocument<RunCost>(key, await getObject(key), 'network-benchmark.cost.v1');
}

const hasRows = ({ sizeBytes }: Part) => sizeBytes > 0;

const fingerprint = (parts: readonly Part[]) => parts.map(({ key, etag }) => `${key} ${etag}`).join('\n');
