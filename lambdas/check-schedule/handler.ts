import { listExecutionsSince } from '../adapters/sfn';
import { createLogger, requireEnv } from '../shared/runtime';
import { createMetrics } from '../shared/metrics';
import { makeCheckSchedule } from './check-schedule';

const runStateMachineArn = requireEnv('RUN_STATE_MACHINE_ARN');

export const handler = makeCheckSchedule({
  toleranceSeconds: Number(requireEnv('TOLERANCE_SECONDS')),
  listExecutionsSince: (since) => listExecutionsSince(runStateMachineArn, since),
  writeMetrics: createMetrics(requireEnv('STACK_NAME')),
  log: createLogger('check-schedule'),
});
