/** Zips a folder for Lambda, with neither times nor owners, so that the same files give the same bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync, type ZipOptions } from 'fflate';

/** The first day that the format can express, and a Unix file that everybody may read, as Lambda needs it. */
const ATTRIBUTES: ZipOptions = { level: 9, mtime: '1980-01-01T00:00:00', os: 3, attrs: 0o100644 * 2 ** 16 };

/** @returns the paths of all files below a folder, relative to it and sorted */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

export function zip(folder: string): Uint8Array {
  const files = filesBelow(folder).map((path) => [path, readFileSync(join(folder, path))] as const);
  return zipSync(Object.fromEntries(files), ATTRIBUTES);
}
