/**
 * Draws a chart with one row for each cell. The name of a row is above its marks, so that a long name fits into a
 * narrow chart. Marks are points and ranges, because bars make no sense on a logarithmic axis.
 */
import type { CustomSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { Bounds } from '../../maths/interval';
import { amountAxis, axisEnd, logAxisEnds, nameBelowAxis, tickLabel } from './axis';
import {
  bothForms,
  Colour,
  FONT_PIXELS,
  ofForm,
  paletteColour,
  renderSvg,
  symbolOf,
  TEXT_OUTLINE,
  withoutBraces,
  type ChartForm,
  type ChartSpec,
} from './svg';
import { largest, smallest } from '../../maths/statistics';

export interface Mark {
  /** The legend entry. Marks of the same name share colour and shape. */
  readonly name: string;
  /** The values to draw as points: a mean, or one for each repetition. */
  readonly values: readonly number[];
  /** Drawn as a thin line, from the least to the greatest measured value. */
  readonly range?: Bounds;
  /** Drawn as a thick line: a confidence interval, or the middle part of the range. */
  readonly core?: Bounds | null;
}

export interface ChartRow {
  readonly label: string;
  /** The text at the right end of the row, above the marks. */
  readonly figures?: string;
  readonly marks: readonly Mark[];
}

export interface RowChart extends ChartSpec {
  /** The quantity and its unit. */
  readonly axis: string;
  /**
   * `zero`: linear from 0; `values`: linear, just around the values; `log`: logarithmic; `amount`: from 0, or
   * logarithmic where they span more than a decade.
   */
  readonly scale: 'zero' | 'values' | 'log' | 'amount';
  readonly rows: readonly ChartRow[];
}

const TOP = 8;
const AXIS = 46;
const LEGEND_LINE = 22;
const LINE_PIXELS = 16;

const FORMS = {
  wide: { widthPixels: 960, left: 18, right: 22, rowPixels: 52 },
  // Rows are higher here, because the figures are below the name.
  narrow: { widthPixels: 400, left: 16, right: 20, rowPixels: 70 },
} as const;

/** @returns undefined for no rows */
export const rowChart = (chart: RowChart) =>
  chart.rows.length === 0 ? undefined : bothForms((form) => draw(chart, form));

function draw(chart: RowChart, form: ChartForm): string {
  const { axis, scale, rows } = chart;
  const shape = FORMS[form];
  const names = [...new Set(rows.flatMap(({ marks }) => marks.map(({ name }) => name)))];
  const legendLines = names.length > 1 ? (form === 'narrow' ? names.length : 1) : 0;
  const mostLines = form === 'wide' ? 1 : largest(rows.map(({ figures }) => figureLines(figures ?? '').length));
  const plotHeight = rows.length * (shape.rowPixels + (mostLines - 1) * LINE_PIXELS);
  const textAxis = (which: 'label' | 'figures') => {
    const side = which === 'label' ? ('left' as const) : ('right' as const);
    const texts = rows.map((row) => axisText(row, which, form));
    return {
      type: 'category' as const,
      inverse: true,
      // Categories must be unique, but texts may be equal; so the categories are indices, formatted as the texts.
      data: rows.map((_, index) => String(index)),
      position: side,
      axisLabel: {
        inside: true,
        interval: 0,
        margin: 0,
        align: side,
        verticalAlign: 'bottom' as const,
        // The padding keeps the text clear of the lines at both ends of the axis.
        padding: [0, 4, 3, 4],
        formatter: (_: string, index: number) => texts[index] ?? '',
        lineHeight: LINE_PIXELS,
        color: which === 'label' ? Colour.ink : Colour.muted,
        rich: { second: { fontSize: FONT_PIXELS, color: Colour.muted, lineHeight: LINE_PIXELS } },
        ...TEXT_OUTLINE,
      },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: which === 'label' },
      z: 5,
    };
  };
  const valueAxis = axisOf(scale, rows);
  // The ends of this scale are not labelled, because they are not round numbers.
  const endLabel = scale === 'values' ? false : undefined;
  const heightPixels = TOP + plotHeight + AXIS + legendLines * LEGEND_LINE;
  return renderSvg(
    ofForm(chart, form),
    { widthPixels: shape.widthPixels, heightPixels },
    {
      legend: {
        show: legendLines > 0,
        data: names,
        orient: form === 'narrow' ? 'vertical' : 'horizontal',
        left: shape.left,
        top: TOP + plotHeight + AXIS,
        itemGap: form === 'narrow' ? 8 : 18,
        itemWidth: 12,
        itemHeight: 10,
      },
      grid: { left: shape.left, right: shape.right, top: TOP, height: plotHeight, outerBoundsMode: 'none' },
      xAxis: {
        ...valueAxis,
        ...nameBelowAxis(axis),
        axisLabel: {
          hideOverlap: true,
          formatter: tickLabel,
          showMinLabel: endLabel,
          showMaxLabel: endLabel,
          ...('axisLabel' in valueAxis ? valueAxis.axisLabel : {}),
        },
        axisLine: { show: true },
        axisTick: { show: true, ...('axisTick' in valueAxis ? valueAxis.axisTick : {}) },
      },
      yAxis: [textAxis('label'), textAxis('figures')],
      // The points come first, because the legend shows the symbol of the first series of each name.
      series: names.flatMap((name, index) => [points(rows, name, index), lines(rows, name, index, valueAxis.min)]),
    },
  );
}

