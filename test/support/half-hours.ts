/**
 * Half-hours in which every second of every line differs: the most that a chart over time has to show. They are drawn
 * by lot, because nobody has recorded so many with counters of both hosts and a latency probe; they stand for the
 * size of a report and for nothing about EC2.
 */
import { withLoadedLatency, roundTripSamples } from '../../domain/assembly/loaded-latency';
import type { Sample } from '../../domain/model/sample';
import type { RoundTrip } from '../../domain/parsers/tool-output';
import { seededRandom, type Random } from './random';
import { quantilesOf, type Recording } from './recordings';

const DURATION_SECONDS = 1800;
const ROUND_TRIPS_PER_SECOND = 20;
const TYPES = [
  'c5.large',
  'c5.xlarge',
  'c5.2xlarge',
  'c5.4xlarge',
  'c6gd.large',
  'c6gd.xlarge',
  'm5.large',
  'r5.large',
];

/** One for each of eight types. */
export function halfHourRecordings(): Recording[] {
  return TYPES.map((instanceType, index) => halfHour(instanceType, seededRandom(index + 1)));
}

function halfHour(instanceType: string, random: Random): Recording {
  const onsetSeconds = random.integer(400, 1400);
  const noisy = (value: number, share: number) => value * (1 + share * random.studentT(4));
  const common = { direction: 'forward', stream: 'sum' } as const;
  const throughput = everySecond((second, lengthSeconds): Sample => {
    const bits = second < onsetSeconds ? noisy(9.6e9, 0.03) : noisy(1.24e9, 0.06);
    const throughputBitsPerSecond = Math.max(0, Math.round(bits));
    return {
      ...common,
      metric: 'throughput',
      hostRole: 'server',
      startSeconds: second,
      lengthSeconds,
      throughputBitsPerSecond,
    };
  });
  const counters = (['client', 'server'] as const).flatMap((hostRole) => {
    const offset = random.uniform(0, 0.9);
    return everySecond((second, lengthSeconds): Sample => {
      const shaped = Math.round(random.logUniform(50, second < onsetSeconds ? 500 : 50_000));
      const [bwInAllowanceExceeded, bwOutAllowanceExceeded] = hostRole === 'client' ? [0, shaped] : [shaped, 0];
      const grown = { bwInAllowanceExceeded, bwOutAllowanceExceeded, ppsAllowanceExceeded: 0 };
      return { ...common, metric: 'allowance', hostRole, startSeconds: second + offset, lengthSeconds, ...grown };
    });
  });
  const roundTrips = everySecond((second) =>
    Array.from({ length: ROUND_TRIPS_PER_SECOND }, (_, index): RoundTrip => {
      const isSlow = random.chance(0.1);
      const rttMicros = random.logUniform(isSlow ? 300 : 90, isSlow ? 20_000 : 140) * (second < onsetSeconds ? 1 : 4);
      return { startSeconds: second + index / ROUND_TRIPS_PER_SECOND, rttMicros };
    }),
  ).flat();
  const mean = throughput.reduce((sum, { throughputBitsPerSecond: bits = 0 }) => sum + bits, 0) / throughput.length;
  const statistics = withLoadedLatency(
    { throughputBitsPerSecond: quantilesOf(throughput, mean) },
    roundTrips,
    onsetSeconds,
  );
  const samples = [...throughput, ...counters, ...roundTripSamples(roundTrips, 'forward')];
  const assembled = { samples, statistics, complete: true, warnings: [] };
  return { instanceType, durationSeconds: DURATION_SECONDS, assembled };
}

const everySecond = <T>(make: (second: number, lengthSeconds: number) => T) =>
  Array.from({ length: DURATION_SECONDS }, (_, second) => make(second, 1));
