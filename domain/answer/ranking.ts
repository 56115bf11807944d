/** Which of several rows is first in a figure, and which ones can't be told from it. */
import {
  comparedSides,
  judgedRatio,
  LEAST_CHANGE_THAT_MATTERS,
  sideOf,
  type FigureValues,
} from '../repetitions/figure-change';
import type { Interval } from '../maths/interval';
import { NORMAL_QUANTILE_95 } from '../maths/statistics';
import type { Figure } from '../tables/figures';
import type { AnswerFigure } from '../model/answer';

export interface Ranked<Item> {
  readonly item: Item;
  readonly figure: AnswerFigure;
}

/** The values behind a figure, from which it follows how much they scatter. */
export interface RankedValues extends FigureValues {
  readonly figure: Figure;
}

interface Order<Item> {
  readonly isSmallestFirst?: boolean;
  /** Without it, only the ranges of the figures decide about ties. */
  readonly valuesOf?: (item: Item) => RankedValues | undefined;
}

/** Returns the first and, after it, those that can't be told from it. */
export function firstOf<Item>(
  items: readonly Item[],
  figureOf: (item: Item) => AnswerFigure | null,
  { isSmallestFirst = false, valuesOf = () => undefined }: Order<Item> = {},
): Ranked<Item>[] {
  const sign = isSmallestFirst ? 1 : -1;
  const ranked = items
    .flatMap((item): Ranked<Item>[] => {
      const figure = figureOf(item);
      return figure === null ? [] : [{ item, figure }];
    })
    .sort((left, right) => sign * (left.figure.value - right.figure.value));
  const [first] = ranked;
  if (first === undefined) return [];
  const isAlike = ({ item }: Ranked<Item>) => {
    const ratio = ratioOf(valuesOf(first.item), valuesOf(item));
    return ratio !== undefined && ratio.low <= 1 && ratio.high >= 1;
  };
  return ranked.filter((each) => each === first || isTie(first.figure, each.figure) || isAlike(each));
}

/** A difference that is too small to matter is a tie, even if it is certain. */
function isTie(left: AnswerFigure, right: AnswerFigure): boolean {
  const isSmall = !isMore(left.value, right.value) && !isMore(right.value, left.value);
  return isSmall || includes(left, right.value) || includes(right, left.value);
}

export const isMore = (value: number, other: number) => value > (1 + LEAST_CHANGE_THAT_MATTERS) * other;

/** Several modes are no range: between 5 and 9.7, nothing was measured. */
function includes({ value, low, high, modes }: AnswerFigure, other: number): boolean {
  if (modes !== undefined) return false;
  return other >= (low ?? value) && other <= (high ?? (low === null ? value : Infinity));
}

/** Two values may lie close together by chance, so the usual scatter counts as two more degrees of freedom, as in modes. */
const USUAL_DEGREES = 2;

/** The ratio of a figure between two rows, with its 95 % interval; undefined where noise is unknown. */
export function ratioOf(greater: RankedValues | undefined, smaller: RankedValues | undefined): Interval | undefined {
  const [now, earlier] = [greater, smaller].map((values) => values && sideOf(values, values.figure));
  if (greater === undefined || earlier === undefined || now === undefined) return undefined;
  const compared = comparedSides(earlier, now, greater.figure);
  const common = { variance: usualDeviation(greater.figure) ** 2, degrees: USUAL_DEGREES };
  return compared && judgedRatio(compared, common)?.ratio;
}

/** How far pairs usually differ; the recorded range is that of the ratio of two of them. */
function usualDeviation({ ofAnotherPair, usualScatter }: Figure): number {
  if (ofAnotherPair === undefined) return usualScatter;
  return Math.log(ofAnotherPair.high) / (NORMAL_QUANTILE_95 * Math.SQRT2);
}
