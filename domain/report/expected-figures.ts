/** How the figures that a plan may have expectations of are read from a result. */
import type { MeasuredFigureName } from '../model/expectation';
import type { PercentileField } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { packetsOf, throughputOf } from '../model/statistics';
import type { VerdictKind } from '../model/verdict';
import { figure, figureByKey, type Figure } from '../tables/figures';
import { holdOf } from './answer/carried-rates';
import { drivenStatistics } from './verdict-table';

export type ReadFigure = Pick<Figure, 'of' | 'intervalOf' | 'usualScatter' | 'percentile' | 'ofAnotherPair'> & {
  /** What the figure is at least, where its value is not known; Infinity where it has no end. */
  readonly atLeastOf?: (result: MeasurementResult) => number | undefined;
};

const throughput = (quantile: string) => ofColumn(`throughput_${quantile}_bits_per_second`, 0.05);
const roundTrip = (percentile: PercentileField, usualScatter: number) =>
  ofColumn(`rtt_${percentile}_micros`, usualScatter, { percentile });

const packets = (quantile: 'p5' | 'p50' | 'p95'): ReadFigure => ({
  of: (result) => packetsOf(result)?.packetsPerSecond?.[quantile],
  intervalOf: () => undefined,
  usualScatter: 0.05,
});
function held(gbits: number): ReadFigure {
  const column = ofColumn(`held_${gbits}_gbit_seconds`, 0.1);
  // Without a fall there are no hold times in the row; a rate that was never reached is still known not to be held.
  const neverReached = (result: MeasurementResult) => holdOf(result, gbits * 1e9)?.kind === 'never';
  return {
    ...column,
    of: (result) => column.of(result) ?? (neverReached(result) ? 0 : undefined),
    atLeastOf: (result) => heldAtLeastSeconds(result, gbits * 1e9),
  };
}

function ofColumn(
  column: string,
  usualScatter: number,
  facts: Partial<Pick<Figure, 'boundColumns' | 'percentile'>> = {},
): ReadFigure {
  return figure({ key: column, name: column, unit: '', format: String, column, usualScatter, ...facts });
}

export const EXPECTED_FIGURES: Readonly<Record<MeasuredFigureName, ReadFigure>> = {
  'throughputBitsPerSecond.mean': figureByKey('meanBitsPerSecond'),
  'throughputBitsPerSecond.p5': throughput('p5'),
  'throughputBitsPerSecond.p50': throughput('p50'),
  'throughputBitsPerSecond.p95': throughput('p95'),
  burstBitsPerSecond: figureByKey('burstBitsPerSecond'),
  baselineBitsPerSecond: figureByKey('baselineBitsPerSecond'),
  onsetSeconds: { ...figureByKey('onsetSeconds'), atLeastOf: onsetAtLeastSeconds },
  refillSeconds: ofColumn('refill_seconds', 0.1, {
    boundColumns: { low: 'refill_low_seconds', high: 'refill_high_seconds' },
  }),
  bucketBits: figureByKey('bucketBits'),
  held1GbitSeconds: held(1),
  held2GbitSeconds: held(2),
  held5GbitSeconds: held(5),
  held10GbitSeconds: held(10),
  'packetsPerSecond.mean': figureByKey('meanPacketsPerSecond'),
  'packetsPerSecond.p5': packets('p5'),
  'packetsPerSecond.p50': packets('p50'),
  'packetsPerSecond.p95': packets('p95'),
  burstPacketsPerSecond: figureByKey('burstPacketsPerSecond'),
  baselinePacketsPerSecond: figureByKey('baselinePacketsPerSecond'),
  retransmits: ofColumn('retransmits', 0.5),
  lossPercent: { of: lossPercent, intervalOf: () => undefined, usualScatter: 0.5 },
  transactionsPerSecond: figureByKey('transactionsPerSecond'),
  'rttMicros.mean': figureByKey('rttMeanMicros'),
  'rttMicros.p50': figureByKey('rttP50Micros'),
  'rttMicros.p90': roundTrip('p90', 0.1),
  'rttMicros.p99': figureByKey('rttP99Micros'),
  'rttMicros.p99.9': roundTrip('p99_9', 0.5),
  'rttMicros.p99.99': figureByKey('rttP99_99Micros'),
  pathMtuBytes: ofColumn('path_mtu_bytes', 0.05),
};

/** Of the driven direction; where both were driven at once, of forward, as in all columns. */
function lossPercent(result: MeasurementResult): number | undefined {
  const { lostPackets, sentPackets } = throughputOf(result)?.main ?? {};
  return lostPackets === undefined || !sentPackets ? undefined : (100 * lostPackets) / sentPackets;
}

/** With these there was one level from the beginning to the end. */
const LEVEL_KINDS: readonly VerdictKind[] = ['steady', 'noisy', 'dips'];

/** Credits that did not run out while they were observed last at least that long. */
function onsetAtLeastSeconds({ verdict, durationSeconds, dutyCycle }: MeasurementResult): number | undefined {
  return typeof verdict?.bucketBitsAtLeast === 'number' && dutyCycle === undefined ? durationSeconds : undefined;
}

/**
 * How long a rate was held where no credits ran out on it: without end where the baseline carries it, and as long as
 * the measurement lasted where it never fell.
 */
function heldAtLeastSeconds(result: MeasurementResult, bitsPerSecond: number): number | undefined {
  const { verdict, durationSeconds, dutyCycle } = result;
  if (verdict === null) return undefined;
  if (verdict.baseline !== null) return verdict.baseline.value >= bitsPerSecond ? Infinity : undefined;
  const mean = drivenStatistics(result)?.throughputBitsPerSecond?.mean ?? 0;
  // A load with pauses has not been held.
  const isLevel = dutyCycle === undefined && LEVEL_KINDS.includes(verdict.kind);
  return isLevel && mean >= bitsPerSecond ? durationSeconds : undefined;
}
