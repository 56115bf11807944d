/** Compares two runs that a reader ticks, by the values of their digests. The page's script does it, from what is embedded. */
import { groupBy } from '../../maths/elements';
import type { CellDigest, RunDigest } from '../../history/run-digest';
import { figureSides, judgedTogether } from '../../repetitions/compared-figures';
import type { FigureValues } from '../../repetitions/figure-change';
import { FIGURE_FACTS } from '../../tables/figure-facts';
import { changedCount, changeRows, changeTable } from '../page/change-table';
import { badge, withNotes } from '../page/columns';
import { html, keepUnits, type HtmlValue } from '../page/html';

export interface ComparableRuns {
  readonly cells: readonly Pick<CellDigest, 'clientType' | 'serverType' | 'conditions'>[];
  /** The newest first. */
  readonly runs: readonly { readonly runId: string; readonly cells: readonly ComparableCell[] }[];
}

/** `cell` is the place in `cells`. */
type ComparableCell = Pick<CellDigest, 'sharesPairs' | 'pairCount' | 'figures'> & { readonly cell: number };

/** All that is embedded for the comparison, with a box in each row, is at most so long. */
const MOST_CHARACTERS = 250_000;
const BOX_CHARACTERS = 150;

/**
 * Returns the newest runs that share a cell with another listed run, as many as the page has room for.
 * @param listed the newest first
 */
export function comparableRuns(listed: readonly RunDigest[]): ComparableRuns {
  const digests = groupBy(
    listed.flatMap(({ cells }) => cells),
    ({ cell }) => cell,
  );
  const shared = [...digests.values()].filter(({ length }) => length > 1).map(([newest]) => newest);
  const places = new Map(shared.map(({ cell }, place) => [cell, place]));
  const cells = shared.map(({ clientType, serverType, conditions }) => ({ clientType, serverType, conditions }));
  const all = listed.map((run) => ({
    runId: run.runId,
    cells: run.cells.flatMap(({ cell, sharesPairs, pairCount, figures }) => {
      const place = places.get(cell);
      return place === undefined ? [] : { cell: place, sharesPairs, pairCount, figures };
    }),
  }));
  let left = MOST_CHARACTERS - JSON.stringify(cells).length;
  const runs = all.flatMap((run) => {
    const text = JSON.stringify(run, (_, value: unknown) => (typeof value === 'number' ? short(value) : value));
    const size = text.length + BOX_CHARACTERS;
    if (run.cells.length === 0 || size > left) return [];
    left -= size;
    return JSON.parse(text) as typeof run;
  });
  return { cells, runs };
}

/** Far more digits than are shown. */
const short = (value: number) => Number(value.toPrecision(6));

/** @returns a sentence, and the table of what both runs measured, as markup */
export function tickedComparison(
  { cells, runs }: ComparableRuns,
  runIds: readonly string[],
): { readonly sentence: string; readonly table: string } {
  if (runIds.length < 2) return { sentence: runIds.length === 1 ? 'Tick one more run.' : '', table: '' };
  const [now, earlier] = runs.filter(({ runId }) => runIds.includes(runId));
  const pairs = (now?.cells ?? []).flatMap((cell) => {
    const before = earlier?.cells.find((each) => each.cell === cell.cell);
    return before === undefined ? [] : { now: cell, earlier: before };
  });
  const judged = judgedTogether(
    pairs.map((pair) =>
      FIGURE_FACTS.flatMap(
        (figure) => figureSides(figure, valuesOf(pair.earlier, figure.key), valuesOf(pair.now, figure.key)) ?? [],
      ),
    ),
  );
  const shown = pairs.map((pair, index) => ({
    sharesPairs: pair.now.sharesPairs === true || pair.earlier.sharesPairs === true,
    figures: judged[index] ?? [],
  }));
  const rows = changeRows(shown);
  const runsInWords = html`Earlier: ${earlier?.runId}. Later: ${now?.runId}.`;
  if (rows.length === 0) {
    return { sentence: html`${runsInWords} The two runs have no measurement in common.`.text, table: '' };
  }
  const titles = pairs.map((pair) => titleOf(cells[pair.now.cell], pair.earlier, pair.now));
  const table = changeTable('Ticked runs', rows, titles, 'Later');
  return { sentence: html`${runsInWords} ${changedCount(shown)}`.text, table: keepUnits(table.text) };
}

function valuesOf({ figures, sharesPairs, pairCount = 1 }: ComparableCell, key: string): FigureValues {
  const { values = [], contendedValues = [], interval } = figures.find((figure) => figure.key === key) ?? {};
  const all = [...values, ...contendedValues];
  const ownInterval = interval && { value: all[0] ?? 0, ...interval };
  return { values: all, sharesPairs, isOnePair: sharesPairs && pairCount === 1, ownInterval };
}

function titleOf(words: ComparableRuns['cells'][number] | undefined, earlier: ComparableCell, now: ComparableCell) {
  const { clientType = '', serverType = '', conditions = '' } = words ?? {};
  const types = clientType === serverType ? clientType : `${clientType}, ${serverType}`;
  return withNotes(types, conditions, busyIn('earlier', earlier), busyIn('later', now));
}

const busyIn = (which: string, { figures }: ComparableCell): HtmlValue =>
  figures.some(({ contendedValues }) => contendedValues) && [badge('warn', 'processors busy'), ` in the ${which} run`];
