/** What each handler may do: one method per handler, one statement per call or set of calls on the same things. */
import type { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Grant } from '../least-privilege';
import type { MachineNames } from '../orchestration/machine-names';
import {
  ATHENA_RESULTS_PREFIX,
  LIVE_SAMPLES_PREFIX,
  RAW_PREFIX,
  REPORTS_PREFIX,
  tablePrefix,
} from '../result-store/prefixes';
import type { ResultStore } from '../result-store/result-store';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';
import { DataPathPermissions } from './data-path-permissions';
import { BY_TAG, IN_THE_MAKING, NO_RESOURCES } from './grants';

const EXECUTIONS_OF_RUNS = 'executions carry the ids of runs';

export class Permissions extends DataPathPermissions {
  constructor(
    stack: Stack,
    store: ResultStore,
    private readonly machines: MachineNames,
  ) {
    super(stack, store);
  }

  planRun(): Grant[] {
    return [
      this.write(`${REPORTS_PREFIX}*/plan.json`, `${REPORTS_PREFIX}*/forecast.json`),
      // Whether there is the run to compare with.
      this.list(REPORTS_PREFIX, tablePrefix('measurements'), ATHENA_RESULTS_PREFIX),
      ...this.queryTables('measurements'),
      {
        actions: ['servicequotas:GetServiceQuota'],
        resources: [this.stack.formatArn({ service: 'servicequotas', resource: 'ec2/*' })],
        wildcardReason: 'the quotas on vCPUs, one per group of families',
      },
      {
        actions: ['ec2:DescribeInstanceTypes', 'ec2:DescribeInstanceTypeOfferings', 'ec2:DescribeSubnets'],
        resources: ['*'],
        wildcardReason: NO_RESOURCES,
      },
      {
        actions: ['ssm:GetParameter'],
        // Public parameters belong to no account.
        resources: [`arn:${this.stack.partition}:ssm:${this.stack.region}::parameter/aws/service/canonical/ubuntu/*`],
        wildcardReason: "Canonical's public parameters, one per release and architecture",
      },
    ];
  }

