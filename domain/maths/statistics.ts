/** Averages, scatter, quantiles and extremes of plain numbers, and Student's t distribution. */
import { elementAt } from './elements';

type Numbers = readonly number[] | Float64Array;

/** Variance of a median relative to that of a mean of as many normal values. */
export const MEDIAN_VARIANCE = 1.57;
/** The standard deviation of normal values relative to their median absolute deviation. */
export const NORMAL_CONSISTENCY = 1.4826;

/** Linear interpolation between order statistics (type 7), p in 0..1; NaN for no values. */
export function quantileOfSorted(sorted: Numbers, p: number): number {
  if (sorted.length === 0) return NaN;
  const position = p * (sorted.length - 1);
  const lower = Math.floor(position);
  const upper = Math.min(lower + 1, sorted.length - 1);
  return sorted[lower]! + (sorted[upper]! - sorted[lower]!) * (position - lower);
}

export function median(values: Numbers): number {
  return medianInPlace(new Float64Array(values), values.length);
}

/** Median of values[from, to); NaN for no values. */
export function medianOfRange(values: Float64Array, from: number, to: number): number {
  const count = to - from;
  if (count > workspace.length) return medianInPlace(values.slice(from, to), count);
  for (let i = 0; i < count; i += 1) workspace[i] = values[from + i]!;
  return medianInPlace(workspace, count);
}

/** The detector takes medians of many short ranges; allocating an array for each would take as long as its median. */
const workspace = new Float64Array(256);

/** Scaled by `NORMAL_CONSISTENCY`: the standard deviation of most of the values, if they are normal. */
export function medianAbsoluteDeviation(values: Numbers, center: number): number {
  // A typed array and a loop, because Float64Array.from with a function is ten times slower.
  const deviations = new Float64Array(values.length);
  for (let i = 0; i < deviations.length; i += 1) deviations[i] = Math.abs(values[i]! - center);
  return NORMAL_CONSISTENCY * medianInPlace(deviations, deviations.length);
}

/** The median of the first `count` values, which are reordered; NaN for none. */
function medianInPlace(values: Float64Array, count: number): number {
  if (count <= 0) return NaN;
  const middle = count >> 1;
  const upper = select(values, count, middle);
  if (count % 2 === 1) return upper;
  let lower = -Infinity;
  for (let i = 0; i < middle; i += 1) if (values[i]! > lower) lower = values[i]!;
  return (lower + upper) / 2;
}

/** Hoare's quickselect: the value at `rank` in the order of the first `count` values, with no larger one before it. */
function select(values: Float64Array, count: number, rank: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left]! < pivot) left += 1;
      while (values[right]! > pivot) right -= 1;
      if (left > right) break;
      const swapped = values[left]!;
      values[left] = values[right]!;
      values[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank]!;
}

export function sum(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function mean(values: Numbers): number {
  return sum(values) / values.length;
}

/** @returns undefined if nothing has a weight */
export function weightedMean(
  parts: readonly { readonly value: number; readonly weight: number }[],
): number | undefined {
  const weight = sum(parts.map((part) => part.weight));
  return weight > 0 ? sum(parts.map((part) => part.value * part.weight)) / weight : undefined;
}

/** Sum of the squared deviations from the mean. */
export function squaredDeviations(values: Numbers): number {
  const center = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - center) ** 2;
  return squares;
}

/** Unbiased; of at least two values. */
export function varianceOf(values: Numbers): number {
  return squaredDeviations(values) / (values.length - 1);
}

/** Standard deviation over mean; 0 for fewer than two values. */
export function variationCoefficient(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  return center === 0 ? 0 : Math.sqrt(varianceOf(values)) / Math.abs(center);
}

