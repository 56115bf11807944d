/** One chunk of a raw stream, decoded and compared with the key that it is stored under. */
import type * as z from 'zod';
import {
  CHUNK_SCHEMA,
  chunkHeaderSchema,
  rawLineSchema,
  type ChunkHeader,
  type RawLine,
} from '../../domain/model/raw-chunk';
import { parseRawChunkKey } from '../../domain/workflow/object-keys';
import { decodeGzipLines } from './encoding';

const SHOWN_CHARACTERS = 120;

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
  return {
    header: checked(`${key}: header`, chunkHeaderSchema, first),
    lines: lines.map((line, index) => checked(`${key}: line ${index + 2}`, rawLineSchema, line)),
  };
}

/** @throws Error that names the first field that is not of its form */
export function checked<Value>(what: string, schema: z.ZodType<Value>, value: unknown): Value {
  const { success, error } = schema.safeParse(value);
  // The value itself is returned, and not the parsed copy, so that a newer host's further fields are kept.
  if (success) return value as Value;
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  const got = (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, SHOWN_CHARACTERS);
  throw new Error(`${what}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'not of its form'}, got ${got}`);
}
