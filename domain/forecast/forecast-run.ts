/**
 * A run before its first launch: the rate that each measurement can reach, whether it can show a throttle, what it
 * carries and costs, as expected and at most. The volume at most is the peak for the whole duration: of the slower host,
 * or for UDP of the sender, which does not slow down for its receiver.
 */
import { sum } from '../maths/statistics';
import { zip } from '../maths/elements';
import { sumOrUnknown, totalUsd } from '../model/cost';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { sumOfRanges, unknownWhereCharged, type PriceRange } from './prices/price-split';
import { forecastBulk, type BulkForecast } from './forecast-bulk';
import type { ForecastInput } from './inputs';
import { messageVolume } from './message-volume';
import { ownWorkOfMeasurement, ownWorkOfPair, ownWorkOfRun } from './own-work';
import { instanceUsdPerHour, priceOfHosts, priceOfLoadBalancer, priceOfObjects, priceOfTraffic } from './price-pair';
import { range, type Bound, type Range } from './range';
import { trafficOf, type BulkTraffic, type MessageTraffic } from './traffic';

export interface MeasurementForecast {
  readonly measurementId: string;
  readonly planMeasurementIndex: number;
  /** Why it is not made; it then costs nothing. */
  readonly notApplicable?: string;
  /** Throughput measurements only. */
  readonly bulk?: BulkForecast;
  /** How long its commands take; the expected value allows for a throttle that ends it early. */
  readonly seconds: Range<number>;
  /** Carried between the hosts, or between the client and the object store; null is unknown. */
  readonly bytes: Range<number | null>;
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
  /** Launched types that are bare metal, whose hosts take long to start and to be gone. */
  readonly bareMetalTypes: readonly string[];
}

/**
 * For booting, registering, preparing and the call that ends the hosts, when all of them go well. EC2 charges for the
 * boot, which takes bare metal from some minutes to over 20 by users' reports.
 */
const PAIR_OVERHEAD_SECONDS = { virtual: 240, bareMetal: 1_200 } as const;

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
    bareMetalTypes: [...new Set(launched.flatMap((pair) => bareMetalTypes(pair, input)))].sort(),
  };
}

function bareMetalTypes({ clientType, serverType }: PlannedPair, { instanceTypes }: ForecastInput): string[] {
  return [clientType, serverType].filter((type) => instanceTypes[type]?.isBareMetal === true);
}

/** Everything that the forecast of a pair depends on. Repetitions differ only in their names and their subnets. */
function sharedForecastKey(pair: PlannedPair): string {
  const { pairId, pairIndex, planPairIndex, repetition, candidateSubnets, ...rest } = pair;
  const measurements = rest.measurements.map((measurement) => ({ ...measurement, measurementId: '' }));
  return JSON.stringify({ ...rest, measurements });
}

function forecastPair(pair: PlannedPair, input: ForecastInput): SharedForecast {
  const { prices } = input;
  const measurements = pair.measurements.map((measurement) => forecastMeasurement(measurement, pair, input));
  if (!isLaunched(pair)) return { isLaunched: false, measurements, price: sumOfRanges([]) };

  const measuring = range((bound) => sum(measurements.map(({ seconds }) => seconds[bound])));
  const living = {
    expected:
      measuring.expected + PAIR_OVERHEAD_SECONDS[bareMetalTypes(pair, input).length > 0 ? 'bareMetal' : 'virtual'],
    upper: Math.max(pair.lifetimeSeconds, measuring.upper),
  };
  const beforeAndAfter = range((bound) => living[bound] - measuring[bound]);
  return {
    isLaunched: true,
    measurements,
    price: sumOfRanges([
      ...measurements.map(({ price }) => price),
      priceOfHosts(beforeAndAfter, pair, input),
      priceOfLoadBalancer(living, pair, prices),
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
    return { ...names, notApplicable, seconds: range(() => 0), bytes: range(() => 0), price: sumOfRanges([]) };
  }
  const work = input.workOf(measurement);
  const parts = trafficOf(measurement, work).map((traffic) => forecastTraffic(traffic, pair, input));
  const bulk = parts.find((part) => part.bulk !== undefined)?.bulk;
  const savedSeconds = bulk === undefined ? 0 : measurement.durationSeconds - bulk.expectedSeconds;
  const seconds = { expected: work.expectedSeconds - savedSeconds, upper: work.limitSeconds };
  const messages = range((bound) => sum(parts.map((part) => part.messages[bound])));
  return {
    ...names,
    bulk,
    seconds,
    bytes: range((bound) => sumOrUnknown(parts.map((part) => part.bytes[bound]))),
    price: sumOfRanges([
      ...parts.map(({ price }) => price),
      priceOfHosts(seconds, pair, input),
      ownWorkOfMeasurement(seconds, messages, input.prices),
    ]),
  };
}

function forecastTraffic(traffic: BulkTraffic | MessageTraffic, pair: PlannedPair, input: ForecastInput) {
  const { prices } = input;
  if (traffic.kind === 'messages') {
    const { instanceTypes } = input;
    const route = {
      ...pair,
      clientFacts: instanceTypes[pair.clientType],
      serverFacts: instanceTypes[pair.serverType],
    };
    const { bytes, messages } = messageVolume(traffic, route);
    return { bytes, messages, price: range((bound) => priceOfTraffic(bytes[bound], pair, prices)) };
  }
  const bulk = forecastBulk(traffic, pair, input);
  const bytes = { expected: bulk.expectedBytes, upper: bulk.upperBytes };
  const { objects } = traffic;
  const priceOf = (volume: number, bound: Bound) =>
    objects === undefined ? priceOfTraffic(volume, pair, prices) : priceOfObjects(volume, objects, bound, prices);
  const price = range((bound) =>
    bytes[bound] === null ? unknownWhereCharged(priceOf(bytes.upper, bound)) : priceOf(bytes[bound], bound),
  );
  return { bulk, bytes, messages: range(() => 0), price };
}
