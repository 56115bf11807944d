/** Writes CloudWatch metrics as lines of the function's log (embedded metric format), so that no request can fail. */
import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRIC_NAMESPACE } from '../../domain/workflow/metric-names';

type MetricUnit = Parameters<Metrics['addMetric']>[1];

/** The values of one line of the log, which share their dimensions. */
export interface MetricLine {
  /** The dimensions besides the stack, which every metric has as a dimension. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: readonly { readonly name: string; readonly unit: MetricUnit; readonly value: number }[];
}

export type WriteMetrics = (lines: readonly MetricLine[]) => void;

/** @param stackName the value of the dimension `service`, which separates the metrics of the account's stacks */
export function createMetrics(stackName: string): WriteMetrics {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: stackName });
  return (lines) => {
    for (const { dimensions, values } of lines) {
      if (Object.keys(dimensions).length > 0) metrics.addDimensions({ ...dimensions });
      for (const { name, unit, value } of values) metrics.addMetric(name, unit, value);
      metrics.publishStoredMetrics();
    }
  };
}
