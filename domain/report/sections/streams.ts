/** Parallel streams: their throughput together and each on its own, how many are enough, and which ones lag behind. */
import { groupBy } from '../../maths/elements';
import { largest, mean, smallest } from '../../maths/statistics';
import { cellOf } from '../../model/cell';
import { drivenStatistics, toolCpuOf, type CpuShare } from '../../model/statistics';
import { counted, gigabits } from '../../text/format';
import { isDisplaced, type Cell } from '../../run/cells';
import { axisEnd } from '../charts/axis';
import { lineChart, type ChartLine } from '../charts/line-chart';
import { chartPair } from '../charts/svg';
import { labelled } from '../../run/dimensions';
import { centresOf, meanThroughput } from '../../tables/figures';
import { flattensAtStreams } from '../../run/flattening';
import { html, type Html, type HtmlValue } from '../page/html';
import { repeatedFigure } from '../../run/repeated-figures';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';
import { meanWithInterval } from './repetitions';

/** A transfer with a certain number of streams. */
interface Step extends Cell {
  readonly streams: number;
}

/** The same transfer with several numbers of streams. */
interface Ladder {
  readonly label: string;
  /** Ascending by number of streams. */
  readonly steps: readonly Step[];
}

export function streamsSection(cells: readonly Cell[]): Section | undefined {
  const { ladders, shared } = laddersOf(cells);
  if (ladders.length === 0) return undefined;
  const rows = ladders.flatMap((ladder) => ladder.steps.map((step) => ({ ladder, step })));
  return {
    id: 'streams',
    title: 'Parallel streams',
    html: html`
      <p class="lead">
        Throughput of all streams together, and of each stream. It flattens at the smallest number of streams that no
        greater number beats by more than 5 %. Between repeated measurements, the gain must also be beyond the noise.
      </p>
      ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`} ${chart(ladders)}
      <div class="card">
        ${reportTable(
          'Throughput by number of streams',
          [
            { heading: 'Streams', isNumber: true, cell: ({ step }) => step.streams },
            { heading: 'Together, Gbit/s', isNumber: true, cell: ({ step }) => meanWithInterval(step, meanThroughput) },
            { heading: 'Each, Gbit/s', cell: ({ step }) => each(step) },
            { heading: 'Stragglers', cell: ({ step }) => stragglers(step) },
            { heading: 'CPU, client', isNumber: true, cell: ({ step }) => cpu(step, 'clientCpu') },
            { heading: 'CPU, server', isNumber: true, cell: ({ step }) => cpu(step, 'serverCpu') },
          ],
          rows,
          {
            groups: {
              by: ({ ladder }) => ladder,
              title: ({ ladder }) => html`${ladder.label}<small>${flattening(ladder)}</small>`,
            },
          },
        )}
        <p class="sub">CPU time of the tool itself, user + system, in percent of one processor.</p>
      </div>
    `,
  };
}

/** The transfers with several numbers of streams, and those whose tool reports each stream. */
function laddersOf(cells: readonly Cell[]): { readonly ladders: readonly Ladder[]; readonly shared: string } {
  const transfers = cells.flatMap((cell): Step[] => {
    const [first] = cell.results;
    const streams = first.parallelStreams;
    return streams === undefined || meanThroughput.of(first) === undefined ? [] : [{ ...cell, streams }];
  });
  const byTransfer = groupBy(transfers, (step) =>
    isDisplaced(step) ? step.key : cellOf(step.results[0], ['parallelStreams']),
  );
  const found = [...byTransfer.values()].filter((steps) => steps.length > 1 || steps.some(hasStreams));
  const { rows, shared } = labelled<readonly [Step, ...Step[]]>(found, ([{ results }]) => ({
    ...results[0],
    parallelStreams: undefined,
  }));
  const ladders = rows.map(({ item, label }) => ({
    label,
    steps: [...item].sort((left, right) => left.streams - right.streams),
  }));
  return { ladders, shared };
}

const hasStreams = ({ results: [first] }: Cell) => (drivenStatistics(first)?.streams?.length ?? 0) > 0;

function flattening({ steps }: Ladder): string {
  if (steps.length < 2) return '';
  const measured = steps.map((step) => ({ streams: step.streams, repeated: repeatedFigure(step, meanThroughput) }));
  const several = measured.filter(({ repeated }) => repeated?.statistics.mean === null);
  if (several.length > 0) {
    const counts = several.map(({ streams }) => streams).join(', ');
    return `Whether it flattens can’t be decided, because the repetitions with ${counts} streams have several modes.`;
  }
  const enough = flattensAtStreams(
    measured.flatMap(({ streams, repeated }) =>
      repeated === undefined ? [] : [{ streams, throughputsBitsPerSecond: repeated.values }],
    ),
  );
  const most = largest(steps.map(({ streams }) => streams));
  return enough === undefined
    ? `Still growing at ${counted(most, 'stream')}; more were not tried.`
    : `Flattens at ${counted(enough, 'stream')}.`;
}

function chart(ladders: readonly Ladder[]): Html | undefined {
  const lines = ladders
    .filter(({ steps }) => steps.length > 1)
    .map(({ label, steps }): ChartLine => ({
      name: label,
      points: steps.flatMap((step) =>
        centresOf(repeatedFigure(step, meanThroughput)?.statistics).map((bits) => pointOf(step.streams, bits)),
      ),
    }));
  if (lines.length === 0) return undefined;
  const points = lines.flatMap((line) => line.points);
  const body = chartPair((form) =>
    lineChart(
      {
        id: 'by-streams',
        label: 'Throughput by number of streams',
        categories: [...new Set(points.map(([streams]) => streams))].sort((a, b) => Number(a) - Number(b)),
        categoryName: 'parallel streams',
        valueName: 'Gbit/s, all streams together',
        valueEnds: axisEnd(largest(points.map(([, gigabits]) => gigabits ?? 0))),
        lines,
      },
      form,
    ),
  );
  return html`<div class="card">${body}</div>`;
}

const pointOf = (streams: number, bits: number) => [String(streams), bits / 1e9] as const;

/** Every stream of a single measurement, if they are few; otherwise the slowest and the fastest stream. */
function each(cell: Cell): HtmlValue {
  const all = cell.results.map((result) => drivenStatistics(result)?.streams ?? []);
  const rates = all.flat().map(({ throughputBitsPerSecond }) => throughputBitsPerSecond);
  if (rates.length === 0) return undefined;
  if (all.length === 1 && rates.length <= 12) return rates.map((rate) => gigabits(rate)).join(', ');
  return [gigabits(smallest(rates)), gigabits(largest(rates))].join(' to ');
}

function stragglers({ results }: Cell): HtmlValue {
  return results.flatMap((result) =>
    (drivenStatistics(result)?.streams ?? [])
      .filter(({ isStraggler }) => isStraggler)
      .map(
        ({ stream, throughputBitsPerSecond }) =>
          html`<span class="badge warn">stream ${stream}: ${gigabits(throughputBitsPerSecond)} Gbit/s</span
            >${results.length > 1 && html`<small>${result.measurementId}</small>`}`,
      ),
  );
}

function cpu(cell: Cell, key: 'clientCpu' | 'serverCpu'): HtmlValue {
  const all = cell.results.map((result) => toolCpuOf(result)[key]).filter((share) => share !== undefined);
  if (all.length === 0) return undefined;
  const average = (percentOf: (share: CpuShare) => number) => Math.round(mean(all.map(percentOf)));
  return html`<span class="nowrap"
    >${average(({ userPercent }) => userPercent)} + ${average(({ systemPercent }) => systemPercent)} %</span
  >`;
}
