import { drain, loadedSeconds, type Load } from '../../../domain/forecast/drain';
import type { TokenBucket } from '../../../domain/model/token-bucket';

const bucket = { baselineBitsPerSecond: 1, bucketBits: 100 };

describe('a load without pauses', () => {
  test('runs at its rate until the bucket is empty, then at the baseline', () => {
    // 9 of 10 units a second come out of the bucket.
    const emptied = drain({ bitsPerSecond: 11, durationSeconds: 100 }, [bucket]);
    expect(emptied).toEqual({ bits: 10 * 11 + 90 * 1, onsetSeconds: 10, emptied: bucket });
  });

  test.each([1, 0.5])('at %d, at or below the baseline, runs for ever', (bitsPerSecond) => {
    expect(drain({ bitsPerSecond, durationSeconds: 1000 }, [bucket])).toEqual({
      bits: 1000 * bitsPerSecond,
      onsetSeconds: null,
      emptied: null,
    });
  });

  test('without buckets keeps its rate', () => {
    expect(drain({ bitsPerSecond: 11, durationSeconds: 5 }, [])).toMatchObject({ bits: 55, onsetSeconds: null });
  });

  test('between two hosts falls twice, finally to the lower baseline', () => {
    const faster = { baselineBitsPerSecond: 6, bucketBits: 50 };
    // 10 s at 11; then 6, of which 5 come out of what the other has left: 200 − 100.
    const both = drain({ bitsPerSecond: 11, durationSeconds: 60 }, [{ ...bucket, bucketBits: 200 }, faster]);
    expect(both).toEqual({ bits: 10 * 11 + 20 * 6 + 30 * 1, onsetSeconds: 10, emptied: faster });
  });

  test('ends the given time after the throttle', () => {
    expect(drain({ bitsPerSecond: 11, durationSeconds: 100, stopAfterThrottledSeconds: 20 }, [bucket]).bits).toBe(130);
    expect(drain({ bitsPerSecond: 11, durationSeconds: 15, stopAfterThrottledSeconds: 20 }, [bucket]).bits).toBe(115);
  });
});

describe('a duty cycle', () => {
  test('spends the credits less those that its pauses earn', () => {
    // Each cycle spends 2 × 10 and earns 2: 18 a cycle from 100; the fifth second of load of which 10 go empties it.
    const load = { bitsPerSecond: 11, durationSeconds: 40, dutyCycle: { onSeconds: 2, offSeconds: 2 } };
    const { onsetSeconds, bits } = drain(load, [bucket]);
    // After five cycles 10 are left: a second of the sixth.
    expect(onsetSeconds).toBe(21);
    // Then each cycle begins with 2 units, spent in 0.2 s.
    expect(bits).toBeCloseTo(5 * 22 + (11 + 1) + 4 * (0.2 * 11 + 1.8), 10);
  });

  test('that earns as much as it spends never empties the bucket', () => {
    const load = { bitsPerSecond: 4, durationSeconds: 4000, dutyCycle: { onSeconds: 1, offSeconds: 3 } };
    expect(drain(load, [bucket])).toMatchObject({ bits: 4000, onsetSeconds: null });
  });

  test('has the same result as a simulation second by second', () => {
    for (const [bitsPerSecond, onSeconds, offSeconds] of [
      [11, 2, 2],
      [3, 1, 1],
      [7, 5, 30],
      [2, 10, 5],
      [400, 3, 7],
    ] as const) {
      const load = { bitsPerSecond, durationSeconds: 601, dutyCycle: { onSeconds, offSeconds } };
      const buckets = [bucket, { baselineBitsPerSecond: 2.5, bucketBits: 180 }];
      const walked = walk(load, buckets);
      const { bits, onsetSeconds } = drain(load, buckets);
      expect(Math.abs(bits - walked.bits)).toBeLessThan(0.02 * walked.bits);
      if (walked.onsetSeconds === null) expect(onsetSeconds).toBeNull();
      else expect(onsetSeconds).toBeCloseTo(walked.onsetSeconds, 0);
    }
  });

  test.each([
    [40, 10],
    [45, 15],
    [55, 20],
    [5, 5],
  ])('of %d s is on for %d s', (durationSeconds, seconds) => {
    const dutyCycle = { onSeconds: 10, offSeconds: 30 };
    expect(loadedSeconds({ durationSeconds, dutyCycle })).toBe(seconds);
  });
});

/** In steps of a hundredth of a second. */
function walk(load: Load, buckets: readonly TokenBucket[]) {
  const step = 0.01;
  const { onSeconds, offSeconds } = load.dutyCycle!;
  const credits = buckets.map(({ bucketBits }) => bucketBits);
  let bits = 0;
  let onsetSeconds: number | null = null;
  for (let index = 0; index < load.durationSeconds / step; index += 1) {
    const isOn = (index * step) % (onSeconds + offSeconds) < onSeconds;
    const empty = buckets.filter(
      ({ baselineBitsPerSecond }, at) =>
        credits[at]! < load.bitsPerSecond * step && load.bitsPerSecond > baselineBitsPerSecond,
    );
    const rate = isOn
      ? Math.min(load.bitsPerSecond, ...empty.map(({ baselineBitsPerSecond }) => baselineBitsPerSecond))
      : 0;
    if (isOn && empty.length > 0) onsetSeconds ??= index * step;
    for (const [at, { baselineBitsPerSecond, bucketBits }] of buckets.entries()) {
      credits[at] = Math.min(bucketBits, credits[at]! + (baselineBitsPerSecond - rate) * step);
    }
    bits += rate * step;
  }
  return { bits, onsetSeconds };
}
