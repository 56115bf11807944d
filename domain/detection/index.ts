/**
 * Finds, from the numbers alone, the levels of a throughput series and when the rate dropped to a throttled level. The
 * result does not depend on the order of the samples, the unit of the rate or the origin of the time axis.
 *
 * The rules in `rules/` are applied in order to the noise and the levels that `observe` finds, and the first rule that
 * returns a shape decides. Each rule's file states its formula and its source. docs/detection.md describes the method.
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
  /** Accepts a drop of the right shape even if its samples alone leave it in doubt. */
  readonly believesDoubted?: boolean;
  /** Skips the rule for a bucket that is refilled periodically. */
  readonly withoutRefill?: boolean;
}

/** @returns null if the rule does not apply */
type Rule = (observed: Observed, drops: readonly Drop[]) => SeriesShape | null;

/** The rules, applied in this order to the coarse levels of `observe`. */
const RULES: readonly Rule[] = [periodicRefill, lastingDrop, dropAtEnd, tooShort];

/**
 * Classifies the series of a load with pauses.
 *
 * @param series on a time axis that omits the pauses
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
 * Classifies the runs of a duty cycle as if there were no pauses. A pattern that repeats from run to run, but within no
 * run, comes from the cycle and not from a bucket that is refilled.
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
 * Classifies the samples under load. Idle times would hide a throttle, because they look like a level from which the
 * rate recovers, so long ones are removed. A shorter one may be a level of a limiter, so it is removed only if a
 * throttle shows without it.
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
/** If a path carries nothing for less than this, it may have failed rather than been without load. */
const SHORTEST_IDLE_SECONDS = 30;
/** Two drops lead to the same baseline if their lower rates differ by less than this factor. */
const SAME_BASELINE = 1.1;

type ThrottledShape = SeriesShape & { readonly throttle: Throttle };

/**
 * Finds credits that ran out, were refilled in a rest and ran out again. As one series, this is a drop from which the
 * rate recovers, which competing traffic causes as well. Each stretch of load between two long rests is therefore
 * classified separately. Assumption that may fail: only credits make two stretches drop to the same rate.
 *
 * @param whole the shape of all samples under load
 * @param classify returns the shape of one stretch of load
 * @returns the shape with the drop in which the credits ran out first; null if no second drop has the same baseline
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

/** A gap counts as a rest only if it is long; it may be shorter if samples without traffic show that it is one. */
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
