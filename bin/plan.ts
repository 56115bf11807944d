/** `npm run plan -- FILE` prints what a plan will measure, show and cost. */
import { readFileSync } from 'node:fs';
import { getSystemErrorMap, parseArgs } from 'node:util';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { printable, printableLines } from '../domain/text/printable';
import { errorMessage } from '../lambdas/shared/error-text';
import { offlinePlan } from './offline-plan';

const USAGE = `usage: npm run plan -- FILE

Prints what a plan will measure, show and cost, without an account. FILE is a plan as JSON, such as those of
examples/plans/.
Exit code: 0; 1 when the plan would be refused, after printing every problem; 2 when no plan can be read.`;

/** @returns the exit code, as the usage says */
function main(args: readonly string[]): number {
  let parsed;
  try {
    const options = { help: { type: 'boolean', short: 'h' } } as const;
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return refuse(thrown.message, USAGE);
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
  let submitted: unknown;
  try {
    submitted = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    return refuse(`${file}: must be a plan as JSON: ${reasonOf(thrown)}`);
  }
  const { forecastText, note, problems } = offlinePlan(submitted);
  process.stdout.write(`${printableLines(forecastText)}\n${note}\n`);
  if (problems.length === 0) return 0;
  process.stderr.write(`\n${problems.map((problem) => printable(formatPlanProblem(problem))).join('\n')}\n`);
  return 1;
}

function refuse(reason: string, usage?: string): number {
  console.error([`plan: ${printable(reason)}`, usage ?? []].flat().join('\n\n'));
  return 2;
}

/** What the system says of a file (`no such file or directory`), without Node's code and system call. */
function reasonOf(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? Number(thrown.errno) : 0;
  return getSystemErrorMap().get(errno)?.[1] ?? errorMessage(thrown);
}

process.exitCode = main(process.argv.slice(2));
