/** The least and the most throughput in a second by instance type, one chart for each family. */
import type { ThroughputQuantiles } from '../../model/statistics';
import { BURSTS_2018 } from '../articles/bursts-2018';
import type { Cell } from '../cells';
import { labelledCells } from '../dimensions';
import { centresOf, meanThroughput } from '../figures';
import { gigabits } from '../../text/format';
import type { Html } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repeated-figures';
import { drivenStatistics } from '../verdict-table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';

const GIGABIT = 1e9;

/** With more charts the page becomes too heavy to open. */
const MAX_FAMILIES = 24;

export function throughputByType(cells: readonly Cell[]): Html | undefined {
  const ranged = cells.flatMap((cell) => {
    const range = rangeOf(cell);
    return range === undefined ? [] : [{ ...cell, range }];
  });
  const shown = comparable(ranged, ['clientType', 'serverType']);
  if (shown.length === 0) return undefined;
  const { rows: labelledRows, shared } = labelledCells(shown);
  const rows = labelledRows.map(({ item, label }) => ({ family: familyOf(item), row: rowOf(item, label) }));
  const families = [...new Set(rows.map(({ family }) => family))].sort();
  return html`<div class="card">
    <h3>Throughput by instance type</h3>
    <p class="sub">
      ${shared}. The line goes from the slowest to the fastest second of all repetitions, and is thick from the 5th to
      the 95th percentile. The point is the mean of all repetitions, or of each mode where there are
      several.${families.length > MAX_FAMILIES && ` Only the first ${MAX_FAMILIES} of ${families.length} families are shown.`}
    </p>
    ${families.slice(0, MAX_FAMILIES).map(
      (family) =>
        html`<h4>${family}</h4>
          ${overlaidRowChart(
            {
              id: `by-type-${family}`,
              label: `Least and most throughput of the ${family} types`,
              axis: 'Gbit/s',
              scale: 'zero',
              rows: rows.filter((each) => each.family === family).map(({ row }) => row),
            },
            BURSTS_2018,
          )}`,
    )}
  </div>`;
}

/** The family of the client, e.g. `m5` for `m5.large`. */
const familyOf = ({ results: [first] }: Cell) => first.clientType.replace(/\..*/, '');

type Range = Pick<Required<ThroughputQuantiles>, 'min' | 'p5' | 'p95' | 'max'>;

/** The range over all repetitions; undefined where there was no series. */
function rangeOf({ results }: Cell): Range | undefined {
  const all = results.flatMap((result) => {
    if (result.direction === 'bidirectional') return [];
    const { min, p5, p95, max } = drivenStatistics(result)?.throughputBitsPerSecond ?? {};
    return min === undefined || p5 === undefined || p95 === undefined || max === undefined
      ? []
      : [{ min, p5, p95, max }];
  });
  if (all.length === 0) return undefined;
  return {
    min: Math.min(...all.map(({ min }) => min)),
    p5: Math.min(...all.map(({ p5 }) => p5)),
    p95: Math.max(...all.map(({ p95 }) => p95)),
    max: Math.max(...all.map(({ max }) => max)),
  };
}

function rowOf(cell: Cell & { readonly range: Range }, label: string): OverlaidRow {
  const { min, p5, p95, max } = cell.range;
  const article = BURSTS_2018.figuresOf(cell.results[0]);
  const most = article && article.maxBitsPerSecond / GIGABIT;
  const least = article?.minBitsPerSecond === undefined ? undefined : article.minBitsPerSecond / GIGABIT;
  return {
    label,
    figures: [gigabits(min), gigabits(max)].join(' to '),
    marks: [
      {
        name: 'this run',
        values: centresOf(repeatedFigure(cell, meanThroughput)?.statistics).map((value) => value / GIGABIT),
        range: { low: min / GIGABIT, high: max / GIGABIT },
        core: { low: p5 / GIGABIT, high: p95 / GIGABIT },
      },
    ],
    overlay:
      most === undefined
        ? undefined
        : [
            {
              name: `${BURSTS_2018.name}: least and most`,
              values: least === undefined ? [most] : [least, most],
              range: least === undefined ? undefined : { low: least, high: most },
              isOverlay: true,
            },
          ],
  };
}
