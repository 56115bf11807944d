/**
 * Throughput or packets per second over time, with the onset, the levels and the published figures marked. Beneath it, on
 * the same time axis, stand the allowance counters, if any grew, and the round trips of the probe, if there was one.
 */
import type { LineSeriesOption } from 'echarts/charts';
import { largest } from '../../maths/statistics';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { packetsOf } from '../../model/statistics';
import { pairOfTypes } from '../../run/words';
import type { Html } from '../page/html';
import { axisEnd, logAxisEnds } from './axis';
import {
  allowanceLines,
  brokenPointsOf,
  packetLine,
  pointsOf,
  roundTripLines,
  samplesOf,
  throughputLines,
  type LineBeneath,
  type MeasuredLine,
} from './chart-series';
import { envelope, thinned, type TimePoint } from './downsampling';
import { timeChartPair, type DrawnChart } from './shared-lines';
import { Colour, paletteColour, type ChartForm } from './svg';
import {
  highestBits,
  levelLines,
  levelMarks,
  markedAreas,
  publishedLines,
  throughputMarks,
  type MarkedSeries,
} from './throughput-marks';
import { renderTimeChart, type Panel } from './time-chart';

/** Above the first plot stand the name of its axis and, on a line of its own, the onset. */
const TOP = { top: 54, nameGap: 26 } as const;
const FORMS = {
  wide: { room: { widthPixels: 960, left: 54, right: 18, ...TOP }, series: 250, allowance: 64, roundTrips: 96 },
  narrow: { room: { widthPixels: 400, left: 44, right: 10, ...TOP }, series: 210, allowance: 56, roundTrips: 84 },
} as const;

/** What differs between the kinds of measurements. */
interface Plotted {
  readonly quantity: string;
  readonly axisName: string;
  readonly lines: readonly MeasuredLine[];
  /** The greatest value that the axis has room for. */
  readonly highest: number;
  readonly marks: Pick<LineSeriesOption, 'markLine' | 'markArea'>;
  /** The line that the verdict is on. */
  readonly markedLine?: string;
}

/** @returns undefined where there is no sample to draw */
export function measurementChart(result: MeasurementResult, series: readonly Sample[]): Html | undefined {
  const samples = samplesOf(series, result.kind === 'packets' ? 'packets' : 'throughput');
  return samples.length === 0 ? undefined : timeChartPair((form) => draw(result, { samples, series }, form));
}

/** The end of the time axis: that of the planned duration, where the measurement ended early. */
function lastSecondsOf(result: MeasurementResult, endSeconds: number): number {
  // A measurement that stopped because it had seen enough is whole; seconds are missing only after one that ended
  // early.
  const isWhole = result.status === 'complete' && result.stopAfterThrottledSeconds !== undefined;
  return isWhole ? Math.ceil(endSeconds) : Math.max(endSeconds, result.durationSeconds);
}

function draw(
  result: MeasurementResult,
  { samples, series }: Readonly<Record<'samples' | 'series', readonly Sample[]>>,
  form: ChartForm,
): DrawnChart {
  const endSeconds = largest(samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  const lastSeconds = lastSecondsOf(result, endSeconds);
  const marked = { samples, endSeconds, lastSeconds, isNarrow: form === 'narrow' };
  const plotted =
    result.kind === 'packets' ? packetPlot(result, series, marked) : throughputPlot(result, series, marked);
  const { quantity, axisName, lines, markedLine, marks } = plotted;
  const panel: Panel = {
    name: axisName,
    heightPixels: FORMS[form].series,
    axis: axisEnd(plotted.highest),
    series: lines.map((line, index) => ({
      ...lineOf(envelope(brokenPointsOf(line)), index === 0 ? Colour.series : Colour.secondSeries),
      name: line.name,
      showSymbol: line.samples.length === 1,
      ...(line.name === markedLine ? marks : {}),
    })),
  };
  const beneath = [allowancePanel(series, form), roundTripPanel(series, form)].filter((each) => each !== undefined);
  const { room } = FORMS[form];
  const chart = {
    id: result.measurementId,
    label: `${quantity} over time of ${result.measurementId}, ${pairOfTypes(result)}`,
    panels: [panel, ...beneath],
    lastSeconds,
    legend: lines.map(({ name }) => name),
    room,
  };
  const drawn = renderTimeChart(chart, form);
  // The script of the page finds the time under the pointer by these.
  const plot = `data-plot="${room.left} ${room.widthPixels - room.right} ${lastSeconds}"`;
  return { ...drawn, svg: drawn.svg.replace('<svg', `<svg ${plot}`) };
}

function lineOf(data: readonly TimePoint[], color: string, width = 1.5): LineSeriesOption {
  return { type: 'line', data: [...data], showSymbol: false, lineStyle: { width, color }, itemStyle: { color } };
}

function throughputPlot(result: MeasurementResult, series: readonly Sample[], marked: MarkedSeries): Plotted {
  const lines = throughputLines(series);
  const published = publishedLines(result, marked.samples).map(({ bits }) => bits);
  return {
    quantity: 'Throughput',
    axisName: 'Gbit/s',
    lines,
    highest: largest([highestBits(marked.samples), ...published]) / 1e9,
    marks: throughputMarks(result, marked),
    markedLine: result.verdict?.direction ?? lines[0]?.name,
  };
}

function packetPlot(result: MeasurementResult, series: readonly Sample[], marked: MarkedSeries): Plotted {
  const line = packetLine(series);
  const { packetVerdict: verdict } = result;
  const mean = packetsOf(result)?.packetsPerSecond?.mean;
  return {
    quantity: 'Packets per second',
    axisName: 'thousand packets per second',
    lines: [line],
    highest: largest(line.samples.map((sample) => line.valueOf(sample) ?? 0)),
    marks: levelMarks(levelLines(verdict, mean, 1e3, marked), markedAreas(verdict, marked)),
    markedLine: line.name,
  };
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
    heightPixels: FORMS[form].allowance,
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
  const drawn = (line: LineBeneath, width: number, color: string) =>
    lineOf(thinned(pointsOf(line), line.stand), color, width);
  return {
    name: `round trip${form === 'wide' ? ' of the probe' : ''}, µs: {median|━} median, {longest|━} longest`,
    nameKeys: {
      median: { color: colours.median, fontWeight: 'bold' },
      longest: { color: colours.longest, fontWeight: 'bold' },
    },
    heightPixels: FORMS[form].roundTrips,
    axis: { type: 'log', ...logAxisEnds(values) },
    series: [drawn(longest, 1, colours.longest), drawn(median, 1.5, colours.median)],
  };
}
