/**
 * Forecasts a run before its first launch: the rate of each measurement, whether it can show a throttle, and its
 * traffic and cost, as expected and at most. The most traffic is the peak rate for the whole duration: the peak of the
 * slower host, or for UDP that of the sender, which does not slow down for its receiver.
 */
import { sum } from '../maths/statistics';
import { sumOrUnknown, totalUsd } from '../model/cost';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { range, sumOfRanges, type PriceRange, type Range } from './range';
import { forecastBulk, type BulkForecast } from './forecast-bulk';
import type { ForecastInput } from './inputs';
import { messageVolume } from './message-volume';
import { ownWorkOfMeasurement, ownWorkOfPair, ownWorkOfRun, storageOfResults } from './own-work';
import { instanceUsdPerHour, priceOfHosts, priceOfLoadBalancer, priceOfVolume } from './price-pair';
import { trafficOf, type BulkTraffic, type MessageTraffic, type ObjectTraffic } from './traffic';

export interface MeasurementForecast {
  readonly measurementId: string;
  readonly planMeasurementIndex: number;
  /** Why it can't be measured; it then costs nothing. */
  readonly notApplicable?: string;
  /** Present for throughput measurements only. */
  readonly bulk?: BulkForecast;
  /** How long its commands take; the expected time allows for a throttle that ends the measurement early. */
  readonly seconds: Range<number>;
  /** Bytes between the hosts, or between the client and the object store; null if unknown. */
  readonly bytes: Range<number | null>;
  /** Its part of the pair's price: its traffic, its objects, and the hosts for as long as it takes. */
  readonly price: PriceRange;
}

export interface PairForecast {
  readonly pairId: string;
  readonly planPairIndex: number;
  readonly isLaunched: boolean;
  readonly measurements: readonly MeasurementForecast[];
  /** The price of the measurements and of everything before and after them. */
  readonly price: PriceRange;
}

export interface RunForecast {
  readonly pairs: readonly PairForecast[];
  readonly price: PriceRange;
  readonly priceList: string;
  /** The expected price of the run; null if unknown. */
  readonly expectedUsd: number | null;
  /** The highest price of the run; null if a type has no price, so that there is no upper bound. */
  readonly upperUsd: number | null;
  /** Instance types that neither the price table nor the plan has a price for. */
  readonly typesWithoutPrice: readonly string[];
  /** Launched bare-metal types, whose hosts take long to start and to terminate. */
  readonly bareMetalTypes: readonly string[];
}

/**
 * Time for booting, registering, preparing and terminating the hosts if all goes well. EC2 charges for the boot, which
 * users report takes bare metal from some minutes to over 20.
 */
const PAIR_OVERHEAD_SECONDS = { virtual: 240, bareMetal: 1_200 } as const;

export function forecastRun(input: ForecastInput): RunForecast {
  const pairs = input.pairs.map((pair) => forecastPair(pair, input));
  const launched = input.pairs.filter(isLaunched);
  const types = new Set(launched.flatMap(({ clientType, serverType }) => [clientType, serverType]));
  const price = sumOfRanges([...pairs.map((pair) => pair.price), ownWorkOfRun(input.prices)]);
  return {
    pairs,
    price,
    priceList: input.priceList,
    expectedUsd: totalUsd(price.expected),
    upperUsd: totalUsd(price.upper),
    typesWithoutPrice: [...types].filter((type) => instanceUsdPerHour(type, input.prices) === null).sort(),
    bareMetalTypes: [...types].filter((type) => isBareMetal(type, input)).sort(),
  };
}

const isBareMetal = (type: string, { instanceTypes }: ForecastInput) => instanceTypes[type]?.isBareMetal === true;

function forecastPair(pair: PlannedPair, input: ForecastInput): PairForecast {
  const { pairId, planPairIndex } = pair;
  const { prices } = input;
  const measurements = pair.measurements.map((measurement) => forecastMeasurement(measurement, pair, input));
  const names = { pairId, planPairIndex };
  if (!isLaunched(pair)) return { isLaunched: false, measurements, price: sumOfRanges([]), ...names };

  const measuring = range((bound) => sum(measurements.map(({ seconds }) => seconds[bound])));
  const hasBareMetal = [pair.clientType, pair.serverType].some((type) => isBareMetal(type, input));
  const living = {
    expected: measuring.expected + PAIR_OVERHEAD_SECONDS[hasBareMetal ? 'bareMetal' : 'virtual'],
    upper: Math.max(pair.lifetimeSeconds, measuring.upper),
  };
  const beforeAndAfter = range((bound) => living[bound] - measuring[bound]);
  return {
    isLaunched: true,
    measurements,
    price: sumOfRanges([
      ...measurements.map(({ price }) => price),
      priceOfHosts(beforeAndAfter, pair, input),
      range((bound) => priceOfLoadBalancer(living[bound], pair, prices)),
      ownWorkOfPair(prices),
    ]),
    ...names,
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
      storageOfResults(seconds, input.prices),
    ]),
  };
}

function forecastTraffic(traffic: BulkTraffic | MessageTraffic, pair: PlannedPair, input: ForecastInput) {
  const { instanceTypes, prices } = input;
  const priced = (bytes: Range<number | null>, objects?: ObjectTraffic) =>
    range((bound) => priceOfVolume(bytes[bound], { pair, objects }, bound, prices));
  if (traffic.kind === 'messages') {
    const facts = { clientFacts: instanceTypes[pair.clientType], serverFacts: instanceTypes[pair.serverType] };
    const { bytes, messages } = messageVolume(traffic, { ...pair, ...facts });
    return { bytes, messages, price: priced(bytes) };
  }
  const bulk = forecastBulk(traffic, pair, input);
  const bytes = { expected: bulk.expectedBytes, upper: bulk.upperBytes };
  return { bulk, bytes, messages: range(() => 0), price: priced(bytes, traffic.objects) };
}
