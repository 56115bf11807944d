/**
 * How well a level is known: the 95 % interval of the mean of its samples.
 *
 * Method: neighbouring seconds resemble each other, so n samples are worth n (1 − φ) / (1 + φ) independent ones (Zwiers
 * and von Storch 1995, DOI 10.1175/1520-0442(1995)008<0336:TSCIAI>2.0.CO;2). φ comes from the level's own samples,
 * corrected for the bias of short series (Marriott and Pope 1954, DOI 10.1093/biomet/41.3-4.390); the interval is
 * Student's t for so many samples. Samples beyond five robust standard deviations do not count. Assumption that may
 * fail: the scatter is AR(1), so that all of its memory shows between neighbours.
 */
import { numberAt } from '../maths/elements';
import { clamp, mean, median, medianAbsoluteDeviation, squaredDeviations } from '../maths/statistics';
import { studentQuantile } from '../maths/student-t';
import type { Interval } from '../maths/interval';
import type { CleanSeries } from '../series/rate-series';

/** Wide enough to keep the mean of a skewed scatter, such as that of a rate with an upper limit. */
const CUT = 5;
const HIGHEST_AUTOCORRELATION = 0.98;
/** The range of significant digits that tools print. */
const FEWEST_DIGITS = 3;
const MOST_DIGITS = 6;
const READ_FOR_DIGITS = 16;

type LevelSamples = Pick<CleanSeries, 'startSeconds' | 'bitsPerSecond' | 'binSeconds'>;

/** Interval of the level of samples [from, to); null where there are too few samples for one. */
export function levelInterval(samples: LevelSamples, from: number, to: number): Interval | null {
  if (to - from < 3) return null;
  const rates = samples.bitsPerSecond.slice(from, to);
  const center = median(rates);
  const reach = CUT * medianAbsoluteDeviation(rates, center);
  const isInlier = (rate: number) => Math.abs(rate - center) <= reach;
  const inliers = rates.filter(isInlier);
  const count = inliers.length;
  const level = mean(inliers);
  const squares = squaredDeviations(inliers);
  let products = 0;
  let pairs = 0;
  for (let i = 1; i < rates.length; i += 1) {
    const [previous, rate] = [numberAt(rates, i - 1), numberAt(rates, i)];
    if (!isInlier(previous) || !isInlier(rate) || !isAdjacent(samples, from + i)) continue;
    products += (rate - level) * (previous - level);
    pairs += 1;
  }
  const variance = count > 1 ? squares / (count - 1) : 0;
  const memory = pairs > 0 && squares > 0 ? products / pairs / (squares / count) : 0;
  const autocorrelation = clamp((count * memory + 1) / Math.max(1, count - 3), 0, HIGHEST_AUTOCORRELATION);
  const independent = Math.max(2, (count * (1 - autocorrelation)) / (1 + autocorrelation));
  const standardError = Math.sqrt(variance / independent);
  const halfWidth = studentQuantile(independent - 1) * standardError + roundingError(rates, Math.sqrt(variance));
  return { value: level, low: Math.max(0, level - halfWidth), high: level + halfWidth };
}

/** The rounding error of a mean: none where the scatter exceeds the last digit, otherwise half of the last digit. */
function roundingError(rates: Float64Array, deviation: number): number {
  const step = Math.ceil(rates.length / READ_FOR_DIGITS);
  const some = rates.filter((_, index) => index % step === 0);
  for (let digits = FEWEST_DIGITS; digits <= MOST_DIGITS; digits += 1) {
    if (!some.every((rate) => Number(rate.toPrecision(digits)) === rate)) continue;
    const lastDigit = 10 ** (Math.floor(Math.log10(Math.max(1, numberAt(some, 0)))) + 1 - digits);
    return deviation > lastDigit ? 0 : lastDigit / 2;
  }
  return 0;
}

function isAdjacent({ startSeconds, binSeconds }: LevelSamples, index: number): boolean {
  return numberAt(startSeconds, index) - numberAt(startSeconds, index - 1) < 1.5 * binSeconds;
}
