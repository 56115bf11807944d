/**
 * The results of a run by cell: a cell holds the repetitions of one measurement between one pair of hosts. With what tells
 * cells apart in words, and the statistics of their figures.
 */
import { groupBy } from '../maths/elements';
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import { cellOf, displacedWord, type CellFactName } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import { contendedShare } from '../model/contended';
import { isHeldBack } from '../model/verdict';
import type { MeasurementResult } from '../model/result';
import { wordsOf, type SettingTable } from '../model/setting';
import { SETTINGS } from '../model/settings';
import { FIGURES, type Figure } from '../tables/figures';

export interface Cell {
  /** `cellOf` each of the results. It is the same in every run that measures this cell. */
  readonly key: string;
  /** The complete results, in the order of their repetitions. */
  readonly results: readonly [MeasurementResult, ...MeasurementResult[]];
}

/** Whether repetitions ran on the same hosts: their scatter then does not show how far other hosts are from these. */
export function sharesPairs({ results }: Pick<Cell, 'results'>): boolean {
  return new Set(results.map(({ pairId }) => pairId)).size < results.length;
}

export function inPlanOrder(results: readonly MeasurementResult[]): MeasurementResult[] {
  return [...results].sort(
    (left, right) =>
      left.planPairIndex - right.planPairIndex ||
      left.planMeasurementIndex - right.planMeasurementIndex ||
      left.repetition - right.repetition ||
      left.pairRepetition - right.pairRepetition,
  );
}

/**
 * Cells in the plan's order, in whatever order they were measured. A result that is not complete is no repetition, nor are
 * round trips that an allowance held back, because they are not the path's.
 */
export function cellsOf(results: readonly MeasurementResult[]): Cell[] {
  const complete = inPlanOrder(results.filter((result) => result.status === 'complete' && !isHeldBack(result)));
  const cells = groupBy(complete, (result) => cellOf(result));
  return [...cells].map(([key, repetitions]) => ({ key, results: repetitions }));
}

/**
 * Whether a cell was measured in other zones than the cells beside it, and the same cell in other runs. It is compared
 * with none, displaced ones included: each of them may be in still other zones.
 */
export function isDisplaced({ results: [first] }: Pick<Cell, 'results'>): boolean {
  return first.isDisplaced === true;
}

/**
 * The cells that have a counterpart: another cell that differs from them in the facts asked for, and apart from those
 * at most in the free ones. Cells that belong together stand together in the result. Displaced cells have none.
 */
export function comparable<ComparableCell extends Pick<Cell, 'results'>>(
  cells: readonly ComparableCell[],
  asked: readonly CellFactName[],
  free: readonly CellFactName[] = [],
): ComparableCell[] {
  const inPlace = cells.filter((cell) => !isDisplaced(cell));
  const groups = groupBy(inPlace, ({ results: [first] }) => cellOf(first, [...asked, ...free]));
  const differ = (group: readonly ComparableCell[]) =>
    new Set(group.map(({ results: [first] }) => JSON.stringify(asked.map((key) => first[key])))).size > 1;
  return [...groups.values()].filter(differ).flat();
}

/** One word or phrase about a measurement; undefined where it does not apply. */
type Dimension = (result: MeasurementResult) => string | undefined;

/** One dimension for each entry of a table. */
function dimensionsOf(table: SettingTable): Dimension[] {
  return Object.entries(table).map(([name, definition]) => {
    return (result) => wordsOf({ [name]: definition }, { ...result })[0];
  });
}

const DIMENSIONS: readonly Dimension[] = [
  ({ clientType, serverType, direction }) =>
    clientType === serverType
      ? clientType
      : direction === 'reverse'
        ? `${clientType} ← ${serverType}`
        : `${clientType} → ${serverType}`,
  ...dimensionsOf(CONDITIONS),
  displacedWord,
  ({ tool }) => tool,
  ...dimensionsOf(SETTINGS),
];

export interface LabelledRow<Item> {
  readonly item: Item;
  /** Names what the item does not share with all others; where nothing differs, the instance types. */
  readonly label: string;
}

/**
 * Cells, each with the words that distinguish its first result from those of the others, and in one line what all of them
 * share: the rows of a chart name only what differs between them.
 */
export function labelledCells<LabelledCell extends Pick<Cell, 'results'>>(
  cells: readonly LabelledCell[],
): { readonly rows: readonly LabelledRow<LabelledCell>[]; readonly shared: string } {
  const described = cells.map((item) => ({ item, words: DIMENSIONS.map((dimension) => dimension(item.results[0])) }));
  const differs = DIMENSIONS.map((_, index) => new Set(described.map(({ words }) => words[index])).size > 1);
  const joined = (words: readonly (string | undefined)[], differing: boolean) =>
    words.filter((word, index) => word !== undefined && differs[index] === differing).join(', ');
  return {
    rows: described.map(({ item, words }) => ({ item, label: joined(words, true) || (words[0] ?? '') })),
    shared: joined(described[0]?.words ?? [], false),
  };
}

export interface RepeatedFigure {
  readonly cell: Cell;
  readonly figure: Figure;
  /** One value for each repetition that has the figure, in the order of the repetitions. */
  readonly values: readonly number[];
  readonly statistics: RepetitionStatistics;
}

export function repeatedFigure(cell: Cell, figure: Figure): RepeatedFigure | undefined {
  const values = cell.results.flatMap((result) => figure.of(result) ?? []);
  const statistics = repetitionStatistics(values, figure);
  return statistics === undefined ? undefined : { cell, figure, values, statistics };
}

/** The figures of the cells that were measured more than once. */
export function repeatedFigures(cells: readonly Cell[]): RepeatedFigure[] {
  return cells
    .filter(({ results }) => results.length > 1)
    .flatMap((cell) => FIGURES.flatMap((figure) => repeatedFigure(cell, figure) ?? []));
}

export interface RepetitionSummary extends RepetitionStatistics {
  readonly planPairIndex: number;
  readonly planMeasurementIndex: number;
  /** Present for repetitions that were displaced, which are apart from the others of the same indices. */
  readonly isDisplaced?: true;
  /** How many were measured while other work kept processors busy; absent for none. */
  readonly contendedCount?: number;
  /** Key of one of `FIGURES`, e.g. `burstBitsPerSecond`. */
  readonly figure: string;
}

export function repetitionSummaries(cells: readonly Cell[]): RepetitionSummary[] {
  return repeatedFigures(cells).map(({ cell, figure, statistics }) => {
    const { planPairIndex, planMeasurementIndex } = cell.results[0];
    const displaced = isDisplaced(cell) ? true : undefined;
    const contendedCount = contendedShare(cell.results).contendedCount || undefined;
    const indices = { planPairIndex, planMeasurementIndex };
    return { ...indices, isDisplaced: displaced, contendedCount, figure: figure.key, ...statistics };
  });
}
