/** The level of values among which some may be far off, and how much they scatter around it. */
import { elementAt } from '../maths/elements';
import { clamp, mean, median, medianAbsoluteDeviation, sum } from '../maths/statistics';

export interface RobustLevel {
  readonly level: number;
  /** Standard deviation of the values that are not far off. */
  readonly scatter: number;
  /** Correlation of neighbouring values around the level, 0 to 0.8. */
  readonly correlation: number;
}

/** Values farther from the level than this many standard deviations are moved to that distance. */
const REACH = 1.5;
/** The standard deviation of normal values relative to the one after they are moved. */
const CONSISTENCY = 1.134;
const ITERATIONS = 30;
const PRECISION = 1e-9;
const MOST_CORRELATION = 0.8;
const USUAL_CORRELATION = 0.4;
const USUAL_COUNT = 10;

/**
 * Algorithm A of ISO 13528:2015, C.3: far values are moved to 1.5 standard deviations from the level, until level and
 * scatter no longer change. It uses nearly all that normal values have to say, and a value that is far off moves the
 * level by a fraction of the scatter.
 *
 * @param values at least two, in the order in which they were measured
 */
export function robustLevel(values: readonly number[]): RobustLevel {
  let level = median(values);
  let scatter = medianAbsoluteDeviation(values, level);
  // Where more than half of the values are equal, their median deviation is 0 and says nothing of the others.
  if (scatter === 0) scatter = Math.sqrt(sum(values.map((value) => (value - level) ** 2)) / (values.length - 1));
  let moved: readonly number[] = values;
  for (let iteration = 0; iteration < ITERATIONS && scatter > 0; iteration += 1) {
    const [low, high] = [level - REACH * scatter, level + REACH * scatter];
    moved = values.map((value) => clamp(value, low, high));
    const center = mean(moved);
    const next = CONSISTENCY * Math.sqrt(sum(moved.map((value) => (value - center) ** 2)) / (values.length - 1));
    const isSettled = Math.abs(center - level) + Math.abs(next - scatter) < PRECISION * scatter;
    [level, scatter] = [center, next];
    if (isSettled) break;
  }
  return { level, scatter, correlation: correlationOf(moved.map((value) => value - level)) };
}

/**
 * Of lag 1, drawn towards the usual correlation as if that had been seen in ten more values, because a few values can't
 * show their own. 1 / count is the bias of the estimate.
 */
function correlationOf(residuals: readonly number[]): number {
  const count = residuals.length;
  const squares = sum(residuals.map((residual) => residual ** 2));
  const products = sum(residuals.slice(1).map((residual, index) => residual * elementAt(residuals, index)));
  const estimate = squares === 0 ? 0 : products / squares + 1 / count;
  const drawn = (count * estimate + USUAL_COUNT * USUAL_CORRELATION) / (count + USUAL_COUNT);
  return clamp(drawn, 0, MOST_CORRELATION);
}
