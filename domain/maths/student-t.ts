/**
 * Student's t, two-sided 95 %: how far a mean of few values may lie from the true one. Hill's algorithm (1970, CACM 396, DOI
 * 10.1145/355598.355600), for fractional degrees of freedom too, as Welch's interval has them: within 0.02 % of the exact
 * values from two degrees on, up to 5 % wide between one and two. It assumes values that are independent and nearly normal.
 */
const OUTSIDE = 0.05;
const NORMAL_97_5 = 1.959963985;

/** The value that |t| exceeds with a probability of 5 %. */
export function studentQuantile(degrees: number): number {
  if (!(degrees >= 1)) throw new Error(`degrees of freedom: must be at least 1, got ${degrees}`);
  if (degrees === 1) return 1 / Math.tan((OUTSIDE * Math.PI) / 2);
  if (degrees === 2) return Math.sqrt(2 / (OUTSIDE * (2 - OUTSIDE)) - 2);
  const a = 1 / (degrees - 0.5);
  const b = 48 / a ** 2;
  const c = (((20_700 * a) / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * degrees;
  const y = (d * OUTSIDE) ** (2 / degrees);
  return Math.sqrt(degrees * (y > 0.05 + a ? nearNormal(degrees, a, b, c, d) : heavyTailed(degrees, d, y)));
}

function nearNormal(degrees: number, a: number, b: number, start: number, d: number): number {
  const x = -NORMAL_97_5;
  const square = x ** 2;
  const shifted = degrees < 5 ? start + 0.3 * (degrees - 4.5) * (x + 0.6) : start;
  const c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + shifted;
  const y = (((((0.4 * square + 6.3) * square + 36) * square + 94.5) / c - square - 3) / b + 1) * x;
  return Math.expm1(a * y ** 2);
}

function heavyTailed(degrees: number, d: number, y: number): number {
  const inner = 1 / (((degrees + 6) / (degrees * y) - 0.089 * d - 0.822) * (degrees + 2) * 3) + 0.5 / (degrees + 4);
  return ((inner * y - 1) * (degrees + 1)) / (degrees + 2) + 1 / y;
}
