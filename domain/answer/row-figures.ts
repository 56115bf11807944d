/** The figures of one row of the answer, over the measurements of a setting. */
import { elementAt, groupBy } from '../maths/elements';
import { intervalOfAnotherPair } from '../maths/repetition-statistics';
import { largest, smallest } from '../maths/statistics';
import { holdOf, sustainedRate, type Hold } from '../model/carried-rate';
import { FULL_CREDITS_OF_ANOTHER_PAIR } from '../model/token-bucket';
import { isSupported } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { drivenStatistics, latencyOf, type RttStatistics } from '../model/statistics';
import { sideOf, valuesOf, type FigureValues } from '../repetitions/figure-change';
import { figureByKey, HELD_SCATTER, meanThroughput, type Figure } from '../tables/figures';
import {
  heldSeconds,
  isReached,
  NEARLY_ALL,
  type AnsweredHold,
  type AnsweredRoundTrips,
  type AnswerFigure,
  type SustainedFigure,
} from '../model/answer';
import type { Way } from './subjects';

type Results = readonly MeasurementResult[];

export function figureOf(results: Results, key: string): AnswerFigure | null {
  const figure = figureByKey(key);
  return answerFigure(valuesOf({ results }, figure), figure);
}

function answerFigure(measured: FigureValues, figure: Figure): AnswerFigure | null {
  const side = sideOf(measured, figure);
  if (side === undefined) return null;
  const { mean, modes, count, min, max } = side.statistics;
  if (mean === null) {
    const centres = modes.map(({ centre }) => centre);
    return { value: elementAt(centres, 0), low: min, high: max, count, modes: centres };
  }
  const range = intervalOfAnotherPair(side.statistics, figure) ?? (count > 1 ? { low: min, high: max } : side.interval);
  return { value: mean, low: endOf(range?.low), high: endOf(range?.high), count };
}

const endOf = (end = Infinity) => (Number.isFinite(end) ? end : null);

/** How long the burst of another pair lasts at the same rate: its bucket differs, and its rate is a figure of its own. */
export function burstSecondsOf(results: Results): AnswerFigure | null {
  const onset = figureByKey('onsetSeconds');
  return answerFigure(valuesOf({ results }, onset), { ...onset, ofAnotherPair: FULL_CREDITS_OF_ANOTHER_PAIR });
}

/** The burst of another pair is no faster than the types are published to be, unless this one was. */
export function burstOf(results: Results): AnswerFigure | null {
  const burst = figureOf(results, 'burstBitsPerSecond');
  const peaks = results.flatMap(({ publishedClient, publishedServer }) =>
    [publishedClient, publishedServer].flatMap((facts) => facts?.peakBitsPerSecond ?? []),
  );
  if (typeof burst?.high !== 'number' || peaks.length === 0) return burst;
  return { ...burst, high: Math.max(burst.value, Math.min(burst.high, smallest(peaks))) };
}

/** What the measurements of a setting say of the sustained rate: values of one kind. */
export interface SustainedValues extends FigureValues {
  readonly bound: SustainedFigure['bound'];
  readonly figure: Figure;
}

/**
 * Takes what was measured if some measurements show it, otherwise the lower bounds, and only then the upper ones. Where
 * credits ran out in some measurements, only the rates after it count: one without a drop does not contradict them, it
 * was too short, and where nothing is published its mean looks like a sustained rate.
 */
export function sustainedValues(results: Results): SustainedValues | undefined {
  const rated = results.flatMap((result) => {
    const rate = sustainedRate(result);
    return rate === undefined ? [] : [{ ...rate, isDropped: result.verdict?.baseline !== null }];
  });
  const dropped = rated.filter(({ isDropped }) => isDropped);
  const all = dropped.length > 0 ? dropped : rated;
  const bound = (['measured', 'at_least', 'at_most'] as const).find((each) => all.some((rate) => rate.bound === each));
  if (bound === undefined) return undefined;
  const rates = all.filter((rate) => rate.bound === bound);
  const [first] = rates;
  return {
    bound,
    values: rates.map(({ value }) => value),
    ownInterval: first !== undefined && first.low < first.high ? first : undefined,
    figure: dropped.length > 0 ? figureByKey('baselineBitsPerSecond') : meanThroughput,
  };
}

export function sustainedFigure(results: Results): SustainedFigure | null {
  const shown = sustainedValues(results);
  if (shown === undefined) return null;
  const { bound, values, figure } = shown;
  if (bound === 'at_least') return { ...limit(largest(values), values.length), bound };
  if (bound === 'at_most') return { ...limit(smallest(values), values.length), bound };
  const found = answerFigure(shown, figure);
  return found && { ...found, bound };
}

