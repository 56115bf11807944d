/** `npm run plan -- FILE` prints what a plan will measure, show and cost. */
import { inPlanOrder } from '../domain/plan/check-plan';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { printable, printableLines } from '../domain/text/printable';
import { offlinePlan } from './offline-plan';
import { runCommand, terminalWidth, type CommandLine, type Refuse } from './command-line';
import { readPlanFile } from './plan-file';

const USAGE = `usage: npm run plan -- [--region REGION] FILE

Prints what a plan will measure, show and cost, without an account. FILE is a plan as JSON, such as those in
examples/plans/. The prices are those that npm run prices fetched for REGION (default: us-east-1).
Exit code: 0; 1 when the plan would be refused, after printing every problem; 2 when FILE can't be
read, or the command line is wrong.`;

const OPTIONS = { region: { type: 'string' } } as const;

function plan({ values, positionals }: CommandLine<typeof OPTIONS>, refuse: Refuse): number {
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    return refuse(`must be given one FILE, got ${positionals.join(', ') || 'none'}`, USAGE);
  }
  const read = readPlanFile(file);
  if ('reason' in read) return refuse(read.reason);
  const { forecastText, note, problems } = offlinePlan(read.submitted, {
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

void runCommand({ name: 'plan', usage: USAGE, options: OPTIONS, run: plan });
