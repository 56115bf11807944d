/** Ends and ticks of an axis, at numbers that people read easily. */
import { largest, smallest } from '../../maths/statistics';

export interface AxisEnds {
  readonly min?: number;
  readonly max: number;
  readonly interval?: number;
}

/** The smallest round number above everything drawn, with room for a label, and the distance between ticks. */
export function axisEnd(highest: number) {
  const wanted = Math.max(highest, 1e-6) * 1.06;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const [mantissa, parts] = AXIS_ENDS.find(([end]) => end * power >= wanted) ?? [10, 5];
  return { max: mantissa * power, interval: (mantissa * power) / parts };
}

/**
 * The text of a tick. ECharts adds up intervals, which gives numbers such as 0.30000000000000004; they are rounded.
 * From ten thousand on, thousands are written as k, to fit beside the axis.
 */
export function tickLabel(value: number): string {
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}

/**
 * A time axis that ends when the measurement did, with the end itself among its ticks. A round tick close to the end has
 * no text: `3000 3206` would be read as one number.
 */
export function timeAxis(lastSeconds: number) {
  const isTooClose = (value: number) => value < lastSeconds && lastSeconds - value < CLOSE_TICK_SHARE * lastSeconds;
  const formatter = (value: number) => (isTooClose(value) ? '' : tickLabel(Number(value.toFixed(1))));
  return {
    type: 'value',
    min: 0,
    max: lastSeconds,
    ...nameBelowAxis('seconds since the start of the load'),
    axisLabel: { hideOverlap: true, showMaxLabel: true, alignMaxLabel: 'right', formatter },
    splitLine: { show: false },
  } as const;
}

const CLOSE_TICK_SHARE = 0.07;

/**
 * The ends of a logarithmic axis, which are powers of ten because ECharts labels only those. Round trips are never
 * below a tenth of a microsecond; a smaller value would stretch the axis without end.
 */
export function logAxisEnds(values: readonly number[]) {
  const from = Math.floor(Math.log10(Math.max(smallest(values), 0.1)));
  const to = Math.ceil(Math.log10(Math.max(largest(values), 1)));
  return { min: 10 ** from, max: 10 ** Math.max(to, from + 1) };
}

/** What spans more than this factor is shown on a logarithmic axis. */
const LINEAR_SPAN = 10;
/** A rate or a price below this stands at the lower end of the axis, which would otherwise go on without end. */
const LEAST_ON_LOG = 0.001;

/**
 * An axis for rates or prices: from 0, or logarithmic with ticks at 1, 2 and 5 where the points span more than a decade.
 *
 * @param ends of ranges around the points, which only extend the axis: one second without traffic must not decide how
 * everything else is drawn. Where it goes further below the points than a decade, a range ends at the end of the axis.
 */
export function amountAxis(points: readonly number[], ends: readonly number[] = []) {
  const most = largest([...points, ...ends]);
  const leastPoint = Math.max(smallest(points), LEAST_ON_LOG);
  if (largest(points) <= LINEAR_SPAN * leastPoint) return { type: 'value' as const, min: 0, ...axisEnd(most) };
  const least = Math.max(smallest([leastPoint, ...ends]), leastPoint / LINEAR_SPAN, LEAST_ON_LOG);
  const ticks = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
  const min = ticks.findLast((tick) => tick <= least) ?? LEAST_ON_LOG;
  const max = ticks.find((tick) => tick >= most) ?? most;
  const customValues = ticks.filter((tick) => tick >= min && tick <= max);
  return { type: 'log' as const, min, max, axisTick: { customValues }, axisLabel: { customValues } };
}

/** Moves the name of a vertical axis to the left, to stand above its labels. */
export function nameAboveAxis(left: number) {
  return { align: 'left' as const, padding: [0, 0, 0, 12 - left] };
}

export const nameBelowAxis = (name: string | undefined) => ({ name, nameLocation: 'middle', nameGap: 28 }) as const;

/** The mantissa of each end, and the number of intervals up to it. */
const AXIS_ENDS = [
  [1, 5],
  [1.2, 6],
  [1.5, 5],
  [2, 4],
  [2.5, 5],
  [3, 6],
  [4, 4],
  [5, 5],
  [6, 6],
  [8, 4],
  [10, 5],
] as const;
