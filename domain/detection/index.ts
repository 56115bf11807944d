/**
 * What a throughput series shows, from the numbers alone: its levels, and when it fell to a throttled level. The answer
 * does not depend on the order of the samples, the unit of the rate or the origin of the time axis.
 *
 * The samples of the load are observed once (`observe`: scatter and levels), and the rules in `rules/` are asked in their
 * order; the first that has an answer decides. Each rule's file states its formula and its source. docs/detection.md
 * describes the method.
 */
import { largest } from '../maths/statistics';
import type { DutyCycle } from '../model/settings';
import { cleanSeries, lengthOf, withoutIdle, type CleanSeries, type RateInterval } from '../series/rate-series';
import { findCycleDrop } from './cycle-drop';
import { findRestCycles, LONG_REST_SECONDS } from './load';
import { observe, observeFinely, shortestLevelSamples, type Drop, type Observed } from './observe';
import { dropAtEnd } from './rules/end-drop';
import { believedDrops, lastingDrop } from './rules/drop';
import { levels } from './rules/levels';
import { periodicRefill } from './rules/refill';
import { slope } from './rules/slope';
import { shortShape, tooShort } from './rules/too-short';
import type { SeriesShape } from './series-shape';
import { insufficientShape, throttledShape } from './shape';

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
