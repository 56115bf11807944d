/**
 * Turns one raw chunk into one object of live rows. The key of the object depends on the chunk alone, so a chunk that
 * is delivered twice or out of order gives the same object with the same bytes.
 *
 * A host can write only below its own prefix, but can use any run id there. A chunk is therefore accepted only from a
 * host that launch-pair has recorded for the pair.
 */
import { sampleLines } from '../../domain/analysis/live-samples';
import { STREAM_LIMITS } from '../../domain/model/raw-chunk';
import { pairIdOf } from '../../domain/workflow/identifiers';
import { parseRawChunkKey } from '../../domain/workflow/object-keys';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/runtime';

/** The fields that are read of S3's event "Object Created". EventBridge does not URL-encode the key. */
export interface ObjectCreatedEvent {
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

export interface IngestChunkDependencies {
  readonly bucketName: string;
  readonly store: Pick<ResultReader & ResultWriter, 'chunk' | 'hosts' | 'writeLiveSamples'>;
  readonly log: Log;
}

export function makeIngestChunk({ bucketName, store, log }: IngestChunkDependencies) {
  return async ({ detail: { bucket, object } }: ObjectCreatedEvent): Promise<void> => {
    if (bucket.name !== bucketName) {
      throw new Error(`bucket: must be ${bucketName}, got ${JSON.stringify(bucket.name)}`);
    }
    const stream = parseRawChunkKey(object.key);
    if (stream === undefined) {
      log('not a chunk', { key: object.key });
      return;
    }
    const { userId, runId, measurementId, hostRole, sequence } = stream;
    if (sequence >= STREAM_LIMITS.objects) {
      throw new Error(`${object.key}: sequence must be below ${STREAM_LIMITS.objects}, got ${sequence}`);
    }
    const hosts = await store.hosts(runId, pairIdOf(measurementId));
    const { instanceId } = hosts[hostRole];
    if (!userId.endsWith(`:${instanceId}`)) {
      throw new Error(`${object.key}: must come from ${instanceId}, the ${hostRole} of the pair, got ${userId}`);
    }
    const { header, lines } = await store.chunk(object.key);
    const { startedAtSeconds } = header;
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
