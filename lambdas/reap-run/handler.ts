import * as hostCalls from '../adapters/ec2-hosts';
import * as elbCalls from '../adapters/elb-removal';
import { invokeFunction } from '../adapters/lambda';
import { listableBucket, readableBucket } from '../adapters/s3';
import * as executionCalls from '../adapters/sfn';
import { cancelCommand, listUnfinishedCommands } from '../adapters/ssm';
import { resultFinder, resultReader } from '../result-store/reader';
import { runExecutionFinder } from '../result-store/run-execution';
import { createLogger, requireEnv } from '../shared/runtime';
import { makeReapRun } from './reap-run';

const bucketName = requireEnv('BUCKET_NAME');
const bucket = { ...readableBucket(bucketName), ...listableBucket(bucketName) };

export const handler = makeReapRun({
  ...hostCalls,
  ...elbCalls,
  ...executionCalls,
  invokeFunction,
  stackName: requireEnv('STACK_NAME'),
  pairStateMachineArn: requireEnv('PAIR_STATE_MACHINE_ARN'),
  runStateMachineArn: requireEnv('RUN_STATE_MACHINE_ARN'),
  analyseFunctionName: requireEnv('ANALYSE_FUNCTION_NAME'),
  summariseFunctionName: requireEnv('SUMMARISE_FUNCTION_NAME'),
  listUnfinishedCommands,
  cancelCommand,
  store: { ...resultReader(bucket), ...resultFinder(bucket), ...runExecutionFinder(bucket) },
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  log: createLogger('reap-run'),
});
