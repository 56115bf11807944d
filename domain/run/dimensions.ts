/**
 * What distinguishes the measurements of a run, in words. The rows of a chart name only what differs between them; a
 * line above the chart states once what they all have in common.
 */
import { displacedWord } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import { wordsOf, type SettingTable } from '../model/setting';
import { SETTINGS } from '../model/settings';
import type { Cell } from './cells';

/** One word or phrase about a measurement; undefined where the dimension does not apply to it. */
type Dimension = (result: MeasurementResult) => string | undefined;

/** One dimension for each entry of a table. */
function dimensionsOf(table: SettingTable): Dimension[] {
  return Object.entries(table).map(
    ([name, definition]) =>
      (result) =>
        wordsOf({ [name]: definition }, { ...result })[0],
  );
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

/** Items, each with the words that distinguish it from the others. */
export interface Labelled<Item> {
  readonly rows: readonly LabelledRow<Item>[];
  /** What all items share, in one line. */
  readonly shared: string;
}

/** @param resultOf the measurement that describes an item */
export function labelled<Item>(items: readonly Item[], resultOf: (item: Item) => MeasurementResult): Labelled<Item> {
  const described = items.map((item) => ({ item, words: DIMENSIONS.map((dimension) => dimension(resultOf(item))) }));
  const differs = DIMENSIONS.map((_, index) => new Set(described.map(({ words }) => words[index])).size > 1);
  const joined = (words: readonly (string | undefined)[], differing: boolean) =>
    words.filter((word, index) => word !== undefined && differs[index] === differing).join(', ');
  return {
    rows: described.map(({ item, words }) => ({ item, label: joined(words, true) || (words[0] ?? '') })),
    shared: described
      .slice(0, 1)
      .map(({ words }) => joined(words, false))
      .join(''),
  };
}

/** Cells, each labelled by its first result. */
export function labelledCells<LabelledCell extends Pick<Cell, 'results'>>(
  cells: readonly LabelledCell[],
): Labelled<LabelledCell> {
  return labelled(cells, ({ results: [first] }) => first);
}

/** The labels of results, one for each, and what all results share. */
export function distinguish(results: readonly MeasurementResult[]): {
  readonly labels: readonly string[];
  readonly shared: string;
} {
  const { rows, shared } = labelled(results, (result) => result);
  return { labels: rows.map(({ label }) => label), shared };
}
