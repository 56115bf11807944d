import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { LogOptions, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { LogLevel } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** Where a state machine's failures outlive the 90 days of the execution history; everything else is in that history. */
export class ErrorLog extends LogGroup {
  constructor(scope: Construct, id: string) {
    super(scope, id, { retention: RetentionDays.SIX_MONTHS, removalPolicy: RemovalPolicy.DESTROY });
  }

  get options(): LogOptions {
    return { destination: this, level: LogLevel.ERROR, includeExecutionData: true };
  }
}

export function acknowledgeErrorLogging(stateMachine: StateMachine): void {
  Validations.of(stateMachine).acknowledge(
    {
      id: 'AwsSolutions-SF1',
      reason:
        'Logged at ERROR: every event is in the execution history for 90 days, and a second copy of up to 15,000 polling events per pair would say nothing more',
    },
    {
      id: 'AwsSolutions-SF2',
      reason:
        'The time of every state is in the execution history; a trace would repeat it, one segment per poll, and give the role calls it does not need',
    },
  );
}
