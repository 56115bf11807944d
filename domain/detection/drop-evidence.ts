/**
 * What the samples themselves say for a drop that has the shape of a throttle. Rates that nothing limits fall as well:
 * other senders come, a phone leaves its cell, noise drifts. Such a drop is believed only where all of this holds:
 *
 * | question                                              | a throttle                                                       |
 * | ----------------------------------------------------- | ---------------------------------------------------------------- |
 * | is either side longer than a few samples              | yes, or the drop is the clearer the fewer they are               |
 * | how far had the rate moved by itself before           | a fifth of the drop at most, in the logarithm                    |
 * | are the samples of either side on their own side      | yes; in a long recording as many as the scatter of a level leaves |
 * | how deep is it, in standard deviations of a sample    | six in a recording of up to five minutes, 50 if it is shallow    |
 *
 * Assumption that may fail: competing traffic that comes once and stays, at a rate that is as even as a limiter's.
 */
import { median, medianAbsoluteDeviation, NORMAL_CONSISTENCY } from '../maths/statistics';
import { dropDepth, middleOf, type Drop, type Observed } from './observe';
import type { Noise } from './series-shape';

/** In a shorter series only a drop beyond doubt is reported: half a minute is too short to call a rate steady. */
export const SHORT_SAMPLES = 45;
/** Up to five minutes of a real network without a bucket contain shallow falls and falls amid much scatter. */
const DRIFTING_SAMPLES = 300;
/** The highest ratio of a published baseline to its burst. */
const HIGHEST_PUBLISHED_RATIO = 0.75;
/** How many standard deviations of a sample the drop must be deep. */
const PLAIN_DEVIATIONS = 6;
const UNMISTAKABLE_DEVIATIONS = 20;
/** The same for a drop that is shallower than published ones. */
const SHALLOW_DEVIATIONS = 50;
const SHORTEST_UNMISTAKABLE = { before: 3, after: 15 } as const;

/** Whether the drop can be that of a limiter, by the table above. */
export function isBelievable(drop: Drop, observed: Observed): boolean {
  if (!isEvident(drop, observed) || isUsualMove(drop, observed)) return false;
  const sampleCount = observed.clean.bitsPerSecond.length;
  if (sampleCount > DRIFTING_SAMPLES) return areApart(drop, observed) || isBeyondScatter(drop, observed);
  if (sampleCount >= SHORT_SAMPLES) return isPlain(drop, observed, PLAIN_DEVIATIONS);
  return (
    observed.segments.length === 2 &&
    drop.boundary >= SHORTEST_UNMISTAKABLE.before &&
    sampleCount - drop.boundary >= SHORTEST_UNMISTAKABLE.after &&
    isPlain(drop, observed, UNMISTAKABLE_DEVIATIONS)
  );
}

/** Whether the drop may be the first of several steps, of which a later one is believable. */
export function mayBeFirstStep(drop: Drop, observed: Observed): boolean {
  return (
    evidenceOf(drop, observed.noise, fewestSamples(drop, observed)) >= EVIDENCE.firstStep &&
    !isUsualMove(drop, observed) &&
    areApart(drop, observed)
  );
}

/** Whether the drop is deep and far beyond the scatter, and the two levels are apart. */
function isPlain(drop: Drop, observed: Observed, deviations: number): boolean {
  const isShallow = drop.baselineBitsPerSecond > HIGHEST_PUBLISHED_RATIO * drop.burstBitsPerSecond;
  const least = (isShallow ? SHALLOW_DEVIATIONS : deviations) * observed.noise.standardDeviation;
  return dropDepth(drop) >= least && areApart(drop, observed);
}

/** Fewer samples than `few` or `some` on one side of a drop need so much evidence. */
const FEWEST_SAMPLES = { few: 10, some: 40 } as const;
/** A start of flows that overshoots, and a dip that the end cuts off, reach 72; limiters with so few samples 380. */
const EVIDENCE = { few: 75, some: 25, firstStep: 10 } as const;
/** Rates are printed with four digits at most, so a smaller scatter is rounding. */
export const SMALLEST_DEVIATION = 0.004;

/** Whether both sides of the drop have so many samples, or so even ones, that they are levels. */
function isEvident(drop: Drop, observed: Observed): boolean {
  const samples = fewestSamples(drop, observed);
  if (samples >= FEWEST_SAMPLES.some) return true;
  return evidenceOf(drop, observed.noise, samples) >= (samples < FEWEST_SAMPLES.few ? EVIDENCE.few : EVIDENCE.some);
}

