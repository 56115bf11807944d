/** The permissions of each handler: one function per handler, one statement per set of calls on the same resources. */
import { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  ATHENA_RESULTS_PREFIX,
  HISTORY_KEY,
  HISTORY_PREFIX,
  INDEX_KEY,
  RAW_PREFIX,
  REPORTS_PREFIX,
  ROW_PARTS_PREFIX,
  executionKey,
  forecastKey,
  measurementResultKey,
  pairHostsKey,
  planKey,
  publishedKey,
  reportKey,
  seriesPrefix,
  summaryKey,
  UNFINISHED_PREFIX,
} from '../../domain/workflow/object-keys';
import {
  ANY_NETWORK_REASON,
  abortUploads,
  callsWithoutResource,
  createTagged,
  deleteObjects,
  deleteOwnPlacementGroups,
  ec2Arn,
  listObjects,
  onExecutions,
  onOwnResources,
  readObjects,
  tagOnCreate,
  terminateOwnHosts,
  vpcArns,
  writeObjects,
  type Grant,
} from '../grants';
import type { MachineNames } from '../names';
import type { ResultStore } from '../result-store/result-store';
import { tablePrefix } from '../result-store/result-tables';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';
import { admitTrafficGrant, createSecurityGroupGrants, removeDataPathGrants } from './data-path-grants';
import type { HostVpcs } from '../settings';

/** The tables behind the views that handlers query: `measurements` and `runs`. */
const QUERIED_OPEN = ['open_measurements', 'open_runs'] as const;
const QUERIED_CLOSED = ['closed_measurements', 'closed_runs', 'closed_months'] as const;

/** @param imageParameters prefixes of the account's own parameters that may name an image, each with a `*` at its end */
export function planRunGrants(scope: Construct, store: ResultStore, imageParameters: readonly string[]): Grant[] {
  const { partition, region } = Stack.of(scope);
  return [
    writeObjects(store.bucket, [executionKey('*'), planKey('*'), forecastKey('*')]),
    // plan-run reads whether an earlier execution has a run of the same name, and when that execution began.
    readObjects(store.bucket, [executionKey('*'), planKey('*'), summaryKey('*')]),
    // plan-run checks that the run to compare with exists, and that a run of its own name does not.
    listObjects(store.bucket, [
      REPORTS_PREFIX,
      ROW_PARTS_PREFIX,
      tablePrefix('measurement_samples'),
      ...[...QUERIED_OPEN, ...QUERIED_CLOSED].map(tablePrefix),
      ATHENA_RESULTS_PREFIX,
    ]),
    ...queryTableGrants(scope, store),
    {
      actions: ['servicequotas:GetServiceQuota'],
      resources: [Stack.of(scope).formatArn({ service: 'servicequotas', resource: 'ec2/*' })],
      wildcardReason: 'there is one quota on vCPUs per group of instance families',
    },
    callsWithoutResource(
      'ec2:DescribeImages',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeRouteTables',
      'ec2:DescribeSubnets',
      'freetier:GetAccountPlanState',
    ),
    {
      actions: ['ssm:GetParameter'],
      resources: [
        // The ARN has no account because public parameters belong to none.
        `arn:${partition}:ssm:${region}::parameter/aws/service/*`,
        ...imageParameters.map((name) =>
          Stack.of(scope).formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
        ),
      ],
      wildcardReason: 'a plan may name any public parameter of an image, and those of the account below these prefixes',
    },
  ];
}

