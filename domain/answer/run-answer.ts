/** Makes the answer of a run from its measurements and prices. */
import { groupBy } from '../maths/elements';
import { largest, median, smallest } from '../maths/statistics';
import { contendedShare } from '../model/contended';
import type { PairCost } from '../model/cost';
import type { MeasurementResult } from '../model/result';
import type { AnsweredHold, AnswerRow, RunAnswer, SustainedFigure } from '../model/answer';
import {
  answeredHold,
  betterHold,
  burstOf,
  burstSecondsOf,
  figureOf,
  loadedRoundTrips,
  roundTripsOf,
  sustainedFigure,
} from './row-figures';
import { isMore } from './ranking';
import { answerSentences } from './sentences';
import { subjectsOf, type Subject, type Way } from './subjects';

/** @returns undefined for a run that measured neither throughput nor round trips */
export function runAnswer(
  results: readonly MeasurementResult[],
  pairCosts: readonly PairCost[] = [],
): RunAnswer | undefined {
  const { question, shared, subjects } = subjectsOf(results);
  const hourly = new Map(pairCosts.map((pair) => [pair.pairId, hourlyUsdOf(pair)]));
  const found = subjects.map((subject) => {
    const way = mostSustaining(subject.throughput);
    return { subject, own: way?.results ?? [], row: rowOf(subject, way, hourly) };
  });
  if (found.length === 0) return undefined;
  const askedBitsPerSecond = askedRates(subjects);
  const built = found.map(({ subject, own, row }) => ({
    own,
    row: { ...row, holds: holdsOf(subject, askedBitsPerSecond) },
  }));
  // Settings stay in the order of the plan, in which they increase.
  if (question !== 'settings') built.sort((left, right) => orderOf(right.row) - orderOf(left.row));
  const scaledModel = results.find((result) => result.scaledModel !== undefined)?.scaledModel;
  const rows = built.map(({ row }) => row);
  const answer = { question, shared, askedBitsPerSecond, rows, ...(scaledModel && { scaledModel }) };
  return { ...answer, sentences: answerSentences(answer, built) };
}

type RowWithoutHolds = Omit<AnswerRow, 'holds'>;

/** Bounds are not ranked: they come after what was measured, in the order of the plan. */
function orderOf({ sustained }: AnswerRow): number {
  if (sustained === null) return -3;
  return { measured: sustained.value, at_least: -1, at_most: -2 }[sustained.bound];
}

function hourlyUsdOf({ clientHourlyUsd, serverHourlyUsd }: PairCost): number | null {
  return clientHourlyUsd === null || serverHourlyUsd === null ? null : clientHourlyUsd + serverHourlyUsd;
}

function rowOf(
  { label, throughput, latency }: Subject,
  way: Way | undefined,
  hourly: ReadonlyMap<string, number | null>,
): RowWithoutHolds {
  const own = way?.results ?? [];
  const all = [...throughput, ...latency].flatMap(({ results }) => results);
  const [first] = all as [MeasurementResult];
  const sustained = sustainedFigure(own);
  const bucketBits = figureOf(own, 'bucketBits');
  const atLeast = own.flatMap(({ verdict }) => verdict?.bucketBitsAtLeast ?? []);
  const pairHourlyUsd = all.map(({ pairId }) => hourly.get(pairId)).find((usd) => typeof usd === 'number') ?? null;
  const loads = loadedRoundTrips(throughput.flatMap(({ results }) => results));
  return {
    label,
    clientType: first.clientType,
    serverType: first.serverType,
    measurementIds: [...new Set([...own, ...all].map(({ measurementId }) => measurementId))],
    pairCount: new Set(all.map(({ pairId }) => pairId)).size,
    settingCount: throughput.length,
    ...(throughput.length > 1 && way !== undefined && { setting: way.words, otherSettings: spreadOf(throughput) }),
    sustained,
    burst: burstOf(own),
    burstSeconds: burstSecondsOf(own),
    bucketBits,
    bucketBitsAtLeast: bucketBits === null && atLeast.length > 0 ? largest(atLeast) : null,
    meanBitsPerSecond: figureOf(own, 'meanBitsPerSecond'),
    roundTrips: [...loads, ...latency.map(roundTripsOf)],
    pairHourlyUsd,
    sustainedBitsPerSecondPerUsd: perUsd(sustained, pairHourlyUsd, first.scaledModel?.rateDivisor),
    verdicts: verdictsOf(own),
    confidence: confidenceOf(own),
    contended: contendedShare(all),
  };
}

