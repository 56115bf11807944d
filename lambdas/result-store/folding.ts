/**
 * Folds a run: makes the objects of its tables from its documents and from the parts of its measurements, because a query
 * pays for every object that it reads. Gzip members can simply be concatenated, so samples are not decompressed.
 *
 * An object of a table is always replaced as a whole, from all current documents and parts, and only if nobody has
 * replaced it since these were listed. Folding may therefore be repeated, interrupted or run several times at once: no
 * older rows ever replace newer ones (`test/lambdas/fold-schedules.test.ts` tries the orders of their requests).
 */
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { RunCost } from '../../domain/model/cost';
import { groupBy, zip } from '../../domain/maths/elements';
import type { PlannedRun } from '../../domain/model/planned-run';
import { METRICS } from '../../domain/model/sample';
import { pairFacts, runFacts, type EndedRun } from '../../domain/run/ended-run';
import type { RunSummaryJson } from '../../domain/run/summary';
import { measurementCostRow, pairRow, runEndingRow, runRow, type Row } from '../../domain/tables/columns';
import {
  costKey,
  liveMeasurementRowKey,
  measurementIdOfRowPart,
  measurementIdOfSamples,
  measurementRowsKey,
  measurementSamplesPrefix,
  pairRowsKey,
  rowPartsPrefix,
  runRowKey,
  samplesKey,
  samplesPrefix,
  summaryKey,
  unfinishedKey,
  type UnfinishedAnalysis,
} from '../../domain/workflow/object-keys';
import type { DeletableBucket, ListableBucket, ReadableBucket, WritableBucket } from '../adapters/s3';
import {
  decodeDocument,
  decodeGzipLines,
  decodeMeasurementSamples,
  encodeGzipRows,
  encodeRows,
  GZIP_TYPE,
  NDJSON_TYPE,
} from './encoding';

export type RunFolding = ReturnType<typeof runFolding>;
type FoldedBucket = ReadableBucket & ListableBucket & WritableBucket & DeletableBucket;

/**
 * How many measurements share an object with the samples of one metric. For a run of 3,000, a query of one metric reads
 * 30 objects of at most 8 MB each; with 10 per object it would read 300. With 1,000 it would read three, each by a
 * single reader, because gzip can't be split. The fold holds one piece of all metrics in memory: 961 MiB at most, 828
 * MiB for 10 and 1,172 MiB for 1,000, of the function's 1,769 MiB. The CPU time is the same (`npm run bench:fold`).
 */
const MEASUREMENTS_PER_PIECE = 100;
const CONCURRENT_OBJECTS = { concurrency: 32 };

/** A row or the samples of one measurement. */
interface Part {
  readonly key: string;
  readonly measurementId: string;
}

/** The ETags of the objects that tables have of a run, by key. */
type Versions = ReadonlyMap<string, string>;

/** Objects that are made from the same inputs. */
interface Piece {
  readonly name: string;
  readonly parts: readonly Part[];
  /** @returns false if another version than the given one was there: its inputs may be newer than these */
  readonly write: (replaced: Versions) => Promise<boolean>;
}

