/** plan-run: refuses a plan that can't be measured, or expands it into pairs and stores it, before anything is launched. */
import { describeInstanceTypes, describeSubnets, describeZoneOfferings } from '../adapters/ec2-catalogue';
import { putObject } from '../adapters/s3';
import { getParameter } from '../adapters/ssm';
import { createLogger } from '../shared/logger';
import { requireEnv, requireEnvList, requireEnvListOrNone } from '../shared/require-env';
import { makePlanRun } from './plan-run';

const bucketName = requireEnv('BUCKET_NAME');

export const handler = makePlanRun({
  bucketName,
  subnetIds: requireEnvList('SUBNET_IDS'),
  peeredSubnetIds: requireEnvListOrNone('PEERED_SUBNET_IDS'),
  describeSubnets,
  describeInstanceTypes,
  describeZoneOfferings,
  getParameter,
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  now: () => new Date(),
  log: createLogger('plan-run'),
});
