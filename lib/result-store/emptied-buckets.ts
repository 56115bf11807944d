import { CustomResource, Duration, Stack, Tags } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import { BenchmarkFunction } from '../functions/benchmark-function';
import { callsWithoutResource, ec2Arn, vpcArns, type Grant } from '../grants';

export interface EmptiedBucketsProps {
  readonly buckets: readonly IBucket[];
  /** The VPCs that are deleted with the stack. */
  readonly vpcs: readonly IVpc[];
  /** Everything that can write to the buckets. It is deleted before they are emptied, so that they stay empty. */
  readonly writers: readonly Construct[];
}

/** Empties buckets and networks when the stack is deleted, because CloudFormation can delete only empty ones. */
export class EmptiedBuckets extends Construct {
  constructor(scope: Construct, id: string, props: EmptiedBucketsProps) {
    super(scope, id);
    const { buckets, vpcs, writers } = props;
    const vpcIds = vpcs.map(({ vpcId }) => vpcId);
    for (const bucket of buckets) Tags.of(bucket).add(EMPTIED_WITH_STACK_TAG, 'true');
    const { handler } = new BenchmarkFunction(this, 'EmptyBuckets', {
      description: 'Empties the buckets and networks that are deleted with the stack, when it is deleted',
      // After a timeout Lambda would start the function twice more. CloudFormation waits an hour for the response.
      timeout: Duration.minutes(15),
      environment: {},
      grants: [
        {
          actions: ['s3:GetBucketTagging', 's3:ListBucket'],
          resources: buckets.map(({ bucketArn }) => bucketArn),
        },
        {
          actions: ['s3:DeleteObject'],
          resources: buckets.map((bucket) => bucket.arnForObjects('*')),
          wildcardReason: 'a bucket can only be deleted when it has no object any more',
        },
        ...(vpcs.length === 0 ? [] : guardDutyGrants(this, vpcIds)),
      ],
    });
    const emptied = new CustomResource(this, 'Emptied', {
      serviceToken: handler.functionArn,
      properties: { BucketNames: buckets.map(({ bucketName }) => bucketName), VpcIds: vpcIds },
    });
    // The dependents are deleted first: here what is in a network, and then the network with its subnets.
    for (const subnet of vpcs.flatMap(({ publicSubnets }) => publicSubnets)) {
      if (subnet.node.defaultChild) emptied.node.addDependency(subnet.node.defaultChild);
    }
    for (const writer of writers) writer.node.addDependency(emptied);
  }
}

const MANAGED = { 'aws:ResourceTag/GuardDutyManaged': 'true' };

function guardDutyGrants(scope: Construct, vpcIds: readonly string[]): Grant[] {
  const serviceName = `com.amazonaws.${Stack.of(scope).region}.guardduty-data`;
  return [
    callsWithoutResource('ec2:DescribeVpcEndpoints', 'ec2:DescribeSecurityGroups'),
    {
      actions: ['ec2:DeleteVpcEndpoints'],
      resources: [ec2Arn(scope, 'vpc-endpoint')],
      conditions: { StringEquals: { ...MANAGED, 'ec2:VpceServiceName': serviceName } },
      wildcardReason:
        'GuardDuty creates the endpoint; the condition requires its tag and service, as none tells the VPC',
    },
    {
      actions: ['ec2:DeleteSecurityGroup'],
      resources: [ec2Arn(scope, 'security-group')],
      conditions: { StringEquals: { ...MANAGED, 'ec2:Vpc': vpcArns(scope, vpcIds) } },
      wildcardReason: "GuardDuty creates the group; the condition requires its tag and a VPC of the stack's own",
    },
  ];
}
