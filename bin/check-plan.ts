/** Prints why plan-run would refuse a plan, by the facts of an account in a file; it asks AWS nothing. */
import { readFileSync } from 'node:fs';
import { inPlanOrder } from '../domain/plan/check-plan';
import { formatPlanProblem } from '../domain/workflow/error-names';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { readContext } from '../lib/context';
import { decidePlan } from '../lambdas/plan-run/decide-plan';
import { sourcesOf, type AccountFacts } from './account-facts';
import { readPlanFile } from './plan-file';

const USAGE = `usage: tsx bin/check-plan.ts PLAN FACTS

Prints each problem of PLAN, and of the context in FACTS, on its own line. If there is no problem, it prints on standard
error what the plan can't show. FACTS is a file of the form that bin/account-facts.ts describes.
Exit code: 0 without a problem; 1 with problems; 2 when PLAN can't be read, with the reason on standard error.`;

/** @returns the exit code that the usage documents */
async function main([planFile, factsFile]: readonly string[]): Promise<number> {
  if (planFile === undefined || factsFile === undefined) {
    console.error(USAGE);
    return 2;
  }
  const plan = readPlanFile(planFile);
  if ('reason' in plan) {
    console.error(printable(plan.reason));
    return 2;
  }
  const facts = JSON.parse(readFileSync(factsFile, 'utf8')) as AccountFacts;
  const submitted = { runId: 'check', plan: plan.submitted, day: new Date().toISOString().slice(0, 10) };
  const { problems, prepared, warnings } = await decidePlan(sourcesOf(facts), facts.deploymentTags, submitted);
  const lines = [...inPlanOrder(problems).map(formatPlanProblem), ...contextProblems(facts)];
  for (const line of lines) console.log(printable(line));
  if (lines.length > 0) return 1;
  for (const line of [...(prepared?.forecastWarnings ?? []), ...warnings]) console.error(printable(line));
  return 0;
}

/** The problems for which the deployment would be refused. */
function contextProblems({ context = {}, region }: AccountFacts): string[] {
  try {
    readContext(context, region);
    return [];
  } catch (error) {
    return errorMessage(error).split('\n');
  }
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
