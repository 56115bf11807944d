/**
 * How much the samples of one level scatter, estimated before anybody knows where the levels are.
 *
 * Method: medians of first and second differences, which a handful of steps can't move (Chakar, Lebarbier, Lévy-Leduc,
 * Robin 2017, "A robust approach for estimating change-points in the mean of an AR(1) process", DOI 10.3150/15-BEJ782).
 * Assumption that may fail: the noise is AR(1) and of one strength; a slow oscillation looks like correlated noise.
 */
import type { Noise } from './series';
import { clamp, quantileOfSorted } from './statistics';

/** Tools print four digits and cut seconds to the millisecond: finer scatter than this is not information. */
const RESOLUTION = 0.006;
const HIGHEST_AUTOCORRELATION = 0.95;
/** Beyond this the correction would hide every change: 12 samples then count as one. */
const HIGHEST_LONG_RUN_FACTOR = 12;

export function estimateNoise(logRates: Float64Array): Noise {
  const first = medianOfDifferences(logRates, 1);
  const second = medianOfDifferences(logRates, 2);
  const raw = first > 0 ? clamp((second * second) / (first * first) - 1, 0, HIGHEST_AUTOCORRELATION) : 0;
  const standardDeviation = first > 0 ? (1.4826 * first) / Math.sqrt(2 * (1 - raw)) : 0;
  const scale = Math.max(standardDeviation, RESOLUTION);
  // Under the resolution the differences are rounding, and their correlation means nothing.
  const autocorrelation = standardDeviation < RESOLUTION ? 0 : raw;
  return {
    standardDeviation,
    autocorrelation,
    longRunFactor: Math.min((1 + autocorrelation) / (1 - autocorrelation), HIGHEST_LONG_RUN_FACTOR),
    scale,
  };
}

function medianOfDifferences(values: Float64Array, lag: number): number {
  if (values.length <= lag) return 0;
  const differences = new Float64Array(values.length - lag);
  for (let i = 0; i < differences.length; i += 1) differences[i] = Math.abs(values[i + lag]! - values[i]!);
  return quantileOfSorted(differences.sort(), 0.5);
}
