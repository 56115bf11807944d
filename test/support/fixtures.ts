import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Absolute path of a file under test/fixtures. */
export function fixturePath(name: string): string {
  return join(__dirname, '..', 'fixtures', name);
}

export function readFixture(name: string): string {
  return readFileSync(fixturePath(name), 'utf8');
}

/** The JSON values of a gzipped file that has one per line. */
export function readLines<T>(path: string): T[] {
  const text = gunzipSync(new Uint8Array(readFileSync(path))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
