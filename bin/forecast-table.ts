/**
 * Prints the forecast of a dry run in the terminal's width: `tsx bin/forecast-table.ts FOLDER`, with the run's
 * `plan.json` and `forecast.json`. The execution's output has the same lines without a limit on their width.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunForecast } from '../domain/forecast/forecast-run';
import { renderForecast } from '../domain/forecast/render-forecast';
import type { PlannedRun } from '../domain/model/planned-run';
import { expectationsText } from '../domain/model/expectation';
import { planWords } from '../domain/plan/prepare-plan';
import type { BenchmarkPlan } from '../domain/plan/schema';
import { printableLines } from '../domain/text/printable';
import { wrapped } from '../domain/text/text-table';
import { comparisonLines, modelLines } from '../lambdas/plan-run/plan-run';
import { terminalWidth } from './command-line';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: tsx bin/forecast-table.ts FOLDER');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const { plan, pairs, previousRun, scaledModel } = read('plan.json') as PlannedRun & { readonly plan: BenchmarkPlan };
const forecast = read('forecast.json') as RunForecast & { readonly warnings: readonly string[] };
const width = terminalWidth();
const table = renderForecast(forecast, pairs, planWords(plan), width);
const fitted = (some: readonly string[]) =>
  some.flatMap((line) => (width === undefined || line === '' ? line : wrapped(line, width)));
const lines = [
  table + expectationsText(plan),
  ...fitted(modelLines(scaledModel)),
  ...comparisonLines(previousRun),
  ...fitted(forecast.warnings),
];
console.log(printableLines(lines.join('\n').trimEnd()));