/** Of the two sides of a drop, the samples of the shorter one. The last one before the drop may contain it. */
function fewestSamples({ boundary }: Drop, { clean }: Observed): number {
  return Math.min(boundary - 1, clean.bitsPerSecond.length - boundary);
}

/**
 * The depth in standard deviations of one sample, times the root of the number of independent samples.
 *
 * @param deviationThere the scatter around the drop, which counts where it is the larger one
 */
export function evidenceOf(drop: Drop, noise: Noise, samples: number, deviationThere = 0): number {
  const deviation = Math.max(SMALLEST_DEVIATION, noise.standardDeviation, deviationThere);
  return (dropDepth(drop) / deviation) * Math.sqrt(samples / noise.longRunFactor);
}

/** With fewer levels before the drop, nothing shows how far the rate moves by itself. */
const FEWEST_LEVELS = 3;
/** A level that lasts for less than this share of the time before the drop is a dip. */
const LASTING_SHARE = 0.08;
/** How many times as deep as the standard deviation of the levels before it a drop must be. */
const LEVEL_DEVIATIONS = 5;

/** Whether the rate had moved between levels by itself so far that the drop is one more of these moves. */
export function isUsualMove(drop: Drop, { segments }: Pick<Observed, 'segments'>): boolean {
  const shortest = LASTING_SHARE * drop.boundary;
  const levels = segments
    .slice(0, drop.segment + 1)
    .filter(({ from, to }) => to - from >= shortest)
    .map(({ bitsPerSecond }) => Math.log(Math.max(bitsPerSecond, 1)));
  if (levels.length < FEWEST_LEVELS) return false;
  const deviation = NORMAL_CONSISTENCY * medianAbsoluteDeviation(levels, median(levels));
  return dropDepth(drop) < LEVEL_DEVIATIONS * deviation;
}

/** Shares of the samples that must lie on their own side of the middle of the two levels. */
const OWN_SIDE = { before: 0.75, after: 0.9 } as const;
/** The same where the scatter of the levels brings samples to the other side. */
const OWN_SIDE_AMID_SCATTER = { before: 0.6, after: 0.65 } as const;
/** A limiter makes the rate more even, so that its side has about as many samples of its own as the burst's. */
const LESS_AFTER = 0.18;
const MORE_SCATTER_AFTER = 1.3;
/** The depth of the fall in standard deviations of the difference of the two levels. */
const SURELY = 5;

/** The shares of the samples before and after a drop that lie on their own side of the middle of the two levels. */
function ownSides(drop: Drop, { clean: { bitsPerSecond: rates } }: Observed): { before: number; after: number } {
  const middle = middleOf(drop);
  // The last sample before the boundary may contain the drop itself.
  const before = rates.subarray(0, Math.max(1, drop.boundary - 1));
  const after = rates.subarray(drop.boundary);
  return {
    before: before.filter((rate) => rate > middle).length / before.length,
    after: after.filter((rate) => rate < middle).length / after.length,
  };
}

/** Whether hardly a sample of either side is at the other's level. */
function areApart(drop: Drop, observed: Observed): boolean {
  const { before, after } = ownSides(drop, observed);
  return before >= OWN_SIDE.before && after >= OWN_SIDE.after;
}

/** Whether the levels are surely apart, although their scatter brings samples of each to the other's side. */
function isBeyondScatter(drop: Drop, observed: Observed): boolean {
  const { clean, noise } = observed;
  const { before, after } = ownSides(drop, observed);
  if (before < OWN_SIDE_AMID_SCATTER.before) return false;
  if (after < Math.max(OWN_SIDE_AMID_SCATTER.after, before - LESS_AFTER)) return false;
  const { boundary } = drop;
  const burst = median(noise.deviations.subarray(0, boundary));
  const baseline = median(noise.deviations.subarray(boundary));
  if (baseline > MORE_SCATTER_AFTER * burst) return false;
  const variance =
    noise.longRunFactor * (burst ** 2 / boundary + baseline ** 2 / (clean.bitsPerSecond.length - boundary));
  return dropDepth(drop) > SURELY * Math.sqrt(variance);
}
