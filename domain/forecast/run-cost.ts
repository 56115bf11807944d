/**
 * Computes what a run cost, at the same prices as its forecast: hosts from their launch until they were terminated,
 * traffic by the counters, and the service's own work by the seconds measured. All of it is divided among measurements:
 *
 * | cost                                             | borne by                                          |
 * | ------------------------------------------------ | ------------------------------------------------- |
 * | traffic, objects, the work on one measurement    | the measurement that caused it                    |
 * | hosts, hours of a load balancer, work on a pair  | its measurements, by the seconds that each took   |
 * | summary, report and queries of the run           | the launched pairs, in equal parts                |
 *
 * EC2 reports surplus CPU credits only to CloudWatch, so they count at the most that they can cost, with a warning. If
 * no measurement on a pair began, all of its measurements bear equal parts. An unknown quantity makes every sum that
 * contains it unknown, and has a warning.
 */
import { groupBy, zip } from '../maths/elements';
import { sum } from '../maths/statistics';
import {
  sumOrUnknown,
  totalUsd,
  type MeasurementCost,
  type PairCost,
  type PriceSplit,
  type RunCost,
} from '../model/cost';
import { isLaunched, type PlannedMeasurement, type PlannedPair, type PlannedRun } from '../model/planned-run';
import type { MeasurementResult } from '../model/result';
import { latencyOf, throughputOf, type ThroughputStatistics } from '../model/statistics';
import type { PairForecast, RunForecast } from './forecast-run';
import type { MeasurementWork } from './inputs';
import { ownWorkOfMeasurement, ownWorkOfPair, ownWorkOfRun } from './own-work';
import { costOfLife, type PairLife } from './pair-life-cost';
import { instanceUsdPerHour, priceOfVolume } from './price-pair';
import { ASSUMED_REGION, priceOverrides, pricesOf, type Prices } from './prices/price-table';
import { priceSplit, range, scaledSplit, sumOfSplits, type PriceRange } from './range';
import { trafficOf } from './traffic';

export interface CostInput {
  readonly run: PlannedRun;
  /** Results by measurement id. A measurement never began without one, or if it has neither hosts nor figures. */
  readonly results: ReadonlyMap<string, MeasurementResult>;
  /** The lives of hosts by pair id. */
  readonly lives: ReadonlyMap<string, PairLife>;
  /** The forecast of the run; absent if the store has none. */
  readonly forecast?: RunForecast;
  readonly workOf: (measurement: PlannedMeasurement) => MeasurementWork;
}

const NEVER_LAUNCHED: PairLife = { hosts: [], isTried: false, areAllKnown: true, warnings: [] };

export function runCost(input: CostInput): RunCost {
  const { run, lives, forecast } = input;
  // A run without a Region was planned by 0.3.0, which knew no other prices.
  const { region = ASSUMED_REGION } = run;
  const { prices, priceList } = pricesOf(region, priceOverrides.parse(run.plan.prices ?? {}));
  const launched = run.pairs.filter(isLaunched);
  const bearers = new Set(launched.length > 0 ? launched : run.pairs);
  const ofRun = ownWorkOfRun(prices);
  const forecasts = groupBy(forecast?.pairs ?? [], ({ pairId }) => pairId);
  const costs = run.pairs.map((pair) => {
    const part = bearers.has(pair) ? 1 / bearers.size : 0;
    return costOfPair(pair, {
      ...input,
      prices,
      priceList,
      life: lives.get(pair.pairId) ?? NEVER_LAUNCHED,
      partOfRun: range((bound) => scaledSplit(ofRun[bound], part)),
      forecastOfPair: forecasts.get(pair.pairId)?.[0],
    });
  });
  return {
    schema: 'network-benchmark.cost.v1',
    runId: run.runId,
    priceList,
    costUsd: sumOrUnknown(costs.map(({ pair }) => totalUsd(pair.cost))),
    pairs: costs.map(({ pair }) => pair),
    measurements: costs.flatMap(({ measurements }) => measurements),
  };
}

interface PairInput extends CostInput, Prices {
  readonly life: PairLife;
  readonly partOfRun: PriceRange;
  readonly forecastOfPair: PairForecast | undefined;
}

