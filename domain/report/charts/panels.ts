/** What is drawn beneath a throughput series, on the same seconds. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Sample } from '../../model/sample';
import { allowanceSeries } from './allowance';
import type { ChartForm } from './svg';
import { Colour } from './svg';

export interface Panel {
  readonly name: string;
  readonly heightPixels: number;
  /** Powers of ten at the ends of a logarithmic axis; absent: linear from 0. */
  readonly logEnds?: { readonly min: number; readonly max: number };
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
    name: `packets shaped in the second: ${allowance.map(({ name }) => name).join(', ')}`,
    heightPixels: ALLOWANCE_PIXELS[form],
    series: allowance.map(({ points }, index): LineSeriesOption => {
      const color = Colour.palette[(index + 2) % Colour.palette.length]!;
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
    ...(form === 'narrow' ? { sampling: 'minmax' as const } : {}),
    lineStyle: { width, color },
    itemStyle: { color },
  });
  const values = samples.flatMap(({ rttMedianMicros, rttMaxMicros }) =>
    [rttMedianMicros, rttMaxMicros].filter((value) => value !== undefined && value > 0),
  ) as number[];
  if (values.length === 0) return undefined;
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
    Infinity,
    0,
  ] as readonly [number, number]);
  const from = Math.floor(Math.log10(least));
  return {
    name: 'round trip of the probe, µs: median, and pale the longest of the second',
    heightPixels: ROUND_TRIP_PIXELS[form],
    logEnds: { min: 10 ** from, max: 10 ** Math.max(Math.ceil(Math.log10(most)), from + 1) },
    series: [line('rttMaxMicros', 1, Colour.palette[5]!), line('rttMedianMicros', 1.5, Colour.palette[4]!)],
  };
}
