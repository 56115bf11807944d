/**
 * Reads the raw stream of one host and compares every chunk with the stream's manifest. Missing or altered chunks are
 * reported as faults; nothing is ever filled in.
 */
import { createHash } from 'node:crypto';
import { pMapIterable } from 'p-map';
import type { RawStream } from '../../domain/assembly/raw-streams';
import {
  CHUNK_LIMITS,
  STREAM_LIMITS,
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
import { decodeJson, gzipLinesWithin } from './encoding';
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

async function readStream(bucket: ReadableBucket & ListableBucket, identity: StreamIdentity): Promise<StoredStream> {
  const faults: string[] = [];
  const prefix = rawStreamPrefix(identity);
  const keys = await bucket.listObjects(prefix, STREAM_LIMITS.objects + 1);
  const manifestAt = manifestKey(identity);
  const manifest = keys.includes(manifestAt) ? await readManifest(bucket, manifestAt, faults) : undefined;
  const found = keys.sort().flatMap((key) => {
    const chunk = parseRawChunkKey(key);
    return chunk === undefined ? [] : [{ key, sequence: chunk.sequence }];
  });
  const stored = found.filter(({ sequence }) => sequence < STREAM_LIMITS.objects);
  for (const fault of manifest?.faults ?? []) faults.push(fault);
  for (const fault of missingChunks(identity, stored, manifest)) faults.push(fault);
  if (keys.length > STREAM_LIMITS.objects || found.length > stored.length) {
    faults.push(`${prefix}: must have at most ${STREAM_LIMITS.objects} objects, has more, and no others are read`);
  }
  const promised = new Map(manifest?.chunks.map((chunk) => [chunk.sequence, chunk]));
  const lines: RawLine[] = [];
  let header: ChunkHeader | undefined;
  let bytes = 0;
  const bodies = pMapIterable(
    stored,
    async ({ key, sequence }) => ({ key, sequence, body: await bucket.getObjectUpTo(key, CHUNK_LIMITS.storedBytes) }),
    CONCURRENT_READS,
  );
  for await (const { key, sequence, body } of bodies) {
    const fault = body && checksumFault(key, body, promised.get(sequence));
    if (fault !== undefined) {
      faults.push(fault);
      continue;
    }
    try {
      const chunk = decodeChunk(key, body);
      bytes += chunk.bytes;
      if (bytes > STREAM_LIMITS.bytes || lines.length + chunk.lines.length > STREAM_LIMITS.lines) {
        const most = `${STREAM_LIMITS.bytes} bytes and ${STREAM_LIMITS.lines} lines`;
        faults.push(`${key}: the stream must have at most ${most}, has more from here on, which are not read`);
        break;
      }
      header ??= chunk.header;
      for (const line of chunk.lines) lines.push(line);
      const count = promised.get(sequence)?.lineCount ?? chunk.lines.length;
      if (count !== chunk.lines.length) faults.push(`${key}: must have ${count} lines, got ${chunk.lines.length}`);
    } catch (error) {
      faults.push(errorMessage(error));
    }
  }
  return { stream: header && { header, lines }, manifest, faults: withoutMany(faults) };
}

/** A damaged manifest is reported as a fault and otherwise treated as missing, so that the chunks are still read. */
async function readManifest(
  bucket: ReadableBucket,
  key: string,
  faults: string[],
): Promise<StreamManifest | undefined> {
  const body = await bucket.getObjectUpTo(key, STREAM_LIMITS.manifestBytes);
  try {
    return checked(key, streamManifestSchema, decodeJson(key, within(key, body, STREAM_LIMITS.manifestBytes)));
  } catch (error) {
    faults.push(errorMessage(error));
    return undefined;
  }
}

/** @throws if the object was not read, because it is larger */
function within(key: string, body: Uint8Array | undefined, maxBytes: number): Uint8Array {
  if (body === undefined) throw new Error(`${key}: must have at most ${maxBytes} bytes, has more`);
  return body;
}

/** The first faults, because a result with one for each of a thousand chunks is too large for its readers. */
function withoutMany(faults: readonly string[]): string[] {
  const more = faults.length - SHOWN_FAULTS;
  return more > 0 ? [...faults.slice(0, SHOWN_FAULTS), `and ${more} more faults of this stream`] : [...faults];
}
const SHOWN_FAULTS = 10;

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

const SHOWN_CHARACTERS = 120;

export interface RawChunk {
  readonly header: ChunkHeader;
  readonly lines: readonly RawLine[];
  /** Unpacked, the header included. */
  readonly bytes: number;
}

/**
 * Compares a chunk with its key.
 *
 * @param body undefined if the object is larger than `CHUNK_LIMITS.storedBytes`
 * @throws if any part is broken or larger than the streamer's, because a chunk is evidence only as a whole
 */
export function decodeChunk(key: string, body: Uint8Array | undefined): RawChunk {
  const found = gzipLinesWithin(key, within(key, body, CHUNK_LIMITS.storedBytes), CHUNK_LIMITS);
  const first = found.next();
  const { value, bytes: headerBytes } = first.done ? { value: undefined, bytes: 0 } : first.value;
  const header = headerOf(key, value);
  const lines: RawLine[] = [];
  let bytes = headerBytes;
  for (const line of found) {
    const what = `${key}: line ${lines.length + 2}`;
    const rawLine = checked(what, rawLineSchema, line.value);
    if (Math.abs(rawLine.time - header.startedAtSeconds) > STREAM_LIMITS.seconds) {
      const allowed = `within ${STREAM_LIMITS.seconds} s of the start, ${header.startedAtSeconds}`;
      throw new Error(`${what}: time: must be ${allowed}, got ${rawLine.time}`);
    }
    lines.push(rawLine);
    bytes += line.bytes;
  }
  return { header, lines, bytes };
}

function headerOf(key: string, value: unknown): ChunkHeader {
  const header = Object(value ?? {}) as Partial<ChunkHeader>;
  if (header.schema !== CHUNK_SCHEMA) {
    throw new Error(`${key}: schema must be ${CHUNK_SCHEMA}, got ${shown(header.schema)}`);
  }
  const expected = parseRawChunkKey(key);
  for (const name of ['runId', 'measurementId', 'hostRole', 'sequence'] as const) {
    if (expected !== undefined && header[name] !== expected[name]) {
      throw new Error(`${key}: ${name} must be ${expected[name]}, got ${shown(header[name])}`);
    }
  }
  return checked(`${key}: header`, chunkHeaderSchema, value);
}

/** @throws an error that names the first invalid field */
function checked<Value>(what: string, schema: z.ZodType<Value>, value: unknown): Value {
  const { success, error } = schema.safeParse(value);
  // Return the value itself and not the parsed copy, so that additional fields of a newer host are kept.
  if (success) return value as Value;
  const [issue] = error.issues;
  const field = (issue?.path.join('.') ?? '').slice(0, SHOWN_CHARACTERS);
  const got = value === undefined ? 'nothing' : shown(value);
  throw new Error(`${what}: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'not of its form'}, got ${got}`);
}

function shown(value: unknown): string {
  return (value === undefined ? 'undefined' : JSON.stringify(value)).slice(0, SHOWN_CHARACTERS);
}
