/**
 * Estimates the ratio by which a figure changed between two sides. It works on logarithms, because rates, volumes and
 * times scatter in proportion to their size, e.g. round trips in zones of 620 and of 1,010 µs.
 *
 * | the values                                    | basis                | the interval is from                      |
 * | --------------------------------------------- | -------------------- | ----------------------------------------- |
 * | of two or more zones that both sides have     | `zones`              | the scatter within the zones              |
 * | repeated on both sides                        | `repetitions`        | the scatter on both sides (Welch)         |
 * | repeated on one side                          | `one_repeated`       | the scatter of that side, used for both   |
 * | one on each side, with intervals of their own | `own_intervals`      | these, and the scatter between pairs      |
 * | one on each side, without                     | `single_measurement` | nowhere                                   |
 * | in several modes that zones don't explain     | `several_modes`      | nowhere; the shares of modes are compared |
 *
 * Where one side is a single pair, the interval is at least as wide as the recorded difference between pairs.
 */
import {
  estimatedDifference,
  judgedDifference,
  differenceOfIntervals,
  type EstimatedDifference,
} from '../maths/difference';
import { mapInterval, type Interval } from '../maths/interval';
import { comparedShares, stepOf, type ModeShares } from '../maths/mode-shares';
import { moderatedVariance, type EstimatedVariance } from '../maths/moderated-variance';
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import { chanceBeyond, mean, studentQuantile } from '../maths/statistics';
import type { MeasurementResult } from '../model/result';
import type { Figure } from '../tables/figures';

/** A relative change below this is nothing that an application would notice. */
export const LEAST_CHANGE_THAT_MATTERS = 0.05;

export type ComparisonBasis =
  'zones' | 'repetitions' | 'one_repeated' | 'own_intervals' | 'single_measurement' | 'several_modes';

/** The values of a figure on one side. */
export interface FigureValues {
  readonly values: readonly number[];
  /** For each value the zones of both hosts, `eu-central-1a/eu-central-1b`; absent where they are unknown. */
  readonly zones?: readonly (string | undefined)[];
  /** Whether all values were measured on one pair of hosts. */
  readonly isOnePair?: boolean;
  /** Whether some values were measured on the same pair of hosts, so that they are not independent. */
  readonly sharesPairs?: boolean;
  /** The 95 % interval of a single value, estimated within its own measurement. */
  readonly ownInterval?: Interval;
}

interface Measured {
  readonly results: readonly MeasurementResult[];
}

export function valuesOf({ results }: Measured, figure: Pick<Figure, 'of' | 'intervalOf'>): FigureValues {
  const measured = results.filter((result) => figure.of(result) !== undefined);
  const [first] = measured;
  const pairCount = new Set(measured.map(({ pairId }) => pairId)).size;
  return {
    values: measured.flatMap((result) => figure.of(result) ?? []),
    zones: measured.map(zonesOf),
    isOnePair: pairCount === 1,
    sharesPairs: pairCount < measured.length,
    ownInterval: first && figure.intervalOf(first),
  };
}

/** Returns the zones of both hosts, because a difference that comes from the zones is not noise. */
function zonesOf({ client, server }: MeasurementResult): string | undefined {
  return client && server && `${client.zone}/${server.zone}`;
}

export interface Side extends FigureValues {
  readonly statistics: RepetitionStatistics;
  /** The 95 % interval of the mean, from the repetitions or from the single measurement. */
  readonly interval: Interval | undefined;
}

/** @returns undefined where the figure was not measured */
export function sideOf(measured: FigureValues, scatter: Pick<Figure, 'usualScatter' | 'isSkewed'>): Side | undefined {
  const statistics = repetitionStatistics(measured.values, scatter);
  if (statistics === undefined) return undefined;
  const { mean: centre, meanInterval, count } = statistics;
  const interval = centre !== null && meanInterval !== null ? { value: centre, ...meanInterval } : undefined;
  return { ...measured, statistics, interval: interval ?? (count === 1 ? measured.ownInterval : undefined) };
}

/** The estimated change of one cell, before the scatter of the same figure in other cells is known. */
export interface ComparedSides {
  readonly basis: ComparisonBasis;
  /** The difference of the logarithms; only where at least one side is repeated. */
  readonly repeated?: EstimatedDifference;
  /** The difference of the logarithms; only where both sides are single measurements. */
  readonly single?: Interval;
  /** Where all values together have several modes that zones don't explain. */
  readonly mixture?: ComparedMixture;
  /** Half the 95 % interval of the logarithm of another pair's value; 0 where it is unknown or not needed. */
  readonly pairHalf: number;
}

export interface ComparedMixture {
  readonly shares: ModeShares;
  /** The p-value of the shares; undefined where repetitions shared pairs, so that nothing says how pairs differ. */
  readonly chance: number | undefined;
}

