/**
 * A run before its first launch: what each measurement can reach and show, how much it carries, what it costs, as expected
 * and at most. Volumes at most are the peak for the whole duration; a measurement is never made twice on a pair.
 */
import { sumOfRanges, totalUsd, type PriceRange } from './prices/price-split';
import { forecastBulk, type BulkForecast } from './forecast-bulk';
import { isLaunched } from '../model/planned-run';
import type { ForecastInput, ForecastMeasurement, ForecastPair } from './inputs';
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
  /** Nothing is done and nothing is spent. */
  readonly notApplicable?: string;
  /** Of a throughput measurement. */
  readonly bulk?: BulkForecast;
  /** Its commands, start to end; where a throttle ends it, that is expected. */
  readonly seconds: { readonly expected: number; readonly upper: number };
  /** Carried between the hosts, or to and from the object store; null is unknown. */
  readonly bytes: { readonly expected: number | null; readonly upper: number };
  /** The measurement's own part of the pair's price: its traffic, its objects, the hosts for as long as it takes. */
  readonly price: PriceRange;
}

export interface PairForecast {
  readonly pairId: string;
  readonly planPairIndex: number;
  readonly isLaunched: boolean;
  readonly measurements: readonly MeasurementForecast[];
  /** All of the pair: its measurements, and what comes before and after them. */
  readonly price: PriceRange;
}

export interface RunForecast {
  readonly pairs: readonly PairForecast[];
  readonly price: PriceRange;
  /** null: unknown. */
  readonly expectedUsd: number | null;
  /** null: there is no upper bound, because a type has no price. */
  readonly upperUsd: number | null;
  /** Types that nobody priced. */
  readonly typesWithoutPrice: readonly string[];
}

/** Booting, registering, preparing, tearing down, when nothing has to be waited for. */
const PAIR_OVERHEAD_SECONDS = 240;

export function forecastRun<Measurement extends ForecastMeasurement>(input: ForecastInput<Measurement>): RunForecast {
  const known = new Map<string, Omit<PairForecast, 'pairId' | 'planPairIndex'>>();
  const pairs = input.pairs.map((pair): PairForecast => {
    const { pairId, planPairIndex, measurements } = pair;
    const key = sameForecastKey(pair);
    const forecast = known.get(key) ?? forecastPair(pair, input);
    known.set(key, forecast);
    return {
      ...forecast,
      measurements: forecast.measurements.map((one, index) => ({
        ...one,
        measurementId: measurements[index]!.measurementId,
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

/** Repetitions differ in their names and in where they are launched, which makes no difference here. */
function sameForecastKey(pair: ForecastPair): string {
  const { clientType, serverType, zoneRelation, placement, path, enaExpress, enaExpressUdp, lifetimeSeconds } = pair;
  const measurements = pair.measurements.map((measurement) => ({ ...measurement, measurementId: '' }));
  const conditions = [zoneRelation, placement, path, enaExpress, enaExpressUdp, lifetimeSeconds];
  return JSON.stringify([clientType, serverType, conditions, measurements]);
}

function forecastPair<Measurement extends ForecastMeasurement>(
  pair: ForecastPair<Measurement>,
  input: ForecastInput<Measurement>,
): Omit<PairForecast, 'pairId' | 'planPairIndex'> {
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
  const besides = range((bound) => priceOfHosts(hostSeconds(living[bound] - measuring[bound], bound), pair, prices));
  const loadBalancer = range((bound) => priceOfLoadBalancer(living[bound], pair, prices));
  return {
    isLaunched: true,
    measurements,
    price: sumOfRanges([...measurements.map(({ price }) => price), besides, loadBalancer, ownWorkOfPair(prices)]),
  };
}

function forecastMeasurement<Measurement extends ForecastMeasurement>(
  measurement: Measurement,
  pair: ForecastPair<Measurement>,
  input: ForecastInput<Measurement>,
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
    ...(bulk === undefined ? {} : { bulk }),
    seconds,
    bytes: {
      expected: parts.some((part) => part.expectedBytes === null)
        ? null
        : parts.reduce((sum, part) => sum + part.expectedBytes!, 0),
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
  pair: ForecastPair,
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
    // Where the volume is unknown, so is its price; what costs nothing costs nothing at any volume.
    const bytes = bound === 'expected' ? expectedBytes : upperBytes;
    const of = (volume: number) =>
      traffic.objects === undefined
        ? priceOfTraffic(volume, pair, prices)
        : priceOfObjects(volume, traffic.flowCount, traffic.objects, bound, prices);
    return bytes === null ? unknownWhereCharged(of(upperBytes)) : of(bytes);
  });
  return { bulk, expectedBytes, upperBytes, expectedMessages: 0, upperMessages: 0, price };
}

function unknownWhereCharged(split: PriceRange['expected']): PriceRange['expected'] {
  return Object.fromEntries(
    Object.entries(split).map(([part, usd]) => [part, usd === 0 ? 0 : null]),
  ) as PriceRange['expected'];
}

function hostSeconds(seconds: number, bound: 'expected' | 'upper'): number {
  return bound === 'upper' ? LAUNCHES_AT_MOST * seconds : seconds;
}