export function launchPairGrants(
  scope: Construct,
  bucket: IBucket,
  network: TestNetwork,
  hosts: TestHosts,
  hostVpcs: HostVpcs,
): Grant[] {
  const { partition, region, urlSuffix } = Stack.of(scope);
  const all = (...types: string[]) => types.map((type) => ec2Arn(scope, type));
  const stackGroups = [network.securityGroup, network.peeredSecurityGroup].filter((group) => group !== undefined);
  return [
    // This includes the launch intent, which a retry reads to request the very same hosts.
    readObjects(bucket, [planKey('*'), pairHostsKey('*', '*')]),
    writeObjects(bucket, [pairHostsKey('*', '*')]),
    {
      // A launch uses these resources and does not change them. The ARN of an image has no account.
      actions: ['ec2:RunInstances'],
      resources: [
        `arn:${partition}:ec2:${region}::image/*`,
        ...stackGroups.map((group) => ec2Arn(scope, 'security-group', group.securityGroupId)),
        ec2Arn(scope, 'launch-template', hosts.launchTemplate.ref),
      ],
      wildcardReason: 'every run resolves its images from public parameters',
    },
    launchIn(scope, hostVpcs === 'any' ? hostVpcs : [...network.vpcIds, ...hostVpcs]),
    createTagged(scope, ['ec2:RunInstances'], all('instance', 'volume', 'network-interface')),
    onOwnResources(scope, ['ec2:RunInstances'], all('placement-group', 'security-group')),
    ...createSecurityGroupGrants(scope, hostVpcs === 'any' ? hostVpcs : [network.vpcId, ...hostVpcs]),
    admitTrafficGrant(scope),
    createTagged(scope, ['ec2:CreatePlacementGroup'], all('placement-group')),
    tagOnCreate(
      'ec2',
      ['RunInstances', 'CreatePlacementGroup'],
      all('instance', 'volume', 'network-interface', 'placement-group'),
    ),
    {
      actions: ['iam:PassRole'],
      resources: [hosts.role.roleArn],
      // In China, RunInstances passes the role to ec2.amazonaws.com.cn (karpenter-provider-aws, issue 6843).
      conditions: { StringEquals: { 'iam:PassedToService': `ec2.${urlSuffix}` } },
    },
    terminateOwnHosts(scope),
  ];
}

/** Permits launching hosts in every subnet of these VPCs, because a plan may name any of them. */
function launchIn(scope: Construct, vpcs: HostVpcs): Grant {
  return {
    actions: ['ec2:RunInstances'],
    resources: [ec2Arn(scope, 'subnet')],
    conditions: vpcs === 'any' ? undefined : { StringEquals: { 'ec2:Vpc': vpcArns(scope, vpcs) } },
    wildcardReason:
      vpcs === 'any'
        ? ANY_NETWORK_REASON
        : 'the condition limits the grant to subnets of the networks that are allowed',
  };
}

export function ingestChunkGrants(bucket: IBucket): Grant[] {
  return [
    readObjects(bucket, [`${RAW_PREFIX}*`, pairHostsKey('*', '*')]),
    writeObjects(bucket, rowsOf(['live_samples'])),
  ];
}

export function analyseMeasurementGrants(bucket: IBucket): Grant[] {
  return [
    readObjects(bucket, [`${RAW_PREFIX}*`, `${REPORTS_PREFIX}*`]),
    listObjects(bucket, [RAW_PREFIX, REPORTS_PREFIX]),
    writeObjects(bucket, [
      ...resultRows(),
      measurementResultKey('*', '*'),
      `${seriesPrefix('*')}*`,
      `${UNFINISHED_PREFIX}*`,
    ]),
    deleteObjects(bucket, [`${UNFINISHED_PREFIX}*`]),
    ...foldGrants(bucket),
    readObjects(bucket, rowsOf(['open_measurements'])),
  ];
}

export function summariseRunGrants(scope: Construct, store: ResultStore, machines: MachineNames): Grant[] {
  const { bucket } = store;
  return [
    readObjects(bucket, [`${REPORTS_PREFIX}*`]),
    writeObjects(bucket, [`${REPORTS_PREFIX}*`, ...resultRows(), ...rowsOf(['open_pairs', 'open_runs'])]),
    readObjects(bucket, rowsOf(['open_pairs'])),
    ...foldGrants(bucket),
    onExecutions(['states:DescribeExecution'], machines.pairExecutionsArn),
    callsWithoutResource('cloudtrail:LookupEvents'),
    ...queryTableGrants(scope, store),
    listObjects(bucket, [REPORTS_PREFIX, ATHENA_RESULTS_PREFIX, ...QUERIED_CLOSED.map(tablePrefix)]),
  ];
}

export function publishRunGrants(
  bucket: IBucket,
  { topicArn, signsReports }: { readonly topicArn?: string; readonly signsReports: boolean },
): Grant[] {
  const signed = signsReports ? [reportKey('*')] : [];
  return [
    ...(topicArn === undefined ? [] : [{ actions: ['sns:Publish'], resources: [topicArn] }]),
    readObjects(bucket, [summaryKey('*'), planKey('*'), publishedKey('*'), HISTORY_KEY, ...signed]),
    writeObjects(bucket, [publishedKey('*'), HISTORY_KEY, INDEX_KEY]),
    listObjects(bucket, [REPORTS_PREFIX, HISTORY_PREFIX]),
  ];
}

