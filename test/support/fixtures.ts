import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute path of a file under test/fixtures. */
export function fixturePath(name: string): string {
  return join(__dirname, '..', 'fixtures', name);
}

export function readFixture(name: string): string {
  return readFileSync(fixturePath(name), 'utf8');
}
