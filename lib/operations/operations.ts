import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IFunction, CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { RAW_PREFIX, reportKey } from '../../domain/workflow/object-keys';
import type { CanaryPlan } from '../context';
import type { BenchmarkFunction } from '../functions/benchmark-function';
import { type BenchmarkFunctions, REAP_RUN_TIMEOUT } from '../functions/benchmark-functions';
import type { MachineNames } from '../names';
import { Alarms } from './alarms';
import { Canary } from './canary';
import { Dashboard } from './dashboard';
import type { MetricRuns } from '../settings';

export interface OperationsProps {
  readonly bucket: IBucket;
  readonly functions: BenchmarkFunctions;
  readonly machines: MachineNames;
  readonly stateMachine: IStateMachine;
  /** @default no run starts on a schedule */
  readonly canary?: CanaryPlan;
  /** The topic of the alarms. @default alarms have no action */
  readonly topicArn?: string;
  readonly metrics: MetricRuns;
}

/** reap-run runs again after these delays, because a host that was launched while the execution ended appears late. */
const SECOND_LOOKS = [
  { id: 'AfterOneMinute', delay: Duration.seconds(60) },
  { id: 'AfterFiveMinutes', delay: Duration.seconds(300) },
];
const SWEEP_INTERVAL = Duration.minutes(15);

/**
 * Everything that events and schedules start: ingesting raw chunks, publishing ended runs, reaping ended executions,
 * sweeping orphans, and running a canary's plan if the context has one. Alarms report failures.
 */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const undeliveredEvents = new Queue(this, 'UndeliveredEvents', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.ingestChunks(props.bucket, props.functions.ingestChunk.handler, undeliveredEvents);
    this.publishRuns(props.bucket, props.functions.publishRun.handler, undeliveredEvents);
    this.reapEndedExecutions(props.machines, props.functions.reapRun, undeliveredEvents);
    new Rule(this, 'SweepSchedule', {
      description: 'Starts sweep-orphans, which removes what has outlived its deadline or its execution',
      schedule: Schedule.rate(SWEEP_INTERVAL),
      targets: [new LambdaFunction(props.functions.sweepOrphans.handler, { event: RuleTargetInput.fromObject({}) })],
    });
    const { canary, functions, machines, stateMachine, topicArn } = props;
    if (canary !== undefined) new Canary(this, 'Canary', { ...canary, machines, stateMachine, undeliveredEvents });
    const hasSchedule = canary !== undefined;
    const { alarms } = new Alarms(this, 'Alarms', { functions, undeliveredEvents, hasSchedule, topicArn });
    // Without metrics there is nothing to draw, and an account's fourth and later dashboards cost money.
    if (hasSchedule || props.metrics === 'all') new Dashboard(this, 'Dashboard', { alarms, stateMachine });
  }

  private ingestChunks(bucket: IBucket, ingestChunk: IFunction, deadLetterQueue: Queue): void {
    new Rule(this, 'ChunkArrived', {
      description: 'Starts ingest-chunk when a host has uploaded a chunk of its raw stream',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix: RAW_PREFIX }] } },
      },
      targets: [new LambdaFunction(ingestChunk, { deadLetterQueue })],
    });
  }

  /** A report is the last object that a run writes, however it ended. */
  private publishRuns(bucket: IBucket, publishRun: IFunction, deadLetterQueue: Queue): void {
    new Rule(this, 'ReportWritten', {
      description: 'Starts publish-run when the report of a run has been written',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ wildcard: reportKey('*') }] } },
      },
      targets: [new LambdaFunction(publishRun, { deadLetterQueue })],
    });
  }

  /** A stopped or timed-out execution runs no Catch and therefore not its own teardown. */
  private reapEndedExecutions(machines: MachineNames, reapRun: BenchmarkFunction, deadLetterQueue: Queue): void {
    const queues = SECOND_LOOKS.map(({ id, delay }) => this.delayedEvents(id, delay, reapRun, deadLetterQueue));
    new Rule(this, 'ExecutionEndedBadly', {
      description: 'Starts reap-run when an execution has ended and may not have cleaned up',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['ABORTED', 'TIMED_OUT', 'FAILED'], stateMachineArn: [machines.runArn, machines.pairArn] },
      },
      targets: [
        new LambdaFunction(reapRun.handler, { deadLetterQueue }),
        ...queues.map((queue) => new SqsQueue(queue, { deadLetterQueue })),
      ],
    });
  }

  private delayedEvents(id: string, delay: Duration, reapRun: BenchmarkFunction, deadLetterQueue: Queue): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deliveryDelay: delay,
      // AWS recommends six times the timeout for a queue that a function reads: while the function is throttled, a
      // message is retried until it becomes visible again, and each time that it becomes visible counts as a receive.
      visibilityTimeout: Duration.seconds(6 * REAP_RUN_TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 5 },
    });
    // `grantConsumeMessages` grants more than an event source needs.
    reapRun.handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        resources: [queue.queueArn],
      }),
    );
    const mapping = new CfnEventSourceMapping(this, `${id}Source`, {
      functionName: reapRun.handler.functionName,
      eventSourceArn: queue.queueArn,
      batchSize: 1,
      // A look may wait for minutes and invokes other functions, which need some of a new account's ten.
      scalingConfig: { maximumConcurrency: 2 },
    });
    // Lambda checks the permission when it creates the mapping.
    mapping.node.addDependency(reapRun.role);
    return queue;
  }
}
