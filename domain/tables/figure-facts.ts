/**
 * The figures' names, units, formats and scatter. The page's script has them, so this imports no columns; how a figure
 * is read from a result is in `figures.ts`.
 */
import { intervalOfAnotherPair, type RepetitionStatistics } from '../maths/repetition-statistics';
import type { Bounds, Interval } from '../maths/interval';
import { percentileName, type PercentileField } from '../model/percentiles';
import {
  BASELINE_OF_ANOTHER_PAIR,
  BURST_OF_ANOTHER_PAIR,
  FULL_CREDITS_OF_ANOTHER_PAIR,
  ONSET_OF_ANOTHER_PAIR,
} from '../model/token-bucket';
import { gigabits, kilopackets, micros, seconds, threeDigits } from '../text/format';

export interface FigureFacts {
  /** The figure's name in `summary.json`, with its unit. */
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  /** The size of the unit in stored units: 1e9 for Gbit, because bits are stored. 1 if absent. */
  readonly unitSize?: number;
  readonly format: (value: number) => string;
  readonly column: string;
  /** The percentile of a figure that needs a minimum number of observations. */
  readonly percentile?: PercentileField;
  /** The usual scatter of repetitions within a mode, as a share of the value; a wider gap separates modes. */
  readonly usualScatter: number;
  /** The recorded 95 % range of the figure on another pair of the same types, as a multiple of the measured value. */
  readonly ofAnotherPair?: Interval;
  /** Whether repetitions scatter farther upwards than downwards, as round trips do. */
  readonly isSkewed?: boolean;
}

const rate = (key: string, name: string, column: string, ofAnotherPair?: Interval): FigureFacts => {
  return { key, name, unit: 'Gbit/s', unitSize: 1e9, format: gigabits, column, ofAnotherPair, usualScatter: 0.05 };
};

const roundTrip = (key: string, name: string, usualScatter: number, column: string): FigureFacts => {
  return { key, name, unit: 'µs', format: micros, column, usualScatter, isSkewed: true };
};

export const tailFacts = (key: string, percentile: PercentileField, usualScatter: number): FigureFacts => {
  const name = `Round trip, ${percentileName(percentile)}`;
  return { ...roundTrip(key, name, usualScatter, `rtt_${percentile}_micros`), percentile };
};

/** In display order. High percentiles scatter more than medians. */
export const FIGURE_FACTS: readonly FigureFacts[] = [
  rate('meanBitsPerSecond', 'Throughput, mean', 'throughput_mean_bits_per_second'),
  rate('reverseMeanBitsPerSecond', 'Throughput, mean, reverse', 'reverse_throughput_mean_bits_per_second'),
  rate('burstBitsPerSecond', 'Burst', 'burst_bits_per_second', BURST_OF_ANOTHER_PAIR),
  rate('baselineBitsPerSecond', 'Baseline', 'baseline_bits_per_second', BASELINE_OF_ANOTHER_PAIR),
  {
    key: 'onsetSeconds',
    name: 'Throttle onset',
    unit: 's',
    format: seconds,
    column: 'onset_seconds',
    ofAnotherPair: ONSET_OF_ANOTHER_PAIR,
    usualScatter: 0.1,
  },
  {
    key: 'bucketBits',
    name: 'Bucket',
    unit: 'Gbit',
    unitSize: 1e9,
    format: gigabits,
    column: 'bucket_bits',
    ofAnotherPair: FULL_CREDITS_OF_ANOTHER_PAIR,
    usualScatter: 0.1,
  },
  ...['mean', 'burst', 'baseline'].map((level): FigureFacts => {
    const [key, name, column] = [`${level}PacketsPerSecond`, `Packets, ${level}`, `${level}_packets_per_second`];
    return { key, name, unit: 'k packets/s', unitSize: 1e3, format: kilopackets, column, usualScatter: 0.05 };
  }),
  {
    key: 'transactionsPerSecond',
    name: 'Transactions',
    unit: 'per second',
    format: threeDigits,
    column: 'transactions_per_second',
    usualScatter: 0.1,
  },
  roundTrip('rttMeanMicros', 'Round trip, mean', 0.1, 'rtt_mean_micros'),
  roundTrip('rttP50Micros', 'Round trip, median', 0.1, 'rtt_p50_micros'),
  tailFacts('rttP99Micros', 'p99', 0.25),
  tailFacts('rttP99_99Micros', 'p99_99', 0.5),
  roundTrip('rttBeforeOnsetP50Micros', 'Round trip under load, median', 0.25, 'rtt_before_onset_p50_micros'),
  roundTrip('rttAfterOnsetP50Micros', 'Round trip when throttled, median', 0.25, 'rtt_after_onset_p50_micros'),
];

/**
 * Returns the interval in which the bucket of another pair lies; undefined for other figures. A reader wants to know
 * the bucket of another instance of the type, which may differ by more than the interval of the mean says.
 */
export function bucketOfAnotherPair(figure: FigureFacts, statistics: RepetitionStatistics): Bounds | undefined {
  return figure.key === 'bucketBits' ? intervalOfAnotherPair(statistics, figure) : undefined;
}
