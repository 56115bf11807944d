import { classifyCycles, classifySeries } from '../../../domain/detection/index';
import { seededRandom, type Random } from '../../support/random';
import { stretches, stretchesWith } from '../../support/rates';

const GIGA = 1e9;
const MEGA = 1e6;

describe('a fall right before the end', () => {
  test.each([
    ['five samples after an hour of an exactly held rate', 0.0001, 3600, 5],
    ['nine samples after 1,000 s', 0.0001, 1000, 9],
    ['twenty samples of a rate that scatters by half a percent', 0.006, 1800, 20],
  ])('is a throttle with %s', (_, scatter, before, after) => {
    const { kind, throttle, segments } = classifySeries(
      stretchesWith(scatter, [before + 0.4, 5 * GIGA], [after + 0.6, 2.5 * GIGA]),
    );
    expect(kind).toBe('drop');
    expect(Math.abs(throttle!.onset.value - before - 0.4)).toBeLessThanOrEqual(0.05);
    expect(segments.at(-1)!.bitsPerSecond / (2.5 * GIGA)).toBeCloseTo(1, 2);
  });

  test.each([
    ['four samples', [[1000, 5], [4, 2.5]]],
    ['a third of the rate', [[1000, 5], [9, 3.4]]],
    ['a rate at which it was before', [[500, 5], [6, 2.5], [500, 5], [9, 2.5]]],
    ['nothing at all', [[1000, 5], [4, 0.001]]],
    ['a rate that has come back in the last sample', [[1000, 5], [9, 2.5], [1, 5]]],
  ] as const)('is no throttle when it is one of only %s', (_, parts) => {
    const series = stretchesWith(0.0001, ...parts.map(([seconds, giga]) => [seconds, giga * GIGA] as const));
    expect(classifySeries(series).throttle).toBeNull();
  }); // prettier-ignore

  test('is no throttle after nine samples of a rate that a busy path lets scatter', () => {
    expect(classifySeries(stretchesWith(0.02, [1000, 5 * GIGA], [9, 2.5 * GIGA])).throttle).toBeNull();
  });
});

describe('a fall in a short recording', () => {
  test('is a throttle where it is deep and quiet, whatever the number of samples', () => {
    const series = stretchesWith(0.001, [130, 9.7 * GIGA], [26, 1.25 * GIGA]);
    const fourSeconds = series
      .filter((_, index) => index % 4 === 0)
      .map((interval) => ({ ...interval, lengthSeconds: 4 }));
    expect(fourSeconds.length).toBeLessThan(45);
    expect(classifySeries(fourSeconds).kind).toBe('drop');
  });

  test.each([
    ['shallow', stretchesWith(0.03, [20, GIGA], [40, 0.8 * GIGA])],
    ['not far beyond the scatter', stretchesWith(0.25, [20, GIGA], [40, 0.7 * GIGA])],
    ['from a rate that had come up', stretches([4, 620 * MEGA], [1, 900 * MEGA], [5, GIGA], [50, 620 * MEGA])],
  ])('is no throttle where it is %s', (_, series) => {
    expect(classifySeries(series).throttle).toBeNull();
  });
});

