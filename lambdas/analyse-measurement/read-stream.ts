/** One host's raw stream, every chunk held against the manifest: what is missing or altered is said, never filled in. */
import { createHash } from 'node:crypto';
import type { RawStream } from '../../domain/assembly/assemble-measurement';
import { MANIFEST_SCHEMA, type StreamManifest } from '../../domain/model/raw-chunk';
import {
  manifestKey,
  parseRawChunkKey,
  rawChunkKey,
  rawStreamPrefix,
  type StreamIdentity,
} from '../../domain/workflow/object-keys';
import { inBatches } from '../shared/in-batches';
import { decodeChunk, type RawChunk } from '../shared/raw-chunk';
import { decodeJson } from '../shared/stored-json';

/** S3 answers in some 20 ms; 1,800 s of chunks are 180 objects. */
const CONCURRENT_READS = 16;

export interface ReadStream {
  /** Absent when no chunk could be read. */
  readonly stream?: RawStream;
  /** Absent when the host never wrote one: it died, was cut off, or is not there yet. */
  readonly manifest?: StreamManifest;
  /** Why the stream is not what the host wrote. */
  readonly faults: readonly string[];
}

export interface ReadStreamDependencies {
  readonly getObject: (key: string) => Promise<Uint8Array>;
  readonly listObjects: (prefix: string) => Promise<string[]>;
}

export async function readStream(deps: ReadStreamDependencies, identity: StreamIdentity): Promise<ReadStream> {
  const keys = await deps.listObjects(rawStreamPrefix(identity));
  const manifest = keys.includes(manifestKey(identity))
    ? decodeManifest(manifestKey(identity), await deps.getObject(manifestKey(identity)))
    : undefined;
  const chunkKeys = keys.filter((key) => parseRawChunkKey(key) !== undefined).sort();
  const faults: string[] = missingChunks(identity, chunkKeys, manifest);
  const read = await inBatches(chunkKeys, CONCURRENT_READS, async (key) => {
    const body = await deps.getObject(key);
    const fault = checksumFault(key, body, manifest);
    if (fault !== undefined) return { fault };
    try {
      const chunk = decodeChunk(key, body);
      return { chunk, fault: lineCountFault(key, chunk, manifest) };
    } catch (error) {
      return { fault: (error as Error).message };
    }
  });
  faults.push(...read.flatMap(({ fault }) => (fault === undefined ? [] : [fault])));
  const chunks = read.flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]));
  return {
    ...(chunks.length === 0
      ? {}
      : { stream: { header: chunks[0]!.header, lines: chunks.flatMap((chunk) => chunk.lines) } }),
    ...(manifest === undefined ? {} : { manifest }),
    faults,
  };
}

function decodeManifest(key: string, body: Uint8Array): StreamManifest {
  const manifest = decodeJson<Partial<StreamManifest>>(key, body);
  const schema: unknown = manifest.schema;
  if (schema !== MANIFEST_SCHEMA || !Array.isArray(manifest.chunks)) {
    throw new Error(`${key}: must be a ${MANIFEST_SCHEMA} with its chunks, got schema ${JSON.stringify(schema)}`);
  }
  return manifest as StreamManifest;
}

/** By the manifest's own list; without one, the holes in the sequence. */
function missingChunks(
  identity: StreamIdentity,
  chunkKeys: readonly string[],
  manifest: StreamManifest | undefined,
): string[] {
  const present = new Set(chunkKeys);
  const last = chunkKeys.length === 0 ? -1 : parseRawChunkKey(chunkKeys.at(-1)!)!.sequence;
  const expected =
    manifest?.chunks.map((chunk) => chunk.sequence) ?? Array.from({ length: last + 1 }, (_, index) => index);
  const missing = expected
    .map((sequence) => rawChunkKey(identity, sequence))
    .filter((key) => !present.has(key))
    .map((key) => `${key}: must be in the store, is missing`);
  const listed = new Set(expected);
  const unlisted = chunkKeys
    .filter((key) => !listed.has(parseRawChunkKey(key)!.sequence))
    .map((key) => `${key}: must be in the manifest, is not`);
  return [...missing, ...unlisted];
}

function checksumFault(key: string, body: Uint8Array, manifest: StreamManifest | undefined): string | undefined {
  const expected = entryOf(key, manifest)?.sha256;
  if (expected === undefined) return undefined;
  const actual = createHash('sha256').update(body).digest('hex');
  return actual === expected ? undefined : `${key}: sha256 must be ${expected}, got ${actual}`;
}

function lineCountFault(key: string, chunk: RawChunk, manifest: StreamManifest | undefined): string | undefined {
  const expected = entryOf(key, manifest)?.lineCount;
  if (expected === undefined || chunk.lines.length === expected) return undefined;
  return `${key}: must have ${expected} lines, got ${chunk.lines.length}`;
}

function entryOf(key: string, manifest: StreamManifest | undefined) {
  const sequence = parseRawChunkKey(key)?.sequence;
  return manifest?.chunks.find((chunk) => chunk.sequence === sequence);
}
