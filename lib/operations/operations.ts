import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RAW_PREFIX } from '../../domain/workflow/object-keys';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import type { MachineNames } from '../orchestration/machine-names';
import { Alarms } from './alarms';

export interface OperationsProps {
  readonly bucket: IBucket;
  readonly functions: BenchmarkFunctions;
  readonly machines: MachineNames;
}

/** The reaper looks at once, and again after these: a host launched while the execution was being stopped shows up late. */
const SECOND_LOOKS = [
  { id: 'AfterOneMinute', delay: Duration.seconds(60) },
  { id: 'AfterFiveMinutes', delay: Duration.seconds(300) },
];
const SWEEP_INTERVAL = Duration.minutes(15);

/** What happens by itself: chunks are ingested, ended executions are reaped, orphans are swept. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const undeliveredEvents = new Queue(this, 'UndeliveredEvents', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.ingestChunks(props, undeliveredEvents);
    this.reapEndedExecutions(props, undeliveredEvents);
    new Rule(this, 'SweepSchedule', {
      description: 'Removes whatever of network-benchmark has outlived its time or its execution',
      schedule: Schedule.rate(SWEEP_INTERVAL),
      targets: [new LambdaFunction(props.functions.sweepOrphans, { event: RuleTargetInput.fromObject({}) })],
    });
    new Alarms(this, 'Alarms', { functions: props.functions, undeliveredEvents });
  }

  private ingestChunks({ bucket, functions }: OperationsProps, deadLetterQueue: Queue): void {
    new Rule(this, 'ChunkArrived', {
      description: 'A host has uploaded a piece of its raw stream',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix: RAW_PREFIX }] } },
      },
      targets: [new LambdaFunction(functions.ingestChunk, { deadLetterQueue })],
    });
  }

  /** A stopped or timed-out execution runs no Catch, so no teardown of its own. */
  private reapEndedExecutions({ functions, machines }: OperationsProps, deadLetterQueue: Queue): void {
    const { reapRun } = functions;
    const queues = SECOND_LOOKS.map(({ id, delay }) => {
      const queue = new Queue(this, id, {
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
        deliveryDelay: delay,
        // A message comes back only when its handler can no longer be at work.
        visibilityTimeout: reapRun.timeout!.plus(Duration.minutes(1)),
        deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 },
      });
      reapRun.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
      return queue;
    });
    new Rule(this, 'ExecutionEndedBadly', {
      description: 'An execution has ended without having cleaned up for sure',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['ABORTED', 'TIMED_OUT', 'FAILED'], stateMachineArn: [machines.runArn, machines.pairArn] },
      },
      targets: [
        new LambdaFunction(reapRun, { deadLetterQueue }),
        ...queues.map((queue) => new SqsQueue(queue, { deadLetterQueue })),
      ],
    });
  }
}
