/** How the objects of the result bucket are encoded: JSON documents, and rows as NDJSON with or without gzip. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage } from '../shared/error-text';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';
/** Compressed rows carry no Content-Encoding, because Athena recognises them by the `.gz` of their key. */
export const NDJSON_GZIP_TYPE = 'application/gzip';
export const HTML_TYPE = 'text/html; charset=utf-8';

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

/** A part without rows has no bytes, so that a list of the objects shows that there is nothing to read. */
export function encodePart(rows: readonly unknown[]): Uint8Array {
  return rows.length === 0 ? new Uint8Array() : encodeGzipRows(rows);
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
