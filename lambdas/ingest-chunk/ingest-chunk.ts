/**
 * One raw chunk in, one object of live rows out, under a key that follows from the chunk alone: a chunk that is delivered
 * twice, or before its predecessor, gives the same object with the same bytes.
 */
import { liveSampleRow } from '../../domain/tables/columns';
import { sampleLines } from '../../domain/analysis/live-samples';
import { liveSamplesKey, parseRawChunkKey } from '../../domain/workflow/object-keys';
import type { Log } from '../shared/logger';
import { decodeChunk } from '../shared/raw-chunk';
import { encodeGzipRows, NDJSON_GZIP } from '../shared/stored-json';

/** What EventBridge delivers of S3's "Object Created", as far as it is read here. The key comes as it is, not URL-encoded. */
export interface ObjectCreatedEvent {
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

export interface IngestChunkDependencies {
  readonly bucketName: string;
  readonly getObject: (key: string) => Promise<Uint8Array>;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  readonly log: Log;
}

export function makeIngestChunk(deps: IngestChunkDependencies) {
  return async (event: ObjectCreatedEvent): Promise<void> => {
    const { bucket, object } = event.detail;
    if (bucket.name !== deps.bucketName) {
      throw new Error(`bucket: must be ${deps.bucketName}, got ${JSON.stringify(bucket.name)}`);
    }
    const chunk = parseRawChunkKey(object.key);
    if (chunk === undefined) {
      deps.log('not a chunk', { key: object.key });
      return;
    }
    const { runId, measurementId, hostRole, sequence } = chunk;
    const { header, lines } = decodeChunk(object.key, await deps.getObject(object.key));
    const samples = sampleLines(header, lines);
    if (samples.length > 0) {
      const startedAt = new Date(header.startedAtSeconds * 1000).toISOString();
      const identity = { runId, measurementId, sequence, startedAt };
      const day = new Date((lines[0]?.time ?? header.startedAtSeconds) * 1000).toISOString().slice(0, 10);
      await deps.putObject(
        liveSamplesKey(day, { runId, measurementId, hostRole }, sequence),
        encodeGzipRows(samples.map((sample) => liveSampleRow(sample, identity))),
        NDJSON_GZIP,
      );
    }
    deps.log('chunk ingested', {
      runId,
      measurementId,
      hostRole,
      sequence,
      lineCount: lines.length,
      sampleCount: samples.length,
    });
  };
}
