/**
 * How well a level is known: the 95 % interval of the mean of its samples.
 *
 * Method: neighbouring seconds resemble each other, so n samples are worth n (1 − φ) / (1 + φ) independent ones (Zwiers
 * and von Storch 1995, DOI 10.1175/1520-0442(1995)008<0336:TSCIAI>2.0.CO;2), with φ from the level's own samples,
 * corrected for the bias of short series (Marriott and Pope 1954, DOI 10.1093/biomet/41.3-4.390), and Student's t for
 * so many. Samples beyond five robust standard deviations are no samples of the level. Assumption that may fail: the
 * scatter is AR(1), so that it has no memory longer than what neighbours show.
 */
import { numberAt } from '../maths/elements';
import { clamp, median, medianAbsoluteDeviation } from '../maths/statistics';
import { studentQuantile } from '../maths/student-t';
import type { Interval } from '../maths/interval';

/** Wide enough that a skewed scatter (a rate that is capped from above) keeps its mean. */
const CUT = 5;
const HIGHEST_AUTOCORRELATION = 0.98;
/** The range of significant digits that tools print. */
const FEWEST_DIGITS = 3;
const MOST_DIGITS = 6;
const READ_FOR_DIGITS = 16;

export interface LevelSamples {
  readonly startSeconds: Float64Array;
  readonly bitsPerSecond: Float64Array;
  readonly binSeconds: number;
}

/** Interval of the level of samples [from, to); null where there are too few samples for one. */
export function levelInterval(samples: LevelSamples, from: number, to: number): Interval | null {
  if (to - from < 3) return null;
  const rates = samples.bitsPerSecond.slice(from, to);
  const center = median(rates);
  const reach = CUT * medianAbsoluteDeviation(rates, center);
  const isInlier = (index: number) => Math.abs(numberAt(rates, index) - center) <= reach;
  let count = 0;
  let total = 0;
  for (let i = 0; i < rates.length; i += 1) {
    if (!isInlier(i)) continue;
    count += 1;
    total += numberAt(rates, i);
  }
  const mean = total / count;
  let squares = 0;
  let products = 0;
  let pairs = 0;
  for (let i = 0; i < rates.length; i += 1) {
    if (!isInlier(i)) continue;
    squares += (numberAt(rates, i) - mean) ** 2;
    const isNeighbour = i > 0 && isInlier(i - 1) && isAdjacent(samples, from + i);
    if (!isNeighbour) continue;
    products += (numberAt(rates, i) - mean) * (numberAt(rates, i - 1) - mean);
    pairs += 1;
  }
  const variance = count > 1 ? squares / (count - 1) : 0;
  const memory = pairs > 0 && squares > 0 ? products / pairs / (squares / count) : 0;
  const autocorrelation = clamp((count * memory + 1) / Math.max(1, count - 3), 0, HIGHEST_AUTOCORRELATION);
  const independent = Math.max(2, (count * (1 - autocorrelation)) / (1 + autocorrelation));
  const standardError = Math.sqrt(variance / independent);
  const halfWidth = studentQuantile(independent - 1) * standardError + roundingError(rates, Math.sqrt(variance));
  return { value: mean, low: Math.max(0, mean - halfWidth), high: mean + halfWidth };
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
