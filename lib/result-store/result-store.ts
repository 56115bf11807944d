import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  type CfnBucket,
  type IBucket,
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import { ATHENA_RESULTS_PREFIX, RAW_PREFIX, PAYLOAD_PREFIX } from '../../domain/workflow/object-keys';
import { ResultTables, tablePrefix } from './result-tables';

export interface ResultStoreProps {
  /** Whether the bucket is kept when the stack is deleted. If not, `EmptiedBuckets` must empty it before. */
  readonly keepsResults: boolean;
}

/** The bucket with all results, and the tables that make its rows queryable. */
export class ResultStore extends Construct {
  readonly bucket: IBucket;
  readonly tables: ResultTables;

  constructor(scope: Construct, id: string, props: ResultStoreProps) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy: props.keepsResults ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        { id: 'expire-raw-streams', prefix: RAW_PREFIX, expiration: Duration.days(RETENTION_DAYS.rawStreams) },
        {
          id: 'expire-live-samples',
          prefix: tablePrefix('live_samples'),
          expiration: Duration.days(RETENTION_DAYS.liveSamples),
        },
        {
          id: 'expire-live-measurements',
          prefix: tablePrefix('live_measurements'),
          expiration: Duration.days(RETENTION_DAYS.liveMeasurements),
        },
        {
          id: 'expire-query-results',
          prefix: ATHENA_RESULTS_PREFIX,
          expiration: Duration.days(RETENTION_DAYS.queryResults),
        },
        {
          id: 'abort-incomplete-uploads',
          abortIncompleteMultipartUploadAfter: Duration.days(RETENTION_DAYS.incompleteUploads),
        },
      ],
    });
    // Set as a property, because `eventBridgeEnabled` would deploy a custom resource to set it.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'The bucket has measurements of temporary hosts, nothing personal or secret. An access log would need ' +
        'another bucket; CloudTrail data events record the accesses where somebody needs them',
    });
    this.bucket = bucket;
    this.tables = new ResultTables(this, 'Tables', { bucket });
  }
}

/** The bucket for random bytes that hosts transfer to measure S3, which are kept apart from the results. */
export class PayloadStore extends Construct {
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      // Nobody needs the content, even if the results are kept.
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
