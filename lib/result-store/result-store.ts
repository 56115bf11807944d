import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { CfnBucket, IBucket } from 'aws-cdk-lib/aws-s3';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ATHENA_RESULTS_PREFIX, LIVE_SAMPLES_PREFIX, RAW_PREFIX } from './prefixes';
import { ResultTables } from './result-tables';

export interface ResultStoreProps {
  /** Whether the bucket outlives the stack. */
  readonly keepsResults: boolean;
}

/** Everything measured: the bucket, and the tables over it. */
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
        { id: 'raw-lines-are-evidence-for-a-season', prefix: RAW_PREFIX, expiration: Duration.days(90) },
        { id: 'live-samples-are-for-the-run', prefix: LIVE_SAMPLES_PREFIX, expiration: Duration.days(3) },
        { id: 'query-results-can-be-asked-again', prefix: ATHENA_RESULTS_PREFIX, expiration: Duration.days(7) },
        { id: 'broken-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    // The property itself: `eventBridgeEnabled` would set it through a custom resource.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'The bucket holds measurements of throw-away hosts, nothing personal or secret; CloudTrail data events can be turned on by whoever needs the accesses, and an access log would need a second bucket',
    });
    this.bucket = bucket;
    this.tables = new ResultTables(this, 'Tables', { bucket });
  }
}
