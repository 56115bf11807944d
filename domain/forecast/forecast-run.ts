/**
 * A run before its first launch: which rate each measurement can reach, whether it can show a throttle, what it carries
 * and costs. Everything is given as expected and at most. The volume at most is the peak for the whole duration.
 */
import { zip } from '../maths/zip';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { sumOfRanges, totalUsd, type PriceRange } from './prices/price-split';
import { forecastBulk, type BulkForecast } from './forecast-bulk';
import type { ForecastInput } from './inputs';
import { messageVolume } from './message-volume';
import { ownWorkOfMeasurement, ownWorkOfPair, ownWorkOfRun } from './own-work';
import {
  instanceUsdPerHour,
  LAUNCHES_AT_MOST,
  priceOfHosts,
  priceOfLoadBalancer,
  priceOfObjects,
  priceOfTraffic,
  range,
} from './price-pair';
import { trafficOf, type BulkTraffic, type MessageTraffic } from './traffic';

export interface MeasurementForecast {
  readonly measurementId: string;
  readonly planMeasurementIndex: number;
  /** Why it is not made; it then costs nothing. */
  readonly notApplicable?: string;
  /** Throughput measurements only. */
  readonly bulk?: BulkForecast;
  /** How long its commands take; the expected value allows for a throttle that ends it early. */
  readonly seconds: { readonly expected: number; readonly upper: number };
  /** Carried between the hosts, or between the client and the object store; null is unknown. */
  readonly bytes: { readonly expected: number | null; readonly upper: number };
  /** Its part of the pair's price: its traffic, its objects, and the hosts for as long as it takes. */
  readonly price: PriceRange;
}

export interface PairForecast {
  readonly pairId: string;
  readonly planPairIndex: number;
  readonly isLaunched: boolean;
  readonly measurements: readonly MeasurementForecast[];
  /** Of the measurements, and of everything before and after them. */
  readonly price: PriceRange;
}

export interface RunForecast {
  readonly pairs: readonly PairForecast[];
  readonly price: PriceRange;
  /** null: unknown. */
  readonly expectedUsd: number | null;
  /** null: there is no upper bound, because a type has no price. */
  readonly upperUsd: number | null;
  /** Instance types that neither the price table nor the plan has a price for. */
  readonly typesWithoutPrice: readonly string[];
}

/** For booting, registering, preparing and tearing down, when all of them go well. */
const PAIR_OVERHEAD_SECONDS = 240;

/** A forecast without the names of the pair, which repetitions of a pair share. */
type SharedForecast = Omit<PairForecast, 'pairId' | 'planPairIndex'>;

export function forecastRun(input: ForecastInput): RunForecast {
  const known = new Map<string, SharedForecast>();
  const pairs = input.pairs.map((pair): PairForecast => {
    const { pairId, planPairIndex, measurements } = pair;
    const key = sharedForecastKey(pair);
    const forecast = known.get(key) ?? forecastPair(pair, input);
    known.set(key, forecast);
    return {
      ...forecast,
      measurements: zip(forecast.measurements, measurements).map(([each, { measurementId }]) => ({
        ...each,
        measurementId,
      })),
      pairId,
      planPairIndex,
    };
  });
  const launched = input.pairs.filter(isLaunched);
  const types = new Set(launched.flatMap(({ clientType, serverType }) => [clientType, serverType]));
  const price = sumOfRanges([...pairs.map((pair) => pair.price), ownWorkOfRun(input.prices)]);
  return {
    pairs,
    price,
    expectedUsd: totalUsd(price.expected),
    upperUsd: totalUsd(price.upper),
    typesWithoutPrice: [...types].filter((type) => instanceUsdPerHour(type, input.prices) === null).sort(),
  };
}

/**
 * Everything about a pair that its forecast depends on. Repetitions differ only in names and in where they are
 * launched.
 */
function sharedForecastKey(pair: PlannedPair): string {
  const { pairId, pairIndex, planPairIndex, repetition, candidateSubnets, ...rest } = pair;
  const measurements = rest.measurements.map((measurement) => ({ ...measurement, measurementId: '' }));
  return JSON.stringify({ ...rest, measurements });
}

