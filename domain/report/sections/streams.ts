/** Parallel streams: what they come to together and each by itself, where more of them add nothing, and who lags. */
import { toolCpuOf, type CpuShare, type StreamStatistics } from '../../model/statistics';
import { flattensAtStreams } from '../flattening';
import { TRANSFERS_2008 } from '../articles/transfers-2008';
import { cellOf } from '../../model/cell';
import type { Cell } from '../cells';
import { streamChart, type StreamLine } from '../charts/stream-chart';
import { distinguish } from '../dimensions';
import { centresOf, meanThroughput } from '../figures';
import { counted, gigabits } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repetitions';
import { reportTable } from '../table';
import { drivenStatistics } from '../verdict-table';
import { withOverlay } from './overlay';
import { meanWithInterval } from './paths';

/** The same transfer with several numbers of streams, ascending. */
interface Ladder {
  readonly label: string;
  readonly steps: readonly Cell[];
}

export function streamsSection(cells: readonly Cell[]): Html | undefined {
  const { ladders, shared } = laddersOf(cells);
  if (ladders.length === 0) return undefined;
  const rows = ladders.flatMap(({ steps }) => steps);
  const ladderOf = new Map(ladders.flatMap((ladder) => ladder.steps.map((cell) => [cell, ladder] as const)));
  return html`<section id="streams">
    <h2>Parallel streams</h2>
    <p class="lead">
      Throughput of all streams together, and of each. It flattens at the smallest number of streams that no greater one
      beats by more than 5 %, beyond the noise where repetitions tell it.
    </p>
    ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`} ${chart(ladders)}
    <div class="card">
      ${reportTable<Cell>(
        [
          { heading: 'Streams', isNumber: true, cell: ({ results }) => results[0]!.parallelStreams },
          { heading: 'Together, Gbit/s', isNumber: true, cell: (cell) => meanWithInterval(cell, meanThroughput) },
          { heading: 'Each, Gbit/s', cell: (cell) => each(cell) },
          { heading: 'Stragglers', cell: (cell) => stragglers(cell) },
          { heading: 'CPU, client', isNumber: true, cell: (cell) => cpu(cell, 'clientCpu') },
          { heading: 'CPU, server', isNumber: true, cell: (cell) => cpu(cell, 'serverCpu') },
        ],
        rows,
        {
          groupTitle: (cell) => {
            const ladder = ladderOf.get(cell)!;
            return ladder.steps[0] === cell ? html`${ladder.label}<small>${flattening(ladder)}</small>` : undefined;
          },
        },
      )}
      <p class="sub">CPU is the tool’s own, in percent of one processor: user + system.</p>
    </div>
  </section>`;
}

/** Those with several numbers of streams, and those whose streams are told one by one. */
function laddersOf(cells: readonly Cell[]): { readonly ladders: readonly Ladder[]; readonly shared: string } {
  const byTransfer = new Map<string, Cell[]>();
  for (const cell of cells) {
    const first = cell.results[0]!;
    if (first.parallelStreams === undefined || meanThroughput.of(first) === undefined) continue;
    const key = cellOf(first, ['parallelStreams']);
    byTransfer.set(key, [...(byTransfer.get(key) ?? []), cell]);
  }
  const found = [...byTransfer.values()].filter((steps) => steps.length > 1 || steps.some(hasStreams));
  if (found.length === 0) return { ladders: [], shared: '' };
  const { labels, shared } = distinguish(found.map(([cell]) => ({ ...cell!.results[0]!, parallelStreams: undefined })));
  const ladders = found.map((steps, index) => ({
    label: labels[index]!,
    steps: [...steps].sort((left, right) => streamsOf(left) - streamsOf(right)),
  }));
  return { ladders, shared };
}

const streamsOf = ({ results }: Cell) => results[0]!.parallelStreams!;

const hasStreams = ({ results }: Cell) => (drivenStatistics(results[0]!)?.streams?.length ?? 0) > 0;

function flattening({ steps }: Ladder): string {
  if (steps.length < 2) return '';
  const measured = steps.map((cell) => ({ streams: streamsOf(cell), repeated: repeatedFigure(cell, meanThroughput) }));
  const several = measured.filter(({ repeated }) => repeated?.statistics.mean === null);
  if (several.length > 0) {
    return `Where it flattens can’t be said: several modes with ${several.map(({ streams }) => streams).join(', ')} streams.`;
  }
  const at = flattensAtStreams(
    measured.flatMap(({ streams, repeated }) =>
      repeated === undefined ? [] : [{ streams, throughputsBitsPerSecond: repeated.values }],
    ),
  );
  return at === undefined
    ? `Still grows at ${counted(streamsOf(steps.at(-1)!), 'stream')}: more were not tried.`
    : `Flattens at ${counted(at, 'stream')}.`;
}

function chart(ladders: readonly Ladder[]): Html | undefined {
  const lines = ladders
    .filter(({ steps }) => steps.length > 1)
    .map(({ label, steps }): StreamLine => ({
      name: label,
      points: steps.flatMap((cell) =>
        centresOf(repeatedFigure(cell, meanThroughput)?.statistics).map((value) => ({
          streams: streamsOf(cell),
          gigabitsPerSecond: value / 1e9,
        })),
      ),
    }));
  if (lines.length === 0) return undefined;
  const overlay = ladders.flatMap(({ label, steps }): StreamLine[] => {
    const figures = TRANSFERS_2008.figuresOf(steps[0]!.results[0]!);
    const points = Object.entries(figures ?? {}).map(([streams, bits]) => ({
      streams: Number(streams),
      gigabitsPerSecond: bits / 1e9,
    }));
    return points.length === 0 ? [] : [{ name: `${label}, ${TRANSFERS_2008.name}`, points, isOverlay: true }];
  });
  const body = withOverlay(
    'by-streams',
    (form) => streamChart('by-streams', lines, form),
    overlay.length === 0 ? undefined : (form) => streamChart('by-streams-overlaid', [...lines, ...overlay], form),
    TRANSFERS_2008,
  );
  return html`<div class="card">${body}</div>`;
}

/** Of one repetition every stream; of several the slowest and the fastest. */
function each(cell: Cell): HtmlValue {
  const all = cell.results.map((result) => drivenStatistics(result)?.streams ?? []);
  const rates = all.flat().map(({ throughputBitsPerSecond }) => throughputBitsPerSecond);
  if (rates.length === 0) return undefined;
  if (all.length === 1 && rates.length <= 12) return rates.map((rate) => gigabits(rate)).join(', ');
  return `${gigabits(Math.min(...rates))} to ${gigabits(Math.max(...rates))}`;
}

function stragglers(cell: Cell): HtmlValue {
  const lagging = cell.results.flatMap((result) =>
    (drivenStatistics(result)?.streams ?? [])
      .filter(({ isStraggler }) => isStraggler)
      .map((stream) => ({ stream, measurementId: result.measurementId })),
  );
  const words = ({ stream, throughputBitsPerSecond }: StreamStatistics) =>
    `stream ${stream}: ${gigabits(throughputBitsPerSecond)} Gbit/s`;
  return lagging.length === 0
    ? undefined
    : lagging.map(
        ({ stream, measurementId }) =>
          html`<span class="badge warn">${words(stream)}</span
            >${cell.results.length > 1 && html`<small>${measurementId}</small>`}`,
      );
}

function cpu(cell: Cell, key: 'clientCpu' | 'serverCpu'): HtmlValue {
  const all = cell.results.map((result) => toolCpuOf(result)[key]).filter((share) => share !== undefined);
  if (all.length === 0) return undefined;
  const mean = (of: (share: CpuShare) => number) =>
    Math.round(all.reduce((sum, share) => sum + of(share), 0) / all.length);
  return html`<span class="nowrap"
    >${mean(({ userPercent }) => userPercent)} + ${mean(({ systemPercent }) => systemPercent)} %</span
  >`;
}
