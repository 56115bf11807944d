import { deleteSecurityGroup, findSecurityGroups, revokeIngress } from '../adapters/ec2-hosts';
import * as elbCalls from '../adapters/elb-removal';
import { createLogger, requireEnv } from '../shared/runtime';
import { makeDisconnectPair } from './disconnect-pair';

export const handler = makeDisconnectPair({
  findSecurityGroups,
  revokeIngress,
  deleteSecurityGroup,
  ...elbCalls,
  stackName: requireEnv('STACK_NAME'),
  log: createLogger('disconnect-pair'),
});
