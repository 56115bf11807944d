import { Duration, Stack } from 'aws-cdk-lib';
import type { IAlarm, IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EventMetric, METRIC_NAMESPACE, STACK_DIMENSION } from '../../domain/workflow/metric-names';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import { kebabCase } from '../names';

export interface AlarmsProps {
  readonly functions: BenchmarkFunctions;
  readonly undeliveredEvents: IQueue;
  /** Whether runs start by a schedule. */
  readonly hasSchedule: boolean;
  /** Where an alarm is published when its state becomes ALARM. @default nowhere */
  readonly topicArn?: string;
}

const PERIOD = Duration.minutes(15);
/** Matches the line that sweep-orphans logs for each resource that it removes. */
export const ORPHAN_MESSAGE_PATTERN = 'orphan*';

/** Alarms on everything that needs a person; the description of each names its article in the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly IAlarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { publishRun, reapRun, sweepOrphans } = props.functions;
    const alarms = [
      this.alarm(
        'ReaperErrors',
        'reap-run failed, so hosts of an ended execution may still be running',
        reapRun.handler.metricErrors({ period: PERIOD }),
      ),
      this.alarm(
        'SweeperErrors',
        'sweep-orphans failed, so hosts without an execution may still be running',
        sweepOrphans.handler.metricErrors({ period: PERIOD }),
      ),
      this.alarm(
        'OrphansFound',
        'sweep-orphans removed a resource that its own run should have removed',
        this.orphans(sweepOrphans),
      ),
      this.alarm(
        'EventsNotDelivered',
        'An event could not be delivered and is in the dead-letter queue',
        props.undeliveredEvents.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
      ),
      this.alarm(
        'PublisherErrors',
        'publish-run failed, so the page over all runs, metrics or the message of a run may be missing',
        publishRun.handler.metricErrors({ period: PERIOD }),
      ),
      ...(props.hasSchedule ? this.ofScheduledRuns() : []),
    ];
    this.alarms = alarms;
    const { topicArn } = props;
    if (topicArn === undefined) return;
    for (const alarm of alarms) alarm.addAlarmAction({ bind: () => ({ alarmActionArn: topicArn }) });
  }

  private ofScheduledRuns(): Alarm[] {
    return [
      this.alarm(
        'ScheduledRunFailed',
        'A scheduled run did not end as it should; its message and the log of publish-run say why',
        this.counted(EventMetric.scheduledRunsFailed),
      ),
      this.alarm(
        'ScheduledRunNotStarted',
        'A scheduled run was due a quarter of an hour ago, and none has started',
        this.counted(EventMetric.scheduledRunsNotStarted),
      ),
      this.alarm(
        'FiguresChanged',
        "A type's baseline, bucket, p99 or another watched figure has changed; the run's message names it",
        this.counted(EventMetric.figuresChanged),
      ),
    ];
  }

  private counted(metricName: string): IMetric {
    const dimensionsMap = { [STACK_DIMENSION]: Stack.of(this).stackName };
    return new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap, statistic: 'Sum', period: PERIOD });
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
  private alarm(id: string, description: string, metric: IMetric): Alarm {
    return new Alarm(this, id, {
      alarmDescription: `${description}. See docs/runbook.md#${kebabCase(id)}`,
      metric,
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