describe('a fall in a long recording', () => {
  /** So many seconds of a rate, with normal scatter. */
  const scattered = (random: Random, deviation: number, ...parts: readonly (readonly [number, number])[]) =>
    stretchesWith(0, ...parts).map((interval) => ({
      ...interval,
      bitsPerSecond: interval.bitsPerSecond * Math.exp(deviation * random.normal()),
    }));

  test('is a throttle where scatter brings many samples of each level to the other side', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const series = scattered(seededRandom(seed), 0.35, [900, GIGA], [900, 0.6 * GIGA]);
      expect(classifySeries(series).kind).toBe('drop');
    }
  });

  //  2 ┤    ╭▔╮
  //  1 ┤▔▔▔▔╯ ╰▔▔▔▔▔▔▔▔▔▔▔▔
  test('is none at the end of an excursion upward, however long the recording is', () => {
    const minutes = stretchesWith(0.02, [460, GIGA], [37, 1.6 * GIGA], [46 * 60 - 497, 0.86 * GIGA]);
    expect(classifySeries(minutes).throttle).toBeNull();
  });

  test('is none where the load began at the level to which it fell', () => {
    const series = stretchesWith(0.05, [80, 500 * MEGA], [1160, GIGA], [2360, 500 * MEGA]);
    expect(classifySeries(series).throttle).toBeNull();
  });

  test('is none where the rate had visited that level again and again', () => {
    const visits = Array.from({ length: 5 }, () => [[100, GIGA], [35, 0.57 * GIGA]] as const).flat(); // prettier-ignore
    expect(classifySeries(stretchesWith(0.002, ...visits, [100, GIGA], [900, 0.57 * GIGA])).throttle).toBeNull();
  });

  //  2 ┤▔▔▔▔▔▔▔▔▔
  //  1 ┤         ▔▁▔▂▁▔▁▂▔▁      a limiter makes a rate more even
  test('is none where the rate scatters far more from then on', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const random = seededRandom(seed);
      const before = scattered(random, 0.05, [1200, GIGA]);
      const after = scattered(random, 0.3, [1200, 0.78 * GIGA]).map((one) => ({
        ...one,
        startSeconds: one.startSeconds + 1200,
      }));
      expect(classifySeries([...before, ...after]).throttle).toBeNull();
    }
  });
});

describe('a fall of a rate that moves by itself', () => {
  //  4 ┤▔╮
  //  1 ┤  ╲▁▁▁▁▁▁▁▁▁▁▁     flows of several senders start
  test('is none after a few uneven samples', () => {
    const rates = [85, 100, 95, 89, 49, 43, 35, 35, 31];
    const parts = rates.map((rate) => [1, 16 * MEGA * rate] as const);
    expect(classifySeries(stretchesWith(0.045, ...parts, [81, 540 * MEGA])).throttle).toBeNull();
  });

  test('is a throttle after as few samples that are even', () => {
    expect(classifySeries(stretchesWith(0.003, [5.4, GIGA], [84.6, 400 * MEGA])).throttle).not.toBeNull();
  });

  test.each([
    [0.06, 'drop'],
    [0.08, 'noisy'],
  ])('needs the more evidence the fewer its samples are: after twenty that scatter by %s it is %s', (scatter, kind) => {
    expect(classifySeries(stretchesWith(scatter, [20, GIGA], [900, 0.75 * GIGA])).kind).toBe(kind);
  });

  test.each([
    [280, 'drop'],
    [320, 'dips'],
  ])('ends an excursion, and no burst, after a third of the time that follows: %s of 900 s are %s', (seconds, kind) => {
    const series = stretchesWith(0.02, [300, 2 * GIGA], [seconds, 1.3 * GIGA], [600, 2 * GIGA], [900, GIGA]);
    expect(classifySeries(series).kind).toBe(kind);
  });

  test('is none where its levels had been as far apart', () => {
    const levels = [67, 35, 51, 89, 36, 54, 16].map((rate, index) => [15 + index, rate * MEGA] as const);
    expect(classifySeries(stretchesWith(0.03, ...levels)).throttle).toBeNull();
  });
});

describe('a step right before the end of a recording', () => {
  /** Samples of four seconds, as the C6g recordings have. */
  const fourSeconds = (...parts: readonly (readonly [number, number])[]) =>
    stretchesWith(0.001, ...parts.map(([seconds, rate]) => [seconds / 4, rate] as const)).map((one) => ({
      ...one,
      startSeconds: 4 * one.startSeconds,
      lengthSeconds: 4,
    }));

  test('is not its burst: that is the level that lasted', () => {
    const { throttle, kind } = classifySeries(fourSeconds([56, 9.49 * GIGA], [12, 5.71 * GIGA], [24, 0.75 * GIGA]));
    expect(kind).toBe('drops');
    expect(throttle!.onset.value).toBeCloseTo(56, 0);
    expect(throttle!.burstBitsPerSecond / GIGA).toBeCloseTo(9.49, 1);
    expect(throttle!.baselineBitsPerSecond / GIGA).toBeCloseTo(0.75, 2);
  });

  test('is its burst where it is shallower than any throttle', () => {
    const { kind, throttle } = classifySeries(fourSeconds([56, 9.49 * GIGA], [12, 8.4 * GIGA], [24, 0.75 * GIGA]));
    expect(kind).toBe('drop');
    expect(throttle!.onset.value).toBeCloseTo(68, 0);
  });
});