/**
 * What was measured goes before a bound, unless another setting carried more for certain: a single flow at its limit is
 * not the rate of a type that carried all of a greater load.
 */
function mostSustaining(ways: readonly Way[]): Way | undefined {
  const rated = ways.map((way) => ({
    way,
    sustained: sustainedFigure(way.results),
    mean: figureOf(way.results, 'meanBitsPerSecond')?.value ?? 0,
  }));
  const bestOf = (bound: SustainedFigure['bound'] | undefined) =>
    rated
      .filter(({ sustained }) => sustained?.bound === bound)
      .sort((left, right) => rateOf(right) - rateOf(left) || right.mean - left.mean)[0];
  const rateOf = ({ sustained }: (typeof rated)[number]) => sustained?.value ?? 0;
  const [measured, atLeast] = [bestOf('measured'), bestOf('at_least')];
  if (measured && atLeast && isMore(rateOf(atLeast), rateOf(measured))) return atLeast.way;
  return (measured ?? atLeast ?? bestOf('at_most') ?? bestOf(undefined))?.way;
}

function spreadOf(ways: readonly Way[]): AnswerRow['otherSettings'] {
  const sustained = ways
    .flatMap(({ results }) => sustainedFigure(results) ?? [])
    .filter(({ bound }) => bound === 'measured');
  if (sustained.length < 2) return undefined;
  const values = sustained.map(({ value }) => value);
  return { low: smallest(values), high: largest(values) };
}

function perUsd(sustained: SustainedFigure | null, hourlyUsd: number | null, rateDivisor = 1): number | null {
  if (sustained?.bound !== 'measured' || hourlyUsd === null || hourlyUsd === 0) return null;
  return (sustained.value * rateDivisor) / hourlyUsd;
}

function verdictsOf(results: readonly MeasurementResult[]): AnswerRow['verdicts'] {
  const found = results.flatMap(({ verdict }) => verdict ?? []);
  return [...groupBy(found, ({ kind, cause }) => `${kind} ${cause}`).values()]
    .map((same) => ({ kind: same[0].kind, cause: same[0].cause, count: same.length }))
    .sort((left, right) => right.count - left.count);
}

function confidenceOf(results: readonly MeasurementResult[]): number | null {
  const confidences = results.flatMap(({ verdict }) => verdict?.confidence ?? []);
  return confidences.length === 0 ? null : median(confidences);
}

/** Each rate in the setting that holds it best, which is named where the row has several. */
function holdsOf({ throughput }: Subject, rates: readonly number[]): AnsweredHold[] {
  return rates.flatMap((rate) => {
    const best = throughput.reduce<AnsweredHold | undefined>((chosen, { results, words }) => {
      const hold = answeredHold(results, rate);
      if (hold === undefined) return chosen;
      return betterHold(chosen, throughput.length > 1 ? { ...hold, setting: words } : hold);
    }, undefined);
    return best ?? [];
  });
}

/** These rates are shown if at least one row reaches them, in any of its settings. */
const USUAL_BITS_PER_SECOND = [1e9, 2e9, 5e9, 10e9];
/** These rates are shown only if a row holds them for a limited time. */
const FURTHER_BITS_PER_SECOND = [0.1e9, 0.2e9, 0.5e9, 20e9, 50e9, 100e9];

/** Returns the rates whose hold times are shown, in ascending order. */
function askedRates(subjects: readonly Subject[]): number[] {
  const isHeld = (rate: number, kinds: readonly AnsweredHold['kind'][]) =>
    subjects.some((subject) => holdsOf(subject, [rate]).some(({ kind }) => kinds.includes(kind)));
  return [
    ...USUAL_BITS_PER_SECOND.filter((rate) => isHeld(rate, ['always', 'for', 'at_least'])),
    ...FURTHER_BITS_PER_SECOND.filter((rate) => isHeld(rate, ['for', 'at_least'])),
  ].sort((left, right) => left - right);
}
