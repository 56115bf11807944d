/** launch-pair: a fresh pair of hosts, in the first candidate subnets that have room, or nothing at all. */
import { createPlacementGroup, runHost, terminateHosts } from '../adapters/ec2-hosts';
import { getObject, putObject, putObjectOnce } from '../adapters/s3';
import { createLogger } from '../shared/logger';
import { requireEnv } from '../shared/require-env';
import { makeLaunchPair } from './launch-pair';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makeLaunchPair({
  bucketName,
  stackName: requireEnv('STACK_NAME'),
  securityGroupId: requireEnv('SECURITY_GROUP_ID'),
  launchTemplateId: requireEnv('LAUNCH_TEMPLATE_ID'),
  runHost,
  terminateHosts,
  createPlacementGroup,
  getObject: (key) => getObject(bucketName, key),
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  putObjectOnce: (key, body, contentType) => putObjectOnce(bucketName, key, body, contentType),
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  log: createLogger('launch-pair'),
});
