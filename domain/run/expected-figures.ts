/** Reads from a result each figure that a plan can set expectations for. */
import { holdOf, holdSecondsOf, type Hold } from '../model/carried-rate';
import type { MeasuredFigureName } from '../model/expectation';
import type { PercentileField } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { packetsOf, throughputOf } from '../model/statistics';
import { figure, figureByKey, HELD_SCATTER, type Figure } from '../tables/figures';

export type ReadFigure = Pick<Figure, 'of' | 'intervalOf' | 'usualScatter' | 'percentile' | 'ofAnotherPair'> & {
  /** The lower bound of a figure whose value is unknown; Infinity for a rate that is held without end. */
  readonly atLeastOf?: (result: MeasurementResult) => number | undefined;
  /**
   * Whether a 0 means that the rate was not reached. It is then no value to average with the others: a rate that three
   * pairs hold for 5 min and two never reach is held for 5 min or not at all, and by no pair for 3 min.
   */
  readonly isZeroNotReached?: boolean;
};

const throughput = (quantile: string) => ofColumn(`throughput_${quantile}_bits_per_second`, 0.05);
const roundTrip = (percentile: PercentileField, usualScatter: number) =>
  ofColumn(`rtt_${percentile}_micros`, usualScatter, percentile);

const packets = (quantile: 'p5' | 'p50' | 'p95'): ReadFigure => ({
  of: (result) => packetsOf(result)?.packetsPerSecond?.[quantile],
  intervalOf: () => undefined,
  usualScatter: 0.05,
});
/** A hold time with only a lower bound has no value. A rate that is never reached is held for 0 seconds. */
function held(gbits: number): ReadFigure {
  const held = (result: MeasurementResult) => holdOf(result, gbits * 1e9);
  const isBound = (hold: Hold | undefined) => hold?.kind === 'always' || hold?.kind === 'at_least';
  const secondsWhere = (bound: boolean) => (result: MeasurementResult) => {
    const hold = held(result);
    return hold !== undefined && isBound(hold) === bound ? holdSecondsOf(hold) : undefined;
  };
  return {
    of: secondsWhere(false),
    atLeastOf: secondsWhere(true),
    intervalOf: () => undefined,
    isZeroNotReached: true,
    ...HELD_SCATTER,
  };
}

function ofColumn(column: string, usualScatter: number, percentile?: PercentileField): ReadFigure {
  return figure({ key: column, name: column, unit: '', format: String, column, usualScatter, percentile });
}

export const EXPECTED_FIGURES: Readonly<Record<MeasuredFigureName, ReadFigure>> = {
  'throughputBitsPerSecond.mean': figureByKey('meanBitsPerSecond'),
  'throughputBitsPerSecond.p5': throughput('p5'),
  'throughputBitsPerSecond.p50': throughput('p50'),
  'throughputBitsPerSecond.p95': throughput('p95'),
  burstBitsPerSecond: figureByKey('burstBitsPerSecond'),
  baselineBitsPerSecond: figureByKey('baselineBitsPerSecond'),
  onsetSeconds: { ...figureByKey('onsetSeconds'), atLeastOf: onsetAtLeastSeconds },
  refillSeconds: ofColumn('refill_seconds', 0.1),
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

/** Returns the loss in the driven direction, or in forward where both were driven, as in all columns. */
function lossPercent(result: MeasurementResult): number | undefined {
  const { lostPackets, sentPackets } = throughputOf(result)?.main ?? {};
  return lostPackets === undefined || !sentPackets ? undefined : (100 * lostPackets) / sentPackets;
}

/** Returns the duration of a measurement in which the credits did not run out: they last at least that long. */
function onsetAtLeastSeconds({ verdict, durationSeconds, dutyCycle }: MeasurementResult): number | undefined {
  return typeof verdict?.bucketBitsAtLeast === 'number' && dutyCycle === undefined ? durationSeconds : undefined;
}
