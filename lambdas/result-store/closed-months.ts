/**
 * Closed months in the bucket. The list `closed_months` says which generation of a month counts at what time. A
 * generation's objects are never changed; its manifest says of which versions of the runs' objects they were made.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import pMap from 'p-map';
import { groupBy } from '../../domain/maths/elements';
import type { Row } from '../../domain/tables/column';
import { askedFirst } from '../../domain/tables/closed-months';
import { TABLES } from '../../domain/tables/columns';
import {
  OPEN_ROWS_KEYS,
  parseOpenRowsKey,
  closedManifestKey,
  closedPieceKey,
  parseClosedKey,
  closedPiecePrefix,
  openRowsPrefix,
  CLOSED_PREFIX,
  CLOSED_MONTHS_KEY,
  CLOSED_TABLES,
  type ClosedTable,
  type GenerationOfMonth,
} from '../../domain/workflow/object-keys';
import { withExpectedErrors } from '../adapters/answers';
import type {
  ConditionallyDeletableBucket,
  DeletableBucket,
  ListableBucket,
  ObjectVersion,
  ReadableBucket,
  WritableBucket,
} from '../adapters/s3';
import {
  decodeDocument,
  decodeGzipLines,
  decodeLines,
  encodeGzipRows,
  encodeJson,
  encodeRows,
  GZIP_TYPE,
  NDJSON_TYPE,
} from './encoding';
import { decodeParquet, parquetColumns, ParquetObject, PARQUET_TYPE, type ParquetColumns } from './parquet';

export type ClosedMonthsBucket = Pick<ReadableBucket, 'getObject' | 'getVersionedObject'> &
  Pick<ListableBucket, 'listObjects' | 'listVersions' | 'listFolders'> &
  Pick<WritableBucket, 'putObject' | 'replaceObject'> &
  Pick<DeletableBucket, 'deleteObjects'> &
  ConditionallyDeletableBucket;
export type ClosedMonthsStore = ReturnType<typeof closedMonthsStore>;

/** A row of `closed_months`: instants are ISO 8601 in UTC, days `YYYY-MM-DD`. */
export interface ListedGeneration extends GenerationOfMonth {
  /** The last day of which the generation has rows. */
  readonly until: string;
  /** It counts in queries that begin from then on. */
  readonly valid_from: string;
  /** And before then; absent for the newest of its month. */
  readonly valid_to?: string;
}

/** The list as read, with its version. The next list may replace this version only. */
export interface ClosedMonths {
  readonly generations: readonly ListedGeneration[];
  /** Undefined if no month was ever closed. */
  readonly etag: string | undefined;
}

export interface Manifest extends GenerationOfMonth {
  readonly schema: 'network-benchmark.closed-month.v1';
  /** How many objects the generation has of each table. */
  readonly pieces: Readonly<Record<ClosedTable, number>>;
  /** The versions of the runs' objects that there were: their rows are in the generation, and no older ones. */
  readonly merged: readonly ObjectVersion[];
}

/** The rows that a run wrote into one table. */
export interface OpenObject extends ObjectVersion {
  readonly table: ClosedTable;
  readonly day: string;
  readonly runId: string;
}

const COLUMNS: Readonly<Record<ClosedTable, ParquetColumns>> = {
  runs: parquetColumns(askedFirst(TABLES.closed_runs.columns)),
  pairs: parquetColumns(askedFirst(TABLES.closed_pairs.columns)),
  measurements: parquetColumns(askedFirst(TABLES.closed_measurements.columns)),
};

const RUN_AND_DAY = parquetColumns([
  { name: 'run_id', type: 'string' },
  { name: 'day', type: 'date' },
]);

const CONCURRENT_REQUESTS = { concurrency: 32 };

/** How many pieces of closed months are in memory at once. */
const CONCURRENT_PIECES = { concurrency: 4 };

/**
 * Finds and deletes the rows that a run has in closed months. Its object without rows replaces them in the next closing
 * (`lambdas/close-months`), which also deletes that object once it is merged.
 */
export function closedRunRemoval(
  bucket: Pick<ReadableBucket, 'getObject' | 'getVersionedObject'> &
    Pick<ListableBucket, 'listObjects'> &
    Pick<WritableBucket, 'putObject'>,
) {
  return {
    /** The keys that the run's objects have or had whose rows are closed now. */
    findClosedKeys: async (runId: string): Promise<string[]> => {
      const daysIn = async (key: string) => {
        const days = new Set<string>();
        for await (const row of decodeParquet(RUN_AND_DAY, await bucket.getObject(key))) {
          if (row.run_id === runId) days.add(String(row.day));
        }
        return [...days];
      };
      const find = async (table: ClosedTable, of: GenerationOfMonth) => {
        const pieces = await bucket.listObjects(closedPiecePrefix(table, of));
        const days = (await pMap(pieces, daysIn, CONCURRENT_PIECES)).flat();
        return [...new Set(days)].map((day) => OPEN_ROWS_KEYS[table](day, runId));
      };
      const { generations } = await readClosedMonths(bucket);
      const newest = generations.filter((each) => each.valid_to === undefined);
      const sources = newest.flatMap((of) => CLOSED_TABLES.map((table) => ({ table, of })));
      return (await pMap(sources, ({ table, of }) => find(table, of), { concurrency: 1 })).flat();
    },

    /** Writes objects without rows at these keys. */
    emptyRows: async (keys: readonly string[]): Promise<void> => {
      await pMap(keys, (key) =>
        key.endsWith('.gz')
          ? bucket.putObject(key, encodeGzipRows([]), GZIP_TYPE)
          : bucket.putObject(key, encodeRows([]), NDJSON_TYPE),
      );
    },
  };
}

