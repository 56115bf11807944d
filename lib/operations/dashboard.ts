import { Duration, Stack } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  MathExpression,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import {
  COST_METRIC,
  FIGURE_DIMENSIONS,
  FIGURE_METRICS,
  METRIC_NAMESPACE,
  PLAN_DIMENSION,
  STACK_DIMENSION,
} from '../../domain/workflow/metric-names';

export interface DashboardProps {
  readonly alarms: readonly IAlarm[];
  readonly stateMachine: IStateMachine;
}

/** The values of a run belong to one moment, which a longer period would blur. */
const PERIOD = Duration.minutes(15);
const COLUMNS = 24;

/** Shows the state of the alarms, runs and their prices, and a graph per figure with a line per type and condition. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const half = COLUMNS / 2;
    const found = (metricName: string, dimensions: readonly string[]) =>
      new MathExpression({
        expression:
          `SEARCH('{${[METRIC_NAMESPACE, STACK_DIMENSION, ...dimensions].join(',')}} ` +
          `MetricName="${metricName}" ${STACK_DIMENSION}="${stackName}"', 'Average')`,
        usingMetrics: {},
        period: PERIOD,
        label: '',
      });
    const { stateMachine } = props;
    const runs = { period: PERIOD, statistic: 'Sum' };
    new CloudWatchDashboard(this, 'Runs', {
      dashboardName: stackName,
      start: '-P90D',
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', width: COLUMNS, alarms: [...props.alarms] })],
        [
          new GraphWidget({
            title: 'Runs',
            width: half,
            left: [
              stateMachine.metricSucceeded(runs),
              stateMachine.metricFailed(runs),
              stateMachine.metricTimedOut(runs),
              stateMachine.metricAborted(runs),
            ],
          }),
          new GraphWidget({
            title: 'Price of a run, USD',
            width: half,
            left: [found(COST_METRIC, [PLAN_DIMENSION])],
          }),
        ],
        ...pairs(
          FIGURE_METRICS.map(
            ({ metricName, title }) =>
              new GraphWidget({ title, width: half, left: [found(metricName, FIGURE_DIMENSIONS)] }),
          ),
        ),
      ],
    });
  }
}

function pairs<Item>(items: readonly Item[]): Item[][] {
  return items.flatMap((_, index) => (index % 2 === 0 ? [items.slice(index, index + 2)] : []));
}
