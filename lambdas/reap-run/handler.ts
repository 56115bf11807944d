import * as hostCalls from '../adapters/ec2-hosts';
import * as securityGroupCalls from '../adapters/ec2-security-group-removal';
import * as elbCalls from '../adapters/elb-removal';
import * as lambdaCalls from '../adapters/lambda';
import { listableBucket, readableBucket } from '../adapters/s3';
import * as executionCalls from '../adapters/sfn';
import { cancelCommand, listUnfinishedCommands } from '../adapters/ssm';
import { resultFinder } from '../result-store/finder';
import { resultReader } from '../result-store/reader';
import { runExecutionFinder } from '../result-store/run-execution';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeReapRun } from './reap-run';

const bucketName = requireEnv('BUCKET_NAME');
const bucket = { ...readableBucket(bucketName), ...listableBucket(bucketName) };

export const handler = makeReapRun({
  ...hostCalls,
  ...securityGroupCalls,
  ...elbCalls,
  ...executionCalls,
  ...lambdaCalls,
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
