import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import { PAYLOAD_PREFIX } from '../../domain/workflow/object-keys';

/** The bucket for what hosts download and upload to measure S3: random bytes, kept apart from the results. */
export class PayloadStore extends Construct {
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // Nobody needs the content, even where the results are kept.
      removalPolicy: RemovalPolicy.DESTROY,
      lifecycleRules: [
        { id: 'expire-payload', prefix: PAYLOAD_PREFIX, expiration: Duration.days(RETENTION_DAYS.payload) },
        {
          id: 'abort-incomplete-uploads',
          abortIncompleteMultipartUploadAfter: Duration.days(RETENTION_DAYS.incompleteUploads),
        },
      ],
    });
    Validations.of(bucket).acknowledge(
      {
        id: 'AwsSolutions-S1',
        reason: 'The bucket keeps random bytes for a day; the results of a run show which host fetched them',
      },
      {
        id: 'AwsSolutions-S10',
        reason:
          'Plain http is one of the things that a plan can measure; the objects are random bytes, and every ' +
          'request is signed',
      },
    );
    this.bucket = bucket;
  }
}
