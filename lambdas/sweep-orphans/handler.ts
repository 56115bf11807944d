import * as hostCalls from '../adapters/ec2-hosts';
import * as elbCalls from '../adapters/elb-removal';
import { sendEvent } from '../adapters/lambda';
import { listableBucket } from '../adapters/s3';
import { describeExecution, hasSucceededTask, listUnsuccessfulExecutions } from '../adapters/sfn';
import { resultFinder } from '../result-store/reader';
import { createLogger, requireEnv } from '../shared/runtime';
import { makeSweepOrphans } from './sweep-orphans';

const pairStateMachineArn = requireEnv('PAIR_STATE_MACHINE_ARN');
const analyseFunctionName = requireEnv('ANALYSE_FUNCTION_NAME');
const reapFunctionName = requireEnv('REAP_FUNCTION_NAME');

export const handler = makeSweepOrphans({
  ...hostCalls,
  ...elbCalls,
  stackName: requireEnv('STACK_NAME'),
  runStateMachineArn: requireEnv('RUN_STATE_MACHINE_ARN'),
  store: resultFinder(listableBucket(requireEnv('BUCKET_NAME'))),
  listUnsuccessfulExecutions,
  hasSucceededTask,
  startReaper: (event) => sendEvent(reapFunctionName, event),
  startFold: (request) => sendEvent(analyseFunctionName, request),
  describePairExecution: (name) => describeExecution(pairStateMachineArn, name),
  now: () => new Date(),
  log: createLogger('sweep-orphans'),
});
