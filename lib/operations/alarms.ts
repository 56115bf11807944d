import { Duration, Stack } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import { kebabCase } from '../names';

export interface AlarmsProps {
  readonly functions: BenchmarkFunctions;
  readonly undeliveredEvents: IQueue;
}

const PERIOD = Duration.minutes(15);
const METRIC_NAMESPACE = 'NetworkBenchmark';
/** Matches the line that sweep-orphans logs for each resource that it removes. */
export const ORPHAN_MESSAGE_PATTERN = 'orphan*';

/**
 * Alarms on everything that needs a person; the description of each names its article in the runbook. The alarms have
 * no action, because the stack does not know whom to notify: the deployer adds one.
 */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { reapRun, sweepOrphans } = props.functions;
    this.alarm(
      'ReaperErrors',
      'reap-run failed, so hosts of an ended execution may still be running',
      reapRun.handler.metricErrors({ period: PERIOD }),
    );
    this.alarm(
      'SweeperErrors',
      'sweep-orphans failed, so hosts without an execution may still be running',
      sweepOrphans.handler.metricErrors({ period: PERIOD }),
    );
    this.alarm(
      'OrphansFound',
      'sweep-orphans removed a resource that its own run should have removed',
      this.orphans(sweepOrphans),
    );
    this.alarm(
      'EventsNotDelivered',
      'An event could not be delivered and is in the dead-letter queue',
      props.undeliveredEvents.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    );
  }

  private orphans(sweepOrphans: BenchmarkFunctions['sweepOrphans']): IMetric {
    const metricName = `${Stack.of(this).stackName}-orphans`;
    new MetricFilter(this, 'OrphanLines', {
      logGroup: sweepOrphans.logGroup,
      filterPattern: FilterPattern.stringValue('$.message', '=', ORPHAN_MESSAGE_PATTERN),
      metricNamespace: METRIC_NAMESPACE,
      metricName,
      metricValue: '1',
    });
    return new Metric({ namespace: METRIC_NAMESPACE, metricName, statistic: 'Sum', period: PERIOD });
  }

  /** The runbook's article has the name of the alarm. */
  private alarm(id: string, description: string, metric: IMetric): void {
    new Alarm(this, id, {
      alarmDescription: `${description}. See docs/runbook.md#${kebabCase(id)}`,
      metric,
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
