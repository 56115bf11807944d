import { holdSeconds, refillSeconds } from '../../../domain/model/token-bucket';

/** c5.xlarge as recorded in public: 10 Gbit/s for nine minutes, then 1.25. */
const bucket = { baselineBitsPerSecond: 1.25e9, bucketBits: 4445e9 };

describe('the token bucket', () => {
  test('holds a rate until its volume above the baseline is spent', () => {
    expect(holdSeconds(bucket, 10e9)).toBeCloseTo(508, 0);
    expect(holdSeconds(bucket, 5e9)).toBeCloseTo(1185.3, 1);
  });

  test('holds the baseline, and any lower rate, for ever', () => {
    expect(holdSeconds(bucket, 1.25e9)).toBe(Infinity);
    expect(holdSeconds(bucket, 0)).toBe(Infinity);
  });

  test.each([-1, NaN])('rejects a rate of %d bit/s', (rate) => {
    expect(() => holdSeconds(bucket, rate)).toThrow(/^rateBitsPerSecond: must be at least 0, got/);
    expect(() => refillSeconds(bucket, rate)).toThrow(/^rateBitsPerSecond: must be at least 0, got/);
  });

  test('refills at the part of the baseline that is not being sent', () => {
    expect(refillSeconds(bucket)).toBeCloseTo(3556, 0);
    expect(refillSeconds(bucket, 0.625e9)).toBeCloseTo(7112, 0);
    expect(refillSeconds(bucket, 1.25e9)).toBe(Infinity);
  });
});