function costOfPair(pair: PlannedPair, input: PairInput) {
  const { run, prices, priceList, partOfRun, forecastOfPair } = input;
  const own = pair.measurements.map((measurement) => ownCost(measurement, pair, input));
  const life = withMeasuredHosts(pair, input);
  const { hosts: launched, isTried, areAllKnown, warnings, ...places } = life;
  const hasBegun = own.some(({ seconds }) => seconds > 0);
  const ofLife = costOfLife(life, { pair, hasBegun, instanceTypes: run.instanceTypes, prices });
  const { hosts, loadBalancer, hostSeconds } = ofLife;
  const work = isTried ? ownWorkOfPair(prices).expected : priceSplit({});
  const shared = sumOfSplits([hosts, loadBalancer, work, partOfRun.expected]);
  const shares = sharesOf(
    own.map(({ seconds }) => seconds),
    pair.measurements,
  );
  const expectedUsd = expectedOfMeasurements(pair, forecastOfPair, partOfRun.expected);
  const hourly = {
    priceList,
    clientHourlyUsd: instanceUsdPerHour(pair.clientType, prices),
    serverHourlyUsd: instanceUsdPerHour(pair.serverType, prices),
  };
  const named = zip(pair.measurements, own).map(([{ measurementId }, cost]) => ({ measurementId, ...cost }));
  const measurements = zip(named, shares).map(([cost, share], index): MeasurementCost => ({
    measurementId: cost.measurementId,
    expectedUsd: expectedUsd[index] ?? null,
    costUsd: totalUsd(sumOfSplits([cost.price, scaledSplit(shared, share)])),
    hostsUsd: totalUsd(scaledSplit(hosts, share)),
    trafficUsd: totalUsd(cost.traffic),
    hostSeconds: hostSeconds === null ? null : hostSeconds * share,
    ...hourly,
    trafficBytes: cost.bytes,
    warnings: [...ofLife.warnings, ...cost.warnings],
  }));
  const goneAt = launched.flatMap((host) => host.goneAt ?? []).sort();
  const costs: PairCost = {
    pairId: pair.pairId,
    launchedAt: launched.map(({ launchedAt }) => launchedAt).sort()[0],
    goneAt: goneAt.length < launched.length ? undefined : goneAt.at(-1),
    ...places,
    hostSeconds,
    ...hourly,
    trafficBytes: sumOrUnknown(own.map(({ bytes }) => bytes)),
    expected: forecastOfPair ? sumOfSplits([forecastOfPair.price.expected, partOfRun.expected]) : null,
    upper: forecastOfPair ? sumOfSplits([forecastOfPair.price.upper, partOfRun.upper]) : null,
    cost: sumOfSplits([shared, ...own.map(({ price }) => price)]),
    warnings: [
      ...ofLife.warnings,
      ...named.flatMap((cost) => cost.warnings.map((warning) => `${cost.measurementId}: ${warning}`)),
    ],
  };
  return { pair: costs, measurements };
}

/** A pair that measured something had hosts, even if nothing recorded them. */
function withMeasuredHosts({ measurements }: PlannedPair, { life, results }: PairInput): PairLife {
  const hadHosts = measurements.some(({ measurementId }) => hasHosts(results.get(measurementId)));
  if (life.hosts.length > 0 || !hadHosts) return life;
  const warnings = [...life.warnings, "the price of the pair's hosts is unknown, because there is no record of them"];
  return { ...life, areAllKnown: false, warnings };
}

const hasHosts = (result: MeasurementResult | undefined) =>
  result !== undefined &&
  (result.client !== undefined || result.status === 'complete' || result.status === 'truncated');

interface OwnCost {
  readonly price: PriceSplit;
  /** The part of the price that is for traffic. */
  readonly traffic: PriceSplit;
  readonly bytes: number | null;
  readonly seconds: number;
  readonly warnings: readonly string[];
}

