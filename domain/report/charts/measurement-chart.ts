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
import { axisEnd } from './axis';
import { brokenPointsOf, packetLine, samplesOf, throughputLines, type MeasuredLine } from './chart-series';
import { envelope } from './downsampling';
import { panelsBeneath } from './panels';
import type { DrawnChart } from './shared-lines';
import { Colour, type ChartForm } from './svg';
import {
  dropLines,
  highestBits,
  level,
  levelMarks,
  markedAreas,
  publishedLines,
  throughputMarks,
  type MarkedSeries,
} from './throughput-marks';
import { lastSecondsOf, PLOT_PIXELS, renderPanels } from './time-chart';

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
export function measurementChart(
  result: MeasurementResult,
  series: readonly Sample[],
  form: ChartForm,
): DrawnChart | undefined {
  const samples = samplesOf(series, result.kind === 'packets' ? 'packets' : 'throughput');
  if (samples.length === 0) return undefined;
  const endSeconds = largest(samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  const lastSeconds = lastSecondsOf(result, endSeconds);
  const marked = { samples, endSeconds, lastSeconds, isNarrow: form === 'narrow' };
  const plotted =
    result.kind === 'packets' ? packetPlot(result, series, marked) : throughputPlot(result, series, marked);
  const { lines, markedLine, marks } = plotted;
  const panel = {
    name: plotted.axisName,
    heightPixels: PLOT_PIXELS[form],
    axis: axisEnd(plotted.highest),
    series: lines.map((line, index): LineSeriesOption => {
      const color = index === 0 ? Colour.series : Colour.secondSeries;
      return {
        type: 'line',
        name: line.name,
        data: envelope(brokenPointsOf(line)),
        showSymbol: line.samples.length === 1,
        lineStyle: { width: 1.5, color },
        itemStyle: { color },
        ...(line.name === markedLine ? marks : {}),
      };
    }),
  };
  return renderPanels([panel, ...panelsBeneath(series, form)], form, {
    id: result.measurementId,
    label: `${plotted.quantity} over time of ${result.measurementId}, ${pairOfTypes(result)}`,
    lastSeconds,
    legend: lines.map(({ name }) => name),
  });
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
  const meanLine = mean === undefined ? [] : [level(0, marked.endSeconds, mean / 1e3, 'mean', Colour.burst)];
  const levels = verdict?.onset ? dropLines(verdict.onset.value, verdict, 1e3, marked) : meanLine;
  return {
    quantity: 'Packets per second',
    axisName: 'thousand packets per second',
    lines: [line],
    highest: largest(line.samples.map((sample) => line.valueOf(sample) ?? 0)),
    marks: levelMarks(levels, markedAreas(verdict, marked)),
    markedLine: line.name,
  };
}
