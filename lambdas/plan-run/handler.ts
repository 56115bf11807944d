import { userTags } from '../../domain/workflow/user-tags';
import { runAthenaQuery } from '../adapters/athena';
import * as catalogueCalls from '../adapters/ec2-catalogue';
import * as endCalls from '../adapters/ec2-host-facts';
import * as routeCalls from '../adapters/ec2-routes';
import { listableBucket, readableBucket, writableBucket } from '../adapters/s3';
import * as quotaCalls from '../adapters/service-quotas';
import { findParameter, getParameter } from '../adapters/ssm';
import { resultFinder } from '../result-store/finder';
import { runClaims } from '../result-store/run-execution';
import { resultWriter } from '../result-store/writer';
import { createLogger } from '../shared/logger';
import { namingPassingErrors } from '../shared/naming-passing-errors';
import { requireEnv, requireEnvListOrNone } from '../shared/require-env';
import { makePlanRun } from './plan-run';

const bucketName = requireEnv('BUCKET_NAME');
const workGroup = requireEnv('ATHENA_WORKGROUP');
const hostVpcs = requireEnvListOrNone('HOST_VPCS');
const database = requireEnv('GLUE_DATABASE');
const bucket = { ...readableBucket(bucketName), ...listableBucket(bucketName), ...writableBucket(bucketName) };

export const handler = namingPassingErrors(
  makePlanRun({
    ...catalogueCalls,
    ...endCalls,
    ...routeCalls,
    ...quotaCalls,
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
    deploymentTags: userTags.parse(JSON.parse(requireEnv('TAGS'))),
    now: () => new Date(),
    log: createLogger('plan-run'),
  }),
);
