import { estimateNoise } from '../../../domain/detection/observe';
import { seededRandom } from '../../support/random';

/** AR(1) noise of a standard deviation around `level(index)`, as logarithms. */
function correlated(count: number, deviation: number, autocorrelation: number, level: (index: number) => number) {
  const random = seededRandom(count);
  let state = random.normal();
  return Float64Array.from({ length: count }, (_, index) => {
    state = autocorrelation * state + Math.sqrt(1 - autocorrelation ** 2) * random.normal();
    return level(index) + deviation * state;
  });
}

describe('the noise estimate', () => {
  test.each([
    [0.01, 0],
    [0.05, 0.5],
    [0.2, 0.8],
  ])('finds a deviation of %d and a correlation of %d across a step', (deviation, autocorrelation) => {
    const noise = estimateNoise(correlated(1800, deviation, autocorrelation, (index) => (index < 700 ? 3 : 1)));
    expect(noise.standardDeviation).toBeGreaterThan(0.7 * deviation);
    expect(noise.standardDeviation).toBeLessThan(1.4 * deviation);
    expect(Math.abs(noise.autocorrelation - autocorrelation)).toBeLessThan(0.2);
  });

  test('separates a quiet baseline from a burst that scatters', () => {
    const burst = correlated(600, 0.1, 0, () => 3);
    const baseline = correlated(1200, 0.005, 0, () => 1);
    const { deviations } = estimateNoise(Float64Array.from([...burst, ...baseline]));
    expect(deviations[300]!).toBeGreaterThan(0.07);
    expect(deviations[1500]!).toBeLessThan(0.008);
  });

  test('does not mistake chance in a short recording for correlation', () => {
    const correlations = Array.from(
      { length: 50 },
      (_, index) => estimateNoise(correlated(60 + index, 0.01, 0, () => 1)).autocorrelation,
    );
    expect(Math.max(...correlations)).toBeLessThanOrEqual(0.8);
    expect(correlations.filter((value) => value > 0.3).length).toBeLessThanOrEqual(10);
  });

  test('of a constant rate is zero', () => {
    const noise = estimateNoise(new Float64Array(100).fill(2));
    expect(noise).toMatchObject({ standardDeviation: 0, autocorrelation: 0, longRunFactor: 1 });
  });
});
