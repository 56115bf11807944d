/** disconnect-pair: removes the path from client to server once the hosts are gone. */
import * as securityGroups from '../adapters/ec2-security-group-removal';
import * as elb from '../adapters/elb-removal';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeDisconnectPair } from './disconnect-pair';

export const handler = makeDisconnectPair({
  ...securityGroups,
  ...elb,
  stackName: requireEnv('STACK_NAME'),
  log: createLogger('disconnect-pair'),
});
