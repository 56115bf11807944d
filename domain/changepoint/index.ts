/**
 * What a throughput series shows, from the numbers alone: levels, the fall to a throttled level and when it came, or why there
 * is none. Promises: the same answer for any order of the samples, any unit of the rate, and any origin of the time axis.
 * The method is described in docs/detection.md.
 */
import { burstVolumeBits } from '../throttling/burst-volume';
import { cleanSeries } from './clean';
import { findSlope } from './gradual';
import { estimateNoise } from './noise';
import { locateOnset } from './onset';
import { findRecharge } from './recharge';
import { mergeSegments, segmentLevels, shortestLevelSamples } from './segmentation';
import type { CleanSeries, Noise, RateInterval, Segment, SeriesShape } from './series';
import { clamp, mean, quantileOfSorted, trimmedMeanOfRange } from './statistics';
import type { Fall } from './throttle-shape';
import { findFurtherFalls, findThrottle } from './throttle-shape';
import { classifyUnthrottled, describeDips } from './unthrottled';

export type { RateInterval, SeriesShape } from './series';

/** A throttle is a fall of an eighth or more: three times this. Finer structure only makes room for mistakes. */
const THROTTLE_RESOLUTION = 0.04;
/** Tools print four digits and cut seconds to the millisecond: finer scatter than this is not information. */
const LEVEL_RESOLUTION = 0.006;
/** Levels closer than this are one level when it comes to a throttle. */
const SMALLEST_STEP = Math.log(1 / 0.9);
/** Fewer samples than this say nothing, whatever they are. */
const FEWEST_SAMPLES = 10;
/** Shorter than this, only a fall that leaves no doubt is reported; "steady" would be a promise the data can't keep. */
const SHORT_SAMPLES = 45;

export function classifySeries(series: readonly RateInterval[]): SeriesShape {
  const clean = cleanSeries(series);
  if (!clean || clean.bitsPerSecond.length < FEWEST_SAMPLES) return insufficient(clean, null);
  const noise = estimateNoise(clean.logRates);
  const { bitsPerSecond, logRates } = clean;
  const sampleCount = bitsPerSecond.length;
  const coarse = mergeSegments(
    segmentLevels(logRates, bitsPerSecond, noise, THROTTLE_RESOLUTION),
    bitsPerSecond,
    SMALLEST_STEP,
    0.7 * shortestLevelSamples(sampleCount),
  );
  const fall = findThrottle(coarse, bitsPerSecond, noise);
  if (sampleCount < SHORT_SAMPLES) {
    return fall && isBeyondDoubt(fall, coarse, sampleCount)
      ? throttled('burst_then_throttle', clean, coarse, fall, noise)
      : insufficient(clean, noise, coarse);
  }
  const recharge = rechargeOf(clean, noise, coarse);
  if (recharge) return throttled('periodic_recharge', clean, coarse, recharge, noise, recharge.lowEnd);
  if (fall && !findSlope(clean, coarse, noise, THROTTLE_RESOLUTION / 2, fall)) {
    const further = findFurtherFalls(coarse, fall, bitsPerSecond, noise);
    return throttled(further.length > 0 ? 'multi_step' : 'burst_then_throttle', clean, coarse, fall, noise);
  }
  const fine = segmentLevels(logRates, bitsPerSecond, noise, LEVEL_RESOLUTION);
  const slope = findSlope(clean, fine, noise, LEVEL_RESOLUTION, null);
  const dips = describeDips(clean, fine, noise);
  return {
    ...common(clean, fine, noise),
    seriesClass: classifyUnthrottled(clean, fine, slope, dips, noise),
    ...nothingFell,
    confidence: 0.9,
  };
}

function rechargeOf(clean: CleanSeries, noise: Noise, coarse: readonly Segment[]) {
  const burst = quantileOfSorted(clean.sortedBitsPerSecond, 0.95);
  const baseline = quantileOfSorted(clean.sortedBitsPerSecond, 0.1);
  if (!(baseline > 0) || baseline > 0.75 * burst) return null;
  const found = findRecharge(clean, noise, burst, baseline);
  return found ? { ...found, segment: segmentAt(coarse, found.boundary - 1) } : null;
}

function segmentAt(segments: readonly Segment[], sample: number): number {
  return Math.max(
    0,
    segments.findIndex((segment) => sample >= segment.from && sample < segment.to),
  );
}

