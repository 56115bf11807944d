/** Writes a report of the made-up run, to be looked at: `tsx test/support/write-example-report.ts FILE`. */
import { writeFileSync } from 'node:fs';
import { renderReport } from '../../domain/report/render-report';
import { reportInput } from './report-input';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx test/support/write-example-report.ts FILE');
writeFileSync(file, renderReport(reportInput()));
