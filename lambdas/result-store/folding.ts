/**
 * Folds a run: the parts of its measurements become few objects of the tables, because a query pays for every object
 * that it reads. Members of a gzip file may simply follow each other, so nothing is decompressed.
 *
 * An object of a table is always replaced whole, by what all parts are at that time. Folding may therefore be repeated,
 * cut off anywhere, or done twice at the same moment: no row is lost, and none is there twice.
 */
import pMap from 'p-map';
import type { RunCost } from '../../domain/model/cost';
import { groupBy } from '../../domain/maths/group-by';
import { zip } from '../../domain/maths/zip';
import type { PlannedRun } from '../../domain/model/planned-run';
import { measurementCostRow, type Row } from '../../domain/tables/columns';
import {
  costKey,
  liveMeasurementsPrefix,
  measurementRowsKey,
  parsePartKey,
  partsPrefix,
  samplesKey,
} from '../../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ReadableBucket, WritableBucket } from '../adapters/s3';
import { decodeDocument, decodeGzipLines, encodeGzipRows, NDJSON_GZIP_TYPE } from './encoding';

export type RunFolding = ReturnType<typeof runFolding>;

/**
 * Measurements whose samples of one metric share an object. An hour's counters of one measurement are some 0.8 MB, so that the
 * largest objects stay within what a function holds in its memory and one reader of a query reads in seconds.
 */
const MEASUREMENTS_PER_PIECE = 100;
const CONCURRENT_OBJECTS = { concurrency: 32 };

interface Part {
  readonly key: string;
  readonly etag: string;
  readonly measurementId: string;
}

export function runFolding(bucket: ReadableBucket & ListableBucket & WritableBucket & DeletableBucket) {
  const { listEtags, getObject, putObject, listObjects, deleteObjects } = bucket;

  /** The parts of a run by the key of the table's object that they are folded into. */
  const findPieces = async (run: PlannedRun): Promise<Map<string, readonly [Part, ...Part[]]>> => {
    const positions = new Map(
      run.pairs.flatMap(({ measurements }) => measurements).map(({ measurementId }, index) => [measurementId, index]),
    );
    const parts = [...(await listEtags(partsPrefix(run.runId)))].map(([key, etag]) => {
      return { key, etag, ...parsePartKey(key, run.runId) };
    });
    return groupBy(parts, ({ key, kind, measurementId }) => {
      const position = positions.get(measurementId);
      if (position === undefined) throw new Error(`${key}: the plan of run ${run.runId} has no such measurement`);
      return kind === 'measurement'
        ? measurementRowsKey(run.day, run.runId)
        : samplesKey(kind, run.day, run.runId, Math.floor(position / MEASUREMENTS_PER_PIECE));
    });
  };

  /** What `cost.json` adds to the rows of the measurements; nothing without it. */
  const findCosts = async ({ runId }: PlannedRun): Promise<Map<string, Row>> => {
    const key = costKey(runId);
    if ((await listObjects(key)).length === 0) return new Map();
    const { measurements } = decodeDocument<RunCost>(key, await getObject(key), 'network-benchmark.cost.v1');
    return new Map(measurements.map((cost) => [cost.measurementId, measurementCostRow(cost)]));
  };

  /** The price is known only at the end of the run, so that the rows of measurements are completed here. */
  const rowsWithCosts = (parts: readonly Part[], members: readonly Uint8Array[], costs: ReadonlyMap<string, Row>) =>
    encodeGzipRows(
      zip(parts, members).flatMap(([{ key, measurementId }, member]) =>
        (decodeGzipLines(key, member) as Row[]).map((row) => ({ ...row, ...costs.get(measurementId) })),
      ),
    );

  return {
    /**
     * @param lateMeasurementId folds only the objects that have rows of this measurement
     */
    foldRun: async (run: PlannedRun, lateMeasurementId?: string): Promise<void> => {
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
          const members = await pMap(parts, (part) => getObject(part.key), CONCURRENT_OBJECTS);
          const isOfSamples = key !== measurementRowsKey(run.day, run.runId);
          const body = isOfSamples ? new Uint8Array(Buffer.concat(members)) : rowsWithCosts(parts, members, costs);
          await putObject(key, body, NDJSON_GZIP_TYPE);
          folded.set(key, fingerprint(parts));
        }
      }
      // From here on `measurements` has the rows.
      await deleteObjects(await listObjects(liveMeasurementsPrefix(run.day, run.runId)));
    },
  };
}

const fingerprint = (parts: readonly Part[]) => parts.map(({ key, etag }) => `${key} ${etag}`).join('\n');
