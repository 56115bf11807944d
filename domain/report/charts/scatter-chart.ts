/** Draws points on two axes, each named beside its mark or, where they are crowded, at the end of a thin line. */
import type { CustomSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import { amountAxis, nameAboveAxis, nameBelowAxis, tickLabel } from './axis';
import { bothForms, Colour, ofForm, PLACED_TEXT, renderSvg, type ChartForm, type ChartSpec } from './svg';

export interface ScatterPoint {
  /** Must fit beside the point on a phone. */
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** The upper end of a vertical line from the point. */
  readonly upTo?: number;
}

export interface ScatterChart extends ChartSpec {
  /** The quantity and its unit, as in `yAxis`. */
  readonly xAxis: string;
  readonly yAxis: string;
  readonly points: readonly ScatterPoint[];
}

const FORMS = {
  wide: { widthPixels: 960, plotPixels: 300, left: 54, right: 120 },
  narrow: { widthPixels: 400, plotPixels: 280, left: 44, right: 64 },
} as const;

const TOP = 34;
const BOTTOM = 46;

export const scatterChart = (chart: ScatterChart) => bothForms((form) => draw(chart, form));

function draw(chart: ScatterChart, form: ChartForm): string {
  const { xAxis, yAxis, points } = chart;
  const { widthPixels, plotPixels, left, right } = FORMS[form];
  const axes = {
    x: amountAxis(points.map(({ x }) => x)),
    y: amountAxis(points.flatMap(({ y, upTo }) => [y, upTo ?? y])),
  };
  const common = (axis: Axis) => ({
    ...axis,
    axisLabel: { hideOverlap: true, formatter: tickLabel, ...('axisLabel' in axis ? axis.axisLabel : {}) },
  });
  const area = { widthPixels: widthPixels - left - right, heightPixels: plotPixels, rightPixels: right };
  return renderSvg(
    ofForm(chart, form),
    { widthPixels, heightPixels: TOP + plotPixels + BOTTOM },
    {
      grid: { left, right, top: TOP, height: plotPixels, outerBoundsMode: 'none' },
      xAxis: { ...common(axes.x), ...nameBelowAxis(xAxis) },
      yAxis: { ...common(axes.y), name: yAxis, nameTextStyle: nameAboveAxis(left) },
      series: [lines(points), marks(points), names(placedNames(points, axes, area), left)],
    },
  );
}

type Axis = ReturnType<typeof amountAxis>;

/** The position of a point's name, in pixels from the upper left corner of the plot. */
interface Name {
  readonly text: string;
  readonly box: Box;
  readonly point: Readonly<Record<'left' | 'top', number>>;
  /** Whether the name is so far from its point that a line must connect them. */
  readonly isFar: boolean;
}

/** The width of a character in the widest common font. */
const CHARACTER_PIXELS = 7.6;
const LINE_PIXELS = 17;
const MARK_PIXELS = 10;
/** The distance between a mark and its name. */
const DISTANCE_PIXELS = 8;
/** Where a name overlaps, it is moved up and down in steps of this many pixels, at most `FURTHEST_STEPS` times. */
const STEP_PIXELS = 8;
const FURTHEST_STEPS = 24;

interface Area {
  readonly widthPixels: number;
  readonly heightPixels: number;
  /** The room for names to the right of the plot. */
  readonly rightPixels: number;
}

/**
 * Places each name at the nearest position within the chart that covers no mark, line or other name. Points are handled
 * from the right, because those near the right edge have the fewest positions.
 */
function placedNames(points: readonly ScatterPoint[], axes: Readonly<Record<'x' | 'y', Axis>>, area: Area): Name[] {
  const share = (value: number, { type, min, max }: Axis) =>
    type === 'log' ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  const heightOf = (value: number) => (1 - share(value, axes.y)) * area.heightPixels;
  const places = points.map(({ name, x, y, upTo = y }) => ({
    name,
    left: share(x, axes.x) * area.widthPixels,
    top: heightOf(y),
    end: heightOf(upTo),
  }));
  const taken = places.flatMap(({ left, top, end }): Box[] => [
    around(left, top, MARK_PIXELS, MARK_PIXELS),
    around(left, (top + end) / 2, 4, Math.abs(top - end)),
    around(left, end, MARK_PIXELS, 4),
  ]);
  return places
    .toSorted((one, other) => other.left - one.left)
    .map((point) => {
      const candidates = boxesAround(point, point.name.length * CHARACTER_PIXELS).filter((box) => isInside(box, area));
      const free = candidates.findIndex((box) => taken.every((other) => !overlap(box, other)));
      const box = candidates[free] ?? candidates[0] ?? around(point.left, point.top, 0, LINE_PIXELS);
      taken.push(box);
      return { text: point.name, box, point, isFar: free >= NEAR_PLACES };
    });
}

/** The number of positions directly right, left, below and above, where a name needs no line to its point. */
const NEAR_PLACES = 4;

function boxesAround({ left, top }: Name['point'], width: number): Box[] {
  const across = MARK_PIXELS / 2 + DISTANCE_PIXELS + width / 2;
  const down = (MARK_PIXELS + LINE_PIXELS) / 2 + 1;
  const at = (sideways: number, downwards: number) => around(left + sideways, top + downwards, width, LINE_PIXELS);
  const near = [at(across, 0), at(-across, 0), at(0, down), at(0, -down)];
  const far = Array.from({ length: FURTHEST_STEPS }, (_, index) => (index + 1) * STEP_PIXELS).flatMap((step) =>
    [step, -step].flatMap((downwards) => [at(across, downwards), at(-across, downwards)]),
  );
  return [...near, ...far];
}

const isInside = (box: Box, { widthPixels, heightPixels, rightPixels }: Area) =>
  box.left >= 0 && box.right <= widthPixels + rightPixels && box.top >= 0 && box.bottom <= heightPixels;

const around = (centreX: number, centreY: number, width: number, height: number): Box => ({
  left: centreX - width / 2,
  right: centreX + width / 2,
  top: centreY - height / 2,
  bottom: centreY + height / 2,
});

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

function marks(points: readonly ScatterPoint[]): ScatterSeriesOption {
  return {
    type: 'scatter',
    z: 4,
    symbolSize: MARK_PIXELS,
    itemStyle: { color: Colour.series, borderColor: Colour.paper, borderWidth: 1 },
    data: points.map(({ x, y }) => [x, y]),
  };
}

/** Draws the names, each with a thin line to its point where it is far away. */
function names(placed: readonly Name[], plotLeft: number): CustomSeriesOption {
  return {
    type: 'custom',
    z: 5,
    data: placed.map((_, index) => [0, index]),
    renderItem: ({ dataIndex }) => {
      const name = placed[dataIndex];
      if (name === undefined) throw new Error(`scatter chart: has no name ${dataIndex}`);
      const { text, box, point, isFar } = name;
      const [x, y] = [plotLeft + (box.left + box.right) / 2, TOP + (box.top + box.bottom) / 2];
      const isRight = box.left > point.left;
      const align = isFar ? (isRight ? 'left' : 'right') : sideOf(box, point.left);
      const anchor = { left: plotLeft + box.left, right: plotLeft + box.right, center: x }[align];
      return {
        type: 'group',
        children: [
          ...(isFar ? [leader(point, isRight ? box.left : box.right, (box.top + box.bottom) / 2, plotLeft)] : []),
          { type: 'text' as const, x: anchor, y, style: { ...PLACED_TEXT, text, align } },
        ],
      };
    },
  };
}

const sideOf = (box: Box, pointLeft: number) =>
  box.left > pointLeft ? 'left' : box.right < pointLeft ? 'right' : 'center';

function leader(point: Name['point'], toLeft: number, toTop: number, plotLeft: number) {
  const shape = { x1: plotLeft + point.left, y1: TOP + point.top, x2: plotLeft + toLeft, y2: TOP + toTop };
  return { type: 'line' as const, shape, style: { stroke: Colour.muted, lineWidth: 1 } };
}

/** Draws a vertical line from each point to its `upTo`, which has a short bar. */
function lines(points: readonly ScatterPoint[]): CustomSeriesOption {
  const drawn = points.filter((point) => point.upTo !== undefined);
  return {
    type: 'custom',
    z: 3,
    data: drawn.map(({ x, y, upTo }) => [x, y, upTo ?? y]),
    renderItem: (_, api) => {
      const [x, bottom] = api.coord([api.value(0), api.value(1)]) as [number, number];
      const [, top] = api.coord([api.value(0), api.value(2)]) as [number, number];
      const style = { stroke: Colour.series, lineWidth: 2, opacity: 0.5 };
      const line = (shape: Readonly<Record<'x1' | 'y1' | 'x2' | 'y2', number>>) =>
        ({ type: 'line', shape, style }) as const;
      return {
        type: 'group',
        children: [line({ x1: x, y1: bottom, x2: x, y2: top }), line({ x1: x - 5, y1: top, x2: x + 5, y2: top })],
      };
    },
  };
}
