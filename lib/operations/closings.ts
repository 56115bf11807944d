import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ONE_VCPU_MEBIBYTES } from '../../domain/model/service-facts';
import { CLOSED_PREFIX, CLOSED_TABLES } from '../../domain/workflow/object-keys';
import { BenchmarkFunction } from '../functions/benchmark-function';
import { deleteObjects, listObjects, readObjects, writeObjects } from '../grants';
import { tablePrefix } from '../result-store/result-tables';

export interface ClosingsProps {
  readonly bucket: IBucket;
  /** Receives the event of a closing that has failed three times. */
  readonly failedEvents: IQueue;
}

/** Lambda's own limit. */
const TIMEOUT = Duration.minutes(15);

/** Has close-months make few objects of the days that are over (docs/decisions/0019-closed-months.md). */
export class Closings extends Construct {
  constructor(scope: Construct, id: string, props: ClosingsProps) {
    super(scope, id);
    const { bucket, failedEvents } = props;
    const open = CLOSED_TABLES.map((table) => tablePrefix(`open_${table}`));
    const closed = [CLOSED_PREFIX, tablePrefix('closed_months')];
    const all = (prefixes: readonly string[]) => prefixes.map((prefix) => `${prefix}*`);
    const { handler } = new BenchmarkFunction(this, 'CloseMonths', {
      description: 'Closes the days that are over: makes few objects of the rows that runs wrote one by one',
      timeout: TIMEOUT,
      memoryMebibytes: ONE_VCPU_MEBIBYTES,
      environment: { BUCKET_NAME: bucket.bucketName },
      failedEvents,
      grants: [
        // S3 deletes a given version of an object only for those who may read it.
        readObjects(bucket, all([...open, ...closed])),
        listObjects(bucket, [...open, ...closed]),
        writeObjects(bucket, all(closed)),
        deleteObjects(bucket, all([...open, CLOSED_PREFIX])),
      ],
    });
    new Rule(this, 'Schedule', {
      description: 'Starts close-months, which makes few objects of the rows of the days that are over',
      // The first one after midnight merges the objects of the day before, and the next one deletes them.
      schedule: Schedule.cron({ minute: '20', hour: '*/6' }),
      targets: [new LambdaFunction(handler)],
    });
  }
}
