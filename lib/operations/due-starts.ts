import { Duration, Stack } from 'aws-cdk-lib';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BenchmarkFunction } from '../functions/benchmark-function';
import type { MachineNames } from '../names';

export interface DueStartsProps {
  /** `rate(…)` or `cron(…)`. */
  readonly schedule: string;
  readonly machines: MachineNames;
  readonly undeliveredEvents: IQueue;
}

/** The longest delay of a queue. A start that is throttled for so long counts as missed. */
const TIME_TO_START = Duration.minutes(15);
const TIMEOUT = Duration.minutes(1);
/** Both schedules of a cron expression come in the same minute. */
const SAME_MINUTE_SECONDS = 120;
const UNIT_SECONDS = { minute: 60, hour: 3600, day: 86_400 };

/**
 * Has check-schedule look whether a run has started, a quarter of an hour after one was due. An alarm that waits for
 * data could not: it looks back seven days at most, which is too short for a weekly schedule that is a minute late.
 */
export class DueStarts extends Construct {
  /** Takes a message at each time at which a run is due. */
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
 * How long before it was due a run may have started. A rate counts from when its own schedule was created or changed,
 * so that the two schedules of a rate can be up to a whole period apart.
 */
export function toleranceSeconds(schedule: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  if (count === undefined || unit === undefined) return SAME_MINUTE_SECONDS;
  return SAME_MINUTE_SECONDS + Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
}
