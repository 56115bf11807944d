/**
 * Prints the verdict table of a `summary.json`, its changes since the run that the plan compares with, and the outcome
 * of its expectations, as the lab does at its end: `tsx bin/verdict-table.ts FILE`.
 */
import { readFileSync } from 'node:fs';
import { resultFromJson } from '../domain/model/verdict-json';
import { comparisonText } from '../domain/terminal/change-lines';
import { expectationsText } from '../domain/terminal/expectation-lines';
import type { RunSummaryJson } from '../domain/run/summary';
import { verdictTable } from '../domain/terminal/verdict-table';
import { terminalWidth } from './command-line';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: tsx bin/verdict-table.ts SUMMARY_FILE');
const summary = JSON.parse(readFileSync(file, 'utf8')) as RunSummaryJson;
console.log(verdictTable(summary.measurements.map(resultFromJson), terminalWidth()));
const comparison = comparisonText(summary, terminalWidth());
if (comparison !== '') console.log(`\n${comparison}`);
const expectations = expectationsText(summary);
if (expectations !== '') console.log(`\n${expectations}`);
