/** What the runs of a deployment measured of instance types, for the commands that otherwise ask no account. */
import { earlierBucketsOf, earlierBucketsQuery } from '../domain/forecast/credits';
import type { EarlierResults, PublishedType } from '../domain/forecast/known-figures';
import { runAthenaQuery } from '../lambdas/adapters/athena';
import { describeStack } from '../lambdas/adapters/cloudformation';
import { errorMessage } from '../lambdas/errors/aws-errors';

const DEADLINE_SECONDS = 120;

/** The option's lines of a usage. */
export const STACK_USAGE = `--stack      a deployed stack, whose own measurements go before public ones. Credentials and Region are those of the
             AWS CLI's environment (AWS_PROFILE, AWS_REGION); it reads the stack's outputs and runs one Athena query`;

/**
 * @param stack none where it was not asked for
 * @param types at least one
 * @throws Error that names the option, if the stack is not of this project or can't be read
 */
export async function measuredBuckets(
  stack: string | undefined,
  types: readonly PublishedType[],
): Promise<EarlierResults | undefined> {
  if (stack === undefined) return undefined;
  const date = new Date().toISOString().slice(0, 10);
  const names = types.map(({ instanceType }) => instanceType);
  const must = `--stack: must be a deployment of this project that can be read, got ${stack}`;
  const rows = await describeStack(stack)
    .then(({ outputs: { WorkgroupName: workGroup, DatabaseName: database } }) => {
      if (workGroup === undefined || database === undefined) throw new Error('it has no database of results');
      const sql = earlierBucketsQuery(date, names);
      return runAthenaQuery({ sql, database, workGroup, deadlineSeconds: DEADLINE_SECONDS });
    })
    .catch((thrown: unknown) => {
      throw new Error(`${must}: ${errorMessage(thrown)}`);
    });
  return {
    buckets: earlierBucketsOf(rows),
    source: {
      name: 'own runs',
      date,
      text: `measurements of stack ${stack}; its saved query throttle-onsets-by-type has their runs`,
    },
  };
}
