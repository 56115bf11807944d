/** What the store has of all runs together: their history, the index page, and what was published of each run. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { EMPTY_HISTORY, readHistory, type RunHistory } from '../../domain/history/history';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { RunSummaryJson } from '../../domain/run/summary';
import {
  HISTORY_KEY,
  INDEX_KEY,
  planKey,
  publishedKey,
  REPORTS_PREFIX,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { ListableBucket, ReadableBucket, VersionedObject, WritableBucket } from '../adapters/s3';
import { decodeDocument, decodeJson, encodeJson, HTML_TYPE, JSON_TYPE } from './encoding';

export type RunHistoryStore = ReturnType<typeof runHistoryStore>;

type HistoryBucket = Pick<ReadableBucket, 'getVersionedObject'> &
  Pick<ListableBucket, 'listObjects' | 'listFolders'> &
  Pick<WritableBucket, 'putObject' | 'putObjectOnce' | 'replaceObject'>;

const GZIP_TYPE = 'application/gzip';

/** The history as read, with its version. The next history may replace this version only. */
export interface StoredHistory {
  readonly history: RunHistory;
  /** The ETag of the history; undefined if there was no history. */
  readonly etag: string | undefined;
}

/** Which event announced the end of a run, and what it has done, so that no other event repeats it. */
export interface Published {
  readonly schema: 'network-benchmark.published.v1';
  readonly eventId: string;
  /** The names of the announcements that have been made. */
  readonly done: readonly string[];
}

export function runHistoryStore(bucket: HistoryBucket) {
  const { getVersionedObject, listObjects, listFolders, putObject, putObjectOnce, replaceObject } = bucket;

  const findObject = async (key: string): Promise<VersionedObject | undefined> =>
    (await listObjects(key)).includes(key) ? getVersionedObject(key) : undefined;
  const findDocument = async <T extends { readonly schema: string }>(key: string, schema: T['schema']) => {
    const found = await findObject(key);
    return found && decodeDocument<T>(key, found.body, schema);
  };

  return {
    runIds: (): Promise<string[]> => listFolders(REPORTS_PREFIX),

    findSummary: (runId: string) => findDocument<RunSummaryJson>(summaryKey(runId), 'network-benchmark.summary.v1'),
    findPlan: (runId: string) => findDocument<PlannedRun>(planKey(runId), 'network-benchmark.plan.v1'),

    /** Returns an empty history if there is none or its version is unknown; all summaries then renew it. */
    readHistory: async (): Promise<StoredHistory> => {
      const found = await findObject(HISTORY_KEY);
      if (found === undefined) return { history: EMPTY_HISTORY, etag: undefined };
      const document = decodeJson(HISTORY_KEY, gunzipSync(found.body));
      return { history: readHistory(document) ?? EMPTY_HISTORY, etag: found.etag };
    },

    /** @returns false if another writer has replaced this version */
    replaceHistory: (history: RunHistory, etag: string | undefined): Promise<boolean> => {
      const body = new Uint8Array(gzipSync(JSON.stringify(history)));
      return replaceObject(HISTORY_KEY, body, GZIP_TYPE, etag);
    },

    writeIndex: (html: string): Promise<void> => putObject(INDEX_KEY, new TextEncoder().encode(html), HTML_TYPE),

    /** @returns false if any event has already claimed the run */
    claimPublished: (runId: string, published: Published): Promise<boolean> =>
      putObjectOnce(publishedKey(runId), encodeJson(published), JSON_TYPE),

    findPublished: (runId: string) => findDocument<Published>(publishedKey(runId), 'network-benchmark.published.v1'),

    writePublished: (runId: string, published: Published): Promise<void> =>
      putObject(publishedKey(runId), encodeJson(published), JSON_TYPE),
  };
}