/** @returns undefined where a value is 0 or less, which has no ratio to another */
export function comparedSides(
  earlier: Side,
  now: Side,
  { ofAnotherPair, usualScatter }: Pick<Figure, 'ofAnotherPair'> & Partial<Pick<Figure, 'usualScatter'>>,
): ComparedSides | undefined {
  if ([...earlier.values, ...now.values].some((value) => value <= 0)) return undefined;
  const isOnePair = [earlier, now].some((side) => side.values.length === 1 || side.isOnePair === true);
  const pairHalf = isOnePair && ofAnotherPair !== undefined ? Math.log(ofAnotherPair.high) : 0;
  const found = estimatedDifference(logsOf(earlier), logsOf(now));
  const mixture = found?.isBlocked === true ? undefined : mixtureOf(earlier, now, usualScatter);
  if (found?.isBlocked !== true && [earlier, now].some(({ statistics }) => statistics.mean === null)) {
    return { basis: 'several_modes', mixture, pairHalf };
  }
  if (found === undefined) return singleSides(earlier, now, pairHalf);
  const isRepeated = earlier.values.length > 1 && now.values.length > 1;
  const basis = found.isBlocked ? 'zones' : isRepeated ? 'repetitions' : 'one_repeated';
  return { basis, repeated: found.difference, mixture, pairHalf };
}

function mixtureOf(earlier: Side, now: Side, usualScatter: number | undefined): ComparedMixture | undefined {
  const compared = comparedShares(earlier.values, now.values, usualScatter);
  if (compared === undefined) return undefined;
  const isOnOwnPairs = ![earlier, now].some(({ sharesPairs }) => sharesPairs === true);
  return { shares: compared.shares, chance: isOnOwnPairs ? compared.chance : undefined };
}

/** Two single measurements are compared only where it is recorded how far another pair may differ. */
function singleSides(earlier: Side, now: Side, pairHalf: number): ComparedSides {
  const hasBounds = (interval: Interval | undefined): interval is Interval =>
    interval !== undefined && interval.low > 0;
  if (!hasBounds(earlier.interval) || !hasBounds(now.interval) || pairHalf === 0) {
    return { basis: 'single_measurement', pairHalf };
  }
  const [before, after] = [mapInterval(earlier.interval, Math.log), mapInterval(now.interval, Math.log)];
  return { basis: 'own_intervals', single: differenceOfIntervals(before, after), pairHalf };
}

const logsOf = ({ values, zones }: Side) =>
  values.map((value, index) => ({ value: Math.log(value), block: zones?.[index] }));

/** Two steps between modes are as large as each other if their ratio is less than this. */
const AS_FAR_APART = Math.log(1.1);

/**
 * Returns how far apart the modes of mixtures are, as logarithms. Another cell whose sides differ by such a step may be a
 * mixture, too, of which each side has seen only one mode.
 */
export function stepsOf(sides: readonly ComparedSides[]): number[] {
  return sides.flatMap(({ basis, mixture }) => (basis === 'several_modes' && mixture ? stepOf(mixture.shares) : []));
}

/** Returns the least p-value of a change of level, because it may be one of shares; 0 where it can't be. */
function leastChance({ basis, mixture }: ComparedSides, steps: readonly number[]): number {
  if (basis !== 'repetitions' || mixture?.chance === undefined) return 0;
  const own = stepOf(mixture.shares);
  return steps.some((step) => Math.abs(step - own) < AS_FAR_APART) ? mixture.chance : 0;
}

export interface JudgedRatio {
  /** The current level divided by the earlier one, with its 95 % interval. */
  readonly ratio: Interval;
  /** The p-value: how probable so large a ratio is without a real change. */
  readonly chance: number;
}

/**
 * The degrees of freedom of the recorded scatter between pairs: the recorded instances of nine types, less one for each
 * type. They are used where that scatter dominates the interval.
 */
const RECORDED_DEGREES = 22;

/**
 * @param common how the same figure scatters in the cells beside it
 * @returns undefined where nothing shows the noise
 */
export function judgedRatio(
  { repeated, single, pairHalf }: ComparedSides,
  common?: EstimatedVariance,
): JudgedRatio | undefined {
  if (repeated !== undefined) {
    const moderated = { ...repeated, single: moderatedVariance(repeated.single, common) };
    const { interval, chance } = judgedDifference(moderated);
    if (pairHalf <= interval.high - interval.value) return { ratio: mapInterval(interval, Math.exp), chance };
    return withinPairs({ value: interval.value, low: interval.value, high: interval.value }, pairHalf);
  }
  return single && withinPairs(single, pairHalf);
}

function withinPairs({ value, low, high }: Interval, pairHalf: number): JudgedRatio {
  const [below, above] = [Math.hypot(value - low, pairHalf), Math.hypot(high - value, pairHalf)];
  const towardsZero = value > 0 ? below : above;
  const t = (value / towardsZero) * studentQuantile(RECORDED_DEGREES);
  const ratio = mapInterval({ value, low: value - below, high: value + above }, Math.exp);
  return { ratio, chance: value === 0 ? 1 : chanceBeyond(t, RECORDED_DEGREES) };
}

/** A change of level with its interval, or one of the shares of several modes. */
export type Judged = Pick<JudgedRatio, 'chance'> & Partial<JudgedRatio>;

export function judgedSides(
  sides: ComparedSides,
  common: EstimatedVariance | undefined,
  steps: readonly number[],
): Judged | undefined {
  if (sides.basis === 'several_modes') {
    return sides.mixture?.chance === undefined ? undefined : { chance: sides.mixture.chance };
  }
  const judged = judgedRatio(sides, common);
  return judged && { ...judged, chance: Math.max(judged.chance, leastChance(sides, steps)) };
}

/** The level that a change is relative to: the mean, even where zones are the reason for several modes. */
export const levelOf = ({ values }: Pick<Side, 'values'>) => mean(values);