/** In a short recording the lower level must have lasted long, be far below and be quiet. */
function isBeyondDoubt(fall: Fall, coarse: readonly Segment[], sampleCount: number): boolean {
  const isDeep = fall.baselineBitsPerSecond < 0.75 * fall.burstBitsPerSecond;
  return coarse.length === 2 && fall.boundary >= 3 && sampleCount - fall.boundary >= 15 && isDeep;
}

type Thrown = Pick<Fall, 'boundary' | 'segment' | 'burstBitsPerSecond' | 'baselineBitsPerSecond'>;

function throttled(
  seriesClass: 'burst_then_throttle' | 'multi_step' | 'periodic_recharge',
  clean: CleanSeries,
  segments: readonly Segment[],
  fall: Thrown,
  noise: Noise,
  lowEnd?: number,
): SeriesShape {
  const sampleCount = clean.bitsPerSecond.length;
  const burstFrom = seriesClass === 'periodic_recharge' ? 0 : segments[fall.segment]!.from;
  // An undershoot or a sawtooth may have been cut off as a level of its own: a single throttle's lower level is all that follows.
  const to = lowEnd ?? (seriesClass === 'multi_step' ? segments[fall.segment + 1]!.to : sampleCount);
  const onset = locateOnset({ intervals: intervalsOf(clean), boundary: fall.boundary, from: burstFrom, to }, noise);
  const baseline = {
    burst_then_throttle: () => trimmedMeanOfRange(clean.bitsPerSecond, fall.boundary, sampleCount),
    multi_step: () => segments[segments.length - 1]!.bitsPerSecond,
    periodic_recharge: () => fall.baselineBitsPerSecond,
  }[seriesClass]();
  const burstLevels = segments
    .slice(0, fall.segment + 1)
    .map(({ from, bitsPerSecond }) => ({ startSeconds: clean.startSeconds[from]!, bitsPerSecond }));
  return {
    ...common(clean, segments, noise),
    seriesClass,
    isThrottled: true,
    onsetSeconds: onset.seconds,
    onsetLowSeconds: onset.lowSeconds,
    onsetHighSeconds: onset.highSeconds,
    burstBitsPerSecond: fall.burstBitsPerSecond,
    baselineBitsPerSecond: baseline,
    bucketBits: burstVolumeBits(burstLevels, baseline, clean.loadStartSeconds, onset.seconds),
    confidence: clamp(
      1 - noise.standardDeviation / Math.log(fall.burstBitsPerSecond / fall.baselineBitsPerSecond),
      0.5,
      0.99,
    ),
  };
}

function intervalsOf(clean: CleanSeries): RateInterval[] {
  const intervals: RateInterval[] = [];
  for (let i = 0; i < clean.startSeconds.length; i += 1) {
    intervals.push({
      startSeconds: clean.startSeconds[i]!,
      lengthSeconds: clean.binSeconds,
      bitsPerSecond: clean.bitsPerSecond[i]!,
    });
  }
  return intervals;
}

const nothingFell = {
  isThrottled: false,
  onsetSeconds: null,
  onsetLowSeconds: null,
  onsetHighSeconds: null,
  burstBitsPerSecond: null,
  baselineBitsPerSecond: null,
  bucketBits: null,
} as const;

function common(clean: CleanSeries, segments: readonly Segment[], noise: Noise | null) {
  const { startSeconds, endSeconds } = clean;
  return {
    segments: segments.map(({ from, to, bitsPerSecond }) => ({
      startSeconds: startSeconds[from]!,
      endSeconds: to < startSeconds.length ? startSeconds[to]! : endSeconds,
      bitsPerSecond,
    })),
    noise,
    sampleCount: clean.bitsPerSecond.length,
    loadStartSeconds: clean.loadStartSeconds,
    endSeconds,
    typicalBitsPerSecond: quantileOfSorted(clean.sortedBitsPerSecond, 0.5),
    meanBitsPerSecond: mean(clean.bitsPerSecond),
    deadTailSeconds: clean.deadTailSeconds,
  };
}

function insufficient(clean: CleanSeries | null, noise: Noise | null, segments: readonly Segment[] = []): SeriesShape {
  const base = clean
    ? common(clean, segments, noise)
    : {
        segments: [],
        noise,
        sampleCount: 0,
        loadStartSeconds: 0,
        endSeconds: 0,
        typicalBitsPerSecond: null,
        meanBitsPerSecond: null,
        deadTailSeconds: 0,
      };
  return { ...base, seriesClass: 'insufficient', ...nothingFell, confidence: 1 };
}
