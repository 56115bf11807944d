/** What each handler may do: one method per handler, one statement per call or set of calls on the same things. */
import type { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { MachineNames } from '../orchestration/machine-names';
import { ATHENA_RESULTS_PREFIX, LIVE_SAMPLES_PREFIX, RAW_PREFIX, REPORTS_PREFIX, tablePrefix } from '../result-store/prefixes';
import type { ResultStore } from '../result-store/result-store';
import type { TestHosts } from '../test-hosts/test-hosts';
import type { TestNetwork } from '../test-network/test-network';

type Conditions = Record<string, Record<string, string | string[]>>;

export class Permissions {
  constructor(
    private readonly stack: Stack,
    private readonly store: ResultStore,
    private readonly machines: MachineNames,
  ) {}

  planRun(): PolicyStatement[] {
    return [
      this.write(`${REPORTS_PREFIX}*/plan.json`),
      allow(['ec2:DescribeInstanceTypes', 'ec2:DescribeInstanceTypeOfferings', 'ec2:DescribeSubnets'], ['*']),
      // Canonical's public parameters; those belong to no account.
      allow(
        ['ssm:GetParameter'],
        [`arn:${this.stack.partition}:ssm:${this.stack.region}::parameter/aws/service/canonical/ubuntu/*`],
      ),
    ];
  }

  launchPair(network: TestNetwork, hosts: TestHosts): PolicyStatement[] {
    const { stack } = this;
    const requestTag = { StringEquals: { [`aws:RequestTag/${ResourceTag.stack}`]: stack.stackName } };
    return [
      this.read(`${REPORTS_PREFIX}*/plan.json`),
      this.write(`${REPORTS_PREFIX}*/pairs/*.json`),
      // What is used as it is: the image anybody may use, the rest is the stack's.
      allow(
        ['ec2:RunInstances'],
        [
          `arn:${stack.partition}:ec2:${stack.region}::image/*`,
          ...network.subnetIds.map((subnetId) => this.ec2('subnet', subnetId)),
          this.ec2('security-group', network.securityGroup.securityGroupId),
          this.ec2('launch-template', hosts.launchTemplate.ref),
        ],
      ),
      // What comes into being, never without the stack's tag.
      allow(['ec2:RunInstances'], [this.ec2('instance'), this.ec2('volume'), this.ec2('network-interface')], requestTag),
      allow(['ec2:RunInstances'], [this.ec2('placement-group')], this.ownTag()),
      allow(['ec2:CreatePlacementGroup'], [this.ec2('placement-group')], requestTag),
      allow(
        ['ec2:CreateTags'],
        ['instance', 'volume', 'network-interface', 'placement-group'].map((type) => this.ec2(type)),
        { StringEquals: { 'ec2:CreateAction': ['RunInstances', 'CreatePlacementGroup'] } },
      ),
      allow(['iam:PassRole'], [hosts.role.roleArn], { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } }),
      this.terminateOwnHosts(),
    ];
  }

  ingestChunk(): PolicyStatement[] {
    return [this.read(`${RAW_PREFIX}*`), this.write(`${LIVE_SAMPLES_PREFIX}*`)];
  }

  analyseMeasurement(): PolicyStatement[] {
    return [
      this.read(`${RAW_PREFIX}*`, `${REPORTS_PREFIX}*`),
      this.list(RAW_PREFIX, REPORTS_PREFIX),
      this.write(
        `${tablePrefix('samples')}*`,
        `${tablePrefix('measurements')}*`,
        `${REPORTS_PREFIX}*/measurements/*.json`,
      ),
    ];
  }

  summariseRun(): PolicyStatement[] {
    const { stack, store } = this;
    const { databaseName, workGroupName } = store.tables;
    return [
      this.read(`${REPORTS_PREFIX}*`),
      this.write(`${REPORTS_PREFIX}*`, `${tablePrefix('runs')}*`, `${tablePrefix('measurements')}*`),
      allow(['states:DescribeExecution'], [this.machines.pairExecutionsArn]),
      allow(
        [
          'athena:StartQueryExecution',
          'athena:GetQueryExecution',
          'athena:GetQueryResults',
          'athena:StopQueryExecution',
        ],
        [stack.formatArn({ service: 'athena', resource: 'workgroup', resourceName: workGroupName })],
      ),
      // Athena reads the catalogue, the rows and its own results with the caller's permissions.
      allow(
        ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartitions'],
        [
          stack.formatArn({ service: 'glue', resource: 'catalog' }),
          stack.formatArn({ service: 'glue', resource: 'database', resourceName: databaseName }),
          stack.formatArn({ service: 'glue', resource: 'table', resourceName: `${databaseName}/*` }),
        ],
      ),
      this.read(`${tablePrefix('measurements')}*`, `${tablePrefix('runs')}*`, `${ATHENA_RESULTS_PREFIX}*`),
      this.write(`${ATHENA_RESULTS_PREFIX}*`),
      this.list(REPORTS_PREFIX, tablePrefix('measurements'), tablePrefix('runs'), ATHENA_RESULTS_PREFIX),
      allow(['s3:GetBucketLocation'], [store.bucket.bucketArn]),
    ];
  }

  reapRun(invoked: readonly IFunction[]): PolicyStatement[] {
    return [
      ...this.removeOwnThings(),
      allow(['ssm:ListCommands', 'ssm:CancelCommand'], ['*']),
      allow(['states:ListExecutions'], [this.machines.pairArn]),
      allow(['states:DescribeExecution'], [this.machines.pairExecutionsArn, this.machines.runExecutionsArn]),
      allow(['states:StopExecution'], [this.machines.pairExecutionsArn]),
      allow(
        ['lambda:InvokeFunction'],
        invoked.map((handler) => handler.functionArn),
      ),
      this.read(`${REPORTS_PREFIX}*`),
      this.list(REPORTS_PREFIX),
    ];
  }

  sweepOrphans(): PolicyStatement[] {
    return [...this.removeOwnThings(), allow(['states:ListExecutions'], [this.machines.pairArn])];
  }

  private removeOwnThings(): PolicyStatement[] {
    return [
      // Look-ups know no resources.
      allow(['ec2:DescribeInstances', 'ec2:DescribePlacementGroups'], ['*']),
      this.terminateOwnHosts(),
      allow(['ec2:DeletePlacementGroup'], [this.ec2('placement-group')], this.ownTag()),
    ];
  }

  private terminateOwnHosts(): PolicyStatement {
    return allow(['ec2:TerminateInstances'], [this.ec2('instance')], this.ownTag());
  }

  private ownTag(): Conditions {
    return { StringEquals: { [`aws:ResourceTag/${ResourceTag.stack}`]: this.stack.stackName } };
  }

  private ec2(resource: string, resourceName = '*'): string {
    return this.stack.formatArn({ service: 'ec2', resource, resourceName });
  }

  private read(...keys: string[]): PolicyStatement {
    return allow(['s3:GetObject'], keys.map((key) => this.store.bucket.arnForObjects(key)));
  }

  private write(...keys: string[]): PolicyStatement {
    return allow(['s3:PutObject'], keys.map((key) => this.store.bucket.arnForObjects(key)));
  }

  /** Also what makes S3 say "no such key" of a missing object, and not "access denied". */
  private list(...prefixes: string[]): PolicyStatement {
    return allow(['s3:ListBucket'], [this.store.bucket.bucketArn], {
      StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) },
    });
  }
}

function allow(actions: string[], resources: string[], conditions?: Conditions): PolicyStatement {
  return new PolicyStatement({ actions, resources, conditions });
}