export function reapRunGrants(
  scope: Construct,
  bucket: IBucket,
  machines: MachineNames,
  invoked: readonly IFunction[],
): Grant[] {
  const { pairArn, pairExecutionsArn, runExecutionsArn } = machines;
  return [
    ...removePairGrants(scope),
    callsWithoutResource('ssm:ListCommands', 'ssm:CancelCommand'),
    { actions: ['states:ListExecutions'], resources: [pairArn] },
    onExecutions(['states:DescribeExecution'], pairExecutionsArn, runExecutionsArn),
    onExecutions(['states:GetExecutionHistory'], runExecutionsArn),
    onExecutions(['states:StopExecution'], pairExecutionsArn),
    { actions: ['lambda:InvokeFunction'], resources: invoked.map((handler) => handler.functionArn) },
    readObjects(bucket, [`${REPORTS_PREFIX}*`]),
    listObjects(bucket, [REPORTS_PREFIX]),
  ];
}

export function sweepOrphansGrants(
  scope: Construct,
  bucket: IBucket,
  machines: MachineNames,
  invoked: readonly IFunction[],
): Grant[] {
  return [
    ...removePairGrants(scope),
    onExecutions(['states:DescribeExecution'], machines.pairExecutionsArn),
    onExecutions(['states:GetExecutionHistory'], machines.runExecutionsArn),
    { actions: ['states:ListExecutions'], resources: [machines.runArn] },
    listObjects(bucket, [REPORTS_PREFIX, UNFINISHED_PREFIX]),
    { actions: ['lambda:InvokeFunction'], resources: invoked.map((handler) => handler.functionArn) },
  ];
}

/** The keys of the rows that are written with the result of a measurement. */
function resultRows(): string[] {
  return [`${ROW_PARTS_PREFIX}*`, ...rowsOf(['measurement_samples', 'live_measurements'])];
}

const FOLDED = ['measurement_samples', 'samples', 'open_measurements', 'open_pairs', 'open_runs'] as const;

/**
 * Permits folding a run; the report draws its charts from the same samples. Whoever folds also needs to read the other
 * tables that it writes: S3 lets nobody replace a given version of an object without the permission to read the object.
 */
function foldGrants(bucket: IBucket): Grant[] {
  return [
    readObjects(bucket, [`${ROW_PARTS_PREFIX}*`, ...rowsOf(['measurement_samples', 'samples'])]),
    listObjects(bucket, [ROW_PARTS_PREFIX, ...FOLDED.map(tablePrefix)]),
    writeObjects(bucket, rowsOf(['samples', 'open_measurements'])),
    deleteObjects(bucket, rowsOf(['live_measurements'])),
  ];
}

function rowsOf(tables: readonly Parameters<typeof tablePrefix>[0][]): string[] {
  return tables.map((table) => `${tablePrefix(table)}*`);
}

/** Permits finding and removing everything with the tags of a pair. */
function removePairGrants(scope: Construct): Grant[] {
  return [
    ...removeDataPathGrants(scope),
    callsWithoutResource('ec2:DescribeInstances', 'ec2:DescribePlacementGroups'),
    terminateOwnHosts(scope),
    deleteOwnPlacementGroups(scope),
  ];
}

/** Athena reads the catalogue and the rows, and writes its results, with the permissions of its caller. */
function queryTableGrants(scope: Construct, store: ResultStore): Grant[] {
  const stack = Stack.of(scope);
  const { databaseName, workGroupName } = store.tables;
  return [
    {
      actions: [
        'athena:StartQueryExecution',
        'athena:GetQueryExecution',
        'athena:GetQueryResults',
        'athena:StopQueryExecution',
      ],
      resources: [stack.formatArn({ service: 'athena', resource: 'workgroup', resourceName: workGroupName })],
    },
    {
      actions: ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartitions'],
      resources: [
        stack.formatArn({ service: 'glue', resource: 'catalog' }),
        stack.formatArn({ service: 'glue', resource: 'database', resourceName: databaseName }),
        stack.formatArn({ service: 'glue', resource: 'table', resourceName: `${databaseName}/*` }),
      ],
      wildcardReason: "the grant covers all tables of the stack's database",
    },
    {
      // Athena reads this database before every query, whatever database the query names.
      actions: ['glue:GetDatabase'],
      resources: [stack.formatArn({ service: 'glue', resource: 'database', resourceName: 'default' })],
    },
    readObjects(store.bucket, [...rowsOf([...QUERIED_OPEN, ...QUERIED_CLOSED]), `${ATHENA_RESULTS_PREFIX}*`]),
    writeObjects(store.bucket, [`${ATHENA_RESULTS_PREFIX}*`]),
    abortUploads(store.bucket, [`${ATHENA_RESULTS_PREFIX}*`]),
    { actions: ['s3:GetBucketLocation'], resources: [store.bucket.bucketArn] },
  ];
}
