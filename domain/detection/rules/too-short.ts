/**
 * Rule `tooShort`: a series with too few samples to judge. An obvious drop is mentioned without a conclusion: the later
 * samples may be a dip, but a verdict that left the drop out would contradict the chart beside it.
 *
 * Source: the best division into two means, by the variance that they explain (Fisher 1958, DOI
 * 10.1080/01621459.1958.10501479).
 */
import { mean } from '../../maths/statistics';
import type { CleanSeries } from '../../series/rate-series';
import { DEEPEST_THROTTLED_RATIO, SHORT_SAMPLES, type Noise, type Observed, type Segment } from '../observe';
import { insufficientShape, type LateDrop, type SeriesShape } from '../series-shape';

/** Fewer samples on either side are no level. */
const FEWEST_SAMPLES = 3;
/** Share of the samples of each side that must be on their own side of the middle of the two levels. */
const OWN_SIDE_SHARE = 0.9;

export function tooShort({ clean, noise, segments }: Observed): SeriesShape | null {
  return clean.bitsPerSecond.length < SHORT_SAMPLES ? shortShape(clean, noise, segments) : null;
}

/** @param noise null if the samples are too few to estimate it */
export function shortShape(clean: CleanSeries, noise: Noise | null, segments: readonly Segment[] = []): SeriesShape {
  return { ...insufficientShape(clean, noise, segments), lateDrop: findLateDrop(clean) };
}

/** The best division into higher samples and lower ones that last to the end; undefined if no drop is visible. */
export function findLateDrop({ bitsPerSecond: rates }: Pick<CleanSeries, 'bitsPerSecond'>): LateDrop | undefined {
  let best: LateDrop | undefined;
  let mostExplained = 0;
  for (let boundary = FEWEST_SAMPLES; boundary <= rates.length - FEWEST_SAMPLES; boundary += 1) {
    const drop = dropAt(rates, boundary);
    const depth = drop.firstBitsPerSecond - drop.lastBitsPerSecond;
    // The variance that the two levels explain; it is largest at the drop.
    const explained = depth ** 2 * boundary * (rates.length - boundary);
    if (depth <= 0 || explained <= mostExplained) continue;
    best = drop;
    mostExplained = explained;
  }
  return best && isSeen(best, rates) ? best : undefined;
}

function dropAt(rates: Float64Array, boundary: number): LateDrop {
  return {
    firstSampleCount: boundary,
    firstBitsPerSecond: mean(rates.subarray(0, boundary)),
    lastSampleCount: rates.length - boundary,
    lastBitsPerSecond: mean(rates.subarray(boundary)),
  };
}

function isSeen({ firstSampleCount, firstBitsPerSecond, lastBitsPerSecond }: LateDrop, rates: Float64Array): boolean {
  const middle = (firstBitsPerSecond + lastBitsPerSecond) / 2;
  const [first, last] = [rates.subarray(0, firstSampleCount), rates.subarray(firstSampleCount)];
  return (
    lastBitsPerSecond <= DEEPEST_THROTTLED_RATIO * firstBitsPerSecond &&
    first.filter((rate) => rate > middle).length >= OWN_SIDE_SHARE * first.length &&
    last.filter((rate) => rate < middle).length >= OWN_SIDE_SHARE * last.length
  );
}
