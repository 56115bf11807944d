/** `npm run plan -- FILE` prints what a plan will measure, show and cost. */
import { parseArgs } from 'node:util';
import { inPlanOrder } from '../domain/plan/check-plan';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { printable, printableLines } from '../domain/text/printable';
import { offlinePlan } from './offline-plan';
import { optionProblem, terminalWidth } from './command-line';
import { readPlanFile } from './plan-file';

const USAGE = `usage: npm run plan -- [--region REGION] FILE

Prints what a plan will measure, show and cost, without an account. FILE is a plan as JSON, such as those of
examples/plans/. Prices are those that npm run prices fetched for REGION (default: us-east-1).
Exit code: 0; 1 when the plan would be refused, after printing every problem; 2 when FILE can't be
read, or the command line is wrong.`;

/** @returns the exit code that the usage documents */
function main(args: readonly string[]): number {
  const options = { region: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (thrown) {
    return refuse(optionProblem(thrown, options), USAGE);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    return refuse(`must be given one FILE, got ${positionals.join(', ') || 'none'}`, USAGE);
  }
  const plan = readPlanFile(file);
  if ('reason' in plan) return refuse(plan.reason);
  const { forecastText, note, problems } = offlinePlan(plan.submitted, {
    region: values.region,
    textWidth: terminalWidth(),
  });
  process.stdout.write(`${forecastText === '' ? '' : `${printableLines(forecastText)}\n`}${note}\n`);
  if (problems.length === 0) return 0;
  process.stderr.write(
    `\n${inPlanOrder(problems)
      .map((problem) => printable(formatPlanProblem(problem)))
      .join('\n')}\n`,
  );
  return 1;
}

function refuse(reason: string, usage?: string): number {
  console.error([`plan: ${printable(reason)}`, usage ?? []].flat().join('\n\n'));
  return 2;
}

process.exitCode = main(process.argv.slice(2));
