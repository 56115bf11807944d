/**
 * What a throughput series shows, from the numbers alone: its levels, and when it fell to a throttled level. The answer
 * does not depend on the order of the samples, the unit of the rate or the origin of the time axis.
 *
 * The samples of the load are observed once (`observe`: scatter and levels), and the rules in `rules/` are asked in their
 * order; the first that has an answer decides. Each rule's file states its formula and its source. docs/detection.md
 * describes the method.
 */
import { ascending, largest } from '../maths/statistics';
import type { DutyCycle } from '../model/settings';
import {
  cleanSeries,
  lengthOf,
  withoutIdle,
  type CleanSeries,
  type RateInterval,
  type TimeSpan,
} from '../series/rate-series';
import { findCycleDrop } from './cycle-drop';
import { observe, observeFinely, shortestLevelSamples, type Drop, type Observed } from './observe';
import { dropAtEnd } from './rules/end-drop';
import { believedDrops, lastingDrop } from './rules/drop';
import { levels } from './rules/levels';
import { periodicRefill } from './rules/refill';
import { slope } from './rules/slope';
import { shortShape, tooShort } from './rules/too-short';
import {
  emptiedBits,
  insufficientShape,
  isIdle,
  loadUntil,
  throttledShape,
  type LoadStretch,
  type SeriesShape,
  type Throttle,
} from './series-shape';
import { elementAt, numberAt, zip } from '../maths/elements';

/** A series with fewer samples than this is not judged at all. */
const FEWEST_SAMPLES = 10;

export interface DetectorOptions {
  /** A drop of the right shape is believed although its samples alone leave it in doubt. */
  readonly believesDoubted?: boolean;
  /** What repeats is no recharge of a bucket. */
  readonly withoutRefill?: boolean;
}

/** @returns null where the rule does not apply */
type Rule = (observed: Observed, drops: readonly Drop[]) => SeriesShape | null;

/** In the order in which they are asked, on levels as far apart as a throttle makes them. */
const RULES: readonly Rule[] = [periodicRefill, lastingDrop, dropAtEnd, tooShort];

/**
 * What the series of a load with pauses shows.
 *
 * @param series on an axis that omits the pauses
 */
export function classifyCycles(series: readonly RateInterval[], cycle: DutyCycle): SeriesShape {
  const clean = cleanSeries(series);
  const found = clean && findCycleDrop(clean, cycle);
  if (!found) return classifyAsOneLoad(series, cycle);
  const { noise, segments } = found;
  if ('lowSampleCount' in found) {
    return { ...insufficientShape(clean, noise, segments), lowEndSampleCount: found.lowSampleCount };
  }
  return throttledShape('cycle', { clean, noise, segments }, found.drop, found.onset);
}

/**
 * The runs of a duty cycle as if there were no pauses. What repeats with each run and not within any of them is no
 * recharge of a bucket.
 */
function classifyAsOneLoad(series: readonly RateInterval[], { onSeconds }: DutyCycle): SeriesShape {
  const shape = classifySeries(series);
  if (shape.kind !== 'cycle') return shape;
  const runOf = ({ startSeconds }: RateInterval) => Math.floor(startSeconds / onSeconds);
  const repeatsWithin = [...new Set(series.map(runOf))].some((run) => {
    const alone = series.filter((interval) => runOf(interval) === run);
    return classifySeries(alone).kind === 'cycle';
  });
  return repeatsWithin ? shape : classifySeries(series, { withoutRefill: true });
}

export function classifySeries(series: readonly RateInterval[], options: DetectorOptions = {}): SeriesShape {
  const clean = cleanSeries(series);
  if (!clean) return insufficientShape(null, null);
  const classify = (samples: CleanSeries) => classifySamples(samples, options);
  const shape = classifyLoad(clean, classify);
  return findRestCycles(clean, shape, classify) ?? shape;
}

/**
 * The shape of the load. Samples without traffic are a level to which the rate fell and from which it came back, so that
 * they hide a drop. A short one may as well be a level of a limiter, and the shortest ones are dips.
 */
function classifyLoad(clean: CleanSeries, classify: (samples: CleanSeries) => SeriesShape): SeriesShape {
  const longestIdleSeconds = largest([0, ...clean.idle.map(lengthOf)]);
  if (longestIdleSeconds >= LONG_REST_SECONDS) return classify(withoutIdle(clean));
  const shape = classify(clean);
  const shortestLevelSeconds = shortestLevelSamples(clean.startSeconds.length) * clean.binSeconds;
  if (shape.throttle || longestIdleSeconds < shortestLevelSeconds) return shape;
  const underLoad = classify(withoutIdle(clean));
  return underLoad.throttle ? underLoad : shape;
}

/** The answer of the first rule that has one. */
function classifySamples(clean: CleanSeries, { believesDoubted, withoutRefill }: DetectorOptions): SeriesShape {
  if (clean.bitsPerSecond.length < FEWEST_SAMPLES) return shortShape(clean, null);
  const observed = observe(clean);
  const drops = believedDrops(observed, believesDoubted);
  for (const rule of RULES) {
    const shape = rule === periodicRefill && withoutRefill ? null : rule(observed, drops);
    if (shape) return shape;
  }
  const fine = observeFinely(observed);
  return slope(fine) ?? levels(fine);
}

/** A gap between two recordings of one series is at least this long. */
const LONG_REST_SECONDS = 180;
/** A path that carries nothing for less than this may be broken, and not without load. */
const SHORTEST_IDLE_SECONDS = 30;
/** Two falls to rates that differ by less than this are falls to one baseline. */
const SAME_BASELINE = 1.1;

type ThrottledShape = SeriesShape & { readonly throttle: Throttle };

/**
 * Credits that ran out, came back in a rest and ran out again. As one series this is a fall from which the rate came
 * back, which competing traffic shows as well. Each time under load between two long rests is therefore judged on its
 * own. Assumption that may fail: nothing but credits makes two of them fall to the same rate.
 *
 * @param whole the shape of all samples of the load
 * @param classify what one time under load shows
 * @returns the shape with the fall in which the credits ran out first; null where no second drop agrees with it
 */
function findRestCycles(
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
      isRefilledAtRest: true,
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
  return lengthOf(gap) >= (isIdle(gap, idle) ? SHORTEST_IDLE_SECONDS : LONG_REST_SECONDS);
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
