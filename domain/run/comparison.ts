/**
 * Compares a run with one named run, or with all earlier runs (`earlier-runs.ts`). Only the same cell (`model/cell.ts`)
 * is compared: the same instance types, conditions, tool and settings. Whether a figure changed is tested against the
 * noise (`figure-change.ts`) and corrected for the number of comparisons
 * (docs/decisions/0016-changes-between-two-runs.md).
 */
import { groupBy } from '../maths/elements';
import { combinedChance, commonVariance, findingsUpTo } from '../maths/moderated-variance';
import type { Bounds } from '../maths/interval';
import type { ModeShares } from '../maths/mode-shares';
import type { RepetitionStatistics } from '../maths/repetition-statistics';
import { contendedShare, contentionInWords, OF_THIS_RUN, type ContendedShare } from '../model/contended';
import type { MeasurementResult } from '../model/result';
import { counted } from '../text/format';
import { cellsOf, isDisplaced, sharesPairs, type Cell } from '../repetitions/cells';
import {
  comparedSides,
  LEAST_CHANGE_THAT_MATTERS,
  judgedSides,
  levelOf,
  sideOf,
  stepsOf,
  valuesOf,
  type ComparedSides,
  type ComparisonBasis,
  type FigureValues,
  type Judged,
} from '../repetitions/figure-change';
import { FIGURES, type Figure } from '../tables/figures';

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

/** The earlier measurements of one cell, read from the results of a run or from Athena. */
export interface EarlierCell {
  readonly key: string;
  /** Whether the same pair was measured several times; another pair may then differ by more than the intervals say. */
  readonly sharesPairs: boolean;
  readonly contended: ContendedShare;
  readonly valuesOf: (figure: Figure) => FigureValues;
}

export interface ComparedCell<Earlier extends EarlierCell = EarlierCell> {
  readonly now: Cell;
  readonly earlier: Earlier;
  readonly sharesPairs: boolean;
  readonly figures: readonly FigureChange[];
}

export interface CellComparison<Earlier extends EarlierCell> {
  readonly compared: readonly ComparedCell<Earlier>[];
  /** Cells without a complete counterpart on the other side, and displaced cells. */
  readonly onlyNow: readonly Cell[];
  readonly onlyEarlier: readonly Earlier[];
}

export function compareCells<Earlier extends EarlierCell>(
  earlierCells: readonly Earlier[],
  now: readonly MeasurementResult[],
): CellComparison<Earlier> {
  const earlierByKey = new Map(earlierCells.map((cell) => [cell.key, cell]));
  const cells = cellsOf(now);
  const counterpartOf = (cell: Cell) => (isDisplaced(cell) ? undefined : earlierByKey.get(cell.key));
  const keys = new Set(cells.filter((cell) => !isDisplaced(cell)).map(({ key }) => key));
  const pairs = cells.flatMap((now) => {
    const earlier = counterpartOf(now);
    return earlier === undefined ? [] : [{ now, earlier }];
  });
  const figures = judgedTogether(
    pairs.map((pair) =>
      FIGURES.flatMap((figure) => figureSides(figure, pair.earlier.valuesOf(figure), valuesOf(pair.now, figure)) ?? []),
    ),
  );
  return {
    compared: pairs.map(({ now, earlier }, index) => ({
      now,
      earlier,
      sharesPairs: earlier.sharesPairs || sharesPairs(now),
      figures: figures[index] ?? [],
    })),
    onlyNow: cells.filter((cell) => counterpartOf(cell) === undefined),
    onlyEarlier: earlierCells.filter(({ key }) => !keys.has(key)),
  };
}

/** One figure of a cell before it is tested together with the figures of the other cells. */
interface FigureSides extends Pick<FigureChange, 'figure' | 'earlier' | 'now' | 'levels'> {
  readonly sides: ComparedSides | undefined;
}

