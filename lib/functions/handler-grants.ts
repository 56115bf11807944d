/** What each handler may do: one function per handler, one statement per set of calls on the same resources. */
import { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import {
  ATHENA_RESULTS_PREFIX,
  RAW_PREFIX,
  REPORTS_PREFIX,
  forecastKey,
  measurementResultKey,
  pairHostsKey,
  planKey,
} from '../../domain/workflow/object-keys';
import {
  WildcardReason,
  deleteOwnPlacementGroups,
  ec2Arn,
  listObjects,
  ownTag,
  readObjects,
  requestTag,
  terminateOwnHosts,
  writeObjects,
} from '../grants';
import type { Grant } from '../least-privilege';
import type { MachineNames } from '../machine-names';
import type { ResultStore } from '../result-store/result-store';
import { tablePrefix } from '../result-store/result-tables';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';
import { createSecurityGroupGrants, removeDataPathGrants } from './data-path-grants';

export function planRunGrants(scope: Construct, store: ResultStore): Grant[] {
  const { partition, region } = Stack.of(scope);
  return [
    writeObjects(store.bucket, planKey('*'), forecastKey('*')),
    // plan-run checks whether the run that a plan wants to be compared with exists.
    listObjects(store.bucket, REPORTS_PREFIX, tablePrefix('measurements'), ATHENA_RESULTS_PREFIX),
    ...queryTableGrants(scope, store, ['measurements']),
    {
      actions: ['servicequotas:GetServiceQuota'],
      resources: [Stack.of(scope).formatArn({ service: 'servicequotas', resource: 'ec2/*' })],
      wildcardReason: 'there is one quota on vCPUs per group of instance families',
    },
    {
      actions: ['ec2:DescribeInstanceTypes', 'ec2:DescribeInstanceTypeOfferings', 'ec2:DescribeSubnets'],
      resources: ['*'],
      wildcardReason: WildcardReason.callTakesNoResource,
    },
    {
      actions: ['ssm:GetParameter'],
      // The ARN has no account because public parameters belong to none.
      resources: [`arn:${partition}:ssm:${region}::parameter/aws/service/canonical/ubuntu/*`],
      wildcardReason: 'Canonical publishes one parameter per release and architecture',
    },
  ];
}

export function launchPairGrants(scope: Construct, bucket: IBucket, network: TestNetwork, hosts: TestHosts): Grant[] {
  const { partition, region } = Stack.of(scope);
  return [
    // This includes the launch intent, which a retry reads to request the very same hosts.
    readObjects(bucket, planKey('*'), pairHostsKey('*', '*')),
    writeObjects(bucket, pairHostsKey('*', '*')),
    {
      // A launch uses these resources and does not change them. The ARN of an image has no account.
      actions: ['ec2:RunInstances'],
      resources: [
        `arn:${partition}:ec2:${region}::image/*`,
        ...[...network.subnetIds, ...network.peeredSubnetIds].map((subnetId) => ec2Arn(scope, 'subnet', subnetId)),
        ...[network.securityGroup, network.peeredSecurityGroup]
          .filter((group) => group !== undefined)
          .map((group) => ec2Arn(scope, 'security-group', group.securityGroupId)),
        ec2Arn(scope, 'launch-template', hosts.launchTemplate.ref),
      ],
      wildcardReason: 'every run resolves its images from public parameters',
    },
    {
      actions: ['ec2:RunInstances'],
      resources: ['instance', 'volume', 'network-interface'].map((type) => ec2Arn(scope, type)),
      conditions: requestTag(scope),
      wildcardReason: WildcardReason.newResource,
    },
    {
      actions: ['ec2:RunInstances'],
      resources: ['placement-group', 'security-group'].map((type) => ec2Arn(scope, type)),
      conditions: ownTag(scope),
      wildcardReason: WildcardReason.ownTag,
    },
    ...createSecurityGroupGrants(scope, network),
    {
      actions: ['ec2:CreatePlacementGroup'],
      resources: [ec2Arn(scope, 'placement-group')],
      conditions: requestTag(scope),
      wildcardReason: WildcardReason.newResource,
    },
    {
      actions: ['ec2:CreateTags'],
      resources: ['instance', 'volume', 'network-interface', 'placement-group'].map((type) => ec2Arn(scope, type)),
      conditions: { StringEquals: { 'ec2:CreateAction': ['RunInstances', 'CreatePlacementGroup'] } },
      wildcardReason: WildcardReason.tagOnCreate,
    },
    {
      actions: ['iam:PassRole'],
      resources: [hosts.role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
    },
    terminateOwnHosts(scope),
  ];
}

export function ingestChunkGrants(bucket: IBucket): Grant[] {
  return [readObjects(bucket, `${RAW_PREFIX}*`), writeObjects(bucket, `${tablePrefix('live_samples')}*`)];
}

export function analyseMeasurementGrants(bucket: IBucket): Grant[] {
  return [
    readObjects(bucket, `${RAW_PREFIX}*`, `${REPORTS_PREFIX}*`),
    listObjects(bucket, RAW_PREFIX),
    writeObjects(
      bucket,
      `${tablePrefix('samples')}*`,
      `${tablePrefix('measurements')}*`,
      measurementResultKey('*', '*'),
    ),
  ];
}

export function summariseRunGrants(scope: Construct, store: ResultStore, machines: MachineNames): Grant[] {
  const { bucket } = store;
  return [
    // The report draws its charts from the rows of `samples`.
    readObjects(bucket, `${REPORTS_PREFIX}*`, `${tablePrefix('samples')}*`),
    writeObjects(bucket, `${REPORTS_PREFIX}*`, `${tablePrefix('runs')}*`, `${tablePrefix('measurements')}*`),
    {
      actions: ['states:DescribeExecution'],
      resources: [machines.pairExecutionsArn],
      wildcardReason: WildcardReason.executionName,
    },
    ...queryTableGrants(scope, store, ['measurements', 'runs']),
    listObjects(bucket, REPORTS_PREFIX, tablePrefix('measurements'), tablePrefix('runs'), ATHENA_RESULTS_PREFIX),
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
    {
      actions: ['ssm:ListCommands', 'ssm:CancelCommand'],
      resources: ['*'],
      wildcardReason: WildcardReason.callTakesNoResource,
    },
    { actions: ['states:ListExecutions'], resources: [pairArn] },
    {
      actions: ['states:DescribeExecution'],
      resources: [pairExecutionsArn, runExecutionsArn],
      wildcardReason: WildcardReason.executionName,
    },
    {
      actions: ['states:StopExecution'],
      resources: [pairExecutionsArn],
      wildcardReason: WildcardReason.executionName,
    },
    { actions: ['lambda:InvokeFunction'], resources: invoked.map((handler) => handler.functionArn) },
    readObjects(bucket, `${REPORTS_PREFIX}*`),
    listObjects(bucket, REPORTS_PREFIX),
  ];
}

export function sweepOrphansGrants(scope: Construct, machines: MachineNames): Grant[] {
  return [
    ...removePairGrants(scope),
    {
      actions: ['states:DescribeExecution'],
      resources: [machines.pairExecutionsArn],
      wildcardReason: WildcardReason.executionName,
    },
  ];
}

/** Finds and removes everything that carries the tags of a pair. */
function removePairGrants(scope: Construct): Grant[] {
  return [
    ...removeDataPathGrants(scope),
    {
      actions: ['ec2:DescribeInstances', 'ec2:DescribePlacementGroups'],
      resources: ['*'],
      wildcardReason: WildcardReason.callTakesNoResource,
    },
    terminateOwnHosts(scope),
    deleteOwnPlacementGroups(scope),
  ];
}

/** Athena reads the catalogue and the rows, and writes its results, with the permissions of its caller. */
function queryTableGrants(scope: Construct, store: ResultStore, tables: readonly ('measurements' | 'runs')[]): Grant[] {
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
    readObjects(store.bucket, ...tables.map((table) => `${tablePrefix(table)}*`), `${ATHENA_RESULTS_PREFIX}*`),
    writeObjects(store.bucket, `${ATHENA_RESULTS_PREFIX}*`),
    { actions: ['s3:GetBucketLocation'], resources: [store.bucket.bucketArn] },
  ];
}
