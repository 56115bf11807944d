/**
 * ECharts on the server: an option in, an SVG string out, without DOM or script. Colours are CSS variables of the report,
 * so that one SVG serves light, dark and print.
 */
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import type { BarSeriesOption, CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent } from 'echarts/components';
import type { GridComponentOption, LegendComponentOption } from 'echarts/components';
import { init, use } from 'echarts/core';
import type { ComposeOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([
  LineChart,
  BarChart,
  ScatterChart,
  CustomChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  MarkAreaComponent,
  SVGRenderer,
]);

export type ChartOption = ComposeOption<
  | LineSeriesOption
  | BarSeriesOption
  | ScatterSeriesOption
  | CustomSeriesOption
  | GridComponentOption
  | LegendComponentOption
>;

/** A chart is drawn twice, because text in a scaled-down SVG could not be read on a phone. */
export type ChartForm = 'wide' | 'narrow';

export interface ChartSize {
  readonly widthPixels: number;
  readonly heightPixels: number;
}

/** Names of the style sheet's variables. */
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
  palette: [1, 2, 3, 4, 5, 6, 7].map((index) => `var(--series-${index})`),
} as const;

/** It stands in attributes with double quotes, so its own are single. */
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/**
 * @param id unique within the page; ECharts numbers its clip paths by process, which would make two reports of one run differ
 * @param label what a screen reader says
 */
export function renderSvg(id: string, label: string, size: ChartSize, option: ChartOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: size.widthPixels, height: size.heightPixels });
  try {
    chart.setOption({ animation: false, ...option, textStyle: { fontFamily: FONT, color: Colour.ink } });
    return withoutScreenState(chart.renderToSVGString(), id, label);
  } finally {
    chart.dispose();
  }
}

/** Takes out what only a live chart needs (hover rules, data indexes) and makes the size the page's business. */
function withoutScreenState(svg: string, id: string, label: string): string {
  return svg
    .replace(/<style\s*>[\s\S]*?<\/style>/g, '')
    .replace(/ (class="zr\d+-cls-\d+"|pointer-events="[^"]*"|ecmeta_[a-z_]+="[^"]*")/g, '')
    .replace(/zr\d+-/g, `${attribute(id)}-`)
    .replace(/^<svg width="\d+" height="\d+"/, `<svg role="img" aria-label="${attribute(label)}"`);
}

const attribute = (text: string) => text.replace(/[^A-Za-z0-9 .,:_-]/g, ' ');
