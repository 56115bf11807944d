import * as ec2Calls from '../adapters/ec2-path';
import * as loadBalancerCalls from '../adapters/elb-load-balancers';
import { findLoadBalancers, findTargetGroups } from '../adapters/elb-removal';
import { readableBucket, writableBucket } from '../adapters/s3';
import { resultReader } from '../result-store/reader';
import { resultWriter } from '../result-store/writer';
import { createLogger, requireEnv } from '../shared/runtime';
import { namingPassingErrors } from '../adapters/passing-errors';
import { makeConnectPair } from './connect-pair';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = namingPassingErrors(
  makeConnectPair({
    ...ec2Calls,
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
