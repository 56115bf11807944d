/** The plots of a throughput chart, and the small ones beneath the series, which share its time axis. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Sample } from '../../model/sample';
import { logAxisEnds, type AxisEnds } from './axis';
import { LARGEST, MEDIAN, thinned, type Stand, type TimePoint } from './downsampling';
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
    name: `packets shaped${form === 'wide' ? ' per second' : '/s'}: ${keyed.join(', ')}`,
    nameKeys: Object.fromEntries(
      allowance.map((_, index) => [`line${index}`, { color: colourOf(index), fontWeight: 'bold' }]),
    ),
    heightPixels: ALLOWANCE_PIXELS[form],
    series: allowance.map(({ points }, index): LineSeriesOption => {
      const color = colourOf(index);
      const drawn: TimePoint[] = points.map(([seconds, packets]) => [seconds, packets]);
      return {
        type: 'line',
        data: thinned(drawn, LARGEST),
        showSymbol: false,
        ...(isDashed(index)
          ? { lineStyle: { width: 1.5, color, type: [5, 3] } }
          : { lineStyle: { width: 0 }, areaStyle: { color, opacity: 0.55 } }),
      };
    }),
  };
}

/** Every other line, so that not only its colour tells it from the one before. */
const isDashed = (index: number) => index % 2 === 1;

function roundTripPanel(series: readonly Sample[], form: ChartForm): Panel | undefined {
  const samples = series.filter(({ metric }) => metric === 'round_trip');
  const line = (
    key: 'rttMedianMicros' | 'rttMaxMicros',
    stand: Stand,
    width: number,
    color: string,
  ): LineSeriesOption => ({
    type: 'line',
    data: thinned(
      samples.map((sample): TimePoint => [sample.startSeconds + sample.lengthSeconds / 2, sample[key] ?? null]),
      stand,
    ),
    showSymbol: false,
    lineStyle: { width, color },
    itemStyle: { color },
  });
  const values = samples
    .flatMap(({ rttMedianMicros, rttMaxMicros }) => [rttMedianMicros ?? [], rttMaxMicros ?? []].flat())
    .filter((value) => value > 0);
  if (values.length === 0) return undefined;
  return {
    name: `round trip${form === 'wide' ? ' of the probe' : ''}, µs: {median|━} median, {longest|━} longest`,
    nameKeys: {
      median: { color: paletteColour(4), fontWeight: 'bold' },
      longest: { color: paletteColour(5), fontWeight: 'bold' },
    },
    heightPixels: ROUND_TRIP_PIXELS[form],
    axis: { type: 'log', ...logAxisEnds(values) },
    series: [
      line('rttMaxMicros', LARGEST, 1, paletteColour(5)),
      line('rttMedianMicros', MEDIAN, 1.5, paletteColour(4)),
    ],
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
