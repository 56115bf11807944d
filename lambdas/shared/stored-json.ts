/** The JSON and NDJSON bodies of the result bucket. */
import { gunzipSync, gzipSync } from 'node:zlib';

export function decodeJson<T>(key: string, body: Uint8Array): T {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as T;
  } catch (error) {
    throw new Error(`${key}: must be JSON, got ${JSON.stringify(Buffer.from(body).toString('utf8', 0, 80))}`, {
      cause: error,
    });
  }
}

export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
}

/** One row per line. No rows is an empty object, which Athena reads as no rows. */
export function encodeRows(rows: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

export function encodeGzipRows(rows: readonly unknown[]): Uint8Array {
  // zlib writes no time stamp: the same rows give the same bytes, so a delivery that comes twice changes nothing.
  return new Uint8Array(gzipSync(encodeRows(rows)));
}

/** @throws when the body is not whole gzip or one of its lines is not JSON: half a chunk is a fault, not half the data. */
export function decodeGzipLines<T>(key: string, body: Uint8Array): T[] {
  let text: string;
  try {
    text = gunzipSync(body).toString('utf8');
  } catch (error) {
    throw new Error(`${key}: must be whole gzip, got ${body.length} bytes that are not (${(error as Error).message})`, {
      cause: error,
    });
  }
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as T;
    } catch (error) {
      throw new Error(`${key}: line ${index + 1} must be JSON, got ${JSON.stringify(line.slice(0, 80))}`, {
        cause: error,
      });
    }
  });
}

export const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';
/** Compressed rows are stored as such, without a Content-Encoding: Athena goes by the key's `.gz`. */
export const NDJSON_GZIP = 'application/gzip';
export const HTML_TYPE = 'text/html; charset=utf-8';
