import { largest, NORMAL_QUANTILE_95, smallest, studentQuantile } from '../../../domain/maths/statistics';

/** More than the arguments that any call can take. */
const MANY = 500_000;

test('the smallest and the largest of half a million values', () => {
  const values = Array.from({ length: MANY }, (_, index) => Math.abs(index - 200_000));
  expect([smallest(values), largest(values)]).toEqual([0, 299_999]);
  expect([smallest(new Set(values)), largest(Float64Array.from(values))]).toEqual([0, 299_999]);
});

test.each([
  ['the first value', [3, 1, 2]],
  ['infinite values', [Infinity, -Infinity, 0]],
  ['one value', [-4]],
  ['zeros of both signs', [0, -0]],
])('are those of Math.min and Math.max: %s', (_, values) => {
  expect([smallest(values), largest(values)]).toEqual([Math.min(...values), Math.max(...values)]);
});

test('a missing number is not passed over', () => {
  expect([smallest([1, NaN, 2]), largest([NaN, 1, 2])]).toEqual([NaN, NaN]);
});

test('no values have neither', () => {
  for (const extreme of [smallest, largest]) {
    expect(() => extreme([])).toThrow(new RangeError('values: must be at least one, got none'));
  }
});

describe("the two-sided 95 % point of Student's t", () => {
  // Computed with mpmath's regularised incomplete beta function, at 30 digits.
  test.each([
    [1, 12.7062047362],
    [1.2, 8.64882651075],
    [1.5, 6.01666310443],
    [2, 4.30265272975],
    [2.5, 3.574654842],
    [3, 3.18244630528],
    [5, 2.57058183564],
    [10, 2.22813885199],
    [30.5, 2.04086944519],
    [100, 1.98397151852],
    [1000, 1.96233908083],
    [86_400, 1.95999144176],
  ])('with %f degrees of freedom', (degrees, exact) => {
    expect(studentQuantile(degrees) / exact).toBeCloseTo(1, 9);
  });

  test('approaches that of the normal distribution', () => {
    expect(studentQuantile(1e9)).toBeCloseTo(NORMAL_QUANTILE_95, 8);
  });

  test.each([0.5, 0, NaN])('does not exist for %f degrees of freedom', (degrees) => {
    expect(() => studentQuantile(degrees)).toThrow(`degrees of freedom: must be at least 1, got ${degrees}`);
  });
});
