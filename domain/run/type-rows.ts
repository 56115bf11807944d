/** Makes the rows of the report's first section: one for each pair of instance types under the same conditions. */
import { elementAt, groupBy } from '../maths/elements';
import { largest } from '../maths/statistics';
import type { Bounds } from '../maths/interval';
import { cellOf } from '../model/cell';
import { contendedShare, type ContendedShare } from '../model/contended';
import { carries, holdOf, holdSecondsOf, sustainedRate, type Hold, type SustainedRate } from '../model/carried-rate';
import type { PairCost } from '../model/cost';
import type { MeasurementResult } from '../model/result';
import type { ScaledModel } from '../model/scaled-model';
import { SETTING_NAMES } from '../model/settings';
import { drivenStatistics, latencyOf } from '../model/statistics';
import { isSupported } from '../model/percentiles';
import { threeDigits } from '../text/format';
import { cellsOf, labelledCells, type Cell } from './cells';
import { sideOf, valuesOf, type Side } from './figure-change';
import { figureByKey, meanThroughput } from '../tables/figures';

/** Summarises the complete repetitions of a pair of instance types. */
export interface TypeRow {
  /** The results of the throughput cell with the highest sustained rate or, without throughput, of a latency cell. */
  readonly results: Cell['results'];
  /** How many of the results behind the row's figures ran while other work kept processors busy. */
  readonly contended: ContendedShare;
  /** Absent on EC2 itself. */
  readonly scaledModel?: ScaledModel;
  /** Names the facts in which the row differs from the others. */
  readonly label: string;
  readonly sustained?: Repeated & Pick<SustainedRate, 'bound'>;
  /** Absent where the sustained rate is the only level. */
  readonly burst?: Repeated;
  readonly onsetSeconds?: Repeated;
  readonly bucket?: Repeated;
  /** A lower bound of the bucket where no drop was seen. */
  readonly bucketBitsAtLeast?: number;
  /** Round trips of a probe beside a load, before the throttle onset. */
  readonly loadedP99Micros?: Repeated;
  readonly idleP99Micros?: Repeated;
  /** The price of an hour of both hosts; absent where it is unknown. */
  readonly hourlyUsd?: number;
  readonly holdOf: (bitsPerSecond: number) => RepeatedHold | undefined;
}

/** A figure over repetitions: their mean, or the lowest mode where they have several. */
export interface Repeated {
  readonly value: number;
  /** The 95 % interval of the mean, or of the single measurement. */
  readonly bounds?: Bounds;
  readonly count: number;
  /** The centres of several modes, in ascending order. */
  readonly modes?: readonly number[];
}

export interface RepeatedHold {
  /** The median of the repetitions; of two middle values the shorter one is taken. */
  readonly hold: Hold;
  /** How many of the `count` repetitions are of the same kind as `hold`. */
  readonly alike: number;
  readonly count: number;
  /** The shortest and the longest hold time of this kind in seconds; only where the hold ends. */
  readonly range?: Bounds;
}

export interface TypeRows {
  /** Sorted by sustained rate, the highest first; rows without one come last. */
  readonly rows: readonly TypeRow[];
  /** The facts that all rows share, in words. */
  readonly shared: string;
}

export function typeRows(results: readonly MeasurementResult[], pairCosts: readonly PairCost[] = []): TypeRows {
  const hourly = new Map(pairCosts.map((pair) => [pair.pairId, hourlyUsdOf(pair)]));
  const groups = groupBy(cellsOf(results), ({ results: [first] }) => cellOf(first, ['tool', ...SETTING_NAMES]));
  const chosen = [...groups.values()].flatMap((group) => {
    const cell = mostTelling(group);
    return cell === undefined ? [] : [{ ...cell, group }];
  });
  const { rows, shared } = labelledCells(chosen);
  const found = rows.map(({ item, label }): TypeRow => ({
    ...rowOf(item.results, item.group),
    label,
    hourlyUsd: item.results.map(({ pairId }) => hourly.get(pairId)).find((usd) => usd !== undefined),
  }));
  return { rows: found.sort((left, right) => orderOf(right) - orderOf(left)), shared };
}