async function readClosedMonths({
  listObjects,
  getVersionedObject,
}: Pick<ReadableBucket, 'getVersionedObject'> & Pick<ListableBucket, 'listObjects'>): Promise<ClosedMonths> {
  if ((await listObjects(CLOSED_MONTHS_KEY)).length === 0) return { generations: [], etag: undefined };
  const { body, etag } = await getVersionedObject(CLOSED_MONTHS_KEY);
  return { generations: decodeLines(CLOSED_MONTHS_KEY, body) as ListedGeneration[], etag };
}

export function closedMonthsStore(bucket: ClosedMonthsBucket) {
  const { getObject, getVersionedObject, listObjects, listVersions, listFolders } = bucket;

  return {
    readClosedMonths: () => readClosedMonths(bucket),

    /** @returns false if another closing has replaced this version */
    replaceClosedMonths: (generations: readonly ListedGeneration[], etag: string | undefined): Promise<boolean> =>
      bucket.replaceObject(CLOSED_MONTHS_KEY, encodeRows(generations), NDJSON_TYPE, etag),

    /** The days, `YYYY-MM-DD`, of which runs' objects are stored. */
    openDays: async (): Promise<ReadonlySet<string>> => {
      const folders = await pMap(CLOSED_TABLES, (table) => listFolders(`${table}/`), CONCURRENT_REQUESTS);
      return new Set(folders.flat().map((folder) => folder.replace(/^day=/, '')));
    },

    /** The runs' objects of a month, up to a day. */
    openObjects: async (month: string, until: string): Promise<OpenObject[]> => {
      const list = async (table: ClosedTable) =>
        (await listVersions(openRowsPrefix(table, month))).map((version) => ({
          ...version,
          table,
          ...parseOpenRowsKey(version.key),
        }));
      const found = await pMap(CLOSED_TABLES, list, CONCURRENT_REQUESTS);
      return found.flat().filter(({ day }) => day <= until);
    },

    /** @returns undefined if there is no such object any more; its version may be newer than the listed one */
    readOpenRows: async ({ key }: OpenObject): Promise<{ rows: Row[]; etag: string } | undefined> => {
      const found = await withExpectedErrors(getVersionedObject(key), { NoSuchKey: undefined });
      if (found === undefined) return undefined;
      const decode = key.endsWith('.gz') ? decodeGzipLines : decodeLines;
      return { rows: decode(key, found.body) as Row[], etag: found.etag };
    },

    deleteVersion: bucket.deleteVersion,

    newPiece: (table: ClosedTable) => new ParquetObject(COLUMNS[table]),

    writePiece: (table: ClosedTable, of: GenerationOfMonth, piece: number, rows: ParquetObject): Promise<void> =>
      bucket.putObject(closedPieceKey(table, of, piece), rows.finish(), PARQUET_TYPE),

    async *readPiece(table: ClosedTable, of: GenerationOfMonth, piece: number): AsyncGenerator<Row> {
      yield* decodeParquet(COLUMNS[table], await getObject(closedPieceKey(table, of, piece)));
    },

    writeManifest: (manifest: Manifest): Promise<void> =>
      bucket.putObject(closedManifestKey(manifest), gzipSync(encodeJson(manifest)), 'application/gzip'),

    /** @returns undefined if all objects of the generation have expired. @throws if some of them are missing */
    readManifest: async (of: GenerationOfMonth): Promise<Manifest | undefined> => {
      const key = closedManifestKey(of);
      const counts = await pMap(CLOSED_TABLES, async (table) => {
        return [table, (await listObjects(closedPiecePrefix(table, of))).length] as const;
      });
      const body = await withExpectedErrors(getObject(key), { NoSuchKey: undefined });
      if (body === undefined && counts.every(([, count]) => count === 0)) return undefined;
      if (body === undefined) throw new Error(`${key}: is missing, but objects of its generation are there`);
      const manifest = decodeDocument<Manifest>(key, gunzipSync(body), 'network-benchmark.closed-month.v1');
      for (const [table, count] of counts) {
        const { [table]: expected } = manifest.pieces;
        if (count !== expected) throw new Error(`${key}: ${table} must have ${expected} objects, has ${count}`);
      }
      return manifest;
    },

    /** The objects of all generations of all months, by the name of the generation. */
    storedGenerations: async () => {
      const keys = await listObjects(CLOSED_PREFIX);
      return [...groupBy(keys, (key) => parseClosedKey(key).generation)].map(([generation, keysOf]) => ({
        generation,
        begunAt: parseClosedKey(keysOf[0]).begunAt,
        keys: keysOf,
      }));
    },

    deleteObjects: bucket.deleteObjects,
  };
}
