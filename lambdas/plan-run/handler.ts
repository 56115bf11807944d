/** plan-run: refuses a plan that can't be measured or costs too much, or expands it into pairs and stores it, before anything is launched. */
import { runAthenaQuery } from '../adapters/athena';
import { describeInstanceTypes, describeSubnets, describeZoneOfferings } from '../adapters/ec2-catalogue';
import { listObjects, putObject } from '../adapters/s3';
import { getEc2Quota } from '../adapters/service-quotas';
import { getParameter } from '../adapters/ssm';
import { createLogger } from '../shared/logger';
import { requireEnv, requireEnvList, requireEnvListOrNone } from '../shared/require-env';
import { makePlanRun } from './plan-run';

const bucketName = requireEnv('BUCKET_NAME');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const database = requireEnv('GLUE_DATABASE');

export const handler = makePlanRun({
  bucketName,
  subnetIds: requireEnvList('SUBNET_IDS'),
  peeredSubnetIds: requireEnvListOrNone('PEERED_SUBNET_IDS'),
  describeSubnets,
  describeInstanceTypes,
  describeZoneOfferings,
  getEc2Quota,
  runQuery: (sql, deadlineSeconds) => runAthenaQuery({ sql, database, workGroup, deadlineSeconds }),
  listObjects: (prefix) => listObjects(bucketName, prefix),
  getParameter,
  putObject: (key, body, contentType) => putObject(bucketName, key, body, contentType),
  now: () => new Date(),
  log: createLogger('plan-run'),
});
