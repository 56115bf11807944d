/** From the least to the most throughput of a second, by instance type, one chart for each family. */
import type { ThroughputQuantiles } from '../../model/statistics';
import { BURSTS_2018 } from '../articles/bursts-2018';
import type { Cell } from '../cells';
import { distinguish } from '../dimensions';
import { centresOf, meanThroughput } from '../figures';
import { gigabits } from '../../text/format';
import type { Html } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repetitions';
import { drivenStatistics } from '../verdict-table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';

const GIGABIT = 1e9;

/** Above this a page becomes too heavy to open. */
const MAX_FAMILIES = 24;

export function throughputByType(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter((cell) => rangeOf(cell) !== undefined),
    ['clientType', 'serverType'],
  );
  if (shown.length === 0) return undefined;
  const { labels, shared } = distinguish(shown.map(({ results }) => results[0]!));
  const rows = shown.map((cell, index) => ({ family: familyOf(cell), row: rowOf(cell, labels[index]!) }));
  const families = [...new Set(rows.map(({ family }) => family))].sort();
  return html`<div class="card">
    <h3>Throughput by instance type</h3>
    <p class="sub">
      ${shared}. Of the seconds of all repetitions: the line from the least to the most, thick from the 5th to the 95th
      percentile, a point at the mean of a repetition’s whole
      time.${families.length > MAX_FAMILIES && ` The first ${MAX_FAMILIES} of ${families.length} families.`}
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

/** The client's: `m5` of `m5.large`. */
const familyOf = ({ results }: Cell) => results[0]!.clientType.split('.')[0]!;

type Quantiles = Required<ThroughputQuantiles>;

/** Over all repetitions; undefined where there was no series. */
function rangeOf({ results }: Cell): Pick<Quantiles, 'min' | 'p5' | 'p95' | 'max'> | undefined {
  const all = results.flatMap((result) => {
    if (result.direction === 'bidirectional') return [];
    const quantiles = drivenStatistics(result)?.throughputBitsPerSecond;
    return quantiles?.min === undefined || quantiles.max === undefined ? [] : [quantiles as Quantiles];
  });
  if (all.length === 0) return undefined;
  return {
    min: Math.min(...all.map(({ min }) => min)),
    p5: Math.min(...all.map(({ p5 }) => p5)),
    p95: Math.max(...all.map(({ p95 }) => p95)),
    max: Math.max(...all.map(({ max }) => max)),
  };
}

function rowOf(cell: Cell, label: string): OverlaidRow {
  const { min, p5, p95, max } = rangeOf(cell)!;
  const article = BURSTS_2018.figuresOf(cell.results[0]!);
  const most = article && article.maxBitsPerSecond / GIGABIT;
  const least = article?.minBitsPerSecond === undefined ? undefined : article.minBitsPerSecond / GIGABIT;
  return {
    label,
    figures: `${gigabits(min)} to ${gigabits(max)}`,
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
              ...(least !== undefined && { range: { low: least, high: most } }),
              isOverlay: true,
            },
          ],
  };
}
