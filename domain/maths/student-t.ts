/** How far the mean of a few nearly normal, independent values may lie from the true mean: Student's t. */

/** The two-sided 95 % point of the normal distribution, which Student's t approaches with many degrees of freedom. */
export const NORMAL_QUANTILE_95 = 1.959963984540054;

/** Relative to the root. */
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
 * The chance that |t| is at least as large. Around the middle it is what the series above leaves; in the tails, where
 * that would cancel, it is t f(t) / ν · Σ (a + ½)ₙ / (a + 1)ₙ xⁿ with x = ν / (ν + t²) (DLMF 8.17.8 with the arguments
 * exchanged). Each series is used where its terms at least halve.
 */
export function chanceBeyond(t: number, degrees: number): number {
  if (!(degrees >= 1)) throw new Error(`degrees of freedom: must be at least 1, got ${degrees}`);
  const size = Math.abs(t);
  if (size === Infinity) return 0;
  if (size ** 2 <= degrees) return 1 - size * densityOfAbsolute(size, degrees) * centralSeries(size, degrees);
  return (size / degrees) * densityOfAbsolute(size, degrees) * tailSeries(size, degrees);
}

/** Σ (a + ½)ₙ / (a + 1)ₙ xⁿ */
function tailSeries(t: number, degrees: number): number {
  const x = degrees / (degrees + t ** 2);
  let term = 1;
  let sum = 0;
  for (let n = 0; term > SERIES_PRECISION * sum; n += 1) {
    sum += term;
    term *= (((degrees + 1) / 2 + n) / (degrees / 2 + 1 + n)) * x;
  }
  return sum;
}

/** Density of |T|: twice that of T. */
function densityOfAbsolute(t: number, degrees: number): number {
  const atZero = (2 * gammaRatio(degrees / 2)) / Math.sqrt(Math.PI * degrees);
  return atZero * Math.exp(-((degrees + 1) / 2) * Math.log1p(t ** 2 / degrees));
}

/** Σ (a + ½)ₙ / (3/2)ₙ yⁿ */
function centralSeries(t: number, degrees: number): number {
  const y = t ** 2 / (degrees + t ** 2);
  let term = 1;
  let sum = 0;
  for (let n = 0; term > SERIES_PRECISION * sum; n += 1) {
    sum += term;
    term *= (((degrees + 1) / 2 + n) / (1.5 + n)) * y;
  }
  return sum;
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
