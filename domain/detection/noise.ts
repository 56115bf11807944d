/**
 * How much the samples of one level scatter, estimated before the levels are known.
 *
 * Method: medians of first and second differences, which a handful of steps can't move (Chakar, Lebarbier, Lévy-Leduc,
 * Robin 2017, DOI 10.3150/15-BEJ782), within windows, because a shaped rate is often far quieter than the burst before
 * it. Assumption that may fail: the noise is AR(1); a slow oscillation looks like correlated noise.
 */
import { numberAt } from '../maths/elements';
import type { Noise } from './series-shape';
import { clamp, median, medianOfRange, NORMAL_CONSISTENCY } from '../maths/statistics';

const HIGHEST_AUTOCORRELATION = 0.95;
/** A larger correction would hide every change. */
const HIGHEST_LONG_RUN_FACTOR = 12;
/** Tools print four digits: scatter below this is rounding, and its correlation means nothing. */
const ROUNDING = 0.002;
const SAMPLES_PER_MEMORY = 20;

export function estimateNoise(logRates: Float64Array): Noise {
  const window = Math.round(clamp(logRates.length / 12, 12, 60));
  const first = absoluteDifferences(logRates, 1);
  const second = absoluteDifferences(logRates, 2);
  const local = localMedians(first, window);
  const autocorrelation = estimateAutocorrelation(first, second, local, window);
  const toDeviation = NORMAL_CONSISTENCY / Math.sqrt(2 * (1 - autocorrelation));
  return {
    standardDeviation: median(local) * toDeviation,
    autocorrelation,
    longRunFactor: Math.min((1 + autocorrelation) / (1 - autocorrelation), HIGHEST_LONG_RUN_FACTOR),
    deviations: logRates.map(
      (_, index) => numberAt(local, Math.min(Math.floor(index / window), local.length - 1)) * toDeviation,
    ),
  };
}

/** From the ratio of second to first differences, each scaled by the median of both around it. */
function estimateAutocorrelation(
  first: Float64Array,
  second: Float64Array,
  firstUnits: Float64Array,
  window: number,
): number {
  const secondUnits = localMedians(second, window);
  const scaledFirst: number[] = [];
  const scaledSecond: number[] = [];
  for (let i = 0; i < second.length; i += 1) {
    const position = Math.min(Math.floor(i / window), secondUnits.length - 1);
    const unit = numberAt(firstUnits, position) + numberAt(secondUnits, position);
    if (unit < 2 * ROUNDING) continue;
    scaledFirst.push(numberAt(first, i) / unit);
    scaledSecond.push(numberAt(second, i) / unit);
  }
  const count = scaledFirst.length;
  if (count === 0) return 0;
  const ratio = (median(scaledSecond) / median(scaledFirst)) ** 2;
  // The estimate scatters by about 2/√n, and a few steps in a short recording inflate it; both are taken off.
  const highest = clamp(1 - SAMPLES_PER_MEMORY / count, 0, HIGHEST_AUTOCORRELATION);
  return clamp(ratio - 1 - 2 / Math.sqrt(count) - SAMPLES_PER_MEMORY / count, 0, highest);
}

function absoluteDifferences(values: Float64Array, lag: number): Float64Array {
  return values.subarray(lag).map((value, index) => Math.abs(value - numberAt(values, index)));
}

function localMedians(values: Float64Array, window: number): Float64Array {
  const medians = new Float64Array(Math.max(1, Math.round(values.length / window)));
  for (let index = 0; index < medians.length; index += 1) {
    const to = index === medians.length - 1 ? values.length : (index + 1) * window;
    medians[index] = to > index * window ? medianOfRange(values, index * window, to) : 0;
  }
  return medians;
}
