/**
 * Reads the raw stream of one host and compares every chunk with the stream's manifest. Missing or altered chunks are
 * reported as faults; nothing is ever filled in.
 */
import { createHash } from 'node:crypto';
import pMap from 'p-map';
import type { RawStream } from '../../domain/assembly/raw-streams';
import {
  streamManifestSchema,
  type ManifestChunk,
  type StreamManifest,
  CHUNK_SCHEMA,
  chunkHeaderSchema,
  rawLineSchema,
  type ChunkHeader,
  type RawLine,
} from '../../domain/model/raw-chunk';
import {
  manifestKey,
  parseRawChunkKey,
  rawChunkKey,
  rawStreamPrefix,
  type StreamIdentity,
} from '../../domain/workflow/object-keys';
import type { ListableBucket, ReadableBucket } from '../adapters/s3';
import { decodeJson, decodeGzipLines } from './encoding';
import { errorMessage } from '../errors/aws-errors';
import type * as z from 'zod';

/** S3 answers in about 20 ms, and 1,800 s of measurement are 180 chunks. */
const CONCURRENT_READS = { concurrency: 16 };

export interface StoredStream {
  /** Undefined when no chunk could be read. */
  readonly stream: RawStream | undefined;
  /** Undefined if the host wrote no manifest: it died, was cut off, or has not finished yet. */
  readonly manifest: StreamManifest | undefined;
  /** How the stored stream differs from what the host wrote. */
  readonly faults: readonly string[];
}

export type RawStreamReader = ReturnType<typeof rawStreamReader>;

export function rawStreamReader(bucket: ReadableBucket & ListableBucket) {
  return { rawStream: (identity: StreamIdentity) => readStream(bucket, identity) };
}

async function readStream(
  { getObject, listObjects }: ReadableBucket & ListableBucket,
  identity: StreamIdentity,
): Promise<StoredStream> {
  const keys = await listObjects(rawStreamPrefix(identity));
  const manifestAt = manifestKey(identity);
  const { manifest, fault: manifestFault } = keys.includes(manifestAt)
    ? decodeManifest(manifestAt, await getObject(manifestAt))
    : {};
  const stored = keys.sort().flatMap((key) => {
    const chunk = parseRawChunkKey(key);
    return chunk === undefined ? [] : [{ key, sequence: chunk.sequence }];
  });
  const promised = new Map(manifest?.chunks.map((chunk) => [chunk.sequence, chunk]));

  const read = await pMap(
    stored,
    async ({ key, sequence }): Promise<{ readonly chunk?: RawChunk; readonly fault?: string }> => {
      const body = await getObject(key);
      const fault = checksumFault(key, body, promised.get(sequence));
      if (fault !== undefined) return { fault };
      try {
        const chunk = decodeChunk(key, body);
        return { chunk, fault: lineCountFault(key, chunk, promised.get(sequence)) };
      } catch (error) {
        return { fault: errorMessage(error) };
      }
    },
    CONCURRENT_READS,
  );
  const chunks = read.flatMap(({ chunk }) => chunk ?? []);
  const [first] = chunks;
  return {
    stream: first && { header: first.header, lines: chunks.flatMap(({ lines }) => lines) },
    manifest,
    faults: [
      ...(manifestFault === undefined ? [] : [manifestFault]),
      ...(manifest?.faults ?? []),
      ...missingChunks(identity, stored, manifest),
      ...read.flatMap(({ fault }) => fault ?? []),
    ],
  };
}

/** A damaged manifest is reported as a fault and otherwise treated as missing, so that the chunks are still read. */
function decodeManifest(key: string, body: Uint8Array): { manifest?: StreamManifest; fault?: string } {
  try {
    return { manifest: checked(key, streamManifestSchema, decodeJson(key, body)) };
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}

/** Compares the chunks with the manifest's list; without a manifest, only gaps in the sequence can be detected. */
function missingChunks(
  identity: StreamIdentity,
  stored: readonly { readonly key: string; readonly sequence: number }[],
  manifest: StreamManifest | undefined,
): string[] {
  const chunkCount = (stored.at(-1)?.sequence ?? -1) + 1;
  const expected = manifest?.chunks.map(({ sequence }) => sequence) ?? Array.from({ length: chunkCount }).keys();
  const expectedKeys = new Set([...expected].map((sequence) => rawChunkKey(identity, sequence)));
  const storedKeys = new Set(stored.map(({ key }) => key));
  return [
    ...[...expectedKeys].filter((key) => !storedKeys.has(key)).map((key) => `${key}: must be in the store, is missing`),
    ...[...storedKeys].filter((key) => !expectedKeys.has(key)).map((key) => `${key}: must be in the manifest, is not`),
  ];
}

function checksumFault(key: string, body: Uint8Array, promised: ManifestChunk | undefined): string | undefined {
  if (promised === undefined) return undefined;
  const actual = createHash('sha256').update(body).digest('hex');
  return actual === promised.sha256 ? undefined : `${key}: sha256 must be ${promised.sha256}, got ${actual}`;
}

function lineCountFault(key: string, { lines }: RawChunk, promised: ManifestChunk | undefined): string | undefined {
  if (promised === undefined || lines.length === promised.lineCount) return undefined;
  return `${key}: must have ${promised.lineCount} lines, got ${lines.length}`;
}

const SHOWN_CHARACTERS = 120;

export interface RawChunk {
  readonly header: ChunkHeader;
  readonly lines: readonly RawLine[];
}

/** Compares a chunk with its key. @throws if any part is broken, because a chunk is evidence only as a whole */
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

/** @throws an error that names the first invalid field */
function checked<Value>(what: string, schema: z.ZodType<Value>, value: unknown): Value {
  const { success, error } = schema.safeParse(value);
  // Return the value itself and not the parsed copy, so that additional fields of a newer host are kept.
  if (success) return value as Value;
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  const got = (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, SHOWN_CHARACTERS);
  throw new Error(`${what}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'not of its form'}, got ${got}`);
}