/** An upper bound sorts as 0, because it does not show that any rate is sustained. */
const orderOf = ({ sustained }: TypeRow) =>
  sustained === undefined ? -1 : sustained.bound === 'at_most' ? 0 : sustained.value;

function hourlyUsdOf({ clientHourlyUsd, serverHourlyUsd }: PairCost): number | undefined {
  return clientHourlyUsd === null || serverHourlyUsd === null ? undefined : clientHourlyUsd + serverHourlyUsd;
}

/** Returns the throughput cell with the highest sustained rate or, without any, the first latency cell with a p99. */
function mostTelling(group: readonly Cell[]): Cell | undefined {
  const rated = group
    .filter(({ results: [first] }) => first.kind === 'throughput')
    .map((cell) => ({ cell, bits: sustainedOf(cell.results)?.value ?? sideMean(cell) ?? 0 }));
  const [best] = rated.sort((left, right) => right.bits - left.bits);
  return best?.cell ?? group.find(({ results }) => results.some((result) => idleP99(result) !== undefined));
}

const sideMean = ({ results }: Cell) => meanThroughput.of(results[0]);

function rowOf(results: Cell['results'], group: readonly Cell[]): Omit<TypeRow, 'label' | 'hourlyUsd'> {
  const all = group.flatMap((cell) => cell.results);
  const atLeast = results.flatMap(({ verdict }) => verdict?.bucketBitsAtLeast ?? []);
  const bucket = repeatedFigure(results, 'bucketBits');
  const isShown = (result: MeasurementResult) =>
    results.includes(result) || loadedP99(result) !== undefined || idleP99(result) !== undefined;
  return {
    results,
    scaledModel: results[0].scaledModel,
    contended: contendedShare(all.filter(isShown)),
    sustained: sustainedOf(results),
    burst: repeatedFigure(results, 'burstBitsPerSecond'),
    onsetSeconds: repeatedFigure(results, 'onsetSeconds'),
    bucket,
    bucketBitsAtLeast: bucket === undefined && atLeast.length > 0 ? largest(atLeast) : undefined,
    loadedP99Micros: repeatedTail(all, loadedP99),
    idleP99Micros: repeatedTail(all, idleP99),
    holdOf: (bitsPerSecond) => repeatedHold(results, bitsPerSecond),
  };
}

function repeatedFigure(results: Cell['results'], key: string): Repeated | undefined {
  const figure = figureByKey(key);
  return repeated(sideOf(valuesOf({ results }, figure), figure));
}

function repeatedTail(
  results: readonly MeasurementResult[],
  valueOf: (result: MeasurementResult) => number | undefined,
): Repeated | undefined {
  const values = results.flatMap((result) => valueOf(result) ?? []);
  return repeated(sideOf({ values }, figureByKey('rttP99Micros')));
}

function repeated(side: Side | undefined): Repeated | undefined {
  if (side === undefined) return undefined;
  const { mean, modes, count } = side.statistics;
  if (mean === null) return { value: elementAt(modes, 0).centre, count, modes: modes.map(({ centre }) => centre) };
  return { value: mean, bounds: side.interval, count };
}

/** Where only some repetitions dropped, those give the sustained rate, because the others show only a bound. */
function sustainedOf(results: Cell['results']): TypeRow['sustained'] {
  const all = results.flatMap((result) => sustainedRate(result) ?? []);
  const bound = (['measured', 'at_least', 'at_most'] as const).find((each) => all.some((rate) => rate.bound === each));
  if (bound === undefined) return undefined;
  const rates = all.filter((rate) => rate.bound === bound);
  const [first] = rates;
  const own = first !== undefined && first.low < first.high ? first : undefined;
  const found = repeated(sideOf({ values: rates.map(({ value }) => value), ownInterval: own }, meanThroughput));
  return found && { ...found, bound };
}

function loadedP99(result: MeasurementResult): number | undefined {
  const loaded = drivenStatistics(result)?.loadedLatency?.before;
  return loaded !== undefined && isSupported('p99', loaded.observations) ? loaded.rttMicros.p99 : undefined;
}

