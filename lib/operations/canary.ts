import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { CanaryPlan } from '../context';
import { GrantedRole } from '../least-privilege';

export interface CanaryProps extends CanaryPlan {
  readonly stateMachine: IStateMachine;
  /** Receives the event of a run that could not be started. */
  readonly undeliveredEvents: IQueue;
}

/** Runs the same small plan on a schedule, so that a change of the network shows without anybody starting a run. */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, props: CanaryProps) {
    super(scope, id);
    const { stateMachineArn } = props.stateMachine;
    const role = new GrantedRole(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
      description: 'Starts runs of network-benchmark on a schedule',
      grants: [
        { actions: ['states:StartExecution'], resources: [stateMachineArn] },
        { actions: ['sqs:SendMessage'], resources: [props.undeliveredEvents.queueArn] },
      ],
    });
    new CfnSchedule(this, 'Schedule', {
      description: `Starts the plan "${props.planName}"`,
      scheduleExpression: props.schedule,
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: stateMachineArn,
        roleArn: role.roleArn,
        input: props.planJson,
        deadLetterConfig: { arn: props.undeliveredEvents.queueArn },
        // A start that has failed for an hour is given up, because the schedule starts the next run anyway.
        retryPolicy: { maximumEventAgeInSeconds: 3600, maximumRetryAttempts: 10 },
      },
    });
  }
}
