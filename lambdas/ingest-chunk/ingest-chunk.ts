/** One raw chunk in, one object of live rows out, under a key that depends on nothing but the chunk. */
import type { ChunkHeader, RawLine } from '../../domain/measurement/raw-chunk';
import { parseRawChunkKey } from '../../domain/workflow/object-keys';
import type { Log } from '../shared/logger';
import { decodeGzipLines } from '../shared/stored-json';

/** What EventBridge delivers of S3's "Object Created", as far as it is read here. */
export interface ObjectCreatedEvent {
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

export interface IngestChunkDependencies {
  readonly bucketName: string;
  getObject(key: string): Promise<Uint8Array>;
  putObject(key: string, body: Uint8Array, contentType: string): Promise<void>;
  readonly log: Log;
}

export function makeIngestChunk(deps: IngestChunkDependencies) {
  return async (event: ObjectCreatedEvent): Promise<void> => {
    const { key } = event.detail.object;
    const chunk = parseRawChunkKey(key);
    if (chunk === undefined) {
      deps.log('not a chunk', { key });
      return;
    }
    const [header, ...lines] = decodeGzipLines<ChunkHeader | RawLine>(key, await deps.getObject(key));
    if (header === undefined) throw new Error(`${key}: must begin with a chunk header, got an empty chunk`);
    deps.log('chunk read', { runId: chunk.runId, measurementId: chunk.measurementId, lineCount: lines.length });
  };
}
