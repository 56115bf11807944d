import { modesOf } from '../../../domain/maths/modes';
import { seededRandom } from '../../support/random';

const SETS = 2000;

/** Of how many sets of made-up repetitions a claim holds. */
function share(draw: (normal: () => number) => number[], holds: (values: readonly number[]) => boolean): number {
  const random = seededRandom(20_261_121);
  const sets = Array.from({ length: SETS }, () => draw(() => random.normal()));
  return sets.filter(holds).length / SETS;
}

const around = (centre: number, scatter: number, count: number, normal: () => number) =>
  Array.from({ length: count }, () => centre * (1 + scatter * normal()));

describe('one normal mode is cut rarely', () => {
  test.each([
    [2, 0.05, 0.005],
    [3, 0.05, 0.005],
    [4, 0.05, 0.005],
    [10, 0.05, 0.002],
    [30, 0.05, 0.002],
    [100, 0.05, 0.002],
    [10, 0.01, 0.001],
    [2, 0.1, 0.12],
    [3, 0.1, 0.12],
    [10, 0.1, 0.02],
    [2, 0.2, 0.45],
    [3, 0.2, 0.4],
    [10, 0.2, 0.05],
  ])('%i values that scatter by %f: in at most %f of all sets', (count, scatter, atMost) => {
    const cut = share(
      (normal) => around(9.5, scatter, count, normal),
      (values) => modesOf(values).length > 1,
    );
    expect(cut).toBeLessThanOrEqual(atMost);
  });
});

describe('modes at 9.5 and 5 are separated', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [2, 8],
    [8, 2],
    [5, 5],
    [50, 50],
    [2, 1],
    [9, 1],
  ])('%i and %i values that scatter by 5 %% within', (fast, slow) => {
    const found = share(
      (normal) => [...around(9.5, 0.05, fast, normal), ...around(5, 0.05, slow, normal)],
      (values) => {
        const modes = modesOf(values);
        return modes.length === 2 && modes[0]!.count === slow && modes[1]!.count === fast;
      },
    );
    expect(found).toBeGreaterThanOrEqual(0.985);
  });
});

test('each mode has its count, its median and its range, whatever the order of the values', () => {
  expect(modesOf([9.5, 5, 9.4, 4.9, 9.6, 5.2])).toEqual([
    { count: 3, centre: 5, min: 4.9, max: 5.2 },
    { count: 3, centre: 9.5, min: 9.4, max: 9.6 },
  ]);
});

test('three modes are found', () => {
  expect(modesOf([1, 1.01, 5, 5.05, 25, 25.2]).map(({ count }) => count)).toEqual([2, 2, 2]);
});

test('two distant values are two modes, near or equal ones are one, and no values have none', () => {
  expect(modesOf([5, 9.5]).map(({ centre }) => centre)).toEqual([5, 9.5]);
  expect(modesOf([9.2, 9.8])).toHaveLength(1);
  expect(modesOf([5, 5, 5, 5])).toEqual([{ count: 4, centre: 5, min: 5, max: 5 }]);
  expect(modesOf([])).toEqual([]);
});

test('values with a larger usual scatter are cut later', () => {
  expect(modesOf([100, 102, 150])).toHaveLength(2);
  expect(modesOf([100, 102, 150], 0.3)).toHaveLength(1);
});

test('a value of 0 has no ratio to others, so there is one mode', () => {
  expect(modesOf([0, 5, 5.1, 9.5])).toHaveLength(1);
});
