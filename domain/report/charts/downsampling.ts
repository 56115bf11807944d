/** Reduces long series for charts, where several seconds share a column. The page and its files have every second. */

/** A value over time; null where seconds are missing. */
export type TimePoint = [seconds: number, value: number | null];

/** The number of columns, each four pixels wide, of a chart of the full width. */
const CHART_COLUMNS = 222;

/** Chooses the value that represents a column. */
export type Stand = (ascending: readonly number[]) => number;

export const LARGEST: Stand = (ascending) => ascending.at(-1) ?? 0;
export const MEDIAN: Stand = (ascending) => ascending[Math.floor((ascending.length - 1) / 2)] ?? 0;

/** The ends of a column are drawn too if they differ from its extremes by more than this share of the largest value. */
const RETURN_SHARE = 0.03;

/**
 * Keeps the least and the greatest value of each column in their original order, so that every dip and peak is visible.
 * The first and the last value are kept where they are far from these, because a peak would otherwise look like a slope
 * between columns. A series with few points is not changed.
 */
export function envelope(points: readonly TimePoint[], columns = CHART_COLUMNS): TimePoint[] {
  if (points.length <= 2 * columns) return [...points];
  const far = RETURN_SHARE * points.reduce((most, [, value]) => Math.max(most, value ?? 0), 0);
  return inColumns(points, columns).flatMap((column): TimePoint[] => {
    const { values, middle } = column;
    let [least, greatest] = [0, 0];
    values.forEach((value, index) => {
      if (value < (values[least] ?? value)) least = index;
      if (value > (values[greatest] ?? value)) greatest = index;
    });
    const ends = least === greatest ? [least] : [Math.min(least, greatest), Math.max(least, greatest)];
    const last = values.length - 1;
    const isFar = (end: number, extreme = end) => Math.abs((values[end] ?? 0) - (values[extreme] ?? 0)) > far;
    const kept = [...(isFar(0, ends[0]) ? [0] : []), ...ends, ...(isFar(last, ends.at(-1)) ? [last] : [])];
    return [...kept.map((index): TimePoint => [middle, values[index] ?? null]), ...column.end];
  });
}

/** Keeps one value for each column. A series with no more points than columns is not changed. */
export function thinned(points: readonly TimePoint[], stand: Stand, columns = CHART_COLUMNS): TimePoint[] {
  if (points.length <= columns) return [...points];
  return inColumns(points, columns).flatMap(({ values, middle, end }): TimePoint[] => [
    [middle, stand([...values].sort((left, right) => left - right))],
    ...end,
  ]);
}

interface Column {
  readonly values: readonly number[];
  readonly middle: number;
  /** A point with null after the column where seconds are missing. */
  readonly end: readonly TimePoint[];
}

/** Divides the points into columns of equal length; missing seconds split a column in two. */
function inColumns(points: readonly TimePoint[], columns: number): Column[] {
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const columnOf = (seconds: number) =>
    Math.min(columns - 1, Math.floor(((seconds - first) / (last - first)) * columns));
  const middleOf = (column: number) => first + ((column + 0.5) / columns) * (last - first);
  const found: { values: number[]; middle: number; end: TimePoint[] }[] = [];
  let open: number | undefined;
  for (const point of points) {
    const [seconds, value] = point;
    if (value === null) {
      found.at(-1)?.end.push(point);
      open = undefined;
    } else if (open === columnOf(seconds)) {
      found.at(-1)?.values.push(value);
    } else {
      open = columnOf(seconds);
      found.push({ values: [value], middle: middleOf(open), end: [] });
    }
  }
  return found;
}
