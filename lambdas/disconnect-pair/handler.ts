/** disconnect-pair: removes the path from client to server once the hosts are gone. */
import { deleteSecurityGroup, findSecurityGroups, revokeIngress } from '../adapters/ec2-security-group-removal';
import { deleteLoadBalancer, deleteTargetGroup, findLoadBalancers, findTargetGroups } from '../adapters/elb-removal';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeDisconnectPair } from './disconnect-pair';

export const handler = makeDisconnectPair({
  stackName: requireEnv('STACK_NAME'),
  findLoadBalancers,
  deleteLoadBalancer,
  findTargetGroups,
  deleteTargetGroup,
  findSecurityGroups,
  revokeIngress,
  deleteSecurityGroup,
  log: createLogger('disconnect-pair'),
});