function forecastPair(pair: PlannedPair, input: ForecastInput): SharedForecast {
  const { prices } = input;
  const measurements = pair.measurements.map((measurement) => forecastMeasurement(measurement, pair, input));
  if (!isLaunched(pair)) return { isLaunched: false, measurements, price: sumOfRanges([]) };

  const measuring = {
    expected: measurements.reduce((sum, { seconds }) => sum + seconds.expected, 0),
    upper: measurements.reduce((sum, { seconds }) => sum + seconds.upper, 0),
  };
  const living = {
    expected: measuring.expected + PAIR_OVERHEAD_SECONDS,
    upper: Math.max(pair.lifetimeSeconds, measuring.upper),
  };
  const beforeAndAfter = range((bound) =>
    priceOfHosts(hostSeconds(living[bound] - measuring[bound], bound), pair, prices),
  );
  const loadBalancer = range((bound) => priceOfLoadBalancer(living[bound], pair, prices));
  return {
    isLaunched: true,
    measurements,
    price: sumOfRanges([
      ...measurements.map(({ price }) => price),
      beforeAndAfter,
      loadBalancer,
      ownWorkOfPair(prices),
    ]),
  };
}

function forecastMeasurement(
  measurement: PlannedMeasurement,
  pair: PlannedPair,
  input: ForecastInput,
): MeasurementForecast {
  const { measurementId, planMeasurementIndex, notApplicable } = measurement;
  const names = { measurementId, planMeasurementIndex };
  if (notApplicable !== undefined) {
    const nothing = { expected: 0, upper: 0 };
    return { ...names, notApplicable, seconds: nothing, bytes: nothing, price: sumOfRanges([]) };
  }
  const { prices } = input;
  const work = input.workOf(measurement);
  const parts = trafficOf(measurement, work).map((traffic) => forecastTraffic(traffic, pair, input));
  const bulk = parts.find((part) => part.bulk !== undefined)?.bulk;
  const savedSeconds = bulk === undefined ? 0 : measurement.durationSeconds - bulk.expectedSeconds;
  const seconds = { expected: work.expectedSeconds - savedSeconds, upper: work.limitSeconds };
  const hosts = range((bound) => priceOfHosts(hostSeconds(seconds[bound], bound), pair, prices));
  const own = ownWorkOfMeasurement(
    {
      expectedSeconds: seconds.expected,
      limitSeconds: seconds.upper,
      expectedMessages: parts.reduce((sum, part) => sum + part.expectedMessages, 0),
      upperMessages: parts.reduce((sum, part) => sum + part.upperMessages, 0),
    },
    prices,
  );
  return {
    ...names,
    bulk,
    seconds,
    bytes: {
      expected: sumOrUnknown(parts.map((part) => part.expectedBytes)),
      upper: parts.reduce((sum, part) => sum + part.upperBytes, 0),
    },
    price: sumOfRanges([...parts.map(({ price }) => price), hosts, own]),
  };
}

interface TrafficForecast {
  readonly bulk?: BulkForecast;
  readonly expectedBytes: number | null;
  readonly upperBytes: number;
  readonly expectedMessages: number;
  readonly upperMessages: number;
  readonly price: PriceRange;
}

function forecastTraffic(
  traffic: BulkTraffic | MessageTraffic,
  pair: PlannedPair,
  input: Pick<ForecastInput, 'instanceTypes' | 'earlierBuckets' | 'prices'>,
): TrafficForecast {
  const { prices } = input;
  if (traffic.kind === 'messages') {
    const volume = messageVolume(traffic, pair, input);
    const price = range((bound) =>
      priceOfTraffic(bound === 'expected' ? volume.expectedBytes : volume.upperBytes, pair, prices),
    );
    return { ...volume, price };
  }
  const bulk = forecastBulk(traffic, pair, input);
  const { expectedBytes, upperBytes } = bulk;
  const price = range((bound) => {
    const priceOf = (bytes: number) =>
      traffic.objects === undefined
        ? priceOfTraffic(bytes, pair, prices)
        : priceOfObjects(bytes, traffic.flowCount, traffic.objects, bound, prices);
    const bytes = bound === 'expected' ? expectedBytes : upperBytes;
    // An unknown volume has an unknown price, except for the parts that are free at any volume.
    return bytes === null ? unknownWhereCharged(priceOf(upperBytes)) : priceOf(bytes);
  });
  return { bulk, expectedBytes, upperBytes, expectedMessages: 0, upperMessages: 0, price };
}

function sumOrUnknown(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

function unknownWhereCharged(split: PriceRange['expected']): PriceRange['expected'] {
  return Object.fromEntries(
    Object.entries(split).map(([part, usd]) => [part, usd === 0 ? 0 : null]),
  ) as PriceRange['expected'];
}

function hostSeconds(seconds: number, bound: 'expected' | 'upper'): number {
  return bound === 'upper' ? LAUNCHES_AT_MOST * seconds : seconds;
}
