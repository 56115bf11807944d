/** The plots of a throughput chart, and the small ones beneath the series, which share its time axis. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Sample } from '../../model/sample';
import { logAxisEnds, type AxisEnds } from './axis';
import { paletteColour, type ChartForm } from './svg';

export interface Panel {
  readonly name: string;
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
  return {
    name: `packets shaped per second: ${allowance.map(({ name }) => name).join(', ')}`,
    heightPixels: ALLOWANCE_PIXELS[form],
    series: allowance.map(({ points }, index): LineSeriesOption => {
      const color = paletteColour(index + 2);
      return {
        type: 'line',
        data: [...points],
        step: 'middle',
        showSymbol: false,
        lineStyle: { width: 1, color },
        areaStyle: { color, opacity: 0.35 },
      };
    }),
  };
}

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