function idleP99(result: MeasurementResult): number | undefined {
  const { rttMicros, observations = 0 } = latencyOf(result) ?? {};
  return isSupported('p99', observations) ? rttMicros?.p99 : undefined;
}

function repeatedHold(results: Cell['results'], bitsPerSecond: number): RepeatedHold | undefined {
  const holds = results
    .flatMap((result) => holdOf(result, bitsPerSecond) ?? [])
    .sort((left, right) => holdSecondsOf(left) - holdSecondsOf(right));
  if (holds.length === 0) return undefined;
  const hold = elementAt(holds, Math.floor((holds.length - 1) / 2));
  const alike = holds.filter(({ kind }) => kind === hold.kind);
  const range =
    hold.kind === 'for'
      ? { low: holdSecondsOf(elementAt(alike, 0)), high: holdSecondsOf(elementAt(alike, -1)) }
      : undefined;
  return { hold, alike: alike.length, count: holds.length, range };
}

/** `0.17 USD an hour` */
export const hourlyPrice = (usd: number) => `${usd < 0.1 ? threeDigits(usd) : usd.toFixed(2)} USD an hour`;

/**
 * Returns the sustained bit/s for each USD that the pair costs an hour, as the query
 * `sustained-throughput-per-dollar-by-type` does; undefined where the price is unknown or the rate is only bounded. The
 * rate of a scaled model is converted to EC2's scale, which is that of the price.
 */
export function sustainedPerUsd({ sustained, hourlyUsd, scaledModel }: TypeRow): number | undefined {
  if (sustained?.bound !== 'measured' || hourlyUsd === undefined || hourlyUsd === 0) {
    return undefined;
  }
  return (sustained.value * (scaledModel?.rateDivisor ?? 1)) / hourlyUsd;
}

/** These rates are shown if at least one type reaches them. */
const USUAL_BITS_PER_SECOND = [1e9, 2e9, 5e9, 10e9];
/** These rates are shown only if a type holds them for a limited time. */
const FURTHER_BITS_PER_SECOND = [0.1e9, 0.2e9, 0.5e9, 20e9, 50e9, 100e9];

/** Returns the rates whose hold times the report shows, in ascending order. */
export function askedRates(rows: readonly TypeRow[]): number[] {
  const isReached = (rate: number) => rows.some((row) => carries(highestOf(row), rate));
  const further = FURTHER_BITS_PER_SECOND.filter((rate) => isReached(rate) && differ(rows, rate));
  return [...USUAL_BITS_PER_SECOND.filter(isReached), ...further].sort((left, right) => left - right);
}

const highestOf = ({ burst, sustained }: TypeRow) => Math.max(burst?.value ?? 0, sustained?.value ?? 0);

/** Whether some row holds the rate for a limited time. */
function differ(rows: readonly TypeRow[], bitsPerSecond: number): boolean {
  return rows.some((row) => {
    const held = row.holdOf(bitsPerSecond);
    return held !== undefined && Number.isFinite(holdSecondsOf(held.hold)) && held.hold.kind !== 'never';
  });
}

/** Adjacent rates whose hold times are described by the same text. */
interface AlikeRates {
  /** `0.1 or 0.2 Gbit/s` */
  readonly name: string;
  /** One of the rates, in bits per second. */
  readonly bitsPerSecond: number;
}

export function alikeRates(
  rates: readonly number[],
  textOf: (bitsPerSecond: number) => string | undefined,
): AlikeRates[] {
  const groups: { readonly bitsPerSecond: number; readonly rates: number[]; readonly text: string | undefined }[] = [];
  for (const rate of rates) {
    const last = groups.at(-1);
    const text = textOf(rate);
    if (last !== undefined && last.text === text) last.rates.push(rate);
    else groups.push({ bitsPerSecond: rate, rates: [rate], text });
  }
  return groups.map((group) => ({ bitsPerSecond: group.bitsPerSecond, name: `${inGigabits(group.rates)} Gbit/s` }));
}

function inGigabits(rates: readonly number[]): string {
  const texts = rates.map((rate) => String(rate / 1e9));
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' or ');
}
