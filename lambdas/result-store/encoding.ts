/** How the objects of the result bucket are encoded: JSON documents, and rows as NDJSON with or without gzip. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { groupBy } from '../../domain/maths/elements';
import type { CHUNK_LIMITS } from '../../domain/model/raw-chunk';
import { METRICS, type Metric } from '../../domain/model/sample';
import type { Row } from '../../domain/tables/columns';
import type { DescribedObject } from '../adapters/s3';
import { errorMessage } from '../errors/aws-errors';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';
/**
 * What is compressed carries no Content-Encoding: Athena recognises it by the `.gz` of its key, and whoever downloads it
 * gets the same file from a browser, the CLI and the lab.
 */
export const GZIP_TYPE = 'application/gzip';
export const HTML_TYPE = 'text/html; charset=utf-8';

/** An object's content does not match its key, so reading it again won't help. */
export class UnreadableDocumentError extends Error {
  override readonly name = 'UnreadableDocumentError';
}

/** @throws UnreadableDocumentError with the key and the beginning of the body when the body is not JSON */
export function decodeJson(key: string, body: Uint8Array): unknown {
  return parseJson(`${key}:`, Buffer.from(body).toString('utf8'));
}

function parseJson(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const got = JSON.stringify(text.slice(0, 80));
    throw new UnreadableDocumentError(`${source} must be JSON, got ${got}`, { cause: error });
  }
}

/** @throws UnreadableDocumentError when the document does not carry the name of its schema */
export function decodeDocument<T extends { readonly schema: string }>(
  key: string,
  body: Uint8Array,
  schema: T['schema'],
): T {
  const document = decodeJson(key, body) as Partial<T> | null;
  if (document?.schema !== schema) {
    throw new UnreadableDocumentError(`${key}: schema must be ${schema}, got ${JSON.stringify(document?.schema)}`);
  }
  return document as T;
}

export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
}

/** Writes one row per line. Without rows the object is empty, which Athena reads as no rows. */
export function encodeRows(rows: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

export const encodeGzipRows = (rows: readonly unknown[]): Uint8Array => encodeGzip(encodeRows(rows));

/**
 * zlib writes no time stamp, so the same content always gives the same bytes and a repeated delivery changes nothing. Level
 * 9 takes 0.1 s for half an hour of samples, and 6 % off the bytes that stay for good.
 */
export function encodeGzip(content: Uint8Array | string): Uint8Array {
  return new Uint8Array(gzipSync(content, { level: 9 }));
}

/** For each metric a gzip member with its rows, which is copied unchanged into an object of the table `samples`. */
export type Members = ReadonlyMap<Metric, Uint8Array>;

/** The metadata with the number of bytes of each member, for example `{"throughput":16704,"interface":83729}`. */
const MEMBER_BYTES = 'member-bytes';

/**
 * Encodes all samples of a measurement as one object with a gzip member for each metric, because the fold of a run pays
 * for every object that it reads. The metadata states where each member ends, so that a query sees only rows.
 *
 * @throws with the key if the metric of a row is not known
 */
export function encodeMeasurementSamples(key: string, rows: readonly Row[]): DescribedObject {
  const members = membersOf(key, rows);
  const sizes = Object.fromEntries([...members].map(([metric, { length }]) => [metric, length]));
  const body = members.size === 0 ? encodeGzipRows([]) : Buffer.concat([...members.values()]);
  return { body, metadata: { [MEMBER_BYTES]: JSON.stringify(sizes) } };
}

function membersOf(key: string, rows: readonly Row[]): Members {
  const byMetric: ReadonlyMap<Metric, readonly Row[]> = groupBy(rows, ({ metric }) => {
    const known = METRICS.find((name) => name === metric);
    if (known !== undefined) return known;
    throw new Error(`${key}: metric must be one of ${METRICS.join(', ')}, got ${JSON.stringify(metric)}`);
  });
  return new Map(
    METRICS.flatMap((metric) => {
      const ofMetric = byMetric.get(metric);
      return ofMetric === undefined ? [] : [[metric, encodeGzipRows(ofMetric)] as const];
    }),
  );
}

/** @throws if the object was not encoded by `encodeMeasurementSamples` */
export function decodeMeasurementSamples(key: string, { body, metadata }: DescribedObject): Members {
  const text = metadata[MEMBER_BYTES];
  // Tools that copy a bucket may leave the metadata out. The rows name their metrics too.
  if (text === undefined) return membersOf(key, decodeGzipLines(key, body) as Row[]);
  const sizes = parseJson(`${key}: metadata ${MEMBER_BYTES}`, text) as Readonly<Record<Metric, number>>;
  let end = 0;
  const members = new Map<Metric, Uint8Array>();
  for (const metric of METRICS.filter((name) => name in sizes)) {
    members.set(metric, body.subarray(end, (end += sizes[metric])));
  }
  // Without samples, the body is an empty member.
  if (members.size > 0 && end !== body.length) {
    throw new Error(`${key}: must have ${end} bytes by its metadata ${MEMBER_BYTES}, has ${body.length}`);
  }
  return members;
}

/** @throws if the body is not complete gzip or a line is not JSON: a damaged chunk is a fault, not partial data */
export function decodeGzipLines(key: string, body: Uint8Array): unknown[] {
  let text: string;
  try {
    text = gunzipSync(body).toString('utf8');
  } catch (error) {
    const got = `${body.length} bytes that are not (${errorMessage(error)})`;
    throw new Error(`${key}: must be whole gzip, got ${got}`, { cause: error });
  }
  return linesOf(key, text);
}

/** @throws if a line is not JSON */
export function decodeLines(key: string, body: Uint8Array): unknown[] {
  return linesOf(key, Buffer.from(body).toString('utf8'));
}

function linesOf(key: string, text: string): unknown[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => parseJson(`${key}: line ${index + 1}`, line));
}

/**
 * Unpacks what a host wrote, line by line, so that no more than the limits is ever in memory.
 *
 * @throws if the body is not complete gzip, a line is not JSON, or a limit is exceeded
 */
export function* gzipLinesWithin(key: string, body: Uint8Array, limits: typeof CHUNK_LIMITS): Generator<HostLine> {
  let unpacked: Buffer;
  try {
    unpacked = gunzipSync(body, { maxOutputLength: limits.bytes });
  } catch (error) {
    // Node's error for an output that is larger than allowed.
    if (error instanceof RangeError)
      throw new Error(`${key}: must unpack to at most ${limits.bytes} bytes, is more`, { cause: error });
    const got = `${body.length} bytes that are not (${errorMessage(error)})`;
    throw new Error(`${key}: must be whole gzip, got ${got}`, { cause: error });
  }
  let number = 1;
  for (let start = 0; start < unpacked.length; number++) {
    const newline = unpacked.indexOf(10, start);
    const end = newline === -1 ? unpacked.length : newline;
    if (number > limits.lines) throw new Error(`${key}: must have at most ${limits.lines} lines, has more`);
    if (end - start > limits.lineBytes) {
      throw new Error(`${key}: line ${number}: must have at most ${limits.lineBytes} bytes, has ${end - start}`);
    }
    yield { value: parseJson(`${key}: line ${number}`, unpacked.toString('utf8', start, end)), bytes: end + 1 - start };
    start = end + 1;
  }
}

interface HostLine {
  readonly value: unknown;
  readonly bytes: number;
}
