/** plan-run: refuses a plan that can't be measured or costs too much, or expands it into pairs and stores it. */
import { runAthenaQuery } from '../adapters/athena';
import { describeInstanceTypes, describeSubnets, describeZoneOfferings } from '../adapters/ec2-catalogue';
import { listableBucket, writableBucket } from '../adapters/s3';
import { getEc2Quota } from '../adapters/service-quotas';
import { getParameter } from '../adapters/ssm';
import { resultFinder } from '../result-store/finder';
import { resultWriter } from '../result-store/writer';
import { createLogger } from '../shared/logger';
import { requireEnv, requireEnvList, requireEnvListOrNone } from '../shared/require-env';
import { makePlanRun } from './plan-run';

const bucketName = requireEnv('BUCKET_NAME');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const database = requireEnv('GLUE_DATABASE');

export const handler = makePlanRun({
  subnetIds: requireEnvList('SUBNET_IDS'),
  peeredSubnetIds: requireEnvListOrNone('PEERED_SUBNET_IDS'),
  describeSubnets,
  describeInstanceTypes,
  describeZoneOfferings,
  getEc2Quota,
  runQuery: (sql, deadlineSeconds) => runAthenaQuery({ sql, database, workGroup, deadlineSeconds }),
  store: { ...resultFinder(listableBucket(bucketName)), ...resultWriter(writableBucket(bucketName)) },
  getParameter,
  now: () => new Date(),
  log: createLogger('plan-run'),
});
