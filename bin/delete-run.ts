/** `npm run delete-run -- RUN_ID` deletes everything that a deployment has stored of one run. */
import { createInterface } from 'node:readline/promises';
import { groupBy } from '../domain/maths/elements';
import { RUN_ID_PATTERN } from '../domain/workflow/identifiers';
import { describeStack, listStackResources } from '../lambdas/adapters/cloudformation';
import { invokeFunction, sendEvent } from '../lambdas/adapters/lambda';
import { deletableBucket, listableBucket, readableBucket, writableBucket } from '../lambdas/adapters/s3';
import { describeExecution, type Execution } from '../lambdas/adapters/sfn';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { closedRunRemoval } from '../lambdas/result-store/closed-months';
import { renewHistory, runRemoval, startClosing } from '../lambdas/result-store/run-removal';
import { runCommand, type CommandLine, type Refuse } from './command-line';

const USAGE = `usage: npm run delete-run -- [--stack NAME] [--yes] RUN_ID

Deletes what a deployment has stored about a run: raw streams, rows of all tables, documents and report, and the run's
entry on the page that covers all runs. It first lists all this and asks whether to delete it. Credentials and Region
come from the AWS CLI's environment (AWS_PROFILE, AWS_REGION).
--stack NAME  the deployed stack (default: NetworkBenchmark)
--yes         deletes without asking
Queries return the run's rows of closed months for another quarter of an hour, and these rows stay stored for up to a day.
It can't delete the execution's history (Step Functions, 90 days) and commands (Systems Manager, 30 days), lines of the
functions' logs (90 days), results of queries (7 days), the run's name and figures in reports of later runs that were
compared with the run, and the run's name in the list of runs in a closed month. If the command was interrupted, run it
again.
Exit code: 0 when nothing of the run is left; 1 when something is left, or the run has not ended; 2 when the command line
is wrong, or the deletion was not confirmed.`;

const OPTIONS = {
  stack: { type: 'string', default: 'NetworkBenchmark' },
  yes: { type: 'boolean', default: false },
} as const;

/** While this long after a stop, the reaper looks again, and what it calls may write of the run. */
const REAPING_MINUTES = 10;

class Refusal extends Error {}

async function deleteOne({ values, positionals }: CommandLine<typeof OPTIONS>, refuse: Refuse): Promise<number> {
  const [runId = '', ...others] = positionals;
  if (others.length > 0 || !RUN_ID_PATTERN.test(runId)) {
    return refuse(`RUN_ID: must be the name of one run, got ${positionals.join(', ') || 'none'}`, USAGE);
  }
  try {
    return (await deleteRun(values.stack, runId, values.yes)) ? 0 : 2;
  } catch (thrown) {
    refuse(errorMessage(thrown));
    return 1;
  }
}

/** @returns false if the user does not agree */
async function deleteRun(stack: string, runId: string, isAgreed: boolean): Promise<boolean> {
  const { outputs } = await describeStack(stack);
  const { BucketName: bucketName, RunStateMachineArn: machine } = outputs;
  if (bucketName === undefined || machine === undefined) {
    throw new Refusal(`--stack: must be a deployment of this project, got ${stack}`);
  }
  checkEnded(runId, await describeExecution(machine, runId));
  const bucket = {
    ...readableBucket(bucketName),
    ...listableBucket(bucketName),
    ...writableBucket(bucketName),
    ...deletableBucket(bucketName),
  };
  const removal = runRemoval(bucket);
  const { findClosedKeys, emptyRows } = closedRunRemoval(bucket);
  const closedKeys = await findClosedKeys(runId);
  const findOthers = async () => (await removal.findKeys(runId)).filter((key) => !closedKeys.includes(key));
  const keys = await findOthers();
  const what = [
    `s3://${bucketName} has ${keys.length} objects of run ${runId}:`,
    ...countLines(keys),
    ...(closedKeys.length > 0 ? [`Closed months have rows of run ${runId} in ${closedKeys.length} tables.`] : []),
  ];
  console.log(what.join('\n'));
  if (!isAgreed && keys.length + closedKeys.length > 0 && !(await agrees(runId))) return false;
  if (closedKeys.length > 0) {
    await emptyRows(closedKeys);
    await startClosing({ listStackResources, sendEvent }, stack);
  }
  // Looks again after each deletion: a function that was still at work may have written another object.
  let left = keys;
  do {
    await removal.deleteKeys(runId, left);
    await renewHistory({ listStackResources, invokeFunction }, stack, bucketName, runId);
    left = await findOthers();
  } while (left.length > 0);
  const closed =
    closedKeys.length > 0
      ? ', except rows in closed months, which queries stop returning within a quarter of an hour'
      : '';
  console.log(`Nothing of run ${runId} is left${closed}; index.html was updated. See --help for what AWS keeps.`);
  return true;
}

function checkEnded(runId: string, execution: Execution | undefined): void {
  const must = `RUN_ID: must be a run that has ended, got ${runId}`;
  if (execution?.status === 'RUNNING') throw new Refusal(`${must}, which is running: stop its execution first`);
  if (execution?.endedAt === undefined || execution.status === 'SUCCEEDED') return;
  const minutes = (Date.now() - execution.endedAt.getTime()) / 60_000;
  if (minutes >= REAPING_MINUTES) return;
  throw new Refusal(
    `${must}, which ended without success ${Math.floor(minutes)} minutes ago: for ${REAPING_MINUTES} minutes, the ` +
      'service removes and analyses what is left of such a run; delete the run after that',
  );
}

/** How many objects there are below each first part of the keys. */
const countLines = (keys: readonly string[]) =>
  [...groupBy(keys, (key) => key.slice(0, key.indexOf('/') + 1))].map(
    ([folder, { length }]) => `  ${folder} ${length}`,
  );

async function agrees(runId: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Refusal('--yes: must be given if standard input is not a terminal');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Delete all this permanently? Type the run's name: `);
  terminal.close();
  return answer.trim() === runId;
}

void runCommand({ name: 'delete-run', usage: USAGE, options: OPTIONS, run: deleteOne });
