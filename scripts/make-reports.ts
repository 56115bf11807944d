/**
 * Writes reports of runs that are made of recordings, to be looked at and measured:
 * `npm run make-reports -- FOLDER [MEASUREMENTS…]`, by default of 2, 22, 60 and 1,000 measurements.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderReport } from '../domain/report/render-report';
import { recordedRun } from '../test/support/recorded-run';

const SIZES = [2, 22, 60, 1000];

/** @returns the file */
export function makeReport(folder: string, count: number): string {
  const file = join(folder, `report-${count}.html`);
  writeFileSync(file, renderReport(recordedRun(count)));
  return file;
}

if (require.main === module) {
  const [folder, ...sizes] = process.argv.slice(2);
  const counts = sizes.length === 0 ? SIZES : sizes.map(Number);
  if (folder === undefined || counts.some((count) => !Number.isInteger(count) || count < 2)) {
    console.error('usage: npm run make-reports -- FOLDER [MEASUREMENTS…]     each number must be an integer from 2 on');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  for (const count of counts) console.log(makeReport(folder, count));
}
