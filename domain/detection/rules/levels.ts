/**
 * Rule `levels`, the last one, applies to every series: without a throttle or a slope, the levels and dips decide, by
 * the thresholds below. Source: what a user would call the chart; docs/detection.md shows one of each kind.
 */
import { elementAt, numberAt } from '../../maths/elements';
import type { SeriesKind } from '../../model/verdict';
import { levelDistance, type Observed, type Segment } from '../observe';
import { unthrottledShape, type SeriesShape } from '../series-shape';

/** Scatter that a user would see in the chart. */
const NOISY = 0.05;
/** In a minute or two, a small shift is as likely to come from the hosts as from the network. */
const SMALLEST_SHIFT = { short: 0.08, long: 0.015 } as const;
const SHORT_SAMPLES = 300;
/** Every path and every busy host loses a few seconds; a minute with so few dips is steady. */
const FEWEST_DIPS = 3;
const SMALLEST_DIP_SHARE = 0.002;
const LARGE_DIP_SHARE = 0.05;
/** The shortest level that lasts, as a share of the recording. */
const LASTING_SHARE = 0.08;
const MOST_DIPS_IN_SHIFT = 0.03;

/** Runs of samples far below their own level. */
function describeDips({ clean, segments, noise }: Observed) {
  const depth = Math.max(6 * noise.standardDeviation, 0.12);
  let count = 0;
  let samples = 0;
  let isInside = false;
  for (const segment of segments) {
    const threshold = Math.log(Math.max(segment.bitsPerSecond, 1)) - depth;
    for (let i = segment.from; i < segment.to; i += 1) {
      // In its first samples a flow is still in slow start.
      const isLow = numberAt(clean.logRates, i) < threshold && i >= 3;
      if (isLow) samples += 1;
      if (isLow && !isInside) count += 1;
      isInside = isLow;
    }
  }
  return { count, sampleShare: samples / clean.logRates.length };
}

/** @param observed with fine levels */
export function levels(observed: Observed): SeriesShape {
  return unthrottledShape(kindOf(observed), observed);
}

function kindOf(observed: Observed): SeriesKind {
  const { clean, segments, noise } = observed;
  const dips = describeDips(observed);
  const sampleCount = clean.logRates.length;
  const smallestShift = sampleCount < SHORT_SAMPLES ? SMALLEST_SHIFT.short : SMALLEST_SHIFT.long;
  const lasting = segments.filter((segment) => segment.to - segment.from >= LASTING_SHARE * sampleCount);
  const shifts = lasting
    .slice(1)
    .filter((segment, index) => levelDistance(elementAt(lasting, index), segment) >= smallestShift);
  const isMostlyLevel = dips.sampleShare < MOST_DIPS_IN_SHIFT && segments.length - lasting.length <= 2;
  if (shifts.length === 1 && isMostlyLevel) return 'shift';
  const areManyDips = dips.count >= FEWEST_DIPS && dips.sampleShare > SMALLEST_DIP_SHARE;
  const hasDips = dips.sampleShare > LARGE_DIP_SHARE || (areManyDips && sampleCount >= SHORT_SAMPLES);
  if (hasExcursion(segments) || hasDips) return 'dips';
  return noise.standardDeviation > NOISY || shifts.length > 0 ? 'noisy' : 'steady';
}

function hasExcursion(segments: readonly Segment[]): boolean {
  return segments.some((segment, index) => {
    const [before, after] = [segments[index - 1], segments[index + 1]];
    if (!before || !after) return false;
    return segment.bitsPerSecond < 0.9 * Math.min(before.bitsPerSecond, after.bitsPerSecond);
  });
}
