import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { LogOptions } from 'aws-cdk-lib/aws-stepfunctions';
import { LogLevel } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** Failures outlive the 90 days of the execution history; everything else is in that history. */
export function errorLogging(scope: Construct): LogOptions {
  return {
    level: LogLevel.ERROR,
    includeExecutionData: true,
    destination: new LogGroup(scope, 'Log', { retention: RetentionDays.SIX_MONTHS, removalPolicy: RemovalPolicy.DESTROY }),
  };
}