export function runFolding(bucket: FoldedBucket) {
  const { listVersions, getObject, getDescribedObject, putObject, replaceObject, listObjects, deleteObjects } = bucket;

  const partsBelow = async (prefix: string, runId: string, idOf: typeof measurementIdOfSamples): Promise<Part[]> =>
    (await listObjects(prefix)).map((key) => ({ key, measurementId: idOf(key, runId) }));
  const samplesParts = (runId: string) => partsBelow(measurementSamplesPrefix(runId), runId, measurementIdOfSamples);

  const tableVersions = async ({ day, runId }: PlannedRun): Promise<Versions> => {
    const prefixes = METRICS.map((metric) => samplesPrefix(metric, day, runId));
    const keys = [measurementRowsKey(day, runId), pairRowsKey(day, runId), runRowKey(day, runId)];
    const found = await pMap([...prefixes, ...keys], listVersions, CONCURRENT_OBJECTS);
    return new Map(found.flat().map(({ key, etag }) => [key, etag]));
  };

  const endedRun = async (run: PlannedRun): Promise<EndedRun> => {
    const [cost, summary] = [costKey(run.runId), summaryKey(run.runId)];
    return {
      run,
      cost: decodeDocument<RunCost>(cost, await getObject(cost), 'network-benchmark.cost.v1'),
      summary: decodeDocument<RunSummaryJson>(summary, await getObject(summary), 'network-benchmark.summary.v1'),
    };
  };

  /** Adds the prices and the run's outcome to the rows of measurements, because both are known only at the end. */
  const measurementRows = async ({ cost, summary }: EndedRun, parts: readonly Part[]): Promise<Row[]> => {
    const bodies = await pMap(parts, ({ key }) => getObject(key), CONCURRENT_OBJECTS);
    const ending = runEndingRow(summary);
    const costs = new Map(cost.measurements.map((each) => [each.measurementId, measurementCostRow(each)]));
    return zip(parts, bodies).flatMap(([{ key, measurementId }, body]) =>
      (decodeGzipLines(key, body) as Row[]).map((row) => ({ ...row, ...costs.get(measurementId), ...ending })),
    );
  };

  const writeMeasurements = async (ended: EndedRun, parts: readonly Part[], replaced: Versions): Promise<boolean> => {
    const { day, runId } = ended.run;
    const key = measurementRowsKey(day, runId);
    const rows = await measurementRows(ended, parts);
    if (!(await replaceObject(key, encodeGzipRows(rows), GZIP_TYPE, replaced.get(key)))) return false;
    // `measurements` now has these rows, so their live copies are deleted.
    await deleteObjects(parts.map(({ measurementId }) => liveMeasurementRowKey(day, runId, measurementId)));
    return true;
  };

  const writeSamples = async (
    { day, runId }: PlannedRun,
    piece: number,
    parts: readonly Part[],
    replaced: Versions,
  ) => {
    const decoded = await pMap(
      parts,
      async ({ key }) => decodeMeasurementSamples(key, await getDescribedObject(key)),
      CONCURRENT_OBJECTS,
    );
    const written = await pMap(METRICS, async (metric) => {
      const key = samplesKey(metric, day, runId, piece);
      const members = decoded.flatMap((part) => part.get(metric) ?? []);
      // A metric without samples gets no object, but an earlier analysis may have found some.
      if (members.length === 0 && !replaced.has(key)) return true;
      const body = members.length === 0 ? encodeGzipRows([]) : Buffer.concat(members);
      return replaceObject(key, body, GZIP_TYPE, replaced.get(key));
    });
    return written.every((isWritten) => isWritten);
  };

  /** Reads the documents and lists the parts of which a run's objects are made. The objects of `runs` and `pairs` come last, because they tell of an end. */
  const findPieces = async (run: PlannedRun): Promise<Piece[]> => {
    const { day, runId, pairs } = run;
    const ids = pairs.flatMap(({ measurements }) => measurements).map(({ measurementId }) => measurementId);
    const positions = new Map(ids.map((measurementId, index) => [measurementId, index]));
    const positionOf = ({ key, measurementId }: Part): number => {
      const position = positions.get(measurementId);
      if (position === undefined) throw new Error(`${key}: the plan of run ${runId} has no such measurement`);
      return position;
    };
    const ended = await endedRun(run);
    const rows = await partsBelow(rowPartsPrefix(runId), runId, measurementIdOfRowPart);
    rows.forEach(positionOf);
    const samples = groupBy(await samplesParts(runId), (part) => Math.floor(positionOf(part) / MEASUREMENTS_PER_PIECE));
    const [pairsKey, runKey] = [pairRowsKey(day, runId), runRowKey(day, runId)];
    return [
      {
        name: 'measurements',
        parts: rows,
        write: (replaced) => writeMeasurements(ended, rows, replaced),
      },
      ...[...samples].map(([piece, parts]) => ({
        name: `samples ${piece}`,
        parts,
        write: (replaced: Versions) => writeSamples(run, piece, parts, replaced),
      })),
      {
        name: 'pairs',
        parts: [],
        write: (replaced) =>
          replaceObject(pairsKey, encodeGzipRows(pairFacts(ended).map(pairRow)), GZIP_TYPE, replaced.get(pairsKey)),
      },
      {
        name: 'runs',
        parts: [],
        write: (replaced) =>
          replaceObject(runKey, encodeRows([runRow(runFacts(ended))]), NDJSON_TYPE, replaced.get(runKey)),
      },
    ];
  };

  return {
    /** The price of a run from its last summary; empty before the first. */
    earlierCost: async (runId: string): Promise<Pick<RunCost, 'pairs' | 'measurements'>> => {
      const key = costKey(runId);
      if ((await listObjects(key)).length === 0) return { pairs: [], measurements: [] };
      return decodeDocument<RunCost>(key, await getObject(key), 'network-benchmark.cost.v1');
    },

    sampledIds: async (runId: string): Promise<ReadonlySet<string>> =>
      new Set((await samplesParts(runId)).map(({ measurementId }) => measurementId)),

    /**
     * Records that an analysis is about to write. Once the run has a summary, nobody else folds what it writes.
     * @returns the key for `finishAnalysis`
     */
    beginAnalysis: async (analysis: UnfinishedAnalysis): Promise<string> => {
      const key = unfinishedKey(analysis, randomUUID());
      await putObject(key, new Uint8Array(), 'text/plain');
      return key;
    },

    finishAnalysis: (key: string): Promise<void> => deleteObjects([key]),

    /**
     * Folds a run that has a summary.
     * @param lateMeasurementId folds only the objects that contain rows of this measurement
     */
    foldRun: async (run: PlannedRun, lateMeasurementId?: string): Promise<void> => {
      const isWanted = ({ parts }: Piece) =>
        lateMeasurementId === undefined || parts.some(({ measurementId }) => measurementId === lateMeasurementId);
      const folded = new Set<string>();
      for (let isDone = false; !isDone;) {
        // List the versions before the inputs: a fold that has seen newer inputs than this one then replaces a version
        // later than these, and this one can't replace what it wrote.
        const replaced = await tableVersions(run);
        const pieces = (await findPieces(run)).filter((piece) => isWanted(piece) && !folded.has(piece.name));
        for (const piece of pieces) if (await piece.write(replaced)) folded.add(piece.name);
        isDone = pieces.every(({ name }) => folded.has(name));
      }
    },
  };
}
