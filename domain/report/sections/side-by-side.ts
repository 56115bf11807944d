/** Charts that compare the cells of a run; each is shown only if the run has such cells. */
import { contendedShare } from '../../model/contended';
import { drivenStatistics, type ThroughputQuantiles, rttOf } from '../../model/statistics';
import { gigabits, micros } from '../../text/format';
import { comparable, labelledCells, repeatedFigure, type Cell, type LabelledRow } from '../../repetitions/cells';
import { rowChart, type ChartRow, type RowChart } from '../charts/row-chart';
import {
  centresOf,
  inUnit,
  meanRoundTrip,
  meanThroughput,
  tailRoundTrip,
  transactions,
  type Figure,
} from '../../tables/figures';
import { html, type Html } from '../page/html';
import { contentionBadge } from '../page/columns';
import { card, column, numberColumn, reportTable, type Section } from '../page/table';
import { inShort } from '../page/change-table';
import { meanWithInterval } from './repetitions';
import { largest, smallest } from '../../maths/statistics';

export function chartsSection(cells: readonly Cell[]): Section | undefined {
  const charts = [
    pathsSideBySide(cells),
    requestsAndResponses(cells),
    latencyByAddress(cells),
    roundTripByPlacement(cells),
    throughputByType(cells),
  ].filter((chart) => chart !== undefined);
  if (charts.length === 0) return undefined;
  return { id: 'charts', title: 'Side by side', count: charts.length, html: html` ${charts} ` };
}

/** A longer chart is hard to search; the tables have all rows. */
const MAX_ROWS = 60;

/** Renders a chart of cells, followed by those that were measured while other work kept processors busy. */
function cellChart({
  rows: allRows,
  ...chart
}: Omit<RowChart, 'rows'> & { readonly rows: readonly (ChartRow & Pick<Cell, 'results'>)[] }): Html | undefined {
  const rows = allRows.slice(0, MAX_ROWS);
  const body = rowChart({ ...chart, rows });
  if (body === undefined) return undefined;
  const busy = rows.flatMap(({ label, results }) => {
    const badge = contentionBadge(contendedShare(results));
    return badge === undefined ? [] : [html`${badge} ${label} `];
  });
  return html`${body}
  ${allRows.length > MAX_ROWS && html`<p class="sub">Only the first ${MAX_ROWS} of ${allRows.length} rows are shown.</p>`}
  ${busy.length > 0 && html`<p class="sub">${busy}</p>`}`;
}

/** Compares throughput by path, and round trips that were repeated or come from requests and responses. */
function pathsSideBySide(cells: readonly Cell[]): Html | undefined {
  const throughput = pathsChart(
    cells.filter(({ results: [first] }) => first.kind === 'throughput'),
    meanThroughput,
  );
  const roundTrips = pathsChart(
    cells.filter(({ results }) => transactions.of(results[0]) !== undefined || results.length > 1),
    meanRoundTrip,
  );
  const charts = [throughput, roundTrips];
  return charts.some((chart) => chart !== undefined) ? card('Paths side by side', charts) : undefined;
}

function pathsChart(cells: readonly Cell[], figure: Figure): Html | undefined {
  const measured = cells.flatMap((cell) => {
    const repeated = repeatedFigure(cell, figure);
    return repeated === undefined ? [] : [{ ...cell, statistics: repeated.statistics }];
  });
  const shown = comparable(measured, ['path']);
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  const chart = cellChart({
    id: `paths-${figure.key}`,
    label: `${figure.name} by path`,
    axis: `${figure.name}, ${figure.unit}`,
    scale: 'zero',
    rows: rows.map(({ item: { results, statistics }, label }) => ({
      label,
      figures: inShort(figure, statistics),
      results,
      marks: [
        {
          name: 'this run: mean and 95 % interval',
          values: centresOf(statistics).map((value) => inUnit(figure, value)),
          core: statistics.meanInterval && {
            low: inUnit(figure, statistics.meanInterval.low),
            high: inUnit(figure, statistics.meanInterval.high),
          },
        },
      ],
    })),
  });
  return html`<h4>${figure.name}</h4>
    <p class="sub">${shared}</p>
    ${chart}`;
}

function requestsAndResponses(cells: readonly Cell[]): Html | undefined {
  const shown = cells.filter((cell) => repeatedFigure(cell, transactions) !== undefined);
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  const mean = (heading: string, figure: Figure) =>
    numberColumn<LabelledRow<Cell>>(heading, ({ item }) => meanWithInterval(item, figure));
  const table = reportTable<LabelledRow<Cell>>(
    'Requests and responses',
    [
      column('Measured', ({ label, item }) => html`<b>${label}</b> ${contentionBadge(contendedShare(item.results))}`),
      numberColumn('Repetitions', ({ item }) => item.results.length),
      mean('Transactions per second', transactions),
      mean('Round trip, mean, µs', meanRoundTrip),
    ],
    rows,
  );
  return card(
    'Requests and responses',
    table,
    html`${shared}. One message is sent at a time, the next one when the reply has arrived. Figures are means with 95 %
    intervals.`,
  );
}

