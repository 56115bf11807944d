/**
 * One row per measured thing, its name above what is drawn: names of any length stand whole in a chart of any width. Points
 * and ranges and no bars, so that the axis may be logarithmic.
 */
import type { CustomSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { ChartForm } from './svg';
import { Colour, renderSvg } from './svg';
import { axisEnd, tickLabel } from './axis';

export interface Mark {
  /** Legend entry; marks of one name share colour and shape. */
  readonly name: string;
  /** Points: one, or every repetition. */
  readonly values: readonly number[];
  /** A line from here to there: an interval, or all that was seen. */
  readonly range?: { readonly low: number; readonly high: number };
  /** A thicker part of the line. */
  readonly core?: { readonly low: number; readonly high: number };
  /** Not of this run: hollow, dashed, and a little below. */
  readonly isOverlay?: boolean;
}

export interface ChartRow {
  readonly label: string;
  /** Stands at the right end of the row, above what is drawn. */
  readonly figures?: string;
  readonly marks: readonly Mark[];
}

export interface RowChart {
  /** Unique within the page. */
  readonly id: string;
  /** For a screen reader. */
  readonly label: string;
  /** Quantity and unit. */
  readonly axis: string;
  /** `zero`: from 0; `values`: around the values; `log`: powers of ten. */
  readonly scale: 'zero' | 'values' | 'log';
  readonly rows: readonly ChartRow[];
}

const TOP = 8;
const AXIS = 46;
const LEGEND_LINE = 22;

const FORMS = {
  wide: { widthPixels: 960, left: 14, right: 22, rowPixels: 52 },
  // Names and figures one below the other.
  narrow: { widthPixels: 400, left: 8, right: 14, rowPixels: 70 },
} as const;

const SYMBOLS = ['circle', 'diamond', 'triangle', 'rect'];

/** @returns undefined for no rows */
export function rowChart({ id, label, axis, scale, rows }: RowChart, form: ChartForm): string | undefined {
  if (rows.length === 0) return undefined;
  const shape = FORMS[form];
  const names = [...new Set(rows.flatMap(({ marks }) => marks.map(({ name }) => name)))];
  const text = { fontSize: 12, color: Colour.muted };
  const legendLines = names.length > 1 ? (form === 'narrow' ? names.length : 1) : 0;
  const plotHeight = rows.length * shape.rowPixels;
  const grid = { left: shape.left, right: shape.right, top: TOP, height: plotHeight, outerBoundsMode: 'none' as const };
  const labelled = (which: 'label' | 'figures') => ({
    type: 'category' as const,
    inverse: true,
    data: rows.map((row, index) => `${index}\n${axisText(row, which, form)}`),
    position: which === 'label' ? ('left' as const) : ('right' as const),
    axisLabel: {
      inside: true,
      interval: 0,
      margin: 0,
      align: which === 'label' ? ('left' as const) : ('right' as const),
      verticalAlign: 'bottom' as const,
      padding: [0, 0, 3, 0],
      formatter: (value: string) => withoutNumber(value),
      width: shape.widthPixels - shape.left - shape.right,
      overflow: 'truncate' as const,
      lineHeight: 16,
      ...text,
      ...(which === 'label' ? { color: Colour.ink } : {}),
      rich: { second: { ...text, lineHeight: 16 } },
      textBorderColor: Colour.paper,
      textBorderWidth: 3,
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: which === 'label', lineStyle: { color: Colour.grid } },
    z: 5,
  });
  return renderSvg(
    `${id}-${form}`,
    label,
    { widthPixels: shape.widthPixels, heightPixels: TOP + plotHeight + AXIS + legendLines * LEGEND_LINE },
    {
      legend: {
        show: legendLines > 0,
        data: names.map((name) => ({ name })),
        orient: form === 'narrow' ? 'vertical' : 'horizontal',
        left: shape.left,
        top: TOP + plotHeight + AXIS,
        itemGap: form === 'narrow' ? 8 : 18,
        itemWidth: 12,
        itemHeight: 10,
        backgroundColor: Colour.paper,
        borderColor: Colour.paper,
        textStyle: { ...text, color: Colour.ink },
      },
      grid,
      xAxis: {
        type: scale === 'log' ? 'log' : 'value',
        ...ends(scale, rows),
        name: axis,
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: text,
        axisLabel: {
          ...text,
          hideOverlap: true,
          formatter: tickLabel,
          ...(scale === 'values' ? { showMinLabel: false, showMaxLabel: false } : {}),
        },
        axisLine: { show: true, lineStyle: { color: Colour.muted } },
        axisTick: { show: true, lineStyle: { color: Colour.muted } },
        splitLine: { lineStyle: { color: Colour.grid } },
      },
      yAxis: [labelled('label'), labelled('figures')],
      series: names.flatMap((name, index) => [lines(rows, name, index), points(rows, name, index)]),
    },
  );
}

function axisText({ label, figures }: ChartRow, which: 'label' | 'figures', form: ChartForm): string {
  // Braces would begin a style of their own.
  const [name, values] = [label, figures ?? ''].map((text) => text.replace(/[{}|]/g, ' ')) as [string, string];
  if (form === 'wide') return which === 'label' ? shortened(name, WIDE_CHARACTERS - values.length) : values;
  return which === 'figures' ? '' : values === '' ? name : `${name}\n{second|${values}}`;
}

/** Of both texts of a row, at this size. */
const WIDE_CHARACTERS = 138;

const shortened = (text: string, characters: number) =>
  text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;

/** Category names are unique by their number, which is not shown. */
const withoutNumber = (value: string) => value.slice(value.indexOf('\n') + 1);

const colourOf = (index: number, isOverlay: boolean) =>
  isOverlay ? Colour.published : Colour.palette[index % Colour.palette.length]!;

/** Pixels below the middle of the row, where its name leaves room. */
function below(mark: Mark, among: readonly Mark[]): number {
  if (mark.isOverlay) return 19;
  const own = among.filter(({ isOverlay }) => !isOverlay);
  return own.length > 1 && mark.range !== undefined ? 6 + own.indexOf(mark) * 7 : 8;
}

function isOverlaid(rows: readonly ChartRow[], name: string): boolean {
  return rows.some(({ marks }) => marks.some((mark) => mark.name === name && mark.isOverlay === true));
}

function points(rows: readonly ChartRow[], name: string, index: number): ScatterSeriesOption {
  const isOverlay = isOverlaid(rows, name);
  const color = colourOf(index, isOverlay);
  return {
    type: 'scatter',
    name,
    symbol: SYMBOLS[index % SYMBOLS.length]!,
    symbolSize: isOverlay ? 8 : 9,
    itemStyle: isOverlay
      ? { color: Colour.paper, borderColor: color, borderWidth: 1.5 }
      : { color, borderColor: Colour.paper, borderWidth: 0.5, opacity: 0.85 },
    z: 4,
    data: rows.flatMap(({ marks }, row) =>
      marks
        .filter((mark) => mark.name === name)
        .flatMap((mark) =>
          mark.values.map((value) => ({ value: [value, row], symbolOffset: [0, below(mark, marks)] as number[] })),
        ),
    ),
  };
}

/** Ranges; custom, because ECharts has no horizontal ones of their own. */
function lines(rows: readonly ChartRow[], name: string, index: number): CustomSeriesOption {
  const drawn = rows.flatMap(({ marks }, row) =>
    marks
      .filter((mark) => mark.name === name)
      .flatMap((mark) =>
        [
          { of: mark.range, width: 2 },
          { of: mark.core, width: 7 },
        ].flatMap(({ of, width }) =>
          of === undefined
            ? []
            : [{ ...of, row, width, offset: below(mark, marks), isOverlay: mark.isOverlay === true }],
        ),
      ),
  );
  return {
    type: 'custom',
    name,
    z: 3,
    // The legend's, which takes the first series of a name.
    itemStyle: { color: colourOf(index, isOverlaid(rows, name)) },
    data: drawn.map(({ low, high, row }) => [low, row, high]),
    renderItem: (params, api) => {
      const { width, offset, isOverlay } = drawn[params.dataIndex]!;
      const [left, y] = api.coord([api.value(0), api.value(1)]) as [number, number];
      const [right] = api.coord([api.value(2), api.value(1)]) as [number, number];
      return {
        type: 'line',
        shape: { x1: left, y1: y + offset, x2: right, y2: y + offset },
        style: {
          stroke: colourOf(index, isOverlay),
          lineWidth: width,
          opacity: width > 2 ? 0.55 : 0.8,
          ...(isOverlay ? { lineDash: [4, 3] } : {}),
        },
      };
    },
  };
}

function ends(scale: RowChart['scale'], rows: readonly ChartRow[]): { min: number; max: number; interval?: number } {
  const values = rows.flatMap(({ marks }) =>
    marks.flatMap(({ values: points, range }) => [...points, ...(range === undefined ? [] : [range.low, range.high])]),
  );
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (scale === 'zero') return { min: Math.min(0, least), ...axisEnd(most) };
  if (scale === 'values') {
    const room = Math.max((most - least) * 0.06, Math.abs(most) * 0.005);
    return { min: least - room, max: most + room };
  }
  // ECharts labels a logarithmic axis at powers of ten only, so the axis begins and ends at one.
  const [from, to] = [Math.floor(Math.log10(Math.max(least, 0.1))), Math.ceil(Math.log10(Math.max(most, 1)))];
  return { min: 10 ** from, max: 10 ** Math.max(to, from + 1) };
}
