/**
 * Tests all compared figures of two runs together. The noise of each is in `figure-change.ts`; here it is corrected for
 * the number of comparisons (docs/decisions/0016-changes-between-two-runs.md).
 */
import { groupBy } from '../maths/elements';
import type { Bounds } from '../maths/interval';
import { combinedChance, commonVariance, findingsUpTo } from '../maths/moderated-variance';
import type { ModeShares } from '../maths/mode-shares';
import type { RepetitionStatistics } from '../maths/repetition-statistics';
import type { FigureFacts } from '../tables/figure-facts';
import {
  comparedSides,
  judgedSides,
  LEAST_CHANGE_THAT_MATTERS,
  levelOf,
  sideOf,
  stepsOf,
  type ComparedSides,
  type ComparisonBasis,
  type FigureValues,
  type Judged,
} from './figure-change';

export interface FigureChange {
  /** Key of one of `FIGURES`, e.g. `burstBitsPerSecond`. */
  readonly figure: string;
  readonly earlier: RepetitionStatistics;
  readonly now: RepetitionStatistics;
  readonly basis: ComparisonBasis;
  /** The mean of each side; null where the values of a side have several modes that zones do not explain. */
  readonly levels: { readonly earlier: number; readonly now: number } | null;
  /** The current level divided by the earlier one; null with several modes, or if the earlier level is 0. */
  readonly ratio: number | null;
  /** The change in the figure's own unit; null with several modes. */
  readonly difference: number | null;
  /** The 95 % interval of this difference, not corrected for other comparisons; null where the noise is unknown. */
  readonly interval: Bounds | null;
  /** With several modes, how many pairs were at which; absent otherwise. */
  readonly shares?: ModeShares;
  /** The p-value: how probable so large a difference is without a real change; null where the noise is unknown. */
  readonly chance: number | null;
  /** Whether the change is significant after correction for all comparisons; null where the noise is unknown. */
  readonly isBeyondNoise: boolean | null;
  /** Whether the change is at least `LEAST_CHANGE_THAT_MATTERS`; null where there is no ratio. */
  readonly matters: boolean | null;
}

export const TOO_SMALL = `less than ${100 * LEAST_CHANGE_THAT_MATTERS} %, too small to matter`;

/** The false discovery rate: the expected share of reported changes that are none. */
const FALSE_SHARE = 0.05;

/** One figure of a cell before it is tested together with the figures of the other cells. */
export interface FigureSides extends Pick<FigureChange, 'figure' | 'earlier' | 'now' | 'levels'> {
  readonly sides: ComparedSides | undefined;
}

/** @returns undefined where one of the sides has no value */
export function figureSides(
  figure: FigureFacts,
  earlierValues: FigureValues,
  nowValues: FigureValues,
): FigureSides | undefined {
  const [earlier, now] = [sideOf(earlierValues, figure), sideOf(nowValues, figure)];
  if (earlier === undefined || now === undefined) return undefined;
  const sides = comparedSides(earlier, now, figure);
  const levels = sides?.basis === 'several_modes' ? null : { earlier: levelOf(earlier), now: levelOf(now) };
  return { figure: figure.key, earlier: earlier.statistics, now: now.statistics, levels, sides };
}

/**
 * Tests the figures of all cells in two steps. First the p-values of each cell are combined, and the false discovery
 * rate is controlled over the cells. Then the figures within each significant cell are tested at a level that is
 * reduced to the share of cells that are significant (Benjamini and Bogomolov 2014, DOI 10.1111/rssb.12028).
 */
export function judgedTogether(cells: readonly (readonly FigureSides[])[]): FigureChange[][] {
  const alike = [...groupBy(cells.flat(), ({ figure }) => figure)].map(([key, same]) => {
    return [key, same.flatMap(({ sides }) => sides ?? [])] as const;
  });
  const common = new Map(
    alike.map(([key, sides]) => [key, commonVariance(sides.flatMap(({ repeated }) => repeated?.single ?? []))]),
  );
  const steps = new Map(alike.map(([key, sides]) => [key, stepsOf(sides)]));
  const judged = cells.map((figures) =>
    figures.map((each) => ({
      sides: each,
      judged: each.sides && judgedSides(each.sides, common.get(each.figure), steps.get(each.figure) ?? []),
    })),
  );
  const chances = judged.map((figures) => figures.flatMap((each) => each.judged?.chance ?? []));
  const withChances = chances.filter(({ length }) => length > 0).map(combinedChance);
  const cellsUpTo = findingsUpTo(withChances, FALSE_SHARE);
  const foundShare = withChances.filter((chance) => chance <= cellsUpTo).length / withChances.length;
  return judged.map((figures, index) => {
    const ofCell = chances[index] ?? [];
    const isFound = ofCell.length > 0 && combinedChance(ofCell) <= cellsUpTo;
    const figuresUpTo = isFound ? findingsUpTo(ofCell, FALSE_SHARE * foundShare) : -1;
    return figures.map((each) => figureChange(each.sides, each.judged, figuresUpTo));
  });
}

function figureChange({ sides, ...compared }: FigureSides, judged: Judged | undefined, upTo: number): FigureChange {
  const { levels } = compared;
  const basis = sides?.basis ?? 'single_measurement';
  if (levels === null) {
    const found = judged === undefined ? NOT_JUDGED : { ...NOT_JUDGED, ...isFinding(judged, upTo) };
    return {
      ...compared,
      basis,
      ratio: null,
      difference: null,
      shares: sides?.mixture?.shares,
      ...found,
      matters: null,
    };
  }
  const ofEarlier = (ratio: number) => (ratio - 1) * levels.earlier;
  const ratio = judged?.ratio?.value ?? (levels.earlier > 0 ? levels.now / levels.earlier : null);
  const difference = judged?.ratio === undefined ? levels.now - levels.earlier : ofEarlier(judged.ratio.value);
  const matters = ratio === null ? null : Math.abs(ratio - 1) >= LEAST_CHANGE_THAT_MATTERS;
  const change = { ...compared, basis, ratio, difference, matters };
  if (judged?.ratio === undefined) return { ...change, ...NOT_JUDGED };
  const { low, high } = judged.ratio;
  return { ...change, interval: { low: ofEarlier(low), high: ofEarlier(high) }, ...isFinding(judged, upTo) };
}

const isFinding = ({ chance }: Judged, upTo: number) => ({ chance, isBeyondNoise: chance <= upTo });

const NOT_JUDGED = { interval: null, chance: null, isBeyondNoise: null } as const;

/** Counts the compared figures, and returns those whose noise is known and those that changed beyond it. */
export function judgedFigures(cells: readonly { readonly figures: readonly FigureChange[] }[]) {
  const figures = cells.flatMap((cell) => cell.figures);
  const judged = figures.filter(({ isBeyondNoise }) => isBeyondNoise !== null);
  return { figureCount: figures.length, judged, changed: judged.filter(({ isBeyondNoise }) => isBeyondNoise) };
}