function latencyByAddress(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter(({ results: [first] }) => rttOf(first)?.p99 !== undefined),
    ['path', 'zoneRelation', 'protocol'],
  );
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  const tail = tailRoundTrip(shown.flatMap(({ results }) => results));
  const chart = cellChart({
    id: 'by-address',
    label: 'Mean and tail of the round trips by address, zone and protocol',
    axis: 'round trip, µs',
    scale: 'log',
    rows: rows.map(({ item, label }) => {
      const [mean, far] = [repeatedFigure(item, meanRoundTrip)?.statistics, repeatedFigure(item, tail)?.statistics];
      const figures = [
        mean && `mean ${inShort(meanRoundTrip, mean)}`,
        far && `${tail.shortName} ${inShort(tail, far)}`,
      ];
      return {
        label,
        figures: figures.filter(Boolean).join('; '),
        results: item.results,
        marks: [
          { name: 'mean', values: centresOf(mean) },
          { name: tail.shortName, values: centresOf(far) },
        ],
      };
    }),
  });
  return card('Round trips by address, zone and protocol', chart, `${shared}. Logarithmic scale.`);
}

function roundTripByPlacement(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter(({ results: [first] }) => rttOf(first) !== undefined),
    ['placement', 'enaExpress'],
    ['zoneRelation'],
  );
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  const chart = cellChart({
    id: 'by-placement',
    label: 'Shortest, mean and longest round trip by placement and ENA Express',
    axis: 'round trip, µs',
    scale: 'log',
    rows: rows.map(({ item, label }) => {
      const all = item.results.flatMap((result) => rttOf(result) ?? []);
      const low = smallest(all.map(({ min }) => min));
      const high = largest(all.map(({ max }) => max));
      const mean = repeatedFigure(item, meanRoundTrip)?.statistics;
      const range = `${micros(low)} to ${micros(high)}`;
      return {
        label,
        figures: mean === undefined ? range : `mean ${inShort(meanRoundTrip, mean)}; ${range}`,
        results: item.results,
        marks: [{ name: 'this run', values: centresOf(mean), range: { low, high } }],
      };
    }),
  });
  return card(
    'Round trips by placement and ENA Express',
    chart,
    `${shared}. The line goes from the shortest to the longest round trip; the point is the mean. Logarithmic scale.`,
  );
}

function throughputByType(cells: readonly Cell[]): Html | undefined {
  const ranged = cells.flatMap((cell) => {
    const range = rangeOf(cell);
    return range === undefined ? [] : [{ ...cell, range }];
  });
  const shown = comparable(ranged, ['clientType', 'serverType']);
  if (shown.length === 0) return undefined;
  const meanOf = (cell: Cell) => largest([0, ...centresOf(repeatedFigure(cell, meanThroughput)?.statistics)]);
  const { rows, shared } = labelledCells([...shown].sort((left, right) => meanOf(right) - meanOf(left)));
  return card(
    'Throughput by instance type',
    typesChart(rows),
    html`${shared}. The line goes from the slowest to the fastest second of all repetitions, and is thick from the 5th
    to the 95th percentile. The point is the mean of all repetitions, or of each mode if there are several. The highest
    mean comes first.`,
  );
}

type Range = Pick<Required<ThroughputQuantiles>, 'min' | 'p5' | 'p95' | 'max'>;

function typesChart(rows: readonly LabelledRow<Cell & { readonly range: Range }>[]): Html | undefined {
  return cellChart({
    id: 'by-type',
    label: 'Least and most throughput by instance type',
    axis: 'Gbit/s',
    scale: 'amount',
    rows: rows.map(({ item, label }) => {
      const { min, p5, p95, max } = item.range;
      const means = centresOf(repeatedFigure(item, meanThroughput)?.statistics);
      return {
        label,
        figures: `${gigabits(min)} to ${gigabits(max)}`,
        results: item.results,
        marks: [
          {
            name: 'this run',
            values: means.map((value) => value / 1e9),
            range: { low: min / 1e9, high: max / 1e9 },
            core: { low: p5 / 1e9, high: p95 / 1e9 },
          },
        ],
      };
    }),
  });
}

/** Returns the range over all repetitions; undefined if there is no series. */
function rangeOf({ results }: Cell): Range | undefined {
  const all = results.flatMap((result) => {
    if (result.direction === 'bidirectional') return [];
    const { min, p5, p95, max } = drivenStatistics(result)?.throughputBitsPerSecond ?? {};
    const isKnown = min !== undefined && p5 !== undefined && p95 !== undefined && max !== undefined;
    return isKnown ? [{ min, p5, p95, max }] : [];
  });
  if (all.length === 0) return undefined;
  const extreme = (choose: typeof smallest, key: keyof Range) => choose(all.map((range) => range[key]));
  return {
    min: extreme(smallest, 'min'),
    p5: extreme(smallest, 'p5'),
    p95: extreme(largest, 'p95'),
    max: extreme(largest, 'max'),
  };
}
