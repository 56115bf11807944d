/** sweep-orphans: removes whatever carries the stack's tag and has outlived its time or its execution. */
import { deletePlacementGroup, findHosts, findPlacementGroups, terminateHosts } from '../adapters/ec2-hosts';
import { deleteSecurityGroup, findSecurityGroups, revokeIngress } from '../adapters/ec2-security-group-removal';
import { deleteLoadBalancer, deleteTargetGroup, findLoadBalancers, findTargetGroups } from '../adapters/elb-removal';
import { describeExecution } from '../adapters/sfn';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeSweepOrphans } from './sweep-orphans';

const pairStateMachineArn = requireEnv('PAIR_STATE_MACHINE_ARN');

export const handler = makeSweepOrphans({
  stackName: requireEnv('STACK_NAME'),
  findHosts,
  terminateHosts,
  findPlacementGroups,
  deletePlacementGroup,
  findLoadBalancers,
  deleteLoadBalancer,
  findTargetGroups,
  deleteTargetGroup,
  findSecurityGroups,
  revokeIngress,
  deleteSecurityGroup,
  describePairExecution: (name) => describeExecution(pairStateMachineArn, name),
  now: () => new Date(),
  log: createLogger('sweep-orphans'),
});
