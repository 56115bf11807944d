/** Writes a report of a made-up run, to be looked at: `tsx test/support/write-example-report.ts FILE [compared|recorded]`. */
import { writeFileSync } from 'node:fs';
import { recordedInput } from './recorded-types';
import { comparedInput, renderReport, reportInput } from './report-input';

const [file, which] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx test/support/write-example-report.ts FILE [compared|recorded]');
const inputs: Readonly<Record<string, typeof reportInput>> = { compared: comparedInput, recorded: recordedInput };
writeFileSync(file, renderReport((inputs[which ?? ''] ?? reportInput)()));
