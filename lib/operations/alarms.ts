import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  type IAlarm,
  type IMetric,
  Alarm,
  ComparisonOperator,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EventMetric, METRIC_NAMESPACE, STACK_DIMENSION } from '../../domain/workflow/metric-names';
import type { BenchmarkFunctions } from '../functions/benchmark-functions';
import { kebabCase } from '../names';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Notify } from '../settings';

export interface AlarmsProps {
  readonly functions: BenchmarkFunctions;
  readonly undeliveredEvents: IQueue;
  readonly hasSchedule: boolean;
  /** The topic to which an alarm publishes when it goes off. @default none */
  readonly topicArn?: string;
}

const PERIOD = Duration.minutes(15);
/** Matches the log line of sweep-orphans for each resource that it removes. */
export const ORPHAN_MESSAGE_PATTERN = 'orphan*';

/** Alarms for every problem that needs a person. Each description links to the alarm's article in the runbook. */
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
        'An event could not be delivered or handled, and is in the dead-letter queue',
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

export interface NotificationsProps {
  readonly notify: Notify;
}

/**
 * The destination of alarms and of messages about runs. It is a topic of the stack, whose e-mail subscribers must each
 * confirm, or an existing topic, whose owner decides who may publish.
 */
export class Notifications extends Construct {
  readonly topicArn: string;

  constructor(scope: Construct, id: string, props: NotificationsProps) {
    super(scope, id);
    const { notify } = props;
    this.topicArn = 'topicArn' in notify ? notify.topicArn : this.topicWith(notify.addresses).topicArn;
  }

  private topicWith(addresses: readonly string[]): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'EC2 Network Bench', enforceSSL: true });
    for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
    const { account } = Stack.of(this);
    // A custom policy replaces the default topic policy, which lets the account's services publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    Validations.of(topic).acknowledge({
      id: 'AwsSolutions-SNS2',
      reason:
        'alarms cannot publish to a topic that is encrypted with alias/aws/sns, whose key policy cannot be changed, and ' +
        "a customer's key costs 1 USD a month; what is published leaves as plain e-mail and contains no secrets",
    });
    return topic;
  }
}
