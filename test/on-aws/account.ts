/** Every call that the checks and the removal make to the account. Tests hand in another one. */
import * as athena from '../../lambdas/adapters/athena';
import * as addresses from '../../lambdas/adapters/ec2-path';
import * as hosts from '../../lambdas/adapters/ec2-hosts';
import * as securityGroups from '../../lambdas/adapters/ec2-hosts';
import * as loadBalancers from '../../lambdas/adapters/elb-removal';
import * as buckets from '../../lambdas/adapters/s3';
import * as executions from '../../lambdas/adapters/sfn';
import * as balancing from './adapters/balancing';
import * as cloudformation from './adapters/cloudformation';
import * as documents from './adapters/documents';
import * as ownExecutions from './adapters/executions';
import * as network from './adapters/network';
import * as objects from './adapters/objects';
import * as queries from './adapters/queries';

export const account = {
  ...addresses,
  ...athena,
  ...balancing,
  ...buckets,
  ...cloudformation,
  ...documents,
  ...executions,
  ...hosts,
  ...loadBalancers,
  ...network,
  ...objects,
  ...ownExecutions,
  ...queries,
  ...securityGroups,
};

export type Account = typeof account;
