import type { DeploymentLimits } from '../../domain/forecast/deployment-limits';
import { userTags } from '../../domain/workflow/user-tags';
import { runAthenaQuery } from '../adapters/athena';
import * as catalogueCalls from '../adapters/ec2-catalogue';
import { listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import { findParameter, getParameter } from '../adapters/ssm';
import { resultFinder } from '../result-store/reader';
import { runClaims } from '../result-store/run-execution';
import { resultWriter } from '../result-store/writer';
import { createLogger, requireEnv, requireEnvListOrNone } from '../shared/runtime';
import { namingPassingErrors } from '../adapters/passing-errors';
import { makePlanRun } from './plan-run';

const bucketName = requireEnv('BUCKET_NAME');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const hostVpcs = requireEnvListOrNone('HOST_VPCS');
const database = requireEnv('GLUE_DATABASE');
const bucket = { ...readableBucket(bucketName), ...listableBucket(bucketName), ...writableBucket(bucketName) };

export const handler = namingPassingErrors(
  makePlanRun({
    ...catalogueCalls,
    subnetIds: requireEnv('SUBNET_IDS').split(','),
    peeredSubnetIds: requireEnvListOrNone('PEERED_SUBNET_IDS'),
    runQuery: (sql, deadlineSeconds) => runAthenaQuery({ sql, database, workGroup, deadlineSeconds }),
    store: { ...resultFinder(bucket), ...resultWriter(bucket), ...runClaims(bucket) },
    getParameter,
    findParameter,
    deployed: {
      hostVpcs: hostVpcs.includes('any') ? 'any' : hostVpcs,
      hasPublicAddresses: requireEnv('PUBLIC_ADDRESSES') === 'true',
      imageParameters: requireEnvListOrNone('IMAGE_PARAMETERS'),
    },
    limits: JSON.parse(requireEnv('LIMITS')) as DeploymentLimits,
    deploymentTags: userTags.parse(JSON.parse(requireEnv('TAGS'))),
    now: () => new Date(),
    log: createLogger('plan-run'),
  }),
);
