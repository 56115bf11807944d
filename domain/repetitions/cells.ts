/** Groups the results of a run into cells: a cell holds all repetitions of one measurement of one pair of the plan. */
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
  /** What `cellOf` returns for each of the results; the same in every run that measures this cell. */
  readonly key: string;
  /** The complete results, in the order of their repetitions. */
  readonly results: readonly [MeasurementResult, ...MeasurementResult[]];
}

/** Whether repetitions ran on the same hosts; their scatter then does not show how far another pair may differ. */
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
 * Returns cells in the plan's order. Incomplete results are left out, and so are round trips that an allowance of a
 * host held back, because they do not show the latency of the path.
 */
export function cellsOf(results: readonly MeasurementResult[]): Cell[] {
  const complete = inPlanOrder(results.filter((result) => result.status === 'complete' && !isHeldBack(result)));
  const cells = groupBy(complete, (result) => cellOf(result));
  return [...cells].map(([key, repetitions]) => ({ key, results: repetitions }));
}

/**
 * Whether the hosts of a cell had to be launched in other subnets than planned, for want of capacity. Such a cell is
 * compared with no other, not even with a displaced one, because each may be in different zones.
 */
export function isDisplaced({ results: [first] }: Pick<Cell, 'results'>): boolean {
  return first.isDisplaced === true;
}

/**
 * Returns the cells that have a counterpart: another cell that differs in the `asked` facts, and otherwise at most in
 * the `free` ones. Counterparts are adjacent in the result. Displaced cells have no counterpart.
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

/** Describes one fact about a measurement in a word or phrase; undefined where the fact does not apply. */
type Dimension = (result: MeasurementResult) => string | undefined;

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
  /** Names the facts in which the item differs from the others, or its instance types where nothing differs. */
  readonly label: string;
}

/** Labels each cell with only the facts that differ between the cells, and returns once what all of them share. */
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
  readonly values: readonly number[];
  readonly statistics: RepetitionStatistics;
}

export function repeatedFigure(cell: Cell, figure: Figure): RepeatedFigure | undefined {
  const values = cell.results.flatMap((result) => figure.of(result) ?? []);
  const statistics = repetitionStatistics(values, figure);
  return statistics === undefined ? undefined : { cell, figure, values, statistics };
}

export function repeatedFigures(cells: readonly Cell[]): RepeatedFigure[] {
  return cells
    .filter(({ results }) => results.length > 1)
    .flatMap((cell) => FIGURES.flatMap((figure) => repeatedFigure(cell, figure) ?? []));
}

export interface RepetitionSummary extends RepetitionStatistics {
  readonly planPairIndex: number;
  readonly planMeasurementIndex: number;
  /** Present for displaced repetitions, which are summarised apart from the other repetitions of the same indices. */
  readonly isDisplaced?: true;
  /** How many repetitions ran while other work kept processors busy; absent if none did. */
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
