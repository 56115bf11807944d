/** Points on two axes, each named beside its mark. */
import type { CustomSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import { amountAxis, nameAboveAxis, tickLabel } from './axis';
import { Colour, FONT_PIXELS, renderSvg, TEXT_OUTLINE, type ChartForm } from './svg';

export interface ScatterPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** The other end of a line that goes up from the point. */
  readonly upTo?: number;
}

export interface ScatterChart {
  /** Unique within the page. */
  readonly id: string;
  /** For a screen reader. */
  readonly label: string;
  /** Quantity and unit, like `yAxis`. */
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

/** @returns undefined for no points */
export function scatterChart({ id, label, xAxis, yAxis, points }: ScatterChart, form: ChartForm): string | undefined {
  if (points.length === 0) return undefined;
  const { widthPixels, plotPixels, left, right } = FORMS[form];
  const axes = {
    x: amountAxis(points.map(({ x }) => x)),
    y: amountAxis(points.flatMap(({ y, upTo }) => [y, upTo ?? y])),
  };
  const common = (axis: (typeof axes)['x']) => ({
    ...axis,
    axisLabel: { hideOverlap: true, formatter: tickLabel, ...('axisLabel' in axis ? axis.axisLabel : {}) },
  });
  const size = { widthPixels: widthPixels - left - right, heightPixels: plotPixels };
  return renderSvg(
    `${id}-${form}`,
    label,
    { widthPixels, heightPixels: TOP + plotPixels + BOTTOM },
    {
      grid: { left, right, top: TOP, height: plotPixels, outerBoundsMode: 'none' },
      xAxis: { ...common(axes.x), name: xAxis, nameLocation: 'middle', nameGap: 28 },
      yAxis: { ...common(axes.y), name: yAxis, nameTextStyle: nameAboveAxis(left) },
      series: [lines(points), marks(points, labelPositions(points, axes, size))],
    },
  );
}

type Axis = ReturnType<typeof amountAxis>;

const SIDES = ['right', 'left', 'bottom', 'top'] as const;
type Side = (typeof SIDES)[number];

/** Of a character of a name, and of a line. */
const CHARACTER_PIXELS = 7;
const LINE_PIXELS = 16;
const MARK_PIXELS = 8;

/** For each point, the first side of it on which its name covers neither another point nor another name. */
function labelPositions(
  points: readonly ScatterPoint[],
  { x, y }: Readonly<Record<'x' | 'y', Axis>>,
  { widthPixels, heightPixels }: { readonly widthPixels: number; readonly heightPixels: number },
): Side[] {
  const share = (value: number, { type, min, max }: Axis) =>
    type === 'log' ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  const boxAround = (centreX: number, centreY: number, width: number, height: number): Box => ({
    left: centreX - width / 2,
    right: centreX + width / 2,
    top: centreY - height / 2,
    bottom: centreY + height / 2,
  });
  const places = points.map((point) => ({
    point,
    left: share(point.x, x) * widthPixels,
    top: (1 - share(point.y, y)) * heightPixels,
  }));
  const taken = places.map(({ left, top }) => boxAround(left, top, MARK_PIXELS, MARK_PIXELS));
  return places.map(({ point, left, top }, own) => {
    const width = point.name.length * CHARACTER_PIXELS;
    const boxOn = (side: Side): Box => {
      const [across, down] = [(width + 2 * MARK_PIXELS) / 2, (LINE_PIXELS + 2 * MARK_PIXELS) / 2];
      const sideways = side === 'right' ? across : side === 'left' ? -across : 0;
      const upwards = side === 'bottom' ? down : side === 'top' ? -down : 0;
      return boxAround(left + sideways, top + upwards, width, LINE_PIXELS);
    };
    const isFree = (side: Side) => {
      const box = boxOn(side);
      return box.left > 0 && taken.every((other, index) => index === own || !overlap(box, other));
    };
    const side = SIDES.find(isFree) ?? 'right';
    taken.push(boxOn(side));
    return side;
  });
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

function marks(points: readonly ScatterPoint[], positions: readonly Side[]): ScatterSeriesOption {
  return {
    type: 'scatter',
    z: 4,
    symbolSize: 10,
    itemStyle: { color: Colour.series, borderColor: Colour.paper, borderWidth: 1 },
    label: {
      show: true,
      color: Colour.ink,
      fontSize: FONT_PIXELS,
      formatter: ({ dataIndex }) => points[dataIndex]?.name ?? '',
      ...TEXT_OUTLINE,
    },
    data: points.map(({ x, y }, index) => ({ value: [x, y], label: { position: positions[index] } })),
  };
}

/** From each point up to its other end, which has a short bar. */
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
