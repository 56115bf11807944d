import { Duration, Validations } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ErrorName } from '../../domain/workflow/error-names';
import { RAW_PREFIX, reportKey } from '../../domain/workflow/object-keys';
import type { CanaryPlan } from '../context';
import type { BenchmarkFunction } from '../functions/benchmark-function';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import type { MachineNames } from '../names';
import { Alarms } from './alarms';
import { Canary } from './canary';
import { Closings } from './closings';
import { Dashboard } from './dashboard';
import { LaterLooks } from './later-looks';
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

const SWEEP_INTERVAL = Duration.minutes(15);

/**
 * Everything that events and schedules start: ingesting raw chunks, publishing ended runs, reaping ended executions,
 * sweeping orphans, closing months, and running a canary's plan if the context has one. Alarms report failures.
 */
export class Operations extends Construct {
  /** Writes to the bucket. */
  readonly closings: Construct;

  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const undeliveredEvents = new Queue(this, 'UndeliveredEvents', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(undeliveredEvents).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'it is the dead-letter queue of the rules and schedules; cdk-nag knows only those of queues',
    });
    this.ingestChunks(props.bucket, props.functions.ingestChunk.handler, undeliveredEvents);
    this.publishRuns(props.bucket, props.machines, props.functions.publishRun.handler, undeliveredEvents);
    this.reapEndedExecutions(props.machines, props.functions.reapRun, undeliveredEvents);
    new Rule(this, 'SweepSchedule', {
      description: 'Starts sweep-orphans, which removes what has outlived its deadline or its execution',
      schedule: Schedule.rate(SWEEP_INTERVAL),
      targets: [new LambdaFunction(props.functions.sweepOrphans.handler, { event: RuleTargetInput.fromObject({}) })],
    });
    this.closings = new Closings(this, 'Closings', { bucket: props.bucket, failedEvents: undeliveredEvents });
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

  /**
   * A report is the last object that a run writes, however it ended. In the first minutes after a bucket's events are
   * switched on, S3 may send none, so the end of a run publishes its report as well. publish-run announces a run once.
   */
  private publishRuns(bucket: IBucket, machines: MachineNames, publishRun: IFunction, deadLetterQueue: Queue): void {
    new Rule(this, 'ReportWritten', {
      description: 'Starts publish-run when the report of a run has been written',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ wildcard: reportKey('*') }] } },
      },
      targets: [new LambdaFunction(publishRun, { deadLetterQueue })],
    });
    const event = RuleTargetInput.fromObject({
      id: EventField.eventId,
      detail: { bucket: { name: bucket.bucketName }, object: { key: reportKey(EventField.fromPath('$.detail.name')) } },
    });
    // Such an execution's name is an earlier run's, whose report stays as it is. Other ends have no error, or null.
    const error = [null, { exists: false }, { 'anything-but': [ErrorName.RunIdTaken] }];
    new Rule(this, 'RunEnded', {
      description: 'Starts publish-run when a run has ended, in case S3 has sent no event about its report',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['SUCCEEDED', 'FAILED'], stateMachineArn: [machines.runArn], error },
      },
      targets: [new LambdaFunction(publishRun, { deadLetterQueue, event })],
    });
  }

  /** A stopped or timed-out execution runs no Catch and therefore not its own teardown. */
  private reapEndedExecutions(machines: MachineNames, reapRun: BenchmarkFunction, deadLetterQueue: Queue): void {
    const laterLooks = new LaterLooks(this, 'LaterLooks', { machines, reapRun, undeliveredEvents: deadLetterQueue });
    new Rule(this, 'ExecutionEndedBadly', {
      description: 'Starts reap-run when an execution has ended and may not have cleaned up',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['ABORTED', 'TIMED_OUT', 'FAILED'], stateMachineArn: [machines.runArn, machines.pairArn] },
      },
      targets: [new LambdaFunction(reapRun.handler, { deadLetterQueue }), laterLooks.target],
    });
  }
}
