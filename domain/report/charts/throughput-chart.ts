/**
 * Throughput over time, with the onset, the levels and the published figures marked. Beneath it, on the same time axis,
 * stand the allowance counters, if any grew, and the round trips of the latency probe, if there was one.
 */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { pairOfTypes } from '../../run/words';
import { axisEnd } from './axis';
import { envelope } from './columns';
import { panelsBeneath, type Panel } from './panels';
import type { DrawnChart } from './shared-lines';
import { Colour, type ChartForm } from './svg';
import { highestBits, publishedLines, throughputMarks } from './throughput-marks';
import { lastSecondsOf, PLOT_PIXELS, renderPanels, withGaps } from './time-chart';
import { largest } from '../../maths/extremes';

/** @returns undefined where there is no sample to draw */
export function throughputChart(
  result: MeasurementResult,
  series: readonly Sample[],
  form: ChartForm,
): DrawnChart | undefined {
  const samples = series.filter(({ metric, stream }) => metric === 'throughput' && stream === 'sum');
  if (samples.length === 0) return undefined;
  const endSeconds = largest(samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  const lastSeconds = lastSecondsOf(result, endSeconds);
  const directions = (['forward', 'reverse'] as const).filter((each) =>
    samples.some((sample) => sample.direction === each),
  );
  const markedDirection = result.verdict?.direction ?? directions[0];
  const marks = throughputMarks(result, { samples, endSeconds, lastSeconds, isNarrow: form === 'narrow' });
  const highest = largest([highestBits(samples), ...publishedLines(result, samples).map(({ bits }) => bits)]);
  const throughputPanel: Panel = {
    name: 'Gbit/s',
    heightPixels: PLOT_PIXELS[form],
    axis: axisEnd(highest / 1e9),
    series: directions.map((direction, index) => {
      const ofDirection = samples.filter((sample) => sample.direction === direction);
      const color = index === 0 ? Colour.series : Colour.secondSeries;
      return {
        type: 'line',
        name: direction,
        data: envelope(withGaps(ofDirection, ({ throughputBitsPerSecond: bits }) => bits && bits / 1e9)),
        showSymbol: ofDirection.length === 1,
        lineStyle: { width: 1.5, color },
        itemStyle: { color },
        ...(direction === markedDirection ? marks : {}),
      };
    }),
  };
  const panels = [throughputPanel, ...panelsBeneath(series, form)];
  const label = `Throughput over time of ${result.measurementId}, ${pairOfTypes(result)}`;
  return renderPanels(panels, form, { id: result.measurementId, label, lastSeconds, legend: directions });
}
