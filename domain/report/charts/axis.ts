/** Chooses the ends and ticks of axes, at round numbers. */
import { largest, smallest } from '../../maths/statistics';

export interface AxisEnds {
  readonly min?: number;
  readonly max: number;
  readonly interval?: number;
}

/** Returns the smallest round number above all drawn values, with room for a label, and the distance between ticks. */
export function axisEnd(highest: number) {
  const wanted = Math.max(highest, 1e-6) * 1.06;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const [mantissa, parts] = AXIS_ENDS.find(([end]) => end * power >= wanted) ?? [10, 5];
  return { max: mantissa * power, interval: (mantissa * power) / parts };
}

/**
 * Formats a tick. It is rounded, because ECharts adds up intervals, which gives 0.30000000000000004. From 10,000 on,
 * thousands are written as k to fit beside the axis.
 */
export function tickLabel(value: number): string {
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(6))}k` : String(Number(value.toPrecision(6)));
}

/**
 * Returns a time axis that ends with the measurement, with a tick at the end. A round tick close to it has no label,
 * because `3000 3206` would be read as one number.
 *
 * @param since what is counted from, in the unit that fits; by default, seconds from the start of the load
 */
export function timeAxis(lastSeconds: number, since?: string) {
  const units = since === undefined ? [] : TIME_UNITS;
  const [unit, size] = units.find(([, each]) => lastSeconds >= 3 * each) ?? SECONDS;
  const isTooClose = (value: number) => value < lastSeconds && lastSeconds - value < CLOSE_TICK_SHARE * lastSeconds;
  const formatter = (value: number) => (isTooClose(value) ? '' : tickLabel(Number((value / size).toFixed(1))));
  return {
    type: 'value',
    min: 0,
    max: lastSeconds,
    interval: since === undefined ? undefined : axisEnd(lastSeconds / size).interval * size,
    ...nameBelowAxis(`${unit} since ${since ?? 'the start of the load'}`),
    axisLabel: { hideOverlap: true, showMaxLabel: true, alignMaxLabel: 'right', formatter },
    splitLine: { show: false },
  } as const;
}

const CLOSE_TICK_SHARE = 0.07;

type TimeUnit = readonly [name: string, seconds: number];
const SECONDS: TimeUnit = ['seconds', 1];
const TIME_UNITS: readonly TimeUnit[] = Object.entries({ days: 86_400, hours: 3600, minutes: 60 });

/**
 * Returns the ends of a logarithmic axis: powers of ten, because ECharts labels only those. The lower end is at least
 * 0.1, because a value near 0 would stretch the axis, and no round trip is below 0.1 µs.
 */
export function logAxisEnds(values: readonly number[]) {
  const from = Math.floor(Math.log10(Math.max(smallest(values), 0.1)));
  const to = Math.ceil(Math.log10(Math.max(largest(values), 1)));
  return { min: 10 ** from, max: 10 ** Math.max(to, from + 1) };
}

/** Values that span more than this factor are shown on a logarithmic axis. */
const LINEAR_SPAN = 10;
/** A smaller rate or price is drawn at the lower end of the axis, because a value near 0 would stretch it. */
const LEAST_ON_LOG = 0.001;

/**
 * An axis for rates or prices: from 0, or logarithmic with ticks at 1, 2 and 5 if the points span more than a decade.
 *
 * @param ends the ends of ranges around the points; they only extend the axis, at most a decade below the points, so
 * that one second without traffic does not determine the scale
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

/** Aligns the name of a vertical axis with its labels. */
export function nameAboveAxis(left: number) {
  return { align: 'left' as const, padding: [0, 0, 0, 12 - left] };
}

export const nameBelowAxis = (name: string | undefined) => ({ name, nameLocation: 'middle', nameGap: 28 }) as const;

/** The allowed mantissas of an axis end, each with the number of intervals up to it. */
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
