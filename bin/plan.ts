/** `npm run plan -- FILE` prints what a plan will measure, show and cost. */
import { readFileSync } from 'node:fs';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { printable, printableLines } from '../domain/text/printable';
import { errorMessage } from '../lambdas/shared/error-text';
import { OFFLINE_NOTE, offlinePlan } from './offline-plan';

/** @returns the exit code: 1 when the plan would be rejected, after printing why; 2 when no plan can be read */
function main(args: readonly string[]): number {
  const [file, ...others] = args;
  if (file === undefined || others.length > 0) {
    process.stderr.write('usage: npm run plan -- FILE\n');
    return 2;
  }
  let submitted: unknown;
  try {
    submitted = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    process.stderr.write(`${printable(`${file}: ${errorMessage(error)}`)}\n`);
    return 2;
  }
  const { forecastText, problems } = offlinePlan(submitted);
  process.stdout.write(`${printableLines(forecastText)}\n${OFFLINE_NOTE}\n`);
  if (problems.length === 0) return 0;
  process.stderr.write(`\n${problems.map((problem) => printable(formatPlanProblem(problem))).join('\n')}\n`);
  return 1;
}

process.exitCode = main(process.argv.slice(2));
