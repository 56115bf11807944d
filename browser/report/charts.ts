/** Shows the values under the pointer, and adds buttons below each chart over time: zoom and download as CSV. */
import { decodeSeries, type ChartSeries, type SeriesLine } from '../../domain/report/interactive/series-codec';
import { csvOf, saveFile } from './files';
import { zoomableCharts } from './zoom';

export function prepareCharts(part: ParentNode): void {
  for (const figure of part.querySelectorAll<HTMLElement>('figure[data-series]')) {
    let known: ChartSeries | undefined;
    const series = () => (known ??= decodeSeries(figure.querySelector('script')?.textContent ?? ''));
    showValuesUnderPointer(figure, series);
    addTools(figure, series);
  }
}

/** The plot within a chart: its edges in units of the SVG's view box, and the seconds at its right edge. */
interface Plot {
  readonly left: number;
  readonly right: number;
  readonly lastSeconds: number;
}

function plotOf(svg: SVGSVGElement): Plot | undefined {
  const [left, right, lastSeconds] = (svg.dataset.plot ?? '').split(' ').map(Number);
  if (left === undefined || right === undefined || lastSeconds === undefined) return undefined;
  return { left, right, lastSeconds };
}

function showValuesUnderPointer(figure: HTMLElement, series: () => ChartSeries): void {
  const rule = document.createElement('div');
  const label = document.createElement('div');
  rule.className = 'rule';
  label.className = 'values';
  rule.hidden = label.hidden = true;
  figure.append(rule, label);
  const hide = () => {
    rule.hidden = label.hidden = true;
  };
  figure.addEventListener('pointermove', (event) => {
    const svg = (event.target as Element).closest('svg');
    const plot = svg && plotOf(svg);
    if (!plot) {
      hide();
      return;
    }
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    if (x < plot.left || x > plot.right) {
      hide();
      return;
    }
    const seconds = ((x - plot.left) / (plot.right - plot.left)) * plot.lastSeconds;
    label.replaceChildren(...rowsAt(series().lines, seconds));
    const outer = figure.getBoundingClientRect();
    rule.hidden = label.hidden = false;
    rule.style.left = `${event.clientX - outer.left}px`;
    rule.style.top = `${box.top - outer.top}px`;
    rule.style.height = `${box.height}px`;
    const isRight = event.clientX - outer.left > outer.width / 2;
    label.style.top = `${box.top - outer.top + 34}px`;
    label.style.left = isRight ? 'auto' : `${event.clientX - outer.left + 12}px`;
    label.style.right = isRight ? `${outer.right - event.clientX + 12}px` : 'auto';
  });
  figure.addEventListener('pointerleave', hide);
}

function rowsAt(lines: readonly SeriesLine[], seconds: number): HTMLElement[] {
  const row = (text: string) => {
    const element = document.createElement('div');
    element.textContent = text;
    return element;
  };
  const values = lines.flatMap((line) => {
    const index = nearest(line.seconds, seconds);
    const value = line.values[index];
    if (value === undefined || value === null) return [];
    return Math.abs((line.seconds[index] ?? 0) - seconds) > reach(line)
      ? []
      : row(`${line.name}: ${shown(value)} ${line.unit}`);
  });
  return [row(`second ${Math.round(seconds)}`), ...(values.length === 0 ? [row('not measured')] : values)];
}

/** Returns how far a value may be from the pointer: 5 s, or the mean distance of values where that is larger. */
function reach({ seconds }: SeriesLine): number {
  return Math.max(5, ((seconds.at(-1) ?? 0) - (seconds[0] ?? 0)) / Math.max(seconds.length - 1, 1));
}

const shown = (value: number) => String(Number(value.toPrecision(4)));

/** Returns the index of the nearest time; times must be ascending. */
function nearest(times: readonly number[], wanted: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < wanted) low = middle;
    else high = middle;
  }
  return Math.abs((times[low] ?? 0) - wanted) <= Math.abs((times[high] ?? 0) - wanted) ? low : high;
}

function addTools(figure: HTMLElement, series: () => ChartSeries): void {
  const tools = document.createElement('p');
  tools.className = 'tools screen';
  const chart = figure.querySelector<HTMLElement>('.chart');
  const zoom = button('Zoom', () => {
    const open = figure.querySelector('.zoomed');
    if (open) {
      open.remove();
      if (chart) chart.hidden = false;
      zoom.textContent = 'Zoom';
      return;
    }
    const label = figure.querySelector('svg')?.getAttribute('aria-label') ?? '';
    const zoomed = zoomableCharts(series(), label, figure.clientWidth);
    if (chart) chart.hidden = true;
    figure.prepend(zoomed);
    zoom.textContent = 'Back to the whole chart';
  });
  const name = figure.dataset.series ?? 'series';
  const csv = button('Save as CSV', () => {
    saveFile(`${name}.csv`, csvOf(series().lines));
  });
  tools.append(zoom, ' ', csv);
  figure.append(tools);
}

function button(text: string, act: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = text;
  element.addEventListener('click', act);
  return element;
}
