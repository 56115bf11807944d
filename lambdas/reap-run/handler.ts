/** reap-run: removes what a stopped, timed-out or failed execution left, and saves what it had measured. */
import { deletePlacementGroup, findHosts, findPlacementGroups, terminateHosts } from '../adapters/ec2-hosts';
import { invokeFunction } from '../adapters/lambda';
import { getObject, listObjects } from '../adapters/s3';
import { describeExecution, listRunningExecutions, stopExecution } from '../adapters/sfn';
import { cancelCommand, listUnfinishedCommands } from '../adapters/ssm';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeReapRun } from './reap-run';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeReapRun({
  stackName: requireEnv('STACK_NAME'),
  pairStateMachineArn: requireEnv('PAIR_STATE_MACHINE_ARN'),
  runStateMachineArn: requireEnv('RUN_STATE_MACHINE_ARN'),
  analyseFunctionName: requireEnv('ANALYSE_FUNCTION_NAME'),
  summariseFunctionName: requireEnv('SUMMARISE_FUNCTION_NAME'),
  findHosts,
  terminateHosts,
  findPlacementGroups,
  deletePlacementGroup,
  listUnfinishedCommands,
  cancelCommand,
  listRunningExecutions,
  stopExecution,
  describeExecution,
  invokeFunction,
  getObject: (key) => getObject(bucketName, key),
  listObjects: (prefix) => listObjects(bucketName, prefix),
  log: createLogger('reap-run'),
});
