/** The plots of a throughput chart, and the small ones beneath the series, which share its time axis. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Sample } from '../../model/sample';
import { logAxisEnds, type AxisEnds } from './axis';
import { paletteColour, type ChartForm } from './svg';

export interface Panel {
  readonly name: string;
  /** The styles that the name uses, as in `{key|━}`: it tells several lines apart. */
  readonly nameKeys?: Readonly<Record<string, { readonly color: string; readonly fontWeight: 'bold' }>>;
  readonly heightPixels: number;
  /** What its value axis has instead of being linear from 0. */
  readonly axis?: AxisEnds & { readonly type?: 'log' };
  readonly series: readonly LineSeriesOption[];
}

const ALLOWANCE_PIXELS = { wide: 64, narrow: 56 } as const;
const ROUND_TRIP_PIXELS = { wide: 96, narrow: 84 } as const;

export function panelsBeneath(series: readonly Sample[], form: ChartForm): Panel[] {
  return [allowancePanel(series, form), roundTripPanel(series, form)].filter((panel) => panel !== undefined);
}

function allowancePanel(series: readonly Sample[], form: ChartForm): Panel | undefined {
  const allowance = allowanceSeries(series);
  if (allowance.length === 0) return undefined;
  const colourOf = (index: number) => paletteColour(index + 2);
  const keyed = allowance.map(({ name }, index) => `{line${index}|${isDashed(index) ? '╍' : '━'}} ${name}`);
  return {
    name: `packets shaped per second: ${keyed.join(', ')}`,
    nameKeys: Object.fromEntries(
      allowance.map((_, index) => [`line${index}`, { color: colourOf(index), fontWeight: 'bold' }]),
    ),
    heightPixels: ALLOWANCE_PIXELS[form],
    series: allowance.map(({ points }, index): LineSeriesOption => {
      const color = colourOf(index);
      return {
        type: 'line',
        data: [...points],
        step: 'middle',
        showSymbol: false,
        lineStyle: { width: isDashed(index) ? 1.5 : 1, color, type: isDashed(index) ? [5, 3] : 'solid' },
        areaStyle: { color, opacity: isDashed(index) ? 0.15 : 0.35 },
      };
    }),
  };
}

/** Every other line, so that not only its colour tells it from the one before. */
const isDashed = (index: number) => index % 2 === 1;

function roundTripPanel(series: readonly Sample[], form: ChartForm): Panel | undefined {
  const samples = series.filter(({ metric }) => metric === 'round_trip');
  const line = (key: 'rttMedianMicros' | 'rttMaxMicros', width: number, color: string): LineSeriesOption => ({
    type: 'line',
    data: samples.map((sample) => [sample.startSeconds + sample.lengthSeconds / 2, sample[key] ?? null]),
    showSymbol: false,
    sampling: 'minmax',
    lineStyle: { width, color },
    itemStyle: { color },
  });
  const values = samples
    .flatMap(({ rttMedianMicros, rttMaxMicros }) => [rttMedianMicros ?? [], rttMaxMicros ?? []].flat())
    .filter((value) => value > 0);
  if (values.length === 0) return undefined;
  return {
    name: 'round trip of the probe, µs: median and, paler, longest of each second',
    heightPixels: ROUND_TRIP_PIXELS[form],
    axis: { type: 'log', ...logAxisEnds(values) },
    series: [line('rttMaxMicros', 1, paletteColour(5)), line('rttMedianMicros', 1.5, paletteColour(4))],
  };
}

const COUNTERS = [
  ['bwInAllowanceExceeded', 'bw in'],
  ['bwOutAllowanceExceeded', 'bw out'],
  ['ppsAllowanceExceeded', 'pps'],
  ['conntrackAllowanceExceeded', 'conntrack'],
  ['linklocalAllowanceExceeded', 'link-local'],
] as const;

export interface AllowanceSeries {
  /** `bw out (client)` */
  readonly name: string;
  readonly points: readonly [seconds: number, packets: number][];
  readonly totalPackets: number;
}

/** Only the counters that grew; a sentence says better than a chart that one stood still. */
export function allowanceSeries(series: readonly Sample[]): AllowanceSeries[] {
  const samples = series.filter(({ metric }) => metric === 'allowance');
  return (['client', 'server'] as const).flatMap((hostRole) =>
    COUNTERS.flatMap(([key, word]) => {
      const points = samples.flatMap((sample): [number, number][] => {
        const packets = sample.hostRole === hostRole ? sample[key] : undefined;
        return packets === undefined ? [] : [[sample.startSeconds + sample.lengthSeconds / 2, packets]];
      });
      const totalPackets = points.reduce((sum, [, packets]) => sum + packets, 0);
      return totalPackets > 0 ? [{ name: `${word} (${hostRole})`, points, totalPackets }] : [];
    }),
  );
}

export function hasAllowanceCounters(series: readonly Sample[]): boolean {
  return series.some(({ metric }) => metric === 'allowance');
}
