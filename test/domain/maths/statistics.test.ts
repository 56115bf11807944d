import { largest, smallest } from '../../../domain/maths/statistics';

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
