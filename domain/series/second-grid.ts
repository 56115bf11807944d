/**
 * One sample per second. iperf3 reports about once a second: its timer is some milliseconds off, it ends with a remnant
 * (`60.00-60.04`), and a starved host prints late (`3.00-4.60`, `4.60-5.00`). A sample keeps the tool's own edges where
 * they lie near the full second. Elsewhere the interval is cut at the full second, and its bytes are split by time.
 */
import { elementAt } from '../maths/elements';
import { ascending } from '../maths/statistics';
import type { RateInterval } from './rate-series';

export interface GridInterval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

export interface GridCell<Interval extends GridInterval> extends RateInterval {
  /** The intervals whose middle lies in this cell. Their retransmits and losses count here. */
  readonly counted: readonly Interval[];
}

/** A second that is covered by less than this has no sample: a remnant at the end, or a hole. */
const MIN_CELL_SECONDS = 0.5;
/** An edge of an interval that is this near to a full second counts as that second's edge. */
const EDGE_TOLERANCE_SECONDS = 0.25;
/** Only intervals with a length in this range, in seconds, are put on the grid. */
const SECOND_LENGTHS = { min: 0.8, max: 1.25 } as const;

/**
 * @param series of one stream, ordered by start
 * @param reportSeconds the requested length of an interval; by default the median of the actual ones
 */
export function secondCells<Interval extends GridInterval>(
  series: readonly Interval[],
  reportSeconds?: number,
): GridCell<Interval>[] {
  const intervals = series.filter((interval) => interval.endSeconds > interval.startSeconds);
  if (intervals.length === 0) return [];
  const typicalSeconds = reportSeconds ?? medianLength(intervals);
  if (!isSecond(typicalSeconds)) {
    return intervals.filter((one) => lengthOf(one) >= typicalSeconds * MIN_CELL_SECONDS).map(ownCell);
  }
  const cells: GridCell<Interval>[] = [];
  let first = 0;
  const firstSecond = Math.floor(elementAt(intervals, 0).startSeconds + EDGE_TOLERANCE_SECONDS);
  const lastSecond = Math.ceil(elementAt(intervals, -1).endSeconds + EDGE_TOLERANCE_SECONDS);
  for (let second = firstSecond; second < lastSecond; second++) {
    // All intervals before `first` end before this second and its edge tolerance.
    while (elementAt(intervals, first).endSeconds <= second - EDGE_TOLERANCE_SECONDS) first++;
    const cell = cellOf(second, intervals, first);
    if (cell !== undefined) cells.push(cell);
  }
  return cells;
}

function isSecond(seconds: number): boolean {
  return seconds >= SECOND_LENGTHS.min && seconds <= SECOND_LENGTHS.max;
}

/** How many seconds `secondCells` looks at. Intervals that are much longer than a second stay as they are. */
export function spannedSeconds(series: readonly GridInterval[], reportSeconds?: number): number {
  if (series.length === 0 || !isSecond(reportSeconds ?? medianLength(series))) return 0;
  return Math.max(0, elementAt(series, -1).endSeconds - elementAt(series, 0).startSeconds);
}

function cellOf<Interval extends GridInterval>(
  second: number,
  intervals: readonly Interval[],
  first: number,
): GridCell<Interval> | undefined {
  const near: Interval[] = [];
  for (let index = first; index < intervals.length; index++) {
    const interval = elementAt(intervals, index);
    if (interval.startSeconds >= second + 1 + EDGE_TOLERANCE_SECONDS) break;
    near.push(interval);
  }
  const from = edgeNear(second, near);
  const to = edgeNear(second + 1, near);
  let coveredSeconds = 0;
  let bits = 0;
  let startSeconds = Infinity;
  const counted: Interval[] = [];
  for (const interval of near) {
    const overlapFrom = Math.max(from, interval.startSeconds);
    const overlap = Math.min(to, interval.endSeconds) - overlapFrom;
    if (overlap <= 0) continue;
    coveredSeconds += overlap;
    bits += overlap * interval.bitsPerSecond;
    startSeconds = Math.min(startSeconds, overlapFrom);
    const middle = (interval.startSeconds + interval.endSeconds) / 2;
    if (middle >= from && middle < to) counted.push(interval);
  }
  if (coveredSeconds < MIN_CELL_SECONDS) return undefined;
  const lengthSeconds = roundMicros(coveredSeconds);
  return { startSeconds: roundMicros(startSeconds), lengthSeconds, bitsPerSecond: bits / coveredSeconds, counted };
}

/** The tool's own edge that is nearest to a full second; without one within the tolerance, the full second. */
function edgeNear(second: number, intervals: readonly GridInterval[]): number {
  let nearest = second;
  let distance = EDGE_TOLERANCE_SECONDS;
  for (const { startSeconds, endSeconds } of intervals) {
    for (const edge of [startSeconds, endSeconds]) {
      if (Math.abs(edge - second) < distance) {
        nearest = edge;
        distance = Math.abs(edge - second);
      }
    }
  }
  return nearest;
}

function ownCell<Interval extends GridInterval>(interval: Interval): GridCell<Interval> {
  const { startSeconds, bitsPerSecond } = interval;
  return { startSeconds, lengthSeconds: roundMicros(lengthOf(interval)), bitsPerSecond, counted: [interval] };
}

/** Of two middle values the upper one, so that one second and its short remnant have the length of the second. */
function medianLength(intervals: readonly GridInterval[]): number {
  const lengths = ascending(intervals.map(lengthOf));
  return elementAt(lengths, Math.floor(lengths.length / 2));
}

function lengthOf(interval: GridInterval): number {
  return interval.endSeconds - interval.startSeconds;
}

/** Removes the binary rounding errors of differences between decimal seconds. */
export function roundMicros(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
