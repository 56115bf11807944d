/** Shows the throughput of parallel streams in total and of each, how many are enough, and which are stragglers. */
import { groupBy } from '../../maths/elements';
import { differenceOfMeans } from '../../maths/difference';
import { largest, mean, smallest } from '../../maths/statistics';
import { cellOf } from '../../model/cell';
import { drivenStatistics, toolCpuOf } from '../../model/statistics';
import { counted, gigabits } from '../../text/format';
import { isDisplaced, labelledCells, repeatedFigure, type Cell } from '../../repetitions/cells';
import { axisEnd } from '../charts/axis';
import { lineChart, type ChartLine } from '../charts/line-chart';
import { centresOf, meanThroughput } from '../../tables/figures';
import { badge, withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { column, numberColumn, tableSection, type Section } from '../page/table';
import { meanWithInterval } from './repetitions';

interface Step extends Cell {
  readonly streams: number;
}

/** The same transfer with several numbers of streams. */
interface Ladder {
  readonly label: string;
  /** In ascending order of the number of streams. */
  readonly steps: readonly Step[];
}

export function streamsSection(cells: readonly Cell[]): Section | undefined {
  const { ladders, shared } = laddersOf(cells);
  return tableSection<{ readonly ladder: Ladder; readonly step: Step }>({
    id: 'streams',
    title: 'Parallel streams',
    lead: html`Throughput of all streams together, and of each stream. The throughput flattens at the number of streams
    that no higher number exceeds by more than 5 %. In repeated measurements, only a gain beyond the noise counts.`,
    shared,
    aboveTable: chart(ladders),
    label: 'Throughput by number of streams',
    columns: [
      numberColumn('Streams', ({ step }) => step.streams),
      numberColumn('Together, Gbit/s', ({ step }) => meanWithInterval(step, meanThroughput)),
      column('Each, Gbit/s', ({ step }) => each(step)),
      column('Stragglers', ({ step }) => stragglers(step)),
      numberColumn('CPU, client', ({ step }) => cpu(step, 'clientCpu')),
      numberColumn('CPU, server', ({ step }) => cpu(step, 'serverCpu')),
    ],
    rows: ladders.flatMap((ladder) => ladder.steps.map((step) => ({ ladder, step }))),
    groups: { by: ({ ladder }) => ladder, title: ({ ladder }) => withNotes(ladder.label, flattening(ladder)) },
    note: 'CPU: the time that the tool itself used, user + system, in percent of one processor.',
  });
}

/** Returns the transfers that were measured with several numbers of streams, or whose tool reports each stream. */
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
  const { rows, shared } = labelledCells(
    found.map((steps) => ({ steps, results: [{ ...steps[0].results[0], parallelStreams: undefined }] as const })),
  );
  const ladders = rows.map(({ item, label }) => ({
    label,
    steps: [...item.steps].sort((left, right) => left.streams - right.streams),
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
    return `Whether the throughput flattens can’t be decided, because the results with ${counts} streams cluster around more than one value.`;
  }
  const enough = flattensAtStreams(
    measured.flatMap(({ streams, repeated }) =>
      repeated === undefined ? [] : [{ streams, throughputsBitsPerSecond: repeated.values }],
    ),
  );
  const most = largest(steps.map(({ streams }) => streams));
  return enough === undefined
    ? `Throughput still grows at ${counted(most, 'stream')}; more streams were not tried.`
    : `Throughput flattens at ${counted(enough, 'stream')}.`;
}

interface StreamsMeasured {
  readonly streams: number;
  /** The total throughput of each repetition; at least one value. */
  readonly throughputsBitsPerSecond: readonly number[];
}

/** A smaller relative gain is nothing that an application would notice. */
const SMALLEST_NOTICEABLE_GAIN = 0.05;

/**
 * Returns the smallest number of streams that no greater number beats by more than 5 %. Where both were repeated, the
 * gain must also be beyond the noise of the repetitions.
 * @param measured in ascending order of streams
 * @returns undefined if even the greatest number still gained, or if only one number was measured
 */
export function flattensAtStreams(measured: readonly StreamsMeasured[]): number | undefined {
  return measured
    .slice(0, -1)
    .find((few, index) => measured.slice(index + 1).every((many) => !gains(few.throughputsBitsPerSecond, many)))
    ?.streams;
}

function gains(few: readonly number[], { throughputsBitsPerSecond: many }: StreamsMeasured): boolean {
  const needed = SMALLEST_NOTICEABLE_GAIN * mean(few);
  // A single measurement does not show the noise, so only the difference itself is tested.
  const least = few.length > 1 && many.length > 1 ? differenceOfMeans(few, many).low : mean(many) - mean(few) - needed;
  return mean(many) - mean(few) > needed && least > 0;
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
  const body = lineChart({
    id: 'by-streams',
    label: 'Throughput by number of streams',
    categories: [...new Set(points.map(([streams]) => streams))].sort((a, b) => Number(a) - Number(b)),
    categoryName: 'parallel streams',
    valueName: 'Gbit/s, all streams together',
    valueEnds: axisEnd(largest(points.map(([, gigabits]) => gigabits ?? 0))),
    lines,
  });
  return html`<div class="card">${body}</div>`;
}

const pointOf = (streams: number, bits: number) => [String(streams), bits / 1e9] as const;

/** Lists every stream of a single measurement if they are few, otherwise the slowest and the fastest stream. */
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
      .map(({ stream, throughputBitsPerSecond }) => {
        const words = `stream ${stream}: ${gigabits(throughputBitsPerSecond)} Gbit/s`;
        return withNotes(badge('warn', words), results.length > 1 && result.measurementId);
      }),
  );
}

function cpu(cell: Cell, key: 'clientCpu' | 'serverCpu'): HtmlValue {
  const all = cell.results.map((result) => toolCpuOf(result)[key]).filter((share) => share !== undefined);
  if (all.length === 0) return undefined;
  const average = (of: 'userPercent' | 'systemPercent') => Math.round(mean(all.map((share) => share[of])));
  return html`<span class="nowrap">${average('userPercent')} + ${average('systemPercent')} %</span>`;
}