function axisText({ label, figures }: ChartRow, which: 'label' | 'figures', form: ChartForm): string {
  const [name, values] = [withoutBraces(label), withoutBraces(figures ?? '')];
  if (form === 'wide') return which === 'label' ? shortened(name, CHARACTERS.wide - values.length) : values;
  const first = shortened(name, CHARACTERS.narrow);
  if (which === 'figures') return '';
  return [first, ...(values === '' ? [] : figureLines(values).map((line) => `{second|${line}}`))].join('\n');
}

/** On a phone, figures that are too long for one line are broken at the semicolons. */
const figureLines = (figures: string) => (figures.length <= CHARACTERS.narrow ? [figures] : figures.split('; '));

/** How many characters of name and figures fit into a row, even in a wider font than the charts are laid out with. */
const CHARACTERS = { wide: 118, narrow: 50 } as const;

const shortened = (text: string, characters: number) =>
  text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;

/** Returns how many pixels below the middle of the row a mark is drawn, to keep it clear of the name. */
function below(mark: Mark, among: readonly Mark[]): number {
  const own = among.filter(({ range }) => range !== undefined);
  return own.length > 1 && mark.range !== undefined ? 6 + own.indexOf(mark) * 7 : 8;
}

/** Returns the marks of one legend entry, with their rows and offsets. */
const marksOf = (rows: readonly ChartRow[], name: string) =>
  rows.flatMap(({ marks }, row) =>
    marks.filter((mark) => mark.name === name).map((mark) => ({ ...mark, row, offset: below(mark, marks) })),
  );

function points(rows: readonly ChartRow[], name: string, index: number): ScatterSeriesOption {
  return {
    type: 'scatter',
    name,
    symbol: symbolOf(index),
    symbolSize: 9,
    itemStyle: { color: paletteColour(index), borderColor: Colour.paper, borderWidth: 0.5, opacity: 0.85 },
    z: 4,
    data: marksOf(rows, name).flatMap(({ values, row, offset }) =>
      values.map((value) => ({ value: [value, row], symbolOffset: [0, offset] as number[] })),
    ),
  };
}

/** Draws ranges and cores as a custom series, because ECharts has no series for horizontal ranges. */
function lines(rows: readonly ChartRow[], name: string, index: number, axisMin: number): CustomSeriesOption {
  const drawn = marksOf(rows, name).flatMap(({ range, core, ...mark }) => [
    ...(range === undefined ? [] : [{ ...mark, ...range, width: 2 }]),
    ...(!core ? [] : [{ ...mark, ...core, width: 7 }]),
  ]);
  return {
    type: 'custom',
    name,
    z: 3,
    // Values below the end of a logarithmic axis, such as 0, are drawn at its end.
    data: drawn.map(({ low, high, row }) => [Math.max(low, axisMin), row, Math.max(high, axisMin)]),
    renderItem: (params, api) => {
      const line = drawn[params.dataIndex];
      if (line === undefined) throw new Error(`row chart: has no line ${params.dataIndex} in ${name}`);
      const { width, offset } = line;
      const [left, y] = api.coord([api.value(0), api.value(1)]) as [number, number];
      const [right] = api.coord([api.value(2), api.value(1)]) as [number, number];
      return {
        type: 'line',
        shape: { x1: left, y1: y + offset, x2: right, y2: y + offset },
        style: { stroke: paletteColour(index), lineWidth: width, opacity: width > 2 ? 0.55 : 0.8 },
      };
    },
  };
}

function axisOf(scale: RowChart['scale'], rows: readonly ChartRow[]) {
  const marks = rows.flatMap((row) => row.marks);
  const drawnPoints = marks.flatMap((mark) => mark.values);
  const ends = marks.flatMap(({ range, core }) => [range, core].flatMap((each) => (each ? [each.low, each.high] : [])));
  const values = [...drawnPoints, ...ends];
  const [least, most] = [smallest(values), largest(values)];
  if (scale === 'zero') return { type: 'value' as const, min: Math.min(0, least), ...axisEnd(most) };
  if (scale === 'values') {
    const room = Math.max((most - least) * 0.06, Math.abs(most) * 0.005);
    return { type: 'value' as const, min: least - room, max: most + room };
  }
  if (scale === 'amount') return amountAxis(drawnPoints, ends);
  return { type: 'log' as const, ...logAxisEnds(values) };
}
