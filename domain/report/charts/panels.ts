/** The small plots beneath the series of a measurement, which share its time axis. */
import type { LineSeriesOption } from 'echarts/charts';
import type { Sample } from '../../model/sample';
import { logAxisEnds, type AxisEnds } from './axis';
import { allowanceLines, pointsOf, roundTripLines, type LineBeneath } from './chart-series';
import { thinned } from './downsampling';
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
  const allowance = allowanceLines(series);
  if (allowance.length === 0) return undefined;
  const colourOf = (index: number) => paletteColour(index + 2);
  const keyed = allowance.map(({ name }, index) => `{line${index}|${isDashed(index) ? '╍' : '━'}} ${name}`);
  return {
    name: `packets shaped${form === 'wide' ? ' per second' : '/s'}: ${keyed.join(', ')}`,
    nameKeys: Object.fromEntries(
      allowance.map((_, index) => [`line${index}`, { color: colourOf(index), fontWeight: 'bold' }]),
    ),
    heightPixels: ALLOWANCE_PIXELS[form],
    series: allowance.map((line, index): LineSeriesOption => {
      const color = colourOf(index);
      return {
        type: 'line',
        data: thinned(pointsOf(line), line.stand),
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
  const { median, longest } = roundTripLines(series);
  const values = [longest, median]
    .flatMap(({ samples, valueOf }) => samples.flatMap((sample) => valueOf(sample) ?? []))
    .filter((value) => value > 0);
  if (values.length === 0) return undefined;
  const colours = { median: paletteColour(4), longest: paletteColour(5) };
  const drawn = (line: LineBeneath, width: number, color: string): LineSeriesOption => ({
    type: 'line',
    data: thinned(pointsOf(line), line.stand),
    showSymbol: false,
    lineStyle: { width, color },
    itemStyle: { color },
  });
  return {
    name: `round trip${form === 'wide' ? ' of the probe' : ''}, µs: {median|━} median, {longest|━} longest`,
    nameKeys: {
      median: { color: colours.median, fontWeight: 'bold' },
      longest: { color: colours.longest, fontWeight: 'bold' },
    },
    heightPixels: ROUND_TRIP_PIXELS[form],
    axis: { type: 'log', ...logAxisEnds(values) },
    series: [drawn(longest, 1, colours.longest), drawn(median, 1.5, colours.median)],
  };
}
