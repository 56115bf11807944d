/**
 * Renders an ECharts option to an SVG string without a DOM. Colours are CSS variables, so that the same SVG serves the
 * light theme, the dark theme and print.
 */
import {
  CustomChart,
  LineChart,
  ScatterChart,
  type CustomSeriesOption,
  type LineSeriesOption,
  type ScatterSeriesOption,
} from 'echarts/charts';
import {
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  type GridComponentOption,
  type LegendComponentOption,
} from 'echarts/components';
import { init, use, type ComposeOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { html, trusted, type Html } from '../page/html';
import { compactSvg } from './compact-svg';

use([
  LineChart,
  ScatterChart,
  CustomChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  MarkAreaComponent,
  SVGRenderer,
]);

export type ChartOption = ComposeOption<
  LineSeriesOption | ScatterSeriesOption | CustomSeriesOption | GridComponentOption | LegendComponentOption
>;

/** Every chart is drawn in both forms, because the text of a scaled-down SVG is unreadable on a phone. */
export type ChartForm = 'wide' | 'narrow';

export interface ChartSpec {
  /** Unique within the page. ECharts' own ids count charts per process, so reports would not be reproducible. */
  readonly id: string;
  /** The text for screen readers. */
  readonly label: string;
}

export interface ChartSize {
  readonly widthPixels: number;
  readonly heightPixels: number;
}

export const Colour = {
  ink: 'var(--ink)',
  muted: 'var(--muted)',
  grid: 'var(--rule)',
  paper: 'var(--card)',
  series: 'var(--series-1)',
  secondSeries: 'var(--series-2)',
  onset: 'var(--onset)',
  onsetBand: 'var(--onset-band)',
  burst: 'var(--burst)',
  baseline: 'var(--baseline)',
  published: 'var(--published)',
  missing: 'var(--missing)',
} as const;

export const FONT_PIXELS = 12;

const mutedText = { fontSize: FONT_PIXELS, color: Colour.muted };
const mutedLine = { lineStyle: { color: Colour.muted } };
const axis = {
  nameTextStyle: mutedText,
  axisLabel: mutedText,
  axisLine: mutedLine,
  axisTick: mutedLine,
  splitLine: { lineStyle: { color: Colour.grid } },
};

/** The theme of all charts. The font has single quotes, because it is written into an attribute with double quotes. */
const THEME = {
  textStyle: { fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", color: Colour.ink },
  legend: {
    backgroundColor: Colour.paper,
    borderColor: Colour.paper,
    textStyle: { fontSize: FONT_PIXELS, color: Colour.ink },
  },
  valueAxis: axis,
  categoryAxis: axis,
  logAxis: axis,
};

/** This outline keeps text readable on top of lines. */
export const TEXT_OUTLINE = { textBorderColor: Colour.paper, textBorderWidth: 3 } as const;

/** The style of text in a custom series, with the same outline. */
export const PLACED_TEXT = {
  fill: Colour.ink,
  font: `${FONT_PIXELS}px sans-serif`,
  verticalAlign: 'middle',
  stroke: Colour.paper,
  lineWidth: TEXT_OUTLINE.textBorderWidth,
} as const;

/** Replaces braces, because ECharts reads them as styles. */
export const withoutBraces = (text: string) => text.replace(/[{}|]/g, ' ');

export const PALETTE_SIZE = 7;

export const paletteColour = (index: number) => `var(--series-${(index % PALETTE_SIZE) + 1})`;

export const SYMBOLS: readonly string[] = ['circle', 'rect', 'triangle', 'diamond'];

export const symbolOf = (index: number) => SYMBOLS[index % SYMBOLS.length];

export function renderSvg({ id, label }: ChartSpec, size: ChartSize, option: ChartOption): string {
  const chart = init(null, THEME, { renderer: 'svg', ssr: true, width: size.widthPixels, height: size.heightPixels });
  try {
    chart.setOption({ animation: false, ...option });
    return compactSvg(withoutScreenState(chart.renderToSVGString(), id, label));
  } finally {
    chart.dispose();
  }
}

/** Removes hover rules and data indexes, which only a live chart needs, and the size, which the page sets. */
function withoutScreenState(svg: string, id: string, label: string): string {
  return svg
    .replace(/<style\s*>[\s\S]*?<\/style>/g, '')
    .replace(/ (class="zr\d+-cls-\d+"|pointer-events="[^"]*"|ecmeta_[a-z_]+="[^"]*")/g, '')
    .replace(/zr\d+-/g, `${attribute(id)}-`)
    .replace(/^<svg width="\d+" height="\d+"/, `<svg role="img" aria-label="${attribute(label)}"`);
}

const attribute = (text: string) =>
  text
    .replaceAll('→', 'to')
    .replaceAll('←', 'from')
    .replaceAll('⇄', 'and')
    .replace(/[^A-Za-z0-9 .,:_-]/g, ' ');

/** Draws both forms of a chart; the style sheet shows one of them. */
export const bothForms = (draw: (form: ChartForm) => string) => chartHtml(draw('wide'), draw('narrow'));

export function chartHtml(wide: string, narrow: string): Html {
  return html`<div class="chart">
    <div class="wide">${trusted(wide)}</div>
    <div class="narrow">${trusted(narrow)}</div>
  </div>`;
}

/** Makes the id of a spec unique for its form. */
export const ofForm = <Spec extends ChartSpec>(spec: Spec, form: ChartForm): Spec => ({
  ...spec,
  id: `${spec.id}-${form}`,
});
