import { terminateHosts } from '../adapters/ec2-hosts';
import * as launchCalls from '../adapters/ec2-launch';
import { admitTraffic, createSecurityGroup } from '../adapters/ec2-path';
import { readableBucket, writableBucket } from '../adapters/s3';
import { resultReader } from '../result-store/reader';
import { resultWriter } from '../result-store/writer';
import { createLogger, requireEnv, requireEnvListOrNone } from '../shared/runtime';
import { makeLaunchPair } from './launch-pair';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeLaunchPair({
  ...launchCalls,
  bucketName,
  stackName: requireEnv('STACK_NAME'),
  vpcId: requireEnv('VPC_ID'),
  securityGroupId: requireEnv('SECURITY_GROUP_ID'),
  peeredSecurityGroupId: requireEnvListOrNone('PEERED_SECURITY_GROUP_ID')[0],
  launchTemplateId: requireEnv('LAUNCH_TEMPLATE_ID'),
  terminateHosts,
  createSecurityGroup,
  admitTraffic,
  store: { ...resultReader(readableBucket(bucketName)), ...resultWriter(writableBucket(bucketName)) },
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  log: createLogger('launch-pair'),
});
