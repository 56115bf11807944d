import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { RAW_PREFIX } from '../../domain/workflow/object-keys';
import type { CanaryPlan } from '../canary-plan';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import { REAPER_TIMEOUT } from '../functions/benchmark-functions';
import type { MachineNames } from '../orchestration/machine-names';
import { Alarms } from './alarms';
import { Canary } from './canary';

export interface OperationsProps {
  readonly bucket: IBucket;
  readonly functions: BenchmarkFunctions;
  readonly machines: MachineNames;
  /** The run's. */
  readonly stateMachine: IStateMachine;
  /** @default no run starts by itself */
  readonly canary?: CanaryPlan;
}

/** The reaper looks at once, and again after these: a host launched while the execution was being stopped shows up late. */
const SECOND_LOOKS = [
  { id: 'AfterOneMinute', delay: Duration.seconds(60) },
  { id: 'AfterFiveMinutes', delay: Duration.seconds(300) },
];
const SWEEP_INTERVAL = Duration.minutes(15);

/** What happens by itself: chunks are ingested, ended executions are reaped, orphans are swept, a canary may be started. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const undeliveredEvents = new Queue(this, 'UndeliveredEvents', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.ingestChunks(props.bucket, props.functions.ingestChunk.handler, undeliveredEvents);
    this.reapEndedExecutions(props.machines, props.functions.reapRun.handler, undeliveredEvents);
    new Rule(this, 'SweepSchedule', {
      description: 'Removes whatever of network-benchmark has outlived its time or its execution',
      schedule: Schedule.rate(SWEEP_INTERVAL),
      targets: [new LambdaFunction(props.functions.sweepOrphans.handler, { event: RuleTargetInput.fromObject({}) })],
    });
    if (props.canary !== undefined) {
      new Canary(this, 'Canary', { ...props.canary, stateMachine: props.stateMachine, undeliveredEvents });
    }
    new Alarms(this, 'Alarms', { functions: props.functions, undeliveredEvents });
  }

  private ingestChunks(bucket: IBucket, ingestChunk: IFunction, deadLetterQueue: Queue): void {
    new Rule(this, 'ChunkArrived', {
      description: 'A host has uploaded a piece of its raw stream',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix: RAW_PREFIX }] } },
      },
      targets: [new LambdaFunction(ingestChunk, { deadLetterQueue })],
    });
  }

  /** A stopped or timed-out execution runs no Catch, so no teardown of its own. */
  private reapEndedExecutions(machines: MachineNames, reapRun: IFunction, deadLetterQueue: Queue): void {
    const queues = SECOND_LOOKS.map(({ id, delay }) => this.delayedEvents(id, delay, reapRun, deadLetterQueue));
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

  private delayedEvents(id: string, delay: Duration, reapRun: IFunction, deadLetterQueue: Queue): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deliveryDelay: delay,
      // A message comes back only when its handler can no longer be at work.
      visibilityTimeout: REAPER_TIMEOUT.plus(Duration.minutes(1)),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 },
    });
    // By hand: the CDK's own grant gives more than an event source needs.
    reapRun.addToRolePolicy(
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        resources: [queue.queueArn],
      }),
    );
    const mapping = new CfnEventSourceMapping(this, `${id}Source`, {
      functionName: reapRun.functionName,
      eventSourceArn: queue.queueArn,
      batchSize: 1,
    });
    // Lambda tests the permission when the mapping is made.
    mapping.node.addDependency(reapRun.role!);
    return queue;
  }
}
