import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  type CfnBucket,
  type IBucket,
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RETENTION_DAYS } from '../../domain/model/service-facts';
import {
  ATHENA_RESULTS_PREFIX,
  CLOSED_PREFIX,
  PAYLOAD_PREFIX,
  RAW_PREFIX,
  REPORTS_PREFIX,
  ROW_PARTS_PREFIX,
} from '../../domain/workflow/object-keys';
import { ResultTables, tablePrefix } from './result-tables';

export interface ResultStoreProps {
  /** Whether the bucket is kept when the stack is deleted. If not, `EmptiedBuckets` must empty it before. */
  readonly keepsResults: boolean;
  /** @default the bucket is encrypted with S3's keys */
  readonly kmsKeyArn?: string;
  /** @default results are kept until somebody deletes them */
  readonly retentionDays?: number;
}

/** The bucket with all results, and the tables that make its rows queryable. */
export class ResultStore extends Construct {
  readonly bucket: IBucket;
  readonly tables: ResultTables;

  constructor(scope: Construct, id: string, props: ResultStoreProps) {
    super(scope, id);
    const { retentionDays = Infinity } = props;
    const bucket = new Bucket(this, 'Bucket', {
      ...this.encryption(props.kmsKeyArn),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      // A first deployment that fails leaves no bucket behind.
      removalPolicy: props.keepsResults ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      lifecycleRules: [
        {
          id: 'expire-raw-streams',
          prefix: RAW_PREFIX,
          expiration: Duration.days(Math.min(RETENTION_DAYS.rawStreams, retentionDays)),
        },
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
        ...RESULT_PREFIXES.flatMap((prefix) =>
          retentionDays === Infinity
            ? []
            : {
                id: `expire-${prefix.slice(0, -1).replace('/', '-')}`,
                prefix,
                expiration: Duration.days(retentionDays),
              },
        ),
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

  /** Without a bucket key, S3 would ask KMS once per object: for each chunk, and for each object that a query reads. */
  private encryption(kmsKeyArn: string | undefined): Partial<BucketProps> {
    if (kmsKeyArn === undefined) return { encryption: BucketEncryption.S3_MANAGED };
    const encryptionKey = Key.fromKeyArn(this, 'Key', kmsKeyArn);
    return { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true };
  }
}

/** What is kept for good by default. The history and the page over all runs lose what has expired at the next run's end. */
const RESULT_PREFIXES = [
  REPORTS_PREFIX,
  ROW_PARTS_PREFIX,
  ...(['samples', 'measurement_samples', 'open_measurements', 'open_pairs', 'open_runs'] as const).map(tablePrefix),
  CLOSED_PREFIX,
];

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
