import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { SCHEDULED_RUN_PREFIX } from '../../domain/workflow/identifiers';
import type { CanaryPlan } from '../context';
import { GrantedRole } from '../least-privilege';
import type { MachineNames } from '../names';
import { DueStarts } from './due-starts';

export interface CanaryProps extends CanaryPlan {
  readonly stateMachine: IStateMachine;
  readonly machines: MachineNames;
  /** Receives the event of a run that could not be started. */
  readonly undeliveredEvents: IQueue;
}

/** EventBridge Scheduler puts its own id of the start here; a repeated attempt has the same id, so the same name. */
const EXECUTION_ID = '<aws.scheduler.execution-id>';

/**
 * Runs the same small plan on a schedule, so that a change of the network shows without anybody starting a run. A second
 * schedule with the same expression says when a run was due, whatever becomes of the first one.
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
          // A start that has failed for an hour is given up, because the schedule starts the next run anyway.
          retryPolicy: { maximumEventAgeInSeconds: 3600, maximumRetryAttempts: 10 },
        },
      });
    schedule('Schedule', `Starts the plan "${props.planName}"`, {
      // The target that is called with all parameters of StartExecution can name the execution.
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
