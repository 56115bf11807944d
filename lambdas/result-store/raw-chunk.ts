/** One chunk of a raw stream, decoded and compared with the key that it is stored under. */
import { CHUNK_SCHEMA, type ChunkHeader, type RawLine } from '../../domain/model/raw-chunk';
import { parseRawChunkKey } from '../../domain/workflow/object-keys';
import { decodeGzipLines } from './encoding';

export interface RawChunk {
  readonly header: ChunkHeader;
  readonly lines: readonly RawLine[];
}

/** @throws when any part of the chunk is broken: as evidence it counts whole or not at all */
export function decodeChunk(key: string, body: Uint8Array): RawChunk {
  const [first, ...lines] = decodeGzipLines(key, body);
  const header = (first ?? {}) as Partial<ChunkHeader>;
  if (header.schema !== CHUNK_SCHEMA) {
    throw new Error(`${key}: schema must be ${CHUNK_SCHEMA}, got ${JSON.stringify(header.schema)}`);
  }
  const expected = parseRawChunkKey(key);
  for (const name of ['runId', 'measurementId', 'hostRole', 'sequence'] as const) {
    if (expected !== undefined && header[name] !== expected[name]) {
      throw new Error(`${key}: ${name} must be ${expected[name]}, got ${JSON.stringify(header[name])}`);
    }
  }
  if (typeof header.startedAtSeconds !== 'number' || !Array.isArray(header.command)) {
    const shown = JSON.stringify(header).slice(0, 200);
    throw new Error(`${key}: header must have startedAtSeconds and command, got ${shown}`);
  }
  for (const [index, line] of lines.entries()) {
    if (typeof (line as Partial<RawLine> | null)?.time !== 'number') {
      throw new Error(`${key}: line ${index + 2} must have a time, got ${JSON.stringify(line).slice(0, 80)}`);
    }
  }
  return { header: header as ChunkHeader, lines: lines as RawLine[] };
}
