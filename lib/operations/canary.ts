import { Stack, Duration } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { SCHEDULED_RUN_PREFIX } from '../../domain/workflow/identifiers';
import type { CanaryPlan } from '../context';
import { GrantedRole } from '../grants';
import type { MachineNames } from '../names';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { BenchmarkFunction } from '../functions/benchmark-function';

export interface CanaryProps extends CanaryPlan {
  readonly stateMachine: IStateMachine;
  readonly machines: MachineNames;
  /** Receives the event if a run could not be started. */
  readonly undeliveredEvents: IQueue;
}

/** EventBridge Scheduler replaces this by its id of the start. A retry has the same id and thus the same run name. */
const EXECUTION_ID = '<aws.scheduler.execution-id>';

/**
 * Runs the same small plan on a schedule, so that a change of the network is noticed although nobody starts a run. A
 * second schedule with the same expression signals when a run was due, even if the first schedule fails.
 */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, props: CanaryProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { stateMachineArn } = props.stateMachine;
    const { schedule: expression, machines, undeliveredEvents } = props;
    const due = new DueStarts(this, 'Due', { schedule: expression, machines, undeliveredEvents });
    const role = new GrantedRole(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
      }),
      description: 'Starts runs of network-benchmark on a schedule',
      grants: [
        { actions: ['states:StartExecution'], resources: [stateMachineArn] },
        { actions: ['sqs:SendMessage'], resources: [due.queue.queueArn, undeliveredEvents.queueArn] },
      ],
    });
    const schedule = (scheduleId: string, description: string, target: { arn: string; input: string }) =>
      new CfnSchedule(this, scheduleId, {
        description,
        scheduleExpression: expression,
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          ...target,
          roleArn: role.roleArn,
          deadLetterConfig: { arn: undeliveredEvents.queueArn },
          // A start that has failed for an hour is abandoned, because the schedule starts the next run anyway.
          retryPolicy: { maximumEventAgeInSeconds: 3600, maximumRetryAttempts: 10 },
        },
      });
    schedule('Schedule', `Starts the plan "${props.planName}"`, {
      // Only the target with all parameters of StartExecution allows a name for the execution.
      arn: `arn:${stack.partition}:scheduler:::aws-sdk:sfn:startExecution`,
      input: stack.toJsonString({
        StateMachineArn: stateMachineArn,
        Name: `${SCHEDULED_RUN_PREFIX}${EXECUTION_ID}`,
        Input: props.planJson,
      }),
    });
    schedule('DueSchedule', `Reports that a run of the plan "${props.planName}" is due`, {
      arn: due.queue.queueArn,
      input: '{}',
    });
  }
}

export interface DueStartsProps {
  readonly schedule: string;
  readonly machines: MachineNames;
  readonly undeliveredEvents: IQueue;
}

/** The longest delay of an SQS queue. A start that is throttled for longer counts as missed. */
const TIME_TO_START = Duration.minutes(15);
const TIMEOUT = Duration.minutes(1);
/** Both schedules of a cron expression fire in the same minute. */
const SAME_MINUTE_SECONDS = 120;
const UNIT_SECONDS = { minute: 60, hour: 3600, day: 86_400 };

/**
 * Has check-schedule verify, a quarter of an hour after a run was due, that it has started. A CloudWatch alarm on
 * missing data can't do this: it looks back at most seven days, too few for a weekly schedule that is a minute late.
 */
class DueStarts extends Construct {
  /** Receives a message whenever a run is due. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: DueStartsProps) {
    super(scope, id);
    const queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deliveryDelay: TIME_TO_START,
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: props.undeliveredEvents, maxReceiveCount: 5 },
    });
    this.queue = queue;
    const { handler, role } = new BenchmarkFunction(this, 'CheckSchedule', {
      description: 'Counts each time at which a scheduled run was due and none had started',
      timeout: TIMEOUT,
      memoryMebibytes: 256,
      environment: {
        STACK_NAME: Stack.of(this).stackName,
        RUN_STATE_MACHINE_ARN: props.machines.runArn,
        TOLERANCE_SECONDS: String(toleranceSeconds(props.schedule)),
      },
      grants: [
        { actions: ['states:ListExecutions'], resources: [props.machines.runArn] },
        {
          actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          resources: [queue.queueArn],
        },
      ],
    });
    const mapping = new CfnEventSourceMapping(this, 'Source', {
      functionName: handler.functionName,
      eventSourceArn: queue.queueArn,
      batchSize: 1,
    });
    // Lambda checks the permission when it creates the mapping.
    mapping.node.addDependency(role);
  }
}

/**
 * How long before it was due a run may have started. The two schedules of a rate can be a whole period apart, because
 * each counts from the time at which it was created or changed.
 */
export function toleranceSeconds(schedule: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  if (count === undefined || unit === undefined) return SAME_MINUTE_SECONDS;
  return SAME_MINUTE_SECONDS + Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
}
