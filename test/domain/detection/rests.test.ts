import { classifySeries } from '../../../domain/detection/index';
import { findRests } from '../../../domain/detection/series-shape';
import { cleanSeries, type RateInterval } from '../../../domain/series/rate-series';
import { estimateThrottle } from '../../../domain/verdict/throttle-model';
import { ascending, quantileOfSorted } from '../../../domain/maths/statistics';
import { seededRandom } from '../../support/random';
import { stretches } from '../../support/rates';
import { measureResting, type RestingBucket } from '../../support/rest-series';

const GIGA = 1e9;

function without(series: readonly RateInterval[], from: number, to: number): RateInterval[] {
  return series.filter(({ startSeconds }) => startSeconds < from || startSeconds >= to);
}

describe('a rest', () => {
  const levels = { burst: 2 * GIGA, baseline: 0.5 * GIGA };
  const restsOf = (series: readonly RateInterval[], until = 1000) =>
    findRests(cleanSeries(series)!, levels, until).map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
  const burst = stretches([1000, 2 * GIGA]);
  const spent = stretches([300, 2 * GIGA], [200, 0.5 * GIGA], [500, 2 * GIGA]);

  test('is every time whose samples show no traffic, whatever its length', () => {
    expect(restsOf(stretches([300, 2 * GIGA], [5, 0], [695, 2 * GIGA]))).toEqual([[300, 305]]);
    expect(restsOf(stretches([300, 2 * GIGA], [600, 0], [100, 2 * GIGA]))).toEqual([[300, 900]]);
  });

  test('before the load begins is one as well', () => {
    expect(restsOf(stretches([60, 0], [940, 2 * GIGA]))).toEqual([[0, 60]]);
  });

  test('is a gap after which the rate has come back', () => {
    expect(restsOf(without(spent, 440, 500))).toEqual([[440, 500]]);
  });

  test.each([30, 180, 400])('is no gap of %s s in a burst: samples were lost', (seconds) => {
    expect(restsOf(without(burst, 300, 300 + seconds))).toEqual([]);
  });

  test('is no gap after which the rate is low: a rest would have earned credits', () => {
    expect(restsOf(without(stretches([300, 2 * GIGA], [700, 0.5 * GIGA]), 200, 600))).toEqual([]);
  });

  test('after the fall is not asked for', () => {
    expect(restsOf(without(burst, 300, 600), 200)).toEqual([]);
  });
});

/** A bucket that one to three rests come before the end of; each of them as long as `shortest` to 25 minutes. */
function restingBucket(seed: number, shortestSeconds: number): RestingBucket {
  const random = seededRandom(seed);
  const burst = random.logUniform(GIGA, 10 * GIGA);
  const baseline = burst * random.uniform(0.08, 0.5);
  const burstSeconds = random.uniform(200, 1000);
  const count = random.integer(1, 3);
  const rests = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    at += Math.round(random.uniform(0.15, 0.9 / count) * burstSeconds);
    const rest = { startSeconds: at, endSeconds: at + Math.round(random.logUniform(shortestSeconds, 1500)) };
    rests.push(rest);
    at = rest.endSeconds;
  }
  const tailSeconds = random.uniform(60, 600);
  return { burst, baseline, bucketBits: burstSeconds * (burst - baseline), rests, tailSeconds };
}

//  2 ┤▔▔▔▔▔╮   ╭▔▔╮     ╭▔▔▔▔▔▔╮
//  1 ┤     │   │  │     │      ╰▁▁▁▁▁▁     rests earn credits: the burst lasts longer than without them
//  0 ┤     ╰▁▁▁╯  ╰▁▁▁▁▁╯
describe('a burst with rests of random lengths at random places', () => {
  test('that samples without traffic show: its volume is that of the bucket', () => {
    const errors: number[] = [];
    const onsetErrors: number[] = [];
    let covered = 0;
    for (let seed = 5001; seed <= 5080; seed += 1) {
      const bucket = restingBucket(seed, 10);
      const random = seededRandom(seed);
      const deviation = random.logUniform(0.001, 0.05);
      const { series, onsetSeconds } = measureResting(bucket, deviation, random);
      const shape = classifySeries(series);
      const found = estimateThrottle(shape, series)?.bucket?.bits;
      if (!found || !shape.throttle) continue;
      errors.push(Math.abs(found.value / bucket.bucketBits - 1));
      onsetErrors.push(Math.abs(shape.throttle.onset.value - onsetSeconds));
      if (found.low <= bucket.bucketBits && bucket.bucketBits <= found.high) covered += 1;
    }
    expect(errors.length).toBeGreaterThanOrEqual(78);
    expect(quantileOfSorted(ascending(errors), 0.5)).toBeLessThanOrEqual(0.002);
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.01);
    expect(quantileOfSorted(ascending(onsetErrors), 0.95)).toBeLessThanOrEqual(1);
    expect(covered / errors.length).toBeGreaterThanOrEqual(0.9);
  });

  test('that earn faster than the baseline: the interval of the volume includes the bucket', () => {
    const rests = [{ startSeconds: 200, endSeconds: 400 }];
    const bucket = { burst: 10 * GIGA, baseline: 2.5 * GIGA, bucketBits: 3000 * GIGA, rests, tailSeconds: 300 };
    const { series } = measureResting({ ...bucket, earnedAtRest: 1.5 }, 0.003, seededRandom(1));
    const { bits } = estimateThrottle(classifySeries(series), series)!.bucket!;
    expect(bits.value).toBeGreaterThan(3200 * GIGA);
    expect(bits.low).toBeLessThan(3000 * GIGA);
    expect(bits.high).toBeGreaterThan(bits.value);
  });
});

//  2 ┤▔▔▔▔     ▔▔▔▔▔╮
//  1 ┤              ╰▁▁▁▁▁▁     no samples for a while, under load
describe('a burst of which minutes of samples were lost', () => {
  test.each([60, 180, 300])('of %s s: it spent its credits all the time', (lostSeconds) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = seededRandom(seed);
      const burst = random.logUniform(GIGA, 10 * GIGA);
      const baseline = burst * random.uniform(0.08, 0.5);
      const burstSeconds = random.uniform(500, 1000);
      const from = Math.round(random.uniform(50, burstSeconds - lostSeconds - 50));
      const series = without(stretches([burstSeconds, burst], [300, baseline]), from, from + lostSeconds);
      const { bits } = estimateThrottle(classifySeries(series), series)!.bucket!;
      const bucketBits = burstSeconds * (burst - baseline);
      expect(bits.value / bucketBits).toBeCloseTo(1, 2);
      // The scatter of these series is even, and their bucket that of a rate without it.
      expect(bits.low).toBeLessThanOrEqual(1.001 * bucketBits);
      expect(bits.high).toBeGreaterThanOrEqual(0.999 * bucketBits);
    }
  });
});
