/** What each handler may do: one method per handler, one statement per call or set of calls on the same things. */
import type { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ResourceTag } from '../../domain/workflow/resource-tags';
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

type Conditions = NonNullable<Grant['conditions']>;

const NO_RESOURCES = 'these calls know no resources (Service Authorization Reference)';
const BY_TAG = "these come and go with every pair; the condition holds it to those with the stack's tag";
const EXECUTIONS_OF_RUNS = 'executions carry the ids of runs';

export class Permissions {
  constructor(
    private readonly stack: Stack,
    private readonly store: ResultStore,
    private readonly machines: MachineNames,
  ) {}

  planRun(): Grant[] {
    return [
      this.write(`${REPORTS_PREFIX}*/plan.json`),
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
    const requestTag = { StringEquals: { [`aws:RequestTag/${ResourceTag.stack}`]: stack.stackName } };
    return [
      // Its own launch intents too: a retry asks for the very same hosts.
      this.read(`${REPORTS_PREFIX}*/plan.json`, `${REPORTS_PREFIX}*/pairs/*.json`),
      this.write(`${REPORTS_PREFIX}*/pairs/*.json`),
      {
        // What is used as it is; anybody may use Canonical's images.
        actions: ['ec2:RunInstances'],
        resources: [
          `arn:${stack.partition}:ec2:${stack.region}::image/*`,
          ...network.subnetIds.map((subnetId) => this.ec2('subnet', subnetId)),
          this.ec2('security-group', network.securityGroup.securityGroupId),
          this.ec2('launch-template', hosts.launchTemplate.ref),
        ],
        wildcardReason: 'the image is resolved per run from a public parameter',
      },
      {
        actions: ['ec2:RunInstances'],
        resources: [this.ec2('instance'), this.ec2('volume'), this.ec2('network-interface')],
        conditions: requestTag,
        wildcardReason: "these come into being with the call; the condition demands the stack's tag on them",
      },
      {
        actions: ['ec2:RunInstances'],
        resources: [this.ec2('placement-group')],
        conditions: this.ownTag(),
        wildcardReason: BY_TAG,
      },
      {
        actions: ['ec2:CreatePlacementGroup'],
        resources: [this.ec2('placement-group')],
        conditions: requestTag,
        wildcardReason: "it comes into being with the call; the condition demands the stack's tag on it",
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
    const { stack, store } = this;
    const { databaseName, workGroupName } = store.tables;
    return [
      // The series of the report's charts are the rows of the samples.
      this.read(`${REPORTS_PREFIX}*`, `${tablePrefix('samples')}*`),
      this.write(`${REPORTS_PREFIX}*`, `${tablePrefix('runs')}*`, `${tablePrefix('measurements')}*`),
      {
        actions: ['states:DescribeExecution'],
        resources: [this.machines.pairExecutionsArn],
        wildcardReason: EXECUTIONS_OF_RUNS,
      },
      {
        actions: [
          'athena:StartQueryExecution',
          'athena:GetQueryExecution',
          'athena:GetQueryResults',
          'athena:StopQueryExecution',
        ],
        resources: [stack.formatArn({ service: 'athena', resource: 'workgroup', resourceName: workGroupName })],
      },
      // Athena reads the catalogue and the rows, and keeps its results, with the caller's permissions.
      {
        actions: ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartitions'],
        resources: [
          stack.formatArn({ service: 'glue', resource: 'catalog' }),
          stack.formatArn({ service: 'glue', resource: 'database', resourceName: databaseName }),
          stack.formatArn({ service: 'glue', resource: 'table', resourceName: `${databaseName}/*` }),
        ],
        wildcardReason: 'the tables of the one database',
      },
      this.read(`${tablePrefix('measurements')}*`, `${tablePrefix('runs')}*`, `${ATHENA_RESULTS_PREFIX}*`),
      this.write(`${ATHENA_RESULTS_PREFIX}*`),
      this.list(REPORTS_PREFIX, tablePrefix('measurements'), tablePrefix('runs'), ATHENA_RESULTS_PREFIX),
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

  private ownTag(): Conditions {
    return { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: this.stack.stackName } };
  }

  private ec2(resource: string, resourceName = '*'): string {
    return this.stack.formatArn({ service: 'ec2', resource, resourceName });
  }

  private read(...keys: string[]): Grant {
    return this.objects('s3:GetObject', keys);
  }

  private write(...keys: string[]): Grant {
    return this.objects('s3:PutObject', keys);
  }

  private objects(action: string, keys: readonly string[]): Grant {
    return {
      actions: [action],
      resources: keys.map((key) => this.store.bucket.arnForObjects(key)),
      wildcardReason: 'the keys carry the ids of runs and hosts, and days',
    };
  }

  /** Also what makes S3 say "no such key" of a missing object, and not "access denied". */
  private list(...prefixes: string[]): Grant {
    return {
      actions: ['s3:ListBucket'],
      resources: [this.store.bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
    };
  }
}
