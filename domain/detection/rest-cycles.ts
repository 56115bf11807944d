/**
 * Credits that ran out, came back in a rest and ran out again. As one series this is a fall from which the rate came
 * back, which competing traffic shows as well. Each time under load between two long rests is therefore judged on its
 * own. Assumption that may fail: nothing but credits makes two of them fall to the same rate.
 */
import { elementAt, numberAt } from '../maths/elements';
import { ascending } from '../maths/quantiles';
import { zip } from '../maths/zip';
import { withoutIdle } from '../series/clean';
import type { CleanSeries, TimeSpan } from '../series/rate-series';
import { emptiedBits, loadUntil } from './burst-volume';
import { isIdle, LONG_REST_SECONDS } from './rests';
import type { LoadStretch, SeriesShape, Throttle } from './series-shape';

/** A path that carries nothing for less than this may be broken, and not without load. */
const SHORTEST_IDLE_SECONDS = 30;
/** Two falls to rates that differ by less than this are falls to one baseline. */
const SAME_BASELINE = 1.1;

type ThrottledShape = SeriesShape & { readonly throttle: Throttle };

/**
 * @param whole the shape of all samples of the load
 * @param classify what one time under load shows
 * @returns the shape with the fall in which the credits ran out first; null where no second fall agrees with it
 */
export function findRestCycles(
  clean: CleanSeries,
  whole: SeriesShape,
  classify: (part: CleanSeries) => SeriesShape,
): SeriesShape | null {
  const parts = partsBetweenRests(withoutIdle(clean));
  if (parts.length < 2) return null;
  const shapes = parts.map(classify);
  const first = shapes.findIndex(isThrottled);
  const fallen = shapes[first];
  if (!fallen || !isThrottled(fallen)) return null;
  const { throttle } = fallen;
  const again = shapes.slice(first + 1).filter(isThrottled);
  if (!again.some((shape) => isSameBaseline(shape.throttle, throttle))) return null;
  const load = [...loadBefore(parts.slice(0, first + 1), shapes), ...throttle.load];
  return {
    ...whole,
    kind: 'cycle',
    segments: shapes.flatMap((shape) => shape.segments),
    noise: fallen.noise,
    confidence: fallen.confidence,
    throttle: {
      ...throttle,
      load,
      bucketBits: emptiedBits(load, throttle.baselineBitsPerSecond),
      isRechargedAtRest: true,
    },
  };
}

function isThrottled(shape: SeriesShape): shape is ThrottledShape {
  return shape.throttle !== null && shape.kind === 'drop';
}

function isSameBaseline(one: Throttle, other: Throttle): boolean {
  const ratio = one.baselineBitsPerSecond / other.baselineBitsPerSecond;
  return ratio < SAME_BASELINE && ratio > 1 / SAME_BASELINE;
}

/** The load of all parts but the last one, each with the rest that follows it. */
function loadBefore(parts: readonly CleanSeries[], shapes: readonly SeriesShape[]): LoadStretch[] {
  return zip(parts.slice(0, -1), shapes.slice(0, parts.length - 1)).flatMap(([part, shape], index) => {
    const seconds = elementAt(parts, index + 1).loadStartSeconds - part.endSeconds;
    return [...loadUntil(part.endSeconds, shape.segments, [], part), { seconds, bitsPerSecond: 0, isRest: true }];
  });
}

function partsBetweenRests(clean: CleanSeries): CleanSeries[] {
  const { startSeconds, binSeconds } = clean;
  const parts: CleanSeries[] = [];
  let from = 0;
  for (let to = 1; to <= startSeconds.length; to += 1) {
    const end = numberAt(startSeconds, to - 1) + binSeconds;
    const isLast = to === startSeconds.length;
    if (!isLast && !isLongRest({ startSeconds: end, endSeconds: numberAt(startSeconds, to) }, clean.idle)) continue;
    parts.push(partOf(clean, from, to, isLast ? clean.endSeconds : end));
    from = to;
  }
  return parts;
}

/** A gap is known to be a rest only by its length, but samples without traffic show one. */
function isLongRest(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
  return gap.endSeconds - gap.startSeconds >= (isIdle(gap, idle) ? SHORTEST_IDLE_SECONDS : LONG_REST_SECONDS);
}

function partOf(clean: CleanSeries, from: number, to: number, endSeconds: number): CleanSeries {
  const startSeconds = clean.startSeconds.subarray(from, to);
  const bitsPerSecond = clean.bitsPerSecond.subarray(from, to);
  const first = numberAt(startSeconds, 0);
  return {
    startSeconds,
    bitsPerSecond,
    sortedBitsPerSecond: ascending(bitsPerSecond),
    binSeconds: clean.binSeconds,
    logRates: clean.logRates.subarray(from, to),
    loadStartSeconds: from === 0 ? clean.loadStartSeconds : first,
    endSeconds,
    native: clean.native?.filter((one) => one.startSeconds >= first && one.startSeconds < endSeconds) ?? null,
    idle: [],
    deadTailSeconds: 0,
  };
}
