/** What S3 tells of objects, for the buckets of tests. */
import { createHash } from 'node:crypto';

export function etagOf(body: Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

/** The names of the folders right below a prefix that ends with a slash, among sorted keys. */
export function foldersOf(keys: readonly string[], prefix: string): string[] {
  const below = keys.map((key) => key.slice(prefix.length)).filter((key) => key.includes('/'));
  return [...new Set(below.map((key) => key.slice(0, key.indexOf('/'))))];
}
