/** Which of several rows is first in a figure, and which ones can't be told from it. */
import { LEAST_CHANGE_THAT_MATTERS, judgedRatio, comparedSides, sideOf, valuesOf } from '../repetitions/figure-change';
import type { Interval } from '../maths/interval';
import type { Figure } from '../tables/figures';
import type { MeasurementResult } from '../model/result';
import type { AnswerFigure } from './model';

export interface Ranked<Item> {
  readonly item: Item;
  readonly figure: AnswerFigure;
}

/** Returns the first and, after it, those whose ranges include its value or are included by its own. */
export function firstOf<Item>(
  items: readonly Item[],
  figureOf: (item: Item) => AnswerFigure | null,
  isSmallestFirst = false,
): Ranked<Item>[] {
  const sign = isSmallestFirst ? 1 : -1;
  const ranked = items
    .flatMap((item): Ranked<Item>[] => {
      const figure = figureOf(item);
      return figure === null ? [] : [{ item, figure }];
    })
    .sort((left, right) => sign * (left.figure.value - right.figure.value));
  const [first] = ranked;
  return first === undefined ? [] : ranked.filter(({ figure }) => isTie(first.figure, figure));
}

/** A difference that is too small to matter is a tie, even if it is certain. */
function isTie(left: AnswerFigure, right: AnswerFigure): boolean {
  const ratio = left.value > 0 && right.value > 0 ? left.value / right.value : left.value === right.value ? 1 : 0;
  const isSmall = Math.abs(Math.log(ratio)) < Math.log(1 + LEAST_CHANGE_THAT_MATTERS);
  return isSmall || includes(left, right.value) || includes(right, left.value);
}

const includes = ({ value, low, high }: AnswerFigure, other: number) =>
  other >= (low ?? value) && other <= (high ?? (low === null ? value : Infinity));

/** The ratio of a figure between two sets of measurements, with its 95 % interval; undefined where noise is unknown. */
export function ratioOf(
  greater: readonly MeasurementResult[],
  smaller: readonly MeasurementResult[],
  figure: Figure,
): Interval | undefined {
  const sides = [smaller, greater].map((results) => sideOf(valuesOf({ results }, figure), figure));
  const [earlier, now] = sides;
  const compared = earlier && now && comparedSides(earlier, now, figure);
  return compared && judgedRatio(compared)?.ratio;
}
