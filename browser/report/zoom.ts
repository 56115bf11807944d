/** Draws the series with uPlot, a chart for each unit. Dragging zooms in, and a double click resets the zoom. */
import uPlot from 'uplot';
import uPlotStyle from 'uplot/dist/uPlot.min.css';
import type { ChartSeries, SeriesLine } from '../../domain/report/interactive/series-codec';

const HEIGHT_PIXELS = { first: 300, other: 140 };

/** @returns an element with the charts; tests read its property `uplots` */
export function zoomableCharts({ lines, onsetSeconds }: ChartSeries, label: string, width: number): HTMLElement {
  addStyleOnce();
  const box = document.createElement('div');
  box.className = 'zoomed';
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', label);
  const units = [...new Set(lines.map(({ unit }) => unit))];
  const charts: uPlot[] = [];
  units.forEach((unit, index) => {
    const shown = lines.filter((line) => line.unit === unit);
    const height = index === 0 ? HEIGHT_PIXELS.first : HEIGHT_PIXELS.other;
    charts.push(new uPlot(optionsOf(shown, { unit, width, height, onsetSeconds, charts }), aligned(shown), box));
  });
  const help = document.createElement('p');
  help.className = 'sub';
  help.textContent = 'Drag to zoom in. Double-click to see the whole chart again.';
  box.append(help);
  return Object.assign(box, { uplots: charts });
}

interface Look {
  readonly unit: string;
  readonly width: number;
  readonly height: number;
  readonly onsetSeconds?: number;
  /** All charts of the series, whose time axes are zoomed together. */
  readonly charts: readonly uPlot[];
}

function optionsOf(lines: readonly SeriesLine[], { unit, width, height, onsetSeconds, charts }: Look): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--rule'), width: 1 },
    ticks: { stroke: colour('--rule') },
  };
  return {
    width,
    height,
    // Times are seconds since the start of the load, not dates.
    scales: { x: { time: false }, y: { range: (_, __, highest) => [0, Math.max(highest, 1e-6) * 1.06] } },
    cursor: { sync: { key: 'report' }, drag: { x: true, y: false } },
    axes: [axis, { ...axis, label: unit, size: 64 }],
    series: [
      { label: 'second' },
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(`--series-${index + 1}`),
        width: 1.5,
        spanGaps: false,
        value: (_: uPlot, value: number | null) => (value === null ? '–' : String(Number(value.toPrecision(4)))),
      })),
    ],
    hooks: {
      draw: [
        (chart) => {
          drawOnset(chart, onsetSeconds, colour('--onset'));
        },
      ],
      setScale: [
        (chart, key) => {
          const { min, max } = chart.scales.x ?? {};
          if (key !== 'x' || min === undefined || max === undefined) return;
          for (const other of charts) {
            if (other.scales.x?.min !== min || other.scales.x.max !== max) other.setScale('x', { min, max });
          }
        },
      ],
    },
  };
}

function drawOnset(chart: uPlot, onsetSeconds: number | undefined, colour: string): void {
  if (onsetSeconds === undefined) return;
  const x = chart.valToPos(onsetSeconds, 'x', true);
  const { left, top, width, height } = chart.bbox;
  if (x < left || x > left + width) return;
  chart.ctx.save();
  chart.ctx.strokeStyle = colour;
  chart.ctx.setLineDash([5, 3]);
  chart.ctx.beginPath();
  chart.ctx.moveTo(x, top);
  chart.ctx.lineTo(x, top + height);
  chart.ctx.stroke();
  chart.ctx.restore();
}

/** Joins the lines over all of their times, because uPlot needs one list of times. */
function aligned(lines: readonly SeriesLine[]): uPlot.AlignedData {
  return uPlot.join(lines.map(({ seconds, values }) => [[...seconds], [...values]]));
}

let hasStyle = false;
function addStyleOnce(): void {
  if (hasStyle) return;
  const element = document.createElement('style');
  element.textContent = uPlotStyle;
  document.head.append(element);
  hasStyle = true;
}