function ownCost(measurement: PlannedMeasurement, pair: PlannedPair, { results, workOf, prices }: PairInput): OwnCost {
  const result = results.get(measurement.measurementId);
  if (measurement.notApplicable !== undefined || result === undefined || !hasHosts(result)) {
    return { price: priceSplit({}), traffic: priceSplit({}), bytes: 0, seconds: 0, warnings: [] };
  }
  const { startedAt, endedAt } = result;
  const seconds =
    startedAt === undefined || endedAt === undefined ? 0 : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  const counted = countedBytes(result);
  const bytes = counted ?? toolBytes(result);
  const objects = trafficOf(measurement, workOf(measurement)).find((part) => part.kind === 'bulk')?.objects;
  const charged = priceOfVolume(bytes, { pair, objects }, 'expected', prices);
  const total = totalUsd(charged);
  const work = ownWorkOfMeasurement(
    range(() => seconds),
    range(() => measuredMessages(result)),
    prices,
  ).expected;
  const isByTool = total !== null && total > 0 && counted === undefined;
  const why =
    total === null ? 'unknown' : isByTool ? "based on the tool's figures, which leave out packet headers" : undefined;
  return {
    price: sumOfSplits([charged, work]),
    traffic: objects === undefined ? charged : priceSplit({}),
    bytes,
    seconds,
    warnings: why === undefined ? [] : [`the price of the traffic is ${why}, because no interface counters arrived`],
  };
}

/** Returns shares by seconds; without any seconds, equal shares of the applicable measurements, or else of all. */
function sharesOf(seconds: readonly number[], measurements: readonly PlannedMeasurement[]): number[] {
  const total = sum(seconds);
  if (total > 0) return seconds.map((each) => each / total);
  const isAnyApplicable = isLaunched({ measurements });
  const bears = measurements.map(({ notApplicable }) => (isAnyApplicable && notApplicable !== undefined ? 0 : 1));
  return bears.map((each) => each / sum(bears));
}

/** The forecast is divided like the cost, by the seconds that each measurement was expected to take. */
function expectedOfMeasurements(
  { measurements }: PlannedPair,
  forecast: PairForecast | undefined,
  partOfRun: PriceSplit,
): (number | null)[] {
  if (forecast === undefined) return [];
  const own = forecast.measurements.map(({ price }) => totalUsd(price.expected));
  const shares = sharesOf(
    forecast.measurements.map(({ seconds }) => seconds.expected),
    measurements,
  );
  const whole = totalUsd(sumOfSplits([forecast.price.expected, partOfRun]));
  const ownTotal = sumOrUnknown(own);
  return zip(own, shares).map(([each, share]) =>
    each === null || whole === null || ownTotal === null ? null : each + share * (whole - ownTotal),
  );
}

/**
 * All bytes that both hosts sent, whether or not they arrived, because sent UDP is charged. For a host without counters
 * (it does not stream, or it is the object store), what the other one received counts instead.
 */
function countedBytes({ client, server }: MeasurementResult): number | undefined {
  const [ofClient, ofServer] = [client?.interfaceBytes, server?.interfaceBytes];
  const byClient = ofClient?.sent ?? ofServer?.received;
  const byServer = ofServer?.sent ?? ofClient?.received;
  return byClient === undefined || byServer === undefined ? undefined : byClient + byServer;
}

/** Bytes by the tool's figures, which omit headers, acknowledgements and retransmitted TCP segments. */
function toolBytes(result: MeasurementResult): number | null {
  const { sampleCount: seconds } = result;
  const driven = throughputOf(result);
  if (driven === undefined || seconds === undefined) return null;
  const rates = [driven.main, driven.reverse].flatMap((direction) => (direction ? [sentBitsPerSecond(direction)] : []));
  const total = sumOrUnknown(rates);
  return total === null ? null : (total * seconds) / 8;
}

/** The mean is of what arrived; for UDP, the lost datagrams are added. */
function sentBitsPerSecond({ throughputBitsPerSecond, lostPackets, sentPackets }: ThroughputStatistics): number | null {
  if (throughputBitsPerSecond === undefined) return null;
  const { mean } = throughputBitsPerSecond;
  if (lostPackets === undefined || sentPackets === undefined || lostPackets >= sentPackets) return mean;
  return (mean * sentPackets) / (sentPackets - lostPackets);
}

/** Messages that are stored one by one: those of a latency tool, or of the probe beside a load. */
function measuredMessages(result: MeasurementResult): number {
  const probe = throughputOf(result)?.main.loadedLatency;
  const counts = [latencyOf(result)?.observations, probe?.before?.observations, probe?.after?.observations];
  return sum(counts.map((count) => count ?? 0));
}
