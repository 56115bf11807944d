/** The account, as every call that the checks and the removal make to it, and the deployed stack that is put to the test. */
import * as athena from '../../lambdas/adapters/athena';
import { findStarter } from '../../lambdas/adapters/cloudtrail';
import * as addresses from '../../lambdas/adapters/ec2-path';
import * as catalogue from '../../lambdas/adapters/ec2-catalogue';
import * as hosts from '../../lambdas/adapters/ec2-hosts';
import { createPlacementGroup } from '../../lambdas/adapters/ec2-launch';
import * as loadBalancers from '../../lambdas/adapters/elb-removal';
import { invokeFunction } from '../../lambdas/adapters/lambda';
import * as buckets from '../../lambdas/adapters/s3';
import * as executions from '../../lambdas/adapters/sfn';
import * as calls from './adapters/calls';

export const account = {
  ...addresses,
  ...athena,
  ...buckets,
  ...calls,
  ...catalogue,
  ...executions,
  ...hosts,
  ...loadBalancers,
  createPlacementGroup,
  findStarter,
  invokeFunction,
};

export type Account = typeof account;

export interface DeployedStack {
  readonly name: string;
  /** `CREATE_COMPLETE`, `UPDATE_COMPLETE`, … */
  readonly status: string;
  readonly account: string;
  readonly region: string;
  readonly bucket: string;
  readonly database: string;
  readonly workgroup: string;
  readonly runStateMachineArn: string;
  readonly pairStateMachineArn: string;
}

/** @throws when there is no such stack, or when it lacks an output that every deployment of this version has */
export async function readStack(account: Pick<Account, 'describeStack'>, name: string): Promise<DeployedStack> {
  const { status, outputs } = await account.describeStack(name);
  const output = (key: string): string => {
    const value = outputs[key];
    if (value !== undefined) return value;
    const got = Object.keys(outputs).join(', ') || 'none';
    throw new Error(`stack ${name}: must have the output ${key}, got ${got} (status ${status})`);
  };
  const runStateMachineArn = output('RunStateMachineArn');
  // arn:aws:states:REGION:ACCOUNT:stateMachine:NAME
  const [, , , region = '', accountId = ''] = runStateMachineArn.split(':');
  return {
    name,
    status,
    account: accountId,
    region,
    bucket: output('BucketName'),
    database: output('DatabaseName'),
    workgroup: output('WorkgroupName'),
    runStateMachineArn,
    pairStateMachineArn: output('PairStateMachineArn'),
  };
}
