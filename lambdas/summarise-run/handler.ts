/** summarise-run: what a run came to, as rows, as a summary and as a report; whatever was not measured is named. */
import { runAthenaQuery } from '../adapters/athena';
import { getObject, listObjects, putObject } from '../adapters/s3';
import { describeExecution } from '../adapters/sfn';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeSummariseRun } from './summarise-run';

const bucketName = requireEnv('BUCKET_NAME');
const pairStateMachineArn = requireEnv('PAIR_STATE_MACHINE_ARN');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const database = requireEnv('GLUE_DATABASE');

export const handler = makeSummariseRun({
  bucketName,
  database,
  workGroup,
  describePairExecution: (name) => describeExecution(pairStateMachineArn, name),
  runQuery: (sql, deadlineSeconds) => runAthenaQuery({ sql, database, workGroup, deadlineSeconds }),
  getObject: (key) => getObject(bucketName, key),
  listObjects: (prefix) => listObjects(bucketName, prefix),
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  now: () => new Date(),
  log: createLogger('summarise-run'),
});
