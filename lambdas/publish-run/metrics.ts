/** The metrics of a run: what it measured, what it cost, and what the alarms on scheduled runs count. */
import type { CellDigest, RunDigest } from '../../domain/history/run-digest';
import { median } from '../../domain/maths/statistics';
import {
  COST_METRIC,
  EventMetric,
  FIGURE_DIMENSIONS,
  FIGURE_METRICS,
  PLAN_DIMENSION,
} from '../../domain/workflow/metric-names';
import type { MetricLine } from '../shared/metrics';

export interface RunMetricsInput {
  readonly digest: RunDigest;
  readonly hasFailed: boolean;
  /** How many figures have changed. */
  readonly changeCount: number;
  /** Whether runs that no schedule started have metrics, too. */
  readonly areAllRunsMeasured: boolean;
}

/**
 * Each metric costs 0.30 USD for a month in which it has data every hour, and a seven-hundredth of that for an hour. A
 * schedule repeats the same few metrics; the runs of people would each add some for good, so they have none by default.
 */
export function runMetrics({ digest, hasFailed, changeCount, areAllRunsMeasured }: RunMetricsInput): MetricLine[] {
  const { isScheduled, planName, costUsd, cells } = digest;
  if (!isScheduled && !areAllRunsMeasured) return [];
  const plan = { [PLAN_DIMENSION]: dimensionValue(planName) };
  const counts = [
    ...(isScheduled ? [{ name: EventMetric.scheduledRunsFailed, value: hasFailed ? 1 : 0 }] : []),
    { name: EventMetric.figuresChanged, value: changeCount },
  ];
  return [
    { dimensions: {}, values: counts.map((each) => ({ ...each, unit: 'Count' as const })) },
    ...(costUsd === null
      ? []
      : [{ dimensions: plan, values: [{ name: COST_METRIC, unit: 'None' as const, value: costUsd }] }]),
    ...cells.map(figuresOf).filter(({ values }) => values.length > 0),
  ];
}

/**
 * The median over a run's repetitions, as the history compares it: without those whose processors other work kept busy,
 * because a graph can't mark them.
 */
function figuresOf({ clientType, serverType, conditions, figures }: CellDigest): MetricLine {
  const names = [clientType, serverType, conditions].map(dimensionValue);
  return {
    dimensions: Object.fromEntries(FIGURE_DIMENSIONS.map((dimension, index) => [dimension, names[index] ?? ''])),
    values: FIGURE_METRICS.flatMap(({ key, metricName, unit }) => {
      const found = figures.find((figure) => figure.key === key);
      if (found === undefined || found.values.length === 0) return [];
      return [{ name: metricName, unit, value: median(found.values) }];
    }),
  };
}

/** CloudWatch takes ASCII that is not empty, of at most 1,024 characters; a longer one than this no graph could show. */
const MAX_DIMENSION_CHARACTERS = 250;

function dimensionValue(text: string): string {
  const ascii = text.replace(/[^ -~]+/gu, ' ').trim();
  return ascii === '' ? 'unnamed' : ascii.slice(0, MAX_DIMENSION_CHARACTERS);
}
