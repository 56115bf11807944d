/** How the figures that a plan may have expectations of are read from a result. */
import type { MeasuredFigureName } from '../model/expectation';
import type { PercentileField } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { throughputOf } from '../model/statistics';
import { figure, figureByKey, type Figure } from './figures';

type ReadFigure = Pick<Figure, 'of' | 'intervalOf' | 'usualScatter' | 'percentile'>;

const throughput = (quantile: string) => ofColumn(`throughput_${quantile}_bits_per_second`, 0.05);
const roundTrip = (percentile: PercentileField, usualScatter: number) =>
  ofColumn(`rtt_${percentile}_micros`, usualScatter, { percentile });

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
  onsetSeconds: figureByKey('onsetSeconds'),
  refillSeconds: ofColumn('refill_seconds', 0.1, {
    boundColumns: { low: 'refill_low_seconds', high: 'refill_high_seconds' },
  }),
  bucketBits: figureByKey('bucketBits'),
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
