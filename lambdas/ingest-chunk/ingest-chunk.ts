/**
 * Turns one raw chunk into one object of live rows, under a key that follows from the chunk alone. A chunk that is
 * delivered twice, or before its predecessor, therefore gives the same object with the same bytes.
 */
import { sampleLines } from '../../domain/analysis/live-samples';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/logger';

/** The part that is read of S3's event "Object Created". EventBridge delivers the key as it is, not URL-encoded. */
export interface ObjectCreatedEvent {
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

export interface IngestChunkDependencies {
  readonly bucketName: string;
  readonly store: Pick<ResultReader & ResultWriter, 'chunkAt' | 'writeLiveSamples'>;
  readonly log: Log;
}

export function makeIngestChunk({ bucketName, store, log }: IngestChunkDependencies) {
  return async ({ detail: { bucket, object } }: ObjectCreatedEvent): Promise<void> => {
    if (bucket.name !== bucketName) {
      throw new Error(`bucket: must be ${bucketName}, got ${JSON.stringify(bucket.name)}`);
    }
    const chunk = await store.chunkAt(object.key);
    if (chunk === undefined) {
      log('not a chunk', { key: object.key });
      return;
    }
    const { header, lines } = chunk;
    const { runId, measurementId, hostRole, sequence, startedAtSeconds } = header;
    const samples = sampleLines(header, lines);
    if (samples.length > 0) {
      const startedAt = new Date(startedAtSeconds * 1000).toISOString();
      const day = new Date((lines[0]?.time ?? startedAtSeconds) * 1000).toISOString().slice(0, 10);
      await store.writeLiveSamples({ day, runId, measurementId, hostRole, sequence, startedAt }, samples);
    }
    const counts = { lineCount: lines.length, sampleCount: samples.length };
    log('chunk ingested', { runId, measurementId, hostRole, sequence, ...counts });
  };
}
