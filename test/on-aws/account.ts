/** Every call that the checks and the removal make to the account. Tests hand in another one. */
import * as athena from '../../lambdas/adapters/athena';
import * as addresses from '../../lambdas/adapters/ec2-path';
import * as hosts from '../../lambdas/adapters/ec2-hosts';
import * as loadBalancers from '../../lambdas/adapters/elb-removal';
import * as buckets from '../../lambdas/adapters/s3';
import * as executions from '../../lambdas/adapters/sfn';
import * as calls from './adapters/calls';

export const account = {
  ...addresses,
  ...athena,
  ...buckets,
  ...calls,
  ...executions,
  ...hosts,
  ...loadBalancers,
};

export type Account = typeof account;
