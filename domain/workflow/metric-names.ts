/** The names of the stack's own CloudWatch metrics, which handlers write and alarms and the dashboard read. */
export const METRIC_NAMESPACE = 'NetworkBenchmark';
/** Its value is the name of the stack. */
export const STACK_DIMENSION = 'service';

/** What alarms count; the dimension of the stack is their only one. */
export const EventMetric = {
  /** 1 for each scheduled run that did not end as it should, and 0 for each that did. */
  scheduledRunsFailed: 'ScheduledRunsFailed',
  /** 1 for each time at which a run was due and none had started. */
  scheduledRunsNotStarted: 'ScheduledRunsNotStarted',
  /** How many figures have changed within the newest runs of what a run measured. */
  figuresChanged: 'FiguresChanged',
} as const;

/** What a run cost, as it came; its second dimension is the plan. */
export const COST_METRIC = 'RunCostUsd';
export const PLAN_DIMENSION = 'Plan';

/** The dimensions of a figure, beside that of the stack. */
export const FIGURE_DIMENSIONS = ['Client', 'Server', 'Conditions'] as const;

/** The figures that become metrics, by their keys in `FIGURES`: those whose changes are watched, and one value a run. */
export const FIGURE_METRICS = [
  { key: 'baselineBitsPerSecond', metricName: 'Baseline', unit: 'Bits/Second', title: 'Baseline, bits per second' },
  { key: 'burstBitsPerSecond', metricName: 'Burst', unit: 'Bits/Second', title: 'Burst, bits per second' },
  { key: 'onsetSeconds', metricName: 'ThrottleOnset', unit: 'Seconds', title: 'Throttle onset, seconds' },
  { key: 'bucketBits', metricName: 'Bucket', unit: 'Bits', title: 'Bucket, bits' },
  { key: 'rttP50Micros', metricName: 'RoundTripP50', unit: 'Microseconds', title: 'Round trip, median, microseconds' },
  { key: 'rttP99Micros', metricName: 'RoundTripP99', unit: 'Microseconds', title: 'Round trip, p99, microseconds' },
] as const;