/** Mean of those values[from, to) that lie within three standard deviations of the median: dips do not count. */
export function trimmedMeanOfRange(values: Float64Array, from: number, to: number): number {
  const part = values.slice(from, to);
  const center = medianInPlace(part, part.length);
  const reach = 3 * medianAbsoluteDeviation(part, center);
  if (!(reach > 0)) return center;
  const inner = values.subarray(from, to).filter((value) => Math.abs(value - center) <= reach);
  return inner.length > 0 ? mean(inner) : center;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** The smallest value that at least `percent` of the values do not exceed, so that it is always a measured one. */
export function nearestRank(sorted: readonly number[], percent: number): number {
  if (sorted.length === 0) throw new Error('values: must hold at least one, got none');
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return elementAt(sorted, Math.min(rank, sorted.length) - 1);
}

export function ascending(values: Float64Array): Float64Array;
export function ascending(values: readonly number[]): number[];
export function ascending(values: readonly number[] | Float64Array): number[] | Float64Array {
  // Without a comparison function a typed array sorts by number, and several times faster.
  return values instanceof Float64Array ? values.slice().sort() : [...values].sort((left, right) => left - right);
}

/**
 * The smallest of any number of values; NaN if one of them is NaN. `Math.min` throws "Maximum call stack size exceeded"
 * from about 120,000 arguments on, because each of them takes a place on the stack.
 *
 * @throws RangeError for no values; a caller that may have none adds a bound of its own to them
 */
export function smallest(values: Iterable<number>): number {
  return extreme(values, Math.min);
}

/** Like `smallest`, for the largest value. */
export function largest(values: Iterable<number>): number {
  return extreme(values, Math.max);
}

function extreme(values: Iterable<number>, ofTwo: (one: number, other: number) => number): number {
  let found: number | undefined;
  for (const value of values) found = found === undefined ? value : ofTwo(found, value);
  if (found === undefined) throw new RangeError('values: must be at least one, got none');
  return found;
}

/** The two-sided 95 % point of the normal distribution, which Student's t approaches with many degrees of freedom. */
export const NORMAL_QUANTILE_95 = 1.959963984540054;

/** The relative precision of a quantile. */
const PRECISION = 1e-13;
const SERIES_PRECISION = 1e-16;
/** From here on, five terms of the asymptotic series of `gammaRatio` are good to 14 digits. */
const ASYMPTOTIC_FROM = 200;

/**
 * The value that |t| exceeds with a probability of 5 %, exact to ten digits, also for the fractional degrees of freedom
 * of Welch's interval and of correlated samples; with another `covered`, the value that |t| exceeds with a probability
 * of 1 − `covered`.
 *
 * With a = ν / 2 and y = t² / (ν + t²), P(|T| < t) = t f(t) Σ (a + ½)ₙ / (3/2)ₙ yⁿ, where f is the density of |T|
 * (DLMF 8.17.8, https://dlmf.nist.gov/8.17). All terms are positive, so nothing cancels. The probability is concave in
 * t, so Newton's method starts below the root, at the normal quantile, and rises to it without ever passing it.
 */
export function studentQuantile(degrees: number, covered = 0.95): number {
  if (!(degrees >= 1)) throw new Error(`degrees of freedom: must be at least 1, got ${degrees}`);
  if (!(covered >= 0.95 && covered < 1)) throw new Error(`covered: must be from 0.95 to below 1, got ${covered}`);
  let root = NORMAL_QUANTILE_95;
  for (;;) {
    const step = covered / densityOfAbsolute(root, degrees) - root * centralSeries(root, degrees);
    root += step;
    if (step <= PRECISION * root) return root;
  }
}

/**
 * The probability that |T| is at least |t|. Near the middle it is 1 minus the series above; in the tails, where the
 * difference would cancel digits, it is t f(t) / ν · Σ (a + ½)ₙ / (a + 1)ₙ xⁿ with x = ν / (ν + t²) (DLMF 8.17.8 with
 * the arguments exchanged). Each series is used where its terms at least halve.
 */
export function chanceBeyond(t: number, degrees: number): number {
  if (!(degrees >= 1)) throw new Error(`degrees of freedom: must be at least 1, got ${degrees}`);
  const size = Math.abs(t);
  if (size === Infinity) return 0;
  if (size ** 2 <= degrees) return 1 - size * densityOfAbsolute(size, degrees) * centralSeries(size, degrees);
  const tail = risingSeries((degrees + 1) / 2, degrees / 2 + 1, degrees / (degrees + size ** 2));
  return (size / degrees) * densityOfAbsolute(size, degrees) * tail;
}

/** Density of |T|: twice that of T. */
function densityOfAbsolute(t: number, degrees: number): number {
  const atZero = (2 * gammaRatio(degrees / 2)) / Math.sqrt(Math.PI * degrees);
  return atZero * Math.exp(-((degrees + 1) / 2) * Math.log1p(t ** 2 / degrees));
}

/** Σ (a + ½)ₙ / (3/2)ₙ yⁿ */
function centralSeries(t: number, degrees: number): number {
  return risingSeries((degrees + 1) / 2, 1.5, t ** 2 / (degrees + t ** 2));
}

/** Σ (above)ₙ / (below)ₙ xⁿ */
function risingSeries(above: number, below: number, x: number): number {
  let term = 1;
  let total = 0;
  for (let n = 0; term > SERIES_PRECISION * total; n += 1) {
    total += term;
    term *= ((above + n) / (below + n)) * x;
  }
  return total;
}

/** Γ(a + ½) / Γ(a): its asymptotic series (DLMF 5.11.13), reached from below by Γ(a + 1) = a Γ(a). */
function gammaRatio(a: number): number {
  let factor = 1;
  let shifted = a;
  for (; shifted < ASYMPTOTIC_FROM; shifted += 1) factor *= shifted / (shifted + 0.5);
  const inverse = 1 / shifted;
  const series = 1 + inverse * (-1 / 8 + inverse * (1 / 128 + inverse * (5 / 1024 - (inverse * 21) / 32768)));
  return factor * Math.sqrt(shifted) * series;
}
