import { describe, expect, test } from '@jest/globals';
import type { RateInterval } from '../../../domain/series/rate-series';
import { dutyCycleRuns, type DutyCycle } from '../../../domain/model/settings';
import { holdSeconds } from '../../../domain/model/token-bucket';
import { facts, GIGA, judge } from '../../support/evidence';
import { throughBucket } from '../../support/simulated-cycles';

/** A token bucket under a duty cycle: the series as iperf3 would print it. */
function bucketSeries(dutyCycle: DutyCycle, runs: number, { burst, baseline, bucketBits }: Bucket): RateInterval[] {
  const bucket = { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline, bucketBits };
  return throughBucket(dutyCycle, runs, bucket, () => 1).seconds.map(({ run, second, bits }) => {
    const startSeconds = run * (dutyCycle.onSeconds + dutyCycle.offSeconds) + second;
    const scatter = 1 + 0.004 * Math.sin(12.9898 * (startSeconds + 1) ** 2);
    return { startSeconds, lengthSeconds: 1, bitsPerSecond: bits * scatter };
  });
}

type Bucket = Readonly<Record<'burst' | 'baseline' | 'bucketBits', number>>;

describe('how many runs', () => {
  test.each([
    [400, 10],
    [399, 10],
    [370, 10],
    [369, 9],
    [410, 11],
  ])('in %i s of 10 s on and 30 s off: %i, without the pause after the last one', (durationSeconds, runs) => {
    expect(dutyCycleRuns({ durationSeconds, dutyCycle: { onSeconds: 10, offSeconds: 30 } })).toBe(runs);
  });
});

describe('10 s on, 30 s off', () => {
  const dutyCycle = { onSeconds: 10, offSeconds: 30 };
  const judgeSeries = (series: readonly RateInterval[]) => judge({ series, dutyCycle });

  test('credits that come back in every pause: steady, with every run at the full rate', () => {
    const verdict = judgeSeries(
      bucketSeries(dutyCycle, 45, { burst: 10 * GIGA, baseline: 3 * GIGA, bucketBits: 500 * GIGA }),
    );

    expect(verdict).toMatchObject({ kind: 'steady', onset: null });
    expect(verdict.explanation).toContain('(duty cycle of 10 s on and 30 s off: 45 of 45 on-phases reached that rate)');
  });

  test('credits that run out: the model has the initial volume, without the credits earned in pauses', () => {
    const bucket = { burst: 10 * GIGA, baseline: 1 * GIGA, bucketBits: 1000 * GIGA };
    const verdict = judgeSeries(bucketSeries(dutyCycle, 45, bucket));

    // 90 Gbit spent in a run, 30 earned in a pause: empty in the seventeenth run.
    const spentBeforeRun = (run: number) => run * 90 * GIGA - run * 30 * GIGA;
    const run = 16;
    const onset = run * 40 + (1000 * GIGA - spentBeforeRun(run)) / (9 * GIGA);
    expect(verdict.onset!.value / onset).toBeCloseTo(1, 2);
    expect(verdict.ifNetworkCredits!.bucket!.value / (1000 * GIGA)).toBeCloseTo(1, 1);
    expect(verdict.ifNetworkCredits!.bucket!.low).toBeLessThanOrEqual(1000 * GIGA);
    expect(verdict.ifNetworkCredits!.bucket!.high).toBeGreaterThanOrEqual(1000 * GIGA);
    expect(verdict.kind).toBe('cycle');
    // It is one bucket all the same, and says what a run without pauses would do.
    const held = holdSeconds({ baselineBitsPerSecond: GIGA, bucketBits: 1000 * GIGA }, 10 * GIGA);
    expect(verdict.ifNetworkCredits!.holdTimes.at(-1)!.seconds!.value / held).toBeCloseTo(1, 1);
    expect(verdict.ifNetworkCredits!.refill!.value / 1000).toBeCloseTo(1, 1);
    expect(verdict.explanation).toContain('45 of 45 on-phases reached the burst rate');
  });

  test('credits that come back for a part of each run: cycle', () => {
    const verdict = judgeSeries(
      bucketSeries(dutyCycle, 45, { burst: 10 * GIGA, baseline: 1 * GIGA, bucketBits: 300 * GIGA }),
    );

    expect(verdict.kind).toBe('cycle');
    expect(verdict.ifNetworkCredits!.bucket!.value / (300 * GIGA)).toBeCloseTo(1, 1);
  });

  test('without its duty cycle, the same series has no volume, because its gaps hide it', () => {
    const series = bucketSeries(dutyCycle, 45, { burst: 10 * GIGA, baseline: 1 * GIGA, bucketBits: 1000 * GIGA });

    const { ifNetworkCredits } = judge({ series });

    expect(ifNetworkCredits!.bucket).toBeNull();
  });

  test('no drop above a published baseline: the bound is what was spent, less what was earned in the pauses', () => {
    const series = bucketSeries(dutyCycle, 8, { burst: 10 * GIGA, baseline: 1 * GIGA, bucketBits: 1000 * GIGA });
    const sender = facts('c5.xlarge', 1, 10);

    const verdict = judge({ series, dutyCycle, sender });

    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast).toBeGreaterThan(0);
    // A pause earns 30 Gbit, or up to 1.64 times as much.
    expect(verdict.bucketBitsAtLeast! / ((8 * 90 - 7 * 30 * 1.64) * GIGA)).toBeCloseTo(1, 2);
  });
});

test('half an hour on and half an hour off, twice, at the figures of a c5.xlarge: empty in both runs', () => {
  const dutyCycle = { onSeconds: 1800, offSeconds: 1800 };
  const bucket = { burst: 10 * GIGA, baseline: 1.25 * GIGA, bucketBits: 4445 * GIGA };
  const series = bucketSeries(dutyCycle, 2, bucket);

  const verdict = judge({ series, dutyCycle });

  expect(verdict.kind).toBe('cycle');
  expect(Math.abs(verdict.onset!.value - 508)).toBeLessThanOrEqual(0.2);
  expect(verdict.ifNetworkCredits!.bucket!.value / bucket.bucketBits).toBeCloseTo(1, 2);
  expect(verdict.explanation).toContain('2 of 2 on-phases reached the burst rate');
});
