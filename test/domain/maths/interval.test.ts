import { notNegative, propagate } from '../../../domain/maths/interval';

describe('the interval of a result', () => {
  test('adds independent errors as the root of their squares', () => {
    const sum = propagate(
      [
        { value: 10, low: 7, high: 13 },
        { value: 20, low: 16, high: 24 },
      ],
      ([a, b]) => a + b,
    );
    expect(sum).toEqual({ value: 30, low: 25, high: 35 });
  });

  test('keeps an asymmetric interval asymmetric, and reverses it where the result decreases', () => {
    const difference = propagate([{ value: 10, low: 9, high: 14 }], ([a]) => 100 - a);
    expect(difference).toEqual({ value: 90, low: 86, high: 91 });
  });

  test('has no upper bound where the result has none', () => {
    const refill = propagate([{ value: 2, low: 0, high: 3 }], ([baseline]) => 6 / baseline);
    expect(refill).toEqual({ value: 3, low: 2, high: Infinity });
  });

  test('is never negative', () => {
    expect(notNegative({ value: 1, low: -2, high: 4 })).toEqual({ value: 1, low: 0, high: 4 });
  });
});
