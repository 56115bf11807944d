import * as addressCalls from '../adapters/ec2-addresses';
import * as securityGroupCalls from '../adapters/ec2-security-groups';
import * as loadBalancerCalls from '../adapters/elb-load-balancers';
import { findLoadBalancers, findTargetGroups } from '../adapters/elb-removal';
import { readableBucket, writableBucket } from '../adapters/s3';
import { resultReader } from '../result-store/reader';
import { resultWriter } from '../result-store/writer';
import { createLogger } from '../shared/logger';
import { namingPassingErrors } from '../shared/naming-passing-errors';
import { requireEnv } from '../shared/require-env';
import { makeConnectPair } from './connect-pair';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = namingPassingErrors(
  makeConnectPair({
    ...addressCalls,
    ...securityGroupCalls,
    ...loadBalancerCalls,
    findLoadBalancers,
    findTargetGroups,
    bucketName,
    payloadBucketName: requireEnv('PAYLOAD_BUCKET_NAME'),
    stackName: requireEnv('STACK_NAME'),
    vpcId: requireEnv('VPC_ID'),
    store: { ...resultReader(readableBucket(bucketName)), ...resultWriter(writableBucket(bucketName)) },
    log: createLogger('connect-pair'),
  }),
);
