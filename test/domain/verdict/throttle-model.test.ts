import { classifySeries } from '../../../domain/detection/index';
import type { RateInterval } from '../../../domain/series/rate-series';
import type { Interval } from '../../../domain/maths/interval';
import { creditFigures, estimateThrottle } from '../../../domain/verdict/throttle-model';
import { seededRandom, type Random } from '../../support/random';
import { stretches } from '../../support/rates';
import type { Shape } from '../../support/series-parts';
import { LONG_KINDS, SHORT_KINDS } from '../../support/series-shapes';

const GIGA = 1e9;
const CLEAN_KINDS = ['burst', 'burst_small', 'burst_early', 'burst_late', 'burst_drift', 'short_burst'] as const;
const SEEDS = Array.from({ length: 30 }, (_, index) => 4001 + index);

interface Scatter {
  readonly of: (state: number, deviation: number) => number;
  readonly mean: (deviation: number) => number;
}

/** With their means: a rate that is capped from above carries less than its cap, and that is the truth to cover. */
const SCATTERS: readonly Scatter[] = [
  { of: (state, deviation) => 1 + deviation * state, mean: () => 1 },
  {
    of: (state, deviation) => 1 - deviation * Math.abs(state),
    mean: (deviation) => 1 - deviation * Math.sqrt(2 / Math.PI),
  },
  { of: (state, deviation) => Math.exp(deviation * state), mean: (deviation) => Math.exp(deviation ** 2 / 2) },
];

/** Autocorrelated scatter of .03 to 10 % (3 % in short ones), rounded to four digits as the tools do. */
function measure(shape: Shape, random: Random, isShort: boolean) {
  const scatter = random.pick(SCATTERS);
  const deviation = random.logUniform(0.0003, isShort ? 0.03 : 0.1);
  const memory = random.uniform(0, isShort ? 0.4 : 0.85);
  const quiet = deviation * (shape.quietRates ?? 1);
  const [burst, baseline] = [shape.burst * scatter.mean(deviation), shape.baseline! * scatter.mean(quiet)];
  let state = random.normal();
  const series = Array.from({ length: shape.seconds }, (_, second): RateInterval => {
    state = memory * state + Math.sqrt(1 - memory * memory) * random.normal();
    const rate = shape.meanRate(second, second + 1);
    const isLow = rate < 0.5 * (shape.burst + shape.baseline!);
    const bitsPerSecond = Number((rate * scatter.of(state, isLow ? quiet : deviation)).toPrecision(4));
    return { startSeconds: second, lengthSeconds: 1, bitsPerSecond };
  });
  const bucket = (burst - baseline) * shape.onset!;
  return { series, truth: { burst, baseline, bucket, refill: bucket / baseline / random.uniform(1, 1.64) } };
}

type Figure = 'burst' | 'baseline' | 'bucket' | 'refill';

function coverage(kinds: readonly (typeof CLEAN_KINDS)[number][]): Record<Figure, number> {
  const covered: Record<Figure, number> = { burst: 0, baseline: 0, bucket: 0, refill: 0 };
  let count = 0;
  for (const kind of kinds) {
    for (const seed of SEEDS) {
      const random = seededRandom(seed);
      const shape = { ...LONG_KINDS, ...SHORT_KINDS }[kind]!(random);
      const { series, truth } = measure(shape, random, kind.startsWith('short_'));
      const model = estimateThrottle(classifySeries(series), series);
      if (!model?.isSingleBucket) continue;
      count += 1;
      const found: Record<Figure, Interval> = {
        burst: model.burst,
        baseline: model.baseline,
        bucket: model.bucket!.bits,
        refill: creditFigures(model).refill!,
      };
      for (const figure of Object.keys(covered) as Figure[]) {
        const { low, high } = found[figure];
        if (low <= truth[figure] && truth[figure] <= high) covered[figure] += 1;
      }
    }
  }
  // All but a few are recognised: coverage of an easy selection would prove nothing.
  expect(count).toBeGreaterThan(0.95 * kinds.length * SEEDS.length);
  return Object.fromEntries(Object.entries(covered).map(([figure, n]) => [figure, n / count])) as typeof covered;
}

