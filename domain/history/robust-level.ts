/** The level of values among which some may be far off, and how much they scatter around it. */
import { clamp, mean, median, medianAbsoluteDeviation, sum } from '../maths/statistics';

export interface RobustLevel {
  readonly level: number;
  /** Standard deviation of the values that are not far off. */
  readonly scatter: number;
}

/** Values farther from the level than this many standard deviations are moved to that distance. */
export const REACH = 1.5;
/** The standard deviation of normal values relative to the one after they are moved. */
const CONSISTENCY = 1.134;
const ITERATIONS = 30;
const PRECISION = 1e-9;

/**
 * Algorithm A of ISO 13528:2015, C.3: far values are moved to 1.5 standard deviations from the level, until level and
 * scatter no longer change. It uses nearly all that normal values have to say, and a value that is far off moves the
 * level by a fraction of the scatter.
 *
 * @param values at least two
 */
export function robustLevel(values: readonly number[]): RobustLevel {
  let level = median(values);
  let scatter = medianAbsoluteDeviation(values, level);
  // Where more than half of the values are equal, their median deviation is 0 and says nothing of the others.
  if (scatter === 0) scatter = Math.sqrt(sum(values.map((value) => (value - level) ** 2)) / (values.length - 1));
  for (let iteration = 0; iteration < ITERATIONS && scatter > 0; iteration += 1) {
    const [low, high] = [level - REACH * scatter, level + REACH * scatter];
    const moved = values.map((value) => clamp(value, low, high));
    const center = mean(moved);
    const next = CONSISTENCY * Math.sqrt(sum(moved.map((value) => (value - center) ** 2)) / (values.length - 1));
    const isSettled = Math.abs(center - level) + Math.abs(next - scatter) < PRECISION * scatter;
    [level, scatter] = [center, next];
    if (isSettled) break;
  }
  return { level, scatter };
}
