/**
 * Draws throughput or packets per second over time, with the onset, the levels and the published figures marked.
 * Beneath, on the same time axis, are the allowance counters that grew, and the round trips of a probe.
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

/** Leaves room above the first plot for the name of its axis and, on a separate line, the label of the onset. */
const TOP = { top: 54, nameGap: 26 } as const;
const FORMS = {
  wide: { room: { widthPixels: 960, left: 54, right: 18, ...TOP }, series: 250, allowance: 64, roundTrips: 96 },
  narrow: { room: { widthPixels: 400, left: 44, right: 10, ...TOP }, series: 210, allowance: 56, roundTrips: 84 },
} as const;

/** The parts of the chart that depend on the kind of measurement. */
interface Plotted {
  readonly quantity: string;
  readonly axisName: string;
  readonly lines: readonly MeasuredLine[];
  /** The greatest value that must fit on the axis. */
  readonly highest: number;
  readonly marks: Pick<LineSeriesOption, 'markLine' | 'markArea'>;
  /** The name of the line that the verdict is about. */
  readonly markedLine?: string;
}

/** @returns undefined where there is no sample to draw */
export function measurementChart(result: MeasurementResult, series: readonly Sample[]): Html | undefined {
  const samples = samplesOf(series, result.kind === 'packets' ? 'packets' : 'throughput');
  return samples.length === 0 ? undefined : timeChartPair((form) => draw(result, { samples, series }, form));
}

/** Returns the end of the time axis, which includes the planned duration of a measurement that ended early. */
function lastSecondsOf(result: MeasurementResult, endSeconds: number): number {
  // A measurement that stops after enough throttled seconds, as the plan asks, is not missing any.
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
  // The page's script computes the time under the pointer from these values.
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

/** Every other line is dashed, so that lines differ in more than colour. */
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