const limit = (value: number, count: number): AnswerFigure => ({ value, low: null, high: null, count });

/** The hold time of a rate over the measurements of a setting; undefined where none of them shows it. */
export function answeredHold(results: Results, bitsPerSecond: number): AnsweredHold | undefined {
  const known = results.flatMap((result) => {
    const hold = holdOf(result, bitsPerSecond);
    return hold === undefined ? [] : [{ pairId: result.pairId, hold }];
  });
  if (known.length === 0) return undefined;
  const pairs = groupBy(known, ({ pairId }) => pairId);
  const reached = [...pairs.values()].filter((same) => same.some(({ hold }) => hold.kind !== 'never'));
  const share = { bitsPerSecond, reachedPairCount: reached.length, pairCount: pairs.size };
  return { ...share, ...typicalHold(known.map(({ hold }) => hold)) };
}

type TypicalHold = Pick<AnsweredHold, 'kind' | 'seconds' | 'lowSeconds' | 'highSeconds'>;

function typicalHold(holds: readonly Hold[]): TypicalHold {
  const reaching = holds.filter(({ kind }) => kind !== 'never');
  const without = (kind: AnsweredHold['kind'], seconds: number | null = null): TypicalHold => {
    return { kind, seconds, lowSeconds: null, highSeconds: null };
  };
  if (reaching.length === 0) return without('never');
  const always = reaching.filter(({ kind }) => kind === 'always').length;
  const ended = reaching.flatMap((hold) => (hold.kind === 'for' ? [hold.seconds] : []));
  const unended = reaching.flatMap((hold) => (hold.kind === 'at_least' ? [hold.seconds] : []));
  // One that ended shows that the rate can end.
  if (always >= NEARLY_ALL * reaching.length || ended.length + unended.length === 0) return without('always');
  if (ended.length === 0) return without('at_least', smallest(unended));
  const side = sideOf({ values: ended.map(({ value }) => value) }, HELD_SCATTER);
  return {
    kind: 'for',
    seconds: side?.statistics.mean ?? side?.statistics.modes[0]?.centre ?? null,
    lowSeconds: endOf(smallest(ended.map(({ low }) => low))),
    highSeconds: endOf(largest(ended.map(({ high }) => high))),
  };
}

/** Of two settings, the one that holds a rate better: by more pairs than not, and then longer. */
export function betterHold(best: AnsweredHold | undefined, next: AnsweredHold): AnsweredHold {
  if (best === undefined) return next;
  const rank = (hold: AnsweredHold) => [isReached(hold) ? 1 : 0, heldSeconds(hold), hold.kind === 'for' ? 1 : 0];
  const [left, right] = [rank(best), rank(next)];
  const differing = left.findIndex((each, index) => each !== right[index]);
  return differing >= 0 && elementAt(right, differing) > elementAt(left, differing) ? next : best;
}

export function roundTripsOf({ words, results }: Way): AnsweredRoundTrips {
  const p50 = (result: MeasurementResult) => latencyOf(result)?.rttMicros?.p50;
  const p99 = (result: MeasurementResult) => tailOf(latencyOf(result));
  return {
    name: words,
    p50Micros: roundTrip(results, p50, 'rttP50Micros'),
    p99Micros: roundTrip(results, p99, 'rttP99Micros'),
  };
}

/** The round trips of the probe beside a load, before the throttle onset. */
export function loadedRoundTrips(results: Results): AnsweredRoundTrips[] {
  const before = (result: MeasurementResult) => drivenStatistics(result)?.loadedLatency?.before;
  const p50Micros = roundTrip(results, (result) => before(result)?.rttMicros.p50, 'rttBeforeOnsetP50Micros');
  const p99Micros = roundTrip(results, (result) => tailOf(before(result)), 'rttP99Micros');
  return p50Micros === null && p99Micros === null ? [] : [{ name: 'under load', p50Micros, p99Micros }];
}

/** @param key of the figure whose usual scatter decides whether the values form several modes */
function roundTrip(results: Results, valueOf: (result: MeasurementResult) => number | undefined, key: string) {
  return answerFigure({ values: results.flatMap((result) => valueOf(result) ?? []) }, figureByKey(key));
}

function tailOf({ rttMicros, observations = 0 }: Partial<RttStatistics> = {}): number | undefined {
  return isSupported('p99', observations) ? rttMicros?.p99 : undefined;
}