describe('intervals of 95 %', () => {
  const share = coverage(CLEAN_KINDS);

  test.each(['burst', 'baseline', 'bucket'] as const)('of the %s cover the truth as often as they say', (of) => {
    expect(share[of]).toBeGreaterThanOrEqual(0.9);
    expect(share[of]).toBeLessThanOrEqual(0.99);
  });

  test('of the refill cover every rate at which a rest was seen to earn', () => {
    expect(share.refill).toBeGreaterThanOrEqual(0.95);
  });
});

describe('the model of a throttle', () => {
  const series = stretches([60, 2 * GIGA], [120, 0.5 * GIGA]);
  const model = estimateThrottle(classifySeries(series), series)!;

  test('has a quiet level within a fraction of a percent', () => {
    expect(model.burst.high - model.burst.low).toBeLessThan(0.01 * model.burst.value);
    expect(model.baseline.high - model.baseline.low).toBeLessThan(0.01 * model.baseline.value);
  });

  test('has the baseline of cycles without their bursts', () => {
    const low = [20, 0.5 * GIGA] as const;
    const cycles = Array.from({ length: 6 }, () => [low, [15, 2 * GIGA]] as const).flat();
    const repeated = stretches([40, 2 * GIGA], ...cycles);
    const { baseline } = estimateThrottle(classifySeries(repeated), repeated)!;
    expect(baseline.value / GIGA).toBeCloseTo(0.5, 2);
    expect(baseline.high - baseline.low).toBeLessThan(0.01 * baseline.value);
  });

  test('is null without a fall', () => {
    const level = stretches([120, 2 * GIGA]);
    expect(estimateThrottle(classifySeries(level), level)).toBeNull();
  });

  //  2 ┤▔▔▔▔▔╮╭▔▔▔▔▔╮
  //  0 ┤     ╰╯     ╰▁▁▁▁▁▁     what a dip did not send was not spent
  test.each([2, 3, 6, 20])('covers the traffic that was really sent, where the burst dips for %d s', (seconds) => {
    const before = 114 - seconds;
    const dipped = stretches([30, 2 * GIGA], [seconds, 0.2 * GIGA], [before, 2 * GIGA], [180, 0.5 * GIGA]);
    const found = estimateThrottle(classifySeries(dipped), dipped)!;
    // A dip below the baseline spends nothing; that it earns something the model does not claim.
    const spent = (30 + before) * 1.5 * GIGA;
    expect(found.bucket!.bits.low).toBeLessThanOrEqual(spent);
    expect(found.bucket!.bits.high).toBeGreaterThanOrEqual(spent);
  });

  test('has a wider interval for a level with correlated samples', () => {
    const random = seededRandom(77);
    const width = (memory: number) => {
      let state = random.normal();
      const noisy = stretches([600, 2 * GIGA], [600, 0.5 * GIGA]).map((interval) => {
        state = memory * state + Math.sqrt(1 - memory * memory) * random.normal();
        return { ...interval, bitsPerSecond: interval.bitsPerSecond * (1 + 0.02 * state) };
      });
      const { burst } = estimateThrottle(classifySeries(noisy), noisy)!;
      return burst.high - burst.low;
    };
    expect(width(0.8)).toBeGreaterThan(2 * width(0));
  });

  test('has a rounded level no more precisely than its last digit', () => {
    const printed = stretches([60, 2 * GIGA], [120, 0.5 * GIGA]).map((interval) => ({
      ...interval,
      bitsPerSecond: interval.startSeconds < 60 ? 1.99e9 : 0.498e9,
    }));
    const found = estimateThrottle(classifySeries(printed), printed)!;
    expect(found.burst).toEqual({ value: 1.99e9, low: 1.985e9, high: 1.995e9 });
  });
});
