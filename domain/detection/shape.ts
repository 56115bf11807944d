/** The reported shape, from what the steps found. */
import { elementAt, numberAt } from '../maths/elements';
import type { Interval } from '../maths/interval';
import { clamp, mean, quantileOfSorted, trimmedMeanOfRange } from '../maths/statistics';
import type { CleanSeries } from '../series/rate-series';
import { emptiedBits, findRests, loadUntil } from './load';
import { dropDepth, type Drop, type Observed } from './observe';
import type { Noise, Segment, SeriesShape } from './series-shape';

type ThrottledClass = 'drop' | 'drops' | 'cycle';

/** Two answers in a hundred are wrong on the benchmark, and real networks are more varied than the benchmark. */
const UNTHROTTLED_CONFIDENCE = 0.9;

export function throttledShape(
  kind: ThrottledClass,
  { clean, segments, noise }: Observed,
  drop: Drop,
  onset: Interval,
): SeriesShape {
  const baseline = {
    drop: () => trimmedMeanOfRange(clean.bitsPerSecond, drop.boundary, clean.bitsPerSecond.length),
    drops: () => elementAt(segments, -1).bitsPerSecond,
    cycle: () => drop.baselineBitsPerSecond,
  }[kind]();
  const shape = described(clean, segments, noise);
  const burst = drop.burstBitsPerSecond;
  const rests = findRests(clean, { burst, baseline }, onset.value);
  const load = loadUntil(onset.value, shape.segments.slice(0, drop.segment + 1), rests, clean);
  return {
    ...shape,
    kind,
    throttle: {
      onset,
      burstBitsPerSecond: burst,
      baselineBitsPerSecond: baseline,
      load,
      bucketBits: emptiedBits(load, baseline),
      isRefilledAtRest: false,
    },
    confidence: clamp(1 - noise.standardDeviation / dropDepth(drop), 0.5, 0.99),
  };
}

export function unthrottledShape(kind: SeriesShape['kind'], { clean, segments, noise }: Observed): SeriesShape {
  return { ...described(clean, segments, noise), kind, throttle: null, confidence: UNTHROTTLED_CONFIDENCE };
}

/** One past the last sample of the level that the drop led to. */
export function endOfLower({ segment }: Drop, { segments }: Observed): number {
  return elementAt(segments, segment + 1).to;
}

function described(clean: CleanSeries, segments: readonly Segment[], noise: Noise | null) {
  const { startSeconds, endSeconds } = clean;
  return {
    segments: segments.map(({ from, to, bitsPerSecond }) => ({
      startSeconds: numberAt(startSeconds, from),
      endSeconds: to < startSeconds.length ? numberAt(startSeconds, to) : endSeconds,
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

/** For a series that is too short to judge. `clean` is null where the series has no usable sample. */
export function insufficientShape(
  clean: CleanSeries | null,
  noise: Noise | null,
  segments: readonly Segment[] = [],
): SeriesShape {
  const base = clean
    ? described(clean, segments, noise)
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
  return { ...base, kind: 'insufficient', throttle: null, confidence: null };
}