function figureSides(figure: Figure, earlierValues: FigureValues, nowValues: FigureValues): FigureSides | undefined {
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
function judgedTogether(cells: readonly (readonly FigureSides[])[]): FigureChange[][] {
  const common = new Map(
    FIGURES.map(({ key }) => {
      const same = cells.flat().filter(({ figure }) => figure === key);
      return [key, commonVariance(same.flatMap(({ sides }) => sides?.repeated?.single ?? []))];
    }),
  );
  const steps = new Map(
    [...groupBy(cells.flat(), ({ figure }) => figure)].map(([key, same]) => [
      key,
      stepsOf(same.flatMap(({ sides }) => sides ?? [])),
    ]),
  );
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

export interface RunCell extends EarlierCell {
  readonly cell: Cell;
}

export interface ComparedRun extends CellComparison<RunCell> {
  readonly earlierRunId: string;
}

export function compareRuns(
  earlierRunId: string,
  earlier: readonly MeasurementResult[],
  now: readonly MeasurementResult[],
): ComparedRun {
  const cells = cellsOf(earlier).map((cell): RunCell => ({
    key: cell.key,
    cell,
    sharesPairs: sharesPairs(cell),
    contended: contendedShare(cell.results),
    valuesOf: (figure) => valuesOf(cell, figure),
  }));
  return { earlierRunId, ...compareCells(cells, now) };
}

/** The form of `comparedRun` in `summary.json`. */
export interface RunComparison {
  readonly earlierRunId: string;
  readonly cells: readonly CellChange[];
  /** The first measurement of each cell that only one of the runs has. */
  readonly onlyNow: readonly string[];
  readonly onlyEarlier: readonly string[];
}

export interface CellChange extends Pick<ComparedCell, 'sharesPairs' | 'figures'> {
  readonly measurementIds: readonly string[];
  readonly earlierMeasurementIds: readonly string[];
  /** How many of these measurements ran while other work kept processors busy; absent if none did. */
  readonly contendedCount?: number;
  readonly earlierContendedCount?: number;
}

export function runComparison({ earlierRunId, compared, onlyNow, onlyEarlier }: ComparedRun): RunComparison {
  const firstId = ({ results }: Cell) => results[0].measurementId;
  return {
    earlierRunId,
    cells: compared.map(({ now, earlier, ...comparison }) => ({
      measurementIds: measurementIds(now),
      earlierMeasurementIds: measurementIds(earlier.cell),
      contendedCount: contendedShare(now.results).contendedCount || undefined,
      earlierContendedCount: earlier.contended.contendedCount || undefined,
      ...comparison,
    })),
    onlyNow: onlyNow.map(firstId),
    onlyEarlier: onlyEarlier.map(({ cell }) => firstId(cell)),
  };
}

export const OF_THE_EARLIER_RUN = 'of the earlier run';

const measurementIds = ({ results }: Cell) => results.map(({ measurementId }) => measurementId);

/** Counts the compared figures, and returns those whose noise is known and those that changed beyond it. */
export function judgedFigures(cells: readonly Pick<ComparedCell, 'figures'>[]) {
  const figures = cells.flatMap((cell) => cell.figures);
  const judged = figures.filter(({ isBeyondNoise }) => isBeyondNoise !== null);
  return { figureCount: figures.length, judged, changed: judged.filter(({ isBeyondNoise }) => isBeyondNoise) };
}

/** Says on which sides other work kept processors busy; undefined if on neither. */
export function contentionOfChange(
  cell: Pick<CellChange, 'measurementIds' | 'earlierMeasurementIds' | 'contendedCount' | 'earlierContendedCount'>,
): string | undefined {
  const { measurementIds: now, earlierMeasurementIds: earlier, contendedCount = 0, earlierContendedCount = 0 } = cell;
  return contentionInWords([
    { contendedCount, count: now.length, which: OF_THIS_RUN },
    { contendedCount: earlierContendedCount, count: earlier.length, which: OF_THE_EARLIER_RUN },
  ]);
}

/** One line for the execution's output. ASCII only. */
export function comparisonLine({ earlierRunId, cells, onlyNow, onlyEarlier }: RunComparison): string {
  const { figureCount, judged, changed } = judgedFigures(cells);
  const unknown = figureCount - judged.length;
  const unknownFigures = judged.length === 0 ? counted(unknown, 'figure') : `${unknown} more`;
  const busy = judgedFigures(cells.filter((cell) => contentionOfChange(cell) !== undefined)).changed.length;
  const onBusy = busy === 0 ? '' : ` (${busy} of them measured on busy processors)`;
  const parts = [
    ...(judged.length > 0
      ? [`${changed.length} of ${counted(judged.length, 'figure')} changed beyond the noise${onBusy}`]
      : []),
    ...(unknown > 0 ? [`the noise of ${unknownFigures} is unknown`] : []),
    ...(figureCount === 0 ? ['no figure in common'] : []),
    ...(onlyNow.length > 0 ? [`${counted(onlyNow.length, 'measurement')} only in this run`] : []),
    ...(onlyEarlier.length > 0 ? [`${counted(onlyEarlier.length, 'measurement')} only in the earlier one`] : []),
  ];
  return `compared with ${earlierRunId}: ${parts.join(', ')}`;
}
