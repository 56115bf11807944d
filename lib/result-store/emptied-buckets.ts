import { CustomResource, Duration, Tags } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { EMPTIED_WITH_STACK_TAG } from '../../domain/workflow/resource-tags';
import { BenchmarkFunction } from '../functions/benchmark-function';

export interface EmptiedBucketsProps {
  readonly buckets: readonly IBucket[];
  /** Everything that can write to the buckets. It is deleted before they are emptied, so that they stay empty. */
  readonly writers: readonly Construct[];
}

/** Empties buckets when the stack is deleted, because CloudFormation can delete only empty buckets. */
export class EmptiedBuckets extends Construct {
  constructor(scope: Construct, id: string, props: EmptiedBucketsProps) {
    super(scope, id);
    const { buckets, writers } = props;
    for (const bucket of buckets) Tags.of(bucket).add(EMPTIED_WITH_STACK_TAG, 'true');
    const { handler } = new BenchmarkFunction(this, 'EmptyBuckets', {
      description: 'Empties the buckets that are deleted with the stack, when it is deleted',
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
      ],
    });
    const emptied = new CustomResource(this, 'Emptied', {
      serviceToken: handler.functionArn,
      properties: { BucketNames: buckets.map(({ bucketName }) => bucketName) },
    });
    for (const writer of writers) writer.node.addDependency(emptied);
  }
}
