/** Packets per second over time, with the onset and the levels marked, above the allowance counters that grew. */
import { largest } from '../../maths/extremes';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { packetsOf } from '../../model/statistics';
import { pairOfTypes } from '../../run/words';
import { axisEnd } from './axis';
import { envelope } from './columns';
import { panelsBeneath, type Panel } from './panels';
import type { DrawnChart } from './shared-lines';
import { Colour, type ChartForm } from './svg';
import { fallLines, level, levelMarks, markedAreas } from './throughput-marks';
import { lastSecondsOf, PLOT_PIXELS, renderPanels, withGaps } from './time-chart';

const THOUSAND = 1e3;

/** @returns undefined where there is no sample to draw */
export function packetChart(
  result: MeasurementResult,
  series: readonly Sample[],
  form: ChartForm,
): DrawnChart | undefined {
  const samples = series.filter(({ metric }) => metric === 'packets');
  if (samples.length === 0) return undefined;
  const endSeconds = largest(samples.map((sample) => sample.startSeconds + sample.lengthSeconds));
  const lastSeconds = lastSecondsOf(result, endSeconds);
  const { packetVerdict } = result;
  const mean = packetsOf(result)?.packetsPerSecond?.mean;
  const meanLine = mean === undefined ? [] : [level(0, endSeconds, mean / THOUSAND, 'mean', Colour.burst)];
  const lines = packetVerdict?.onset
    ? fallLines(packetVerdict.onset.value, packetVerdict, THOUSAND, {
        endSeconds,
        lastSeconds,
        isNarrow: form === 'narrow',
      })
    : meanLine;
  const thousands = ({ packetsPerSecond }: Sample) => packetsPerSecond && packetsPerSecond / THOUSAND;
  const panel: Panel = {
    name: 'thousand packets per second',
    heightPixels: PLOT_PIXELS[form],
    axis: axisEnd(largest(samples.map((sample) => thousands(sample) ?? 0))),
    series: [
      {
        type: 'line',
        name: 'packets',
        data: envelope(withGaps(samples, thousands)),
        showSymbol: samples.length === 1,
        lineStyle: { width: 1.5, color: Colour.series },
        itemStyle: { color: Colour.series },
        ...levelMarks(lines, markedAreas(packetVerdict, { samples, endSeconds, lastSeconds })),
      },
    ],
  };
  const label = `Packets per second over time of ${result.measurementId}, ${pairOfTypes(result)}`;
  const chart = { id: result.measurementId, label, lastSeconds, legend: [] };
  return renderPanels([panel, ...panelsBeneath(series, form)], form, chart);
}
