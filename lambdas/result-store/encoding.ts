/** How the objects of the result bucket are encoded: JSON documents, and rows as NDJSON with or without gzip. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { METRICS, type Metric } from '../../domain/model/sample';
import { errorMessage } from '../shared/error-text';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';
/** Compressed rows carry no Content-Encoding, because Athena recognises them by the `.gz` of their key. */
export const NDJSON_GZIP_TYPE = 'application/gzip';
export const PART_TYPE = 'application/octet-stream';
export const HTML_TYPE = 'text/html; charset=utf-8';

const NEWLINE = 0x0a;

/** @throws with the key and the beginning of the body when the body is not JSON */
export function decodeJson(key: string, body: Uint8Array): unknown {
  return parseJson(`${key}:`, Buffer.from(body).toString('utf8'));
}

function parseJson(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${source} must be JSON, got ${JSON.stringify(text.slice(0, 80))}`, { cause: error });
  }
}

/** @throws when the document does not carry the name of its schema */
export function decodeDocument<T extends { readonly schema: string }>(
  key: string,
  body: Uint8Array,
  schema: T['schema'],
): T {
  const document = decodeJson(key, body) as Partial<T> | null;
  if (document?.schema !== schema) {
    throw new Error(`${key}: schema must be ${schema}, got ${JSON.stringify(document?.schema)}`);
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

export function encodeGzipRows(rows: readonly unknown[]): Uint8Array {
  // zlib writes no time stamp, so the same rows always give the same bytes and a repeated delivery changes nothing.
  return new Uint8Array(gzipSync(encodeRows(rows)));
}

/** The rows of each metric as gzip, which is copied as it is into an object of the table. */
export type Members = ReadonlyMap<Metric, Uint8Array>;

/**
 * One object for all samples of a measurement, because the fold of a run pays for every object that it reads: a line of
 * JSON with the number of bytes of each member (`{"throughput":16704,"interface":83729}`), and the members.
 */
export function encodeSamplesPart(members: Members): Uint8Array {
  const sizes = Object.fromEntries([...members].map(([metric, { length }]) => [metric, length]));
  return Buffer.concat([encodeRows([sizes]), ...members.values()]);
}

/** @throws when the body is not what `encodeSamplesPart` made */
export function decodeSamplesPart(key: string, body: Uint8Array): Members {
  const lineEnd = body.indexOf(NEWLINE) + 1;
  const sizes = decodeJson(key, body.subarray(0, lineEnd)) as Readonly<Record<Metric, number>>;
  let end = lineEnd;
  const members = new Map<Metric, Uint8Array>();
  for (const metric of METRICS.filter((name) => name in sizes)) {
    members.set(metric, body.subarray(end, (end += sizes[metric])));
  }
  if (end !== body.length) throw new Error(`${key}: must have ${end} bytes by its first line, has ${body.length}`);
  return members;
}

/** @throws when the body is not whole gzip, or a line is not JSON: half a chunk is a fault, not half the data */
export function decodeGzipLines(key: string, body: Uint8Array): unknown[] {
  let text: string;
  try {
    text = gunzipSync(body).toString('utf8');
  } catch (error) {
    const got = `${body.length} bytes that are not (${errorMessage(error)})`;
    throw new Error(`${key}: must be whole gzip, got ${got}`, { cause: error });
  }
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => parseJson(`${key}: line ${index + 1}`, line));
}