  launchPair(network: TestNetwork, hosts: TestHosts): Grant[] {
    const { stack } = this;
    const requestTag = this.requestTag();
    return [
      // Its own launch intents too: a retry asks for the very same hosts.
      this.read(`${REPORTS_PREFIX}*/plan.json`, `${REPORTS_PREFIX}*/pairs/*.json`),
      this.write(`${REPORTS_PREFIX}*/pairs/*.json`),
      {
        // What is used as it is; anybody may use Canonical's images.
        actions: ['ec2:RunInstances'],
        resources: [
          `arn:${stack.partition}:ec2:${stack.region}::image/*`,
          ...[...network.subnetIds, ...network.peeredSubnetIds].map((subnetId) => this.ec2('subnet', subnetId)),
          ...[network.securityGroup, network.peeredSecurityGroup].flatMap((group) =>
            group === undefined ? [] : [this.ec2('security-group', group.securityGroupId)],
          ),
          this.ec2('launch-template', hosts.launchTemplate.ref),
        ],
        wildcardReason: 'the image is resolved per run from a public parameter',
      },
      {
        actions: ['ec2:RunInstances'],
        resources: [this.ec2('instance'), this.ec2('volume'), this.ec2('network-interface')],
        conditions: requestTag,
        wildcardReason: IN_THE_MAKING,
      },
      {
        actions: ['ec2:RunInstances'],
        resources: [this.ec2('placement-group'), this.ec2('security-group')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
      ...this.createSecurityGroups(network),
      {
        actions: ['ec2:CreatePlacementGroup'],
        resources: [this.ec2('placement-group')],
        conditions: requestTag,
        wildcardReason: IN_THE_MAKING,
      },
      {
        actions: ['ec2:CreateTags'],
        resources: ['instance', 'volume', 'network-interface', 'placement-group'].map((type) => this.ec2(type)),
        conditions: { StringEquals: { 'ec2:CreateAction': ['RunInstances', 'CreatePlacementGroup'] } },
        wildcardReason: 'only as part of the calls that create them, by the condition',
      },
      {
        actions: ['iam:PassRole'],
        resources: [hosts.role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      },
      this.terminateOwnHosts(),
    ];
  }

  ingestChunk(): Grant[] {
    return [this.read(`${RAW_PREFIX}*`), this.write(`${LIVE_SAMPLES_PREFIX}*`)];
  }

  analyseMeasurement(): Grant[] {
    return [
      this.read(`${RAW_PREFIX}*`, `${REPORTS_PREFIX}*`),
      this.list(RAW_PREFIX),
      this.write(
        `${tablePrefix('samples')}*`,
        `${tablePrefix('measurements')}*`,
        `${REPORTS_PREFIX}*/measurements/*.json`,
      ),
    ];
  }

  summariseRun(): Grant[] {
    return [
      // The series of the report's charts are the rows of the samples.
      this.read(`${REPORTS_PREFIX}*`, `${tablePrefix('samples')}*`),
      this.write(`${REPORTS_PREFIX}*`, `${tablePrefix('runs')}*`, `${tablePrefix('measurements')}*`),
      {
        actions: ['states:DescribeExecution'],
        resources: [this.machines.pairExecutionsArn],
        wildcardReason: EXECUTIONS_OF_RUNS,
      },
      ...this.queryTables('measurements', 'runs'),
      this.list(REPORTS_PREFIX, tablePrefix('measurements'), tablePrefix('runs'), ATHENA_RESULTS_PREFIX),
    ];
  }

  /** Athena reads the catalogue and the rows, and keeps its results, with the caller's permissions. */
  private queryTables(...tables: readonly ('measurements' | 'runs')[]): Grant[] {
    const { stack, store } = this;
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
        wildcardReason: 'the tables of the one database',
      },
      this.read(...tables.map((table) => `${tablePrefix(table)}*`), `${ATHENA_RESULTS_PREFIX}*`),
      this.write(`${ATHENA_RESULTS_PREFIX}*`),
      { actions: ['s3:GetBucketLocation'], resources: [store.bucket.bucketArn] },
    ];
  }

  reapRun(invoked: readonly IFunction[]): Grant[] {
    const { pairArn, pairExecutionsArn, runExecutionsArn } = this.machines;
    return [
      ...this.removeOwnThings(),
      { actions: ['ssm:ListCommands', 'ssm:CancelCommand'], resources: ['*'], wildcardReason: NO_RESOURCES },
      { actions: ['states:ListExecutions'], resources: [pairArn] },
      {
        actions: ['states:DescribeExecution'],
        resources: [pairExecutionsArn, runExecutionsArn],
        wildcardReason: EXECUTIONS_OF_RUNS,
      },
      { actions: ['states:StopExecution'], resources: [pairExecutionsArn], wildcardReason: EXECUTIONS_OF_RUNS },
      { actions: ['lambda:InvokeFunction'], resources: invoked.map((handler) => handler.functionArn) },
      this.read(`${REPORTS_PREFIX}*`),
      this.list(REPORTS_PREFIX),
    ];
  }

  sweepOrphans(): Grant[] {
    return [
      ...this.removeOwnThings(),
      {
        actions: ['states:DescribeExecution'],
        resources: [this.machines.pairExecutionsArn],
        wildcardReason: EXECUTIONS_OF_RUNS,
      },
    ];
  }

  private removeOwnThings(): Grant[] {
    return [
      ...this.removeOwnDataPaths(),
      {
        actions: ['ec2:DescribeInstances', 'ec2:DescribePlacementGroups'],
        resources: ['*'],
        wildcardReason: NO_RESOURCES,
      },
      this.terminateOwnHosts(),
      {
        actions: ['ec2:DeletePlacementGroup'],
        resources: [this.ec2('placement-group')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
    ];
  }

  private terminateOwnHosts(): Grant {
    return {
      actions: ['ec2:TerminateInstances'],
      resources: [this.ec2('instance')],
      conditions: this.ownTag(),
      wildcardReason: BY_TAG,
    };
  }
}
