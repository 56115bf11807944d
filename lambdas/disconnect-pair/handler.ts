import * as securityGroupCalls from '../adapters/ec2-security-group-removal';
import * as elbCalls from '../adapters/elb-removal';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeDisconnectPair } from './disconnect-pair';

export const handler = makeDisconnectPair({
  ...securityGroupCalls,
  ...elbCalls,
  stackName: requireEnv('STACK_NAME'),
  log: createLogger('disconnect-pair'),
});
