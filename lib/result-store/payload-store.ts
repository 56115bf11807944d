import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PAYLOAD_PREFIX } from '../../domain/workflow/object-keys';

/** What hosts download and upload to measure S3: random bytes, apart from everything that is worth keeping. */
export class PayloadStore extends Construct {
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // Nothing of it is anybody's: a day after the last run the stack can delete it, too.
      removalPolicy: RemovalPolicy.DESTROY,
      lifecycleRules: [
        { id: 'payload-is-for-the-run', prefix: PAYLOAD_PREFIX, expiration: Duration.days(1) },
        { id: 'broken-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    Validations.of(bucket).acknowledge(
      { id: 'AwsSolutions-S1', reason: 'Random bytes for a day: who fetched them is in the results of the run' },
      {
        id: 'AwsSolutions-S10',
        reason:
          'http beside https is one of the things that are measured; the objects are random bytes, and every request is signed',
      },
    );
    this.bucket = bucket;
  }
}
