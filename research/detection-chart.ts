/** Draws a series and what the detector found in it as a small self-contained SVG in the report's colours, on white. */
import type { LineSeriesOption } from 'echarts/charts';

import type { SeriesShape } from '../domain/detection/series-shape';
import { axisEnd, nameAboveAxis, tickLabel } from '../domain/report/charts/axis';
import { CHART_TEXT_STYLE, STYLE } from '../domain/report/page/style';
import { Colour, FONT_PIXELS, renderSvg } from '../domain/report/charts/svg';
import type { LabelledSeries } from '../test/support/prediction';

export interface Picture {
  readonly name: string;
  readonly series: LabelledSeries;
  readonly shape: SeriesShape;
  /** The seconds to show, where the whole series would hide the detail. */
  readonly span?: readonly [from: number, to: number];
}

const SIZE = { widthPixels: 480, heightPixels: 220 };
const LEFT = 40;
/** Detail finer than a pixel is invisible, and twelve thousand points make a large file. */
const MOST_COLUMNS = 400;

/** With more samples, steps would only make the line thicker. */
const MOST_STEPS = 100;
/** Gaps shorter than this many samples do not break the line: a tool may skip a second or two. */
const MISSING = 4;

type Point = [seconds: number, gigabits: number | null];
type MarkLineData = NonNullable<NonNullable<LineSeriesOption['markLine']>['data']>;

export function drawPicture({ name, series, shape, span }: Picture): string {
  const lengthSeconds = series.dt ?? 1;
  const [from, to] = span ?? [0, (series.t.at(-1) ?? 0) + lengthSeconds];
  const points = pointsWithin(series, lengthSeconds, from, to);
  const highest = points.reduce((most, [, rate]) => Math.max(most, rate ?? 0), 0);
  const svg = renderSvg({ id: `detection-${name}`, label: `Throughput of ${series.id}: ${shape.kind}` }, SIZE, {
    grid: { left: LEFT, right: 22, top: 42, bottom: 40, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: from,
      max: to,
      name: 'seconds',
      nameLocation: 'middle',
      nameGap: 24,
      axisLabel: { hideOverlap: true },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      ...axisEnd(highest),
      name: 'Gbit/s',
      nameTextStyle: nameAboveAxis(LEFT),
      nameGap: 22,
      axisLabel: { formatter: tickLabel },
    },
    series: [
      {
        type: 'line',
        data: points,
        showSymbol: false,
        // With few samples, steps show that each sample is a mean over its length.
        ...(points.length <= MOST_STEPS ? { step: 'middle' as const } : {}),
        lineStyle: { width: 1, color: Colour.series },
        markLine: { symbol: 'none', silent: true, z: 3, precision: -1, data: marks(series, shape, from, to) },
        markArea: { silent: true, z: 0, data: onsetBand(shape) },
      },
    ],
  });
  return standingAlone(svg);
}

/** The lowest and highest sample of every column of the picture, in order of time, with breaks where some are missing. */
function pointsWithin({ t, bps }: LabelledSeries, lengthSeconds: number, from: number, to: number): Point[] {
  const columnSeconds = Math.max(lengthSeconds, (to - from) / MOST_COLUMNS);
  const points: Point[] = [];
  let column: { readonly start: number; readonly rate: number }[] = [];
  const close = () => {
    const ends = column
      .sort((a, b) => a.rate - b.rate)
      .filter((_, index, { length }) => [0, length - 1].includes(index));
    for (const { start, rate } of ends.sort((a, b) => a.start - b.start)) {
      points.push([Number((start + lengthSeconds / 2).toFixed(2)), Number(rate.toPrecision(4))]);
    }
    column = [];
  };
  for (const [index, start] of t.entries()) {
    if (start + lengthSeconds <= from || start >= to) continue;
    const last = t[index - 1] ?? start;
    const [first] = column;
    if (first !== undefined && start - first.start >= columnSeconds) close();
    if (start - last > MISSING * lengthSeconds) {
      close();
      points.push([start, null]);
    }
    column.push({ start, rate: (bps[index] ?? NaN) / 1e9 });
  }
  close();
  return points;
}

/** The levels, the onset that was found, and the true onset where they differ. */
function marks(series: LabelledSeries, shape: SeriesShape, from: number, to: number): MarkLineData {
  const levels = shape.segments
    .filter(({ startSeconds, endSeconds }) => endSeconds > from && startSeconds < to)
    .map(({ startSeconds, endSeconds, bitsPerSecond }): MarkLineData[number] => [
      {
        coord: [Math.max(startSeconds, from), bitsPerSecond / 1e9],
        lineStyle: { color: Colour.secondSeries, width: 2.5, type: 'solid' },
        label: { show: false },
      },
      { coord: [Math.min(endSeconds, to), bitsPerSecond / 1e9] },
    ]);
  const { onset_s: truth } = series.truth;
  const found = shape.throttle?.onset.value;
  const isRight = truth !== undefined && found !== undefined && Math.abs(found - truth) < 1;
  const shown = [
    ...(found === undefined ? [] : [{ at: found, text: `onset ${found.toFixed(2)} s`, color: Colour.onset }]),
    ...(truth === undefined || isRight ? [] : [{ at: truth, text: `truth ${truth.toFixed(2)} s`, color: Colour.ink }]),
  ].sort((a, b) => a.at - b.at);
  const lines = shown.map(({ at, text, color }, index): MarkLineData[number] => ({
    xAxis: at,
    lineStyle: { color, width: 1.5, type: [5, 3] },
    label: {
      formatter: text,
      color,
      position: 'end',
      fontSize: FONT_PIXELS,
      fontWeight: 'bold',
      // Two labels are placed back to back; a single one stays within the picture.
      align: shown.length === 2 ? (index === 0 ? 'right' : 'left') : (at - from) / (to - from) > 0.5 ? 'right' : 'left',
    },
  }));
  return [...levels, ...lines];
}

function onsetBand({ throttle }: SeriesShape) {
  if (!throttle) return [];
  const { low, high } = throttle.onset;
  return [[{ xAxis: low, itemStyle: { color: Colour.onsetBand } }, { xAxis: high }]] satisfies NonNullable<
    NonNullable<LineSeriesOption['markArea']>['data']
  >;
}

/** Adds what a separate file needs and the report's page gives its charts: the namespace, the style of texts, light colours. */
function standingAlone(svg: string): string {
  const colours = new Map<string, string>();
  for (const [, name, value] of STYLE.matchAll(/--([a-z0-9-]+): ([^;]+);/g)) {
    if (name !== undefined && value !== undefined && !colours.has(name)) colours.set(name, value);
  }
  const { widthPixels: width, heightPixels: height } = SIZE;
  const picture = svg
    .replace(/^<svg /, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="${width}" height="${height}" `)
    .replace(/>/, `><style>${CHART_TEXT_STYLE}</style><rect width="${width}" height="${height}" fill="#ffffff"/>`);
  return picture.replace(/var\(--([a-z0-9-]+)\)/g, (_, name: string) => {
    const value = colours.get(name);
    if (value === undefined) throw new Error(`--${name}: must be a colour of the report's style sheet`);
    return value;
  });
}
