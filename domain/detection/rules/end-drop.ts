/**
 * Rule `dropAtEnd`: a drop that only the last samples of a recording show, because the recording ends right after it.
 * The segmentation treats so few samples as outliers. All of the last samples must be at the lower level, the rate must
 * not have been that low before for half as long, and `evidenceOf` must leave no doubt.
 *
 * Source: tuned on the recordings of docs/reference/detector.md, "Real recordings". Assumption that may fail: a path
 * that holds its rate exactly has no dip right before the end.
 */
import { elementAt, numberAt } from '../../maths/elements';
import { medianOfRange, trimmedMeanOfRange } from '../../maths/statistics';
import {
  DEEPEST_THROTTLED_RATIO,
  evidenceOf,
  isUsualMove,
  middleOf,
  type Drop,
  type Observed,
  type Segment,
} from '../observe';
import { locateOnset } from '../onset';
import { endOfLower, throttledShape, type SeriesShape } from '../series-shape';

/** A lower level at the end that lasts longer than this is a segment of its own. */
const LONGEST_END_SAMPLES = 40;
const SHORTEST_END_SAMPLES = 5;
const SHORTEST_BEFORE_SAMPLES = 5;
/** How many samples before the drop show its upper level. */
const LEVEL_SAMPLES = 60;
/** Most published baselines are at most half of the burst; a few samples of a shallower drop are a dip. */
const HIGHEST_END_RATIO = 0.55;
/** A rate below this share of the burst means that the flow ended. */
const LOWEST_END_RATIO = 0.005;
/** The least evidence for a drop at the end, as `evidenceOf` computes it. */
const END_EVIDENCE = 100;
/** A dip that is cut off by the end of the recording lasts less than this. */
const LONGEST_DIP_SECONDS = 15;
/** Only a limiter holds a rate with so little scatter, so a drop from it is no dip of a busy path. */
const HELD_BY_A_LIMITER = 0.0003;

/** @param drops those that the levels show; after one of them, the end of the recording shows nothing more */
export function dropAtEnd(observed: Observed, drops: readonly Drop[]): SeriesShape | null {
  const found = drops.length === 0 ? clearestAtEnd(observed) : null;
  if (!found || isUsualMove(found, observed)) return null;
  const { drop, cut } = cutAt(found, observed);
  const step = stepBefore(drop, cut.segments);
  return step
    ? throttledShape('drops', cut, step, locateOnset(cut, step, endOfLower(step, cut)))
    : throttledShape('drop', cut, drop, locateOnset(cut, drop, cut.clean.bitsPerSecond.length));
}

/** The drop with the most evidence among those at the end that are beyond doubt; null without one. */
function clearestAtEnd(observed: Observed): Drop | null {
  const { clean, noise } = observed;
  const sampleCount = clean.bitsPerSecond.length;
  const isHeld = noise.standardDeviation <= HELD_BY_A_LIMITER;
  const longestDip = LONGEST_DIP_SECONDS / clean.binSeconds;
  const shortest = isHeld ? SHORTEST_END_SAMPLES : Math.max(SHORTEST_END_SAMPLES, longestDip);
  const longest = Math.min(LONGEST_END_SAMPLES, sampleCount - SHORTEST_BEFORE_SAMPLES);
  let best: Drop | null = null;
  let mostEvidence = END_EVIDENCE;
  for (let samples = Math.ceil(shortest); samples <= longest; samples += 1) {
    const drop = dropTo(sampleCount - samples, observed);
    if (!drop) continue;
    const evidence = evidenceOf(drop, noise, samples, numberAt(noise.deviations, drop.boundary - 2));
    if (evidence < mostEvidence) continue;
    best = drop;
    mostEvidence = evidence;
  }
  return best;
}

/** Recomputes the burst from the samples up to the drop, and makes the level after the drop the last segment. */
function cutAt(found: Drop, { clean, noise, segments }: Observed): { drop: Drop; cut: Observed } {
  const { boundary, segment, baselineBitsPerSecond } = found;
  const rates = clean.bitsPerSecond;
  const { from } = elementAt(segments, segment);
  const burstBitsPerSecond = trimmedMeanOfRange(rates, from, Math.max(from + 1, boundary - 1));
  const before = { from, to: boundary, bitsPerSecond: burstBitsPerSecond };
  const after = { from: boundary, to: rates.length, bitsPerSecond: baselineBitsPerSecond };
  return {
    drop: { ...found, burstBitsPerSecond },
    cut: { clean, noise, segments: [...segments.slice(0, segment), before, after] },
  };
}

/** The drop from the longest level, if further steps follow: the few samples of a later step are not the burst. */
function stepBefore(end: Drop, segments: readonly Segment[]): Drop | null {
  const before = segments.slice(0, end.segment + 1);
  const longest = before.reduce((best, one) => (one.to - one.from > best.to - best.from ? one : best));
  const segment = before.indexOf(longest);
  const next = before[segment + 1];
  if (!next || next.bitsPerSecond > DEEPEST_THROTTLED_RATIO * longest.bitsPerSecond) return null;
  return {
    segment,
    boundary: next.from,
    burstBitsPerSecond: longest.bitsPerSecond,
    baselineBitsPerSecond: next.bitsPerSecond,
  };
}

/** The drop at this boundary, if everything after it is low and nothing before it was low for long. */
function dropTo(boundary: number, { clean: { bitsPerSecond: rates }, segments }: Observed): Drop | null {
  const burstBitsPerSecond = medianOfRange(rates, Math.max(0, boundary - 1 - LEVEL_SAMPLES), boundary - 1);
  const baselineBitsPerSecond = medianOfRange(rates, boundary, rates.length);
  const ratio = baselineBitsPerSecond / burstBitsPerSecond;
  if (!(ratio > LOWEST_END_RATIO && ratio <= HIGHEST_END_RATIO)) return null;
  const segment = segments.findIndex(({ to }) => boundary <= to);
  const drop = { segment, boundary, burstBitsPerSecond, baselineBitsPerSecond };
  const middle = middleOf(drop);
  const later = rates.subarray(boundary);
  if (!later.every((rate) => rate < middle)) return null;
  return 2 * longestRunBelow(middle, rates.subarray(0, boundary - 1)) < later.length ? drop : null;
}

function longestRunBelow(level: number, rates: Float64Array): number {
  let longest = 0;
  let run = 0;
  for (const rate of rates) {
    run = rate < level ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
