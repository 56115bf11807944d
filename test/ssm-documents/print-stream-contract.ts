/**
 * Prints what the readers expect of a stream, as JSON: its keys in the store, and the fields of its header and
 * manifest.
 */
import type { ChunkHeader, StreamManifest } from '../../domain/model/raw-chunk';
import { CHUNK_SCHEMA, MANIFEST_SCHEMA } from '../../domain/model/raw-chunk';
import type { StreamIdentity } from '../../domain/workflow/object-keys';
import { manifestKey, parseRawChunkKey, rawChunkKey } from '../../domain/workflow/object-keys';

const stream = JSON.parse(process.argv[2]!) as StreamIdentity;
const chunkKey = rawChunkKey(stream, 0);

// Records and not lists, so that the compiler reports a field that is missing here.
const headerFields: Record<keyof ChunkHeader, true> = {
  schema: true,
  runId: true,
  pairId: true,
  measurementId: true,
  hostRole: true,
  instanceId: true,
  sequence: true,
  tool: true,
  toolVersion: true,
  command: true,
  startedAtSeconds: true,
};
const manifestFields: Record<keyof StreamManifest, true> = {
  schema: true,
  runId: true,
  pairId: true,
  measurementId: true,
  hostRole: true,
  instanceId: true,
  tool: true,
  toolVersion: true,
  command: true,
  startedAtSeconds: true,
  endedAtSeconds: true,
  exitCode: true,
  signal: true,
  chunks: true,
  lineCount: true,
  faults: true,
  warnings: true,
};

process.stdout.write(
  JSON.stringify({
    chunkKey,
    manifestKey: manifestKey(stream),
    parsedChunkKey: parseRawChunkKey(chunkKey),
    chunkSchema: CHUNK_SCHEMA,
    manifestSchema: MANIFEST_SCHEMA,
    headerFields: Object.keys(headerFields),
    manifestFields: Object.keys(manifestFields),
  }),
);