describe('a fall after which the rate rises in part', () => {
  test.each([0.005, 0.01])('has its onset at the fall, with a scatter of %s', (scatter) => {
    const series = stretchesWith(scatter, [5, 282 * MEGA], [22, 178 * MEGA], [90, 217 * MEGA]);
    const { onset } = classifySeries(series).throttle!;
    expect(Math.abs(onset.value - 5)).toBeLessThanOrEqual(0.1);
    expect(onset.high).toBeLessThanOrEqual(6);
  });
});

describe('the sample that contains the fall', () => {
  test('mixes the burst with the undershoot that follows, and not with the baseline', () => {
    const series = stretchesWith(0.0001, [60.4, 10 * GIGA], [2.6, GIGA], [100, 2.5 * GIGA]);
    const { onset } = classifySeries(series).throttle!;
    expect(Math.abs(onset.value - 60.4)).toBeLessThanOrEqual(0.02);
    expect(onset.high - onset.low).toBeLessThan(1);
  });

  test('leaves the onset open over a dip that ends in the fall', () => {
    const series = stretchesWith(0.0001, [300, 10 * GIGA], [4.3, 5 * GIGA], [900, 2 * GIGA]);
    const { onset } = classifySeries(series).throttle!;
    expect(onset.low).toBeLessThanOrEqual(300);
    expect(onset.high).toBeGreaterThanOrEqual(304.3);
  });
});

describe('a dip that looks like a rate that settles', () => {
  test.each([
    [5, 2.01, 0.5, 10.92],
    [11.84, 3.77, 0.76, 6.03],
  ])('leaves the onset open as far as its end: %s, %s and %s Gbit/s', (burst, dip, baseline, dipSeconds) => {
    const series = stretchesWith(0.001, [600.4, burst * GIGA], [dipSeconds, dip * GIGA], [900, baseline * GIGA]);
    const { onset } = classifySeries(series).throttle!;
    expect(onset.low).toBeLessThanOrEqual(600.4);
    expect(onset.high).toBeGreaterThanOrEqual(600.4 + dipSeconds);
  });

  test('a rate that does settle leaves open no more than the fall itself', () => {
    const settling = Array.from({ length: 40 }, (_, second): [number, number] => [
      1,
      (2 + 8 * Math.exp(-second / 4)) * GIGA,
    ]);
    const series = stretchesWith(0.001, [600, 10 * GIGA], ...settling, [900, 2 * GIGA]);
    const { onset } = classifySeries(series).throttle!;
    expect(onset.high - onset.low).toBeLessThan(5);
  });
});

describe('a load with pauses', () => {
  const run = (burstSeconds: number) => [[burstSeconds, 100 * MEGA], [60 - burstSeconds, 25 * MEGA]] as const; // prettier-ignore

  const cycle = { onSeconds: 60, offSeconds: 60 };

  test('falls in its first run that ends at the lower level, as every later run does', () => {
    const shape = classifyCycles(stretches([60, 100 * MEGA], ...run(41.3), ...run(20)), cycle);
    expect(shape.kind).toBe('cycle');
    expect(Math.abs(shape.throttle!.onset.value - 101.3)).toBeLessThanOrEqual(0.1);
  });

  test('has no fall where a later run holds the rate again', () => {
    const series = stretches([60, 100 * MEGA], ...run(50), [60, 100 * MEGA], [60, 100 * MEGA]);
    expect(classifyCycles(series, cycle).throttle).toBeNull();
  });
});
