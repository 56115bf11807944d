/**
 * One sample per second. iperf3 reports about once a second: its timer is some milliseconds off, it ends with a remnant
 * (`60.00-60.04`), and a starved host prints late (`3.00-4.60`, `4.60-5.00`). Each sample keeps the tool's own edges
 * where one lies near the full second; only where none does, the interval is cut there, its bytes shared by time.
 */
import { elementAt } from '../maths/elements';

/** An interval with its rate and what was counted in it. */
export interface GridInterval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

export interface GridCell<Interval extends GridInterval> {
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly bitsPerSecond: number;
  /** The intervals whose middle lies in this cell: what they counted (retransmits, losses) is counted here. */
  readonly counted: readonly Interval[];
}

/** Less than this of a second is no sample of it: the remnant at the end, a hole. */
const MIN_CELL_SECONDS = 0.5;
/** An edge this near a full second is that second's edge. */
const EDGE_TOLERANCE_SECONDS = 0.25;
/** Reporting intervals of another length than a second are left as they are. */
const SECOND_LENGTHS = { min: 0.8, max: 1.25 } as const;

/**
 * @param series of one stream, ordered by start.
 * @param reportSeconds how often the tool was told to report; by default the median of what it did.
 */
export function secondCells<Interval extends GridInterval>(
  series: readonly Interval[],
  reportSeconds?: number,
): GridCell<Interval>[] {
  const intervals = series.filter((interval) => interval.endSeconds > interval.startSeconds);
  if (intervals.length === 0) return [];
  const typicalSeconds = reportSeconds ?? medianLength(intervals);
  if (typicalSeconds < SECOND_LENGTHS.min || typicalSeconds > SECOND_LENGTHS.max) {
    return intervals.filter((one) => lengthOf(one) >= typicalSeconds * MIN_CELL_SECONDS).map(ownCell);
  }
  const cells: GridCell<Interval>[] = [];
  let first = 0;
  const lastSecond = Math.ceil(elementAt(intervals, -1).endSeconds + EDGE_TOLERANCE_SECONDS);
  for (
    let second = Math.floor(elementAt(intervals, 0).startSeconds + EDGE_TOLERANCE_SECONDS);
    second < lastSecond;
    second++
  ) {
    // Everything before `first` ends before this second and its edge tolerance.
    while (first < intervals.length && elementAt(intervals, first).endSeconds <= second - EDGE_TOLERANCE_SECONDS)
      first++;
    if (first === intervals.length) break;
    const cell = cellOf(second, intervals, first);
    if (cell !== undefined) cells.push(cell);
  }
  return cells;
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

/** The tool's own edge nearest to a full second, else the full second. */
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
  return {
    startSeconds: interval.startSeconds,
    lengthSeconds: roundMicros(lengthOf(interval)),
    bitsPerSecond: interval.bitsPerSecond,
    counted: [interval],
  };
}

/** The upper of two: one second and its remnant have the length of the second. */
function medianLength(intervals: readonly GridInterval[]): number {
  const lengths = intervals.map(lengthOf).sort((left, right) => left - right);
  return elementAt(lengths, Math.floor(lengths.length / 2));
}

function lengthOf(interval: GridInterval): number {
  return interval.endSeconds - interval.startSeconds;
}

/** Differences of decimal seconds carry binary dust. */
export function roundMicros(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
