/**
 * Turns one raw chunk into one object of live rows, under a key that follows from the chunk alone. A chunk that is
 * delivered twice, or before its predecessor, therefore gives the same object with the same bytes.
 *
 * A host can write only below its own prefix in the store, but there under the name of any run. Only the hosts that
 * launch-pair has noted for a pair are therefore believed to measure it.
 */
import { sampleLines } from '../../domain/analysis/live-samples';
import { pairIdOf } from '../../domain/workflow/identifiers';
import { parseRawChunkKey } from '../../domain/workflow/object-keys';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/runtime';

/** The part that is read of S3's event "Object Created". EventBridge delivers the key as it is, not URL-encoded. */
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
