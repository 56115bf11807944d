/**
 * Writes reports of runs that are made of recordings, to be looked at and measured:
 * `npm run make-reports -- FOLDER [--half-hours] [MEASUREMENTS… | six-types]`, by default of six types and of 2, 22, 60 and
 * 1,000 measurements. With `--half-hours` each measurement has all that half an hour can have: the largest reports.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { halfHourRun, recordedRun } from '../test/support/recorded-run';
import { recordedInput } from '../test/support/recorded-types';
import { renderReport } from '../test/support/report-input';

const SIX_TYPES = 'six-types';
const REPORTS = [SIX_TYPES, '2', '22', '60', '1000'];
const USAGE = `usage: npm run make-reports -- FOLDER [--half-hours] [${SIX_TYPES} | MEASUREMENTS…]     each number must be an integer from 2 on`;

/** @returns the file */
export function makeReport(folder: string, report: string, hasHalfHours = false): string {
  const file = join(folder, `report-${report}${hasHalfHours ? '-half-hours' : ''}.html`);
  const count = Number(report);
  const run = report === SIX_TYPES ? recordedInput() : hasHalfHours ? halfHourRun(count) : recordedRun(count);
  writeFileSync(file, renderReport(run));
  return file;
}

const isReport = (text: string) => text === SIX_TYPES || (Number.isInteger(Number(text)) && Number(text) >= 2);

if (require.main === module) {
  // An option that it does not know, such as --help, gets the usage instead of an exception.
  const { positionals, values } = parseArgs({ strict: false, options: { 'half-hours': { type: 'boolean' } } });
  const { 'half-hours': hasHalfHours, ...unknown } = values;
  const [folder, ...wanted] = positionals;
  const reports = wanted.length === 0 ? REPORTS : wanted;
  if (folder === undefined || !reports.every(isReport) || Object.keys(unknown).length > 0) {
    console.error(USAGE);
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  for (const report of reports) console.log(makeReport(folder, report, hasHalfHours === true));
}
