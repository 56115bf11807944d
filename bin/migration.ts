/**
 * Moves the rows of the layout before folding (docs/decisions/0012-folded-runs.md) into today's tables: one object of
 * samples of all metrics and one row per measurement, `samples/day=DAY/RUN.MEASUREMENT.ndjson.gz` and
 * `measurements/day=DAY/RUN.MEASUREMENT.ndjson`.
 *
 * The rows of a run become parts and are folded as those of every run are. Its old objects are deleted at the end, so
 * that a migration that was cut off can be repeated.
 */
import pMap from 'p-map';
import { groupBy } from '../domain/maths/group-by';
import type { Row } from '../domain/tables/columns';
import { ID_PATTERN_TEXTS } from '../domain/workflow/identifiers';
import { measurementSamplesKey, rowPartKey, rowPartsPrefix } from '../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ReadableBucket, WritableBucket } from '../lambdas/adapters/s3';
import {
  decodeGzipLines,
  decodeJson,
  encodeGzipRows,
  encodeMeasurementSamples,
  NDJSON_GZIP_TYPE,
} from '../lambdas/result-store/encoding';
import { resultFinder } from '../lambdas/result-store/finder';
import { runFolding } from '../lambdas/result-store/folding';
import { resultReader } from '../lambdas/result-store/reader';
import { errorMessage } from '../lambdas/shared/error-text';

const { runId: RUN, measurementId: MEASUREMENT } = ID_PATTERN_TEXTS;
const OLD_KEY = new RegExp(`^(samples|measurements)/day=([\\d-]{10})/(${RUN})\\.(${MEASUREMENT})\\.ndjson(\\.gz)?$`);
const FOLDED_MEASUREMENTS = new RegExp(`^measurements/day=[\\d-]{10}/${RUN}\\.ndjson\\.gz$`);
const CONCURRENT_MEASUREMENTS = { concurrency: 16 };

export type MigratedBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket;

interface OldObject {
  readonly key: string;
  readonly table: 'samples' | 'measurements';
  readonly day: string;
  readonly runId: string;
  readonly measurementId: string;
}

/**
 * @param print is given one line per run, and one per object that is not known
 * @returns whether everything of the old layout has been moved
 */
export async function migrate(bucket: MigratedBucket, print: (line: string) => void): Promise<boolean> {
  const keys = [...(await bucket.listObjects('samples/day=')), ...(await bucket.listObjects('measurements/'))];
  const old = keys.flatMap((key) => oldObject(key) ?? []);
  const unknown = keys.filter((key) => oldObject(key) === undefined && !FOLDED_MEASUREMENTS.test(key));
  for (const key of unknown) print(`${key}: left: is no object of a table, old or new`);

  let isWhole = unknown.length === 0;
  for (const [runId, objects] of groupBy(old, (object) => object.runId)) {
    try {
      await migrateRun(bucket, runId, objects);
      print(`${runId}: moved the rows of ${objects.length} objects, and deleted these`);
    } catch (error) {
      isWhole = false;
      print(`${runId}: left as it is: ${errorMessage(error)}`);
    }
  }
  if (old.length === 0 && isWhole) print('nothing is left of the old layout');
  return isWhole;
}

function oldObject(key: string): OldObject | undefined {
  const [, table, day, runId, measurementId, compression] = OLD_KEY.exec(key) ?? [];
  if (day === undefined || runId === undefined || measurementId === undefined) return undefined;
  // Only samples were compressed.
  const isSamples = table === 'samples';
  if (isSamples !== (compression !== undefined)) return undefined;
  return { key, table: isSamples ? 'samples' : 'measurements', day, runId, measurementId };
}

/** @throws before anything is deleted when the run can't be moved whole */
async function migrateRun(bucket: MigratedBucket, runId: string, objects: readonly OldObject[]): Promise<void> {
  const run = await resultReader(bucket).plan(runId);
  const { hasSummary, measurementIds } = resultFinder(bucket);
  if (!(await hasSummary(runId))) throw new Error('has no summary yet; repeat this when it has ended');
  const ofAnotherDay = objects.find(({ day }) => day !== run.day);
  if (ofAnotherDay !== undefined) throw new Error(`${ofAnotherDay.key}: must be of ${run.day}, the day of its run`);

  const parts = new Set(await bucket.listObjects(rowPartsPrefix(runId)));
  const hasRow = (measurementId: string) => parts.has(rowPartKey(runId, measurementId));
  // A part that is there is as new as the old row, or newer, because today's analysis wrote it.
  const missing = [...groupBy(objects, ({ measurementId }) => measurementId)].filter(([id]) => !hasRow(id));
  await pMap(missing, ([, ofMeasurement]) => writeParts(bucket, runId, ofMeasurement), CONCURRENT_MEASUREMENTS);
  for (const { measurementId, table } of objects) {
    if (table === 'measurements') parts.add(rowPartKey(runId, measurementId));
  }

  const lost = (await measurementIds(runId)).filter((measurementId) => !hasRow(measurementId));
  if (lost.length > 0) {
    throw new Error(`the store has results but no rows of ${lost.join(', ')}, which a new object would lose`);
  }
  await runFolding(bucket).foldRun(run);
  await bucket.deleteObjects(objects.map(({ key }) => key));
}

/** Writes the row of the measurement last: where that is, its samples are too. */
async function writeParts(bucket: MigratedBucket, runId: string, objects: readonly OldObject[]): Promise<void> {
  const samplesFirst = [...objects].sort((one, other) => other.table.localeCompare(one.table));
  for (const { key, table, measurementId } of samplesFirst) {
    const body = await bucket.getObject(key);
    if (table === 'samples') {
      const samples = encodeMeasurementSamples(key, decodeGzipLines(key, body) as Row[]);
      const newKey = measurementSamplesKey(runId, measurementId);
      await bucket.putObject(newKey, samples.body, NDJSON_GZIP_TYPE, samples.metadata);
    } else {
      const row = encodeGzipRows([decodeJson(key, body)]);
      await bucket.putObject(rowPartKey(runId, measurementId), row, NDJSON_GZIP_TYPE);
    }
  }
}
