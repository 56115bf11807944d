/** The names of the CloudWatch metrics that handlers write, and that alarms and the dashboard read. */
export const METRIC_NAMESPACE = 'NetworkBenchmark';
/** Its value is the name of the stack. */
export const STACK_DIMENSION = 'service';

/** The metrics of the alarms; `STACK_DIMENSION` is their only dimension. */
export const EventMetric = {
  /** 1 for each scheduled run that failed, 0 for each other one. */
  scheduledRunsFailed: 'ScheduledRunsFailed',
  /** 1 each time that a run was due and none had started. */
  scheduledRunsNotStarted: 'ScheduledRunsNotStarted',
  /** How many figures of the cells that a run measured have changed within the newest runs. */
  figuresChanged: 'FiguresChanged',
} as const;

/** The actual cost of a run; its second dimension is the plan. */
export const COST_METRIC = 'RunCostUsd';
export const PLAN_DIMENSION = 'Plan';

/** The dimensions of a figure in addition to `STACK_DIMENSION`. */
export const FIGURE_DIMENSIONS = ['Client', 'Server', 'Conditions'] as const;

/** The figures that become metrics, by their keys in `FIGURES`: those that are watched for changes. */
export const FIGURE_METRICS = [
  { key: 'baselineBitsPerSecond', metricName: 'Baseline', unit: 'Bits/Second', title: 'Baseline, bits per second' },
  { key: 'burstBitsPerSecond', metricName: 'Burst', unit: 'Bits/Second', title: 'Burst, bits per second' },
  { key: 'onsetSeconds', metricName: 'ThrottleOnset', unit: 'Seconds', title: 'Throttle onset, seconds' },
  { key: 'bucketBits', metricName: 'Bucket', unit: 'Bits', title: 'Bucket, bits' },
  { key: 'rttP50Micros', metricName: 'RoundTripP50', unit: 'Microseconds', title: 'Round trip, median, microseconds' },
  { key: 'rttP99Micros', metricName: 'RoundTripP99', unit: 'Microseconds', title: 'Round trip, p99, microseconds' },
] as const;
