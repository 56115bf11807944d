/**
 * Renders an ECharts option to an SVG string, without a DOM or a script. Colours are CSS variables of the report, so
 * that the same SVG serves the light theme, the dark theme and print.
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

/** Every chart is drawn in both forms, because nobody could read the text of a scaled-down SVG on a phone. */
export type ChartForm = 'wide' | 'narrow';

/** What the spec of every chart has. */
export interface ChartSpec {
  /** Unique within the page; with ECharts' own count of the process's charts, two reports of a run would differ. */
  readonly id: string;
  /** For a screen reader. */
  readonly label: string;
}

export interface ChartSize {
  readonly widthPixels: number;
  readonly heightPixels: number;
}

/** The variables of the style sheet. */
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

/** What charts have in common. The font has single quotes, because it stands in an attribute with double quotes. */
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

/** A text on this outline is readable on top of lines. */
export const TEXT_OUTLINE = { textBorderColor: Colour.paper, textBorderWidth: 3 } as const;

/** The same of a text that a custom series places. */
export const PLACED_TEXT = {
  fill: Colour.ink,
  font: `${FONT_PIXELS}px sans-serif`,
  verticalAlign: 'middle',
  stroke: Colour.paper,
  lineWidth: TEXT_OUTLINE.textBorderWidth,
} as const;

/** ECharts takes text in braces for a style. */
export const withoutBraces = (text: string) => text.replace(/[{}|]/g, ' ');

/** How many lines the palette can tell apart. */
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

/** Removes what only a live chart needs (hover rules, data indexes) and the size, which the page sets. */
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

/** Both forms of a chart, of which the style sheet shows one. */
export const bothForms = (draw: (form: ChartForm) => string) => chartHtml(draw('wide'), draw('narrow'));

export function chartHtml(wide: string, narrow: string): Html {
  return html`<div class="chart">
    <div class="wide">${trusted(wide)}</div>
    <div class="narrow">${trusted(narrow)}</div>
  </div>`;
}

/** The spec of one form, whose id differs from that of the other. */
export const ofForm = <Spec extends ChartSpec>(spec: Spec, form: ChartForm): Spec => ({
  ...spec,
  id: `${spec.id}-${form}`,
});
