/** Every call that the checks and the removal make to the account. Tests hand in another one. */
import * as athena from '../lambdas/adapters/athena';
import * as hosts from '../lambdas/adapters/ec2-hosts';
import * as securityGroups from '../lambdas/adapters/ec2-security-group-removal';
import * as loadBalancers from '../lambdas/adapters/elb-removal';
import * as buckets from '../lambdas/adapters/s3';
import * as executions from '../lambdas/adapters/sfn';
import * as cloudformation from './adapters/cloudformation';
import * as documents from './adapters/documents';
import * as ownExecutions from './adapters/executions';
import * as objects from './adapters/objects';

export const account = {
  ...athena,
  ...buckets,
  ...cloudformation,
  ...documents,
  ...executions,
  ...hosts,
  ...loadBalancers,
  ...objects,
  ...ownExecutions,
  ...securityGroups,
};

export type Account = typeof account;
