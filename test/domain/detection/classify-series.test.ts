import { classifySeries } from '../../../domain/detection/index';
import type { SeriesShape } from '../../../domain/detection/series-shape';
import type { RateInterval } from '../../../domain/series/rate-series';
import { readFixture } from '../../support/fixtures';
import { seededRandom } from '../../support/random';
import { stretches } from '../../support/rates';

const GIGA = 1e9;

function expectNear(value: number | undefined, expected: number, tolerance: number): void {
  expect(value).toBeDefined();
  expect(Math.abs(value! - expected)).toBeLessThanOrEqual(tolerance);
}

describe('a throttle', () => {
  //  2 ┤▔▔▔▔▔╮
  // .5 ┤     ╰▁▁▁▁▁▁▁▁▁▁▁   30.4 s at 2 Gbit/s, then half a Gbit/s
  test('is located within a tenth of a second, with both rates and the bucket', () => {
    const shape = classifySeries(stretches([30.4, 2 * GIGA], [59.6, 0.5 * GIGA]));
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, 30.4, 0.1);
    expect(shape.throttle!.onset.low).toBeLessThanOrEqual(30.4);
    expect(shape.throttle!.onset.high).toBeGreaterThanOrEqual(30.4);
    expectNear(shape.throttle?.burstBitsPerSecond, 2 * GIGA, 0.02 * GIGA);
    expectNear(shape.throttle?.baselineBitsPerSecond, 0.5 * GIGA, 0.005 * GIGA);
    expectNear(shape.throttle?.bucketBits ?? NaN, 1.5 * 30.4 * GIGA, 0.5 * GIGA);
  });

  test.each([6.3, 8.5, 12.7, 20.2, 45.9, 80.1])('is found after a burst of %d s in two minutes', (burstSeconds) => {
    const shape = classifySeries(stretches([burstSeconds, GIGA], [120 - burstSeconds, 0.125 * GIGA]));
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, burstSeconds, 0.15);
  });

  test('keeps its onset when the first sample is high and an undershoot follows the fall', () => {
    const series = stretches([22.3, 1.25 * GIGA], [1.7, 0.11 * GIGA], [2, 0.16 * GIGA], [44, 0.187 * GIGA]);
    const first = { ...series[0]!, bitsPerSecond: 1.03 * series[0]!.bitsPerSecond };
    const shape = classifySeries([first, ...series.slice(1)]);
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, 22.3, 0.5);
    expectNear(shape.throttle?.baselineBitsPerSecond, 0.187 * GIGA, 0.05 * 0.187 * GIGA);
  });

  //  ▔▔╮ ╭▔▔▔▔▔▔╮
  //    ╰▁╯      ╰▁▁▁▁▁▁   another flow takes its share for eight seconds, long before the credits run out
  test('is not confused with earlier competing traffic', () => {
    const shape = classifySeries(stretches([10, 2 * GIGA], [8, 1.1 * GIGA], [22, 2 * GIGA], [60, 0.5 * GIGA]));
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, 40, 0.1);
  });

  test('in two steps is drops, with its onset at the first step', () => {
    const shape = classifySeries(stretches([20.5, 2 * GIGA], [19, GIGA], [50.5, 0.4 * GIGA]));
    expect(shape.kind).toBe('drops');
    expectNear(shape.throttle?.onset.value, 20.5, 0.1);
    expectNear(shape.throttle?.baselineBitsPerSecond, 0.4 * GIGA, 0.01 * GIGA);
  });

  test('that repeats is cycle', () => {
    const cycles = Array.from({ length: 4 }, () => [[19, 0.3 * GIGA], [5, 2 * GIGA]] as const).flat(); // prettier-ignore
    const shape = classifySeries(stretches([21.5, 2 * GIGA], ...cycles, [10, 0.3 * GIGA]));
    expect(shape.kind).toBe('cycle');
    expectNear(shape.throttle?.onset.value, 21.5, 0.15);
  });
});

describe('recordings of iperf3 over real token buckets', () => {
  interface Recording {
    readonly intervals: readonly { sum: { start: number; seconds: number; bits_per_second: number } }[];
  }
  const read = (name: string): RateInterval[] =>
    (JSON.parse(readFixture(`real-buckets/${name}.iperf3.json`)) as Recording).intervals.map(({ sum }) => ({
      startSeconds: sum.start,
      lengthSeconds: sum.seconds,
      bitsPerSecond: sum.bits_per_second,
    }));

  test.each([
    ['t02-burst-2g-500m', 20.8, 2, 0.5],
    ['t12-partly-recharged', 6.2, 1.6, 0.4],
  ] as const)('%s has its onset where the wire counters show it', (name, onset, burst, baseline) => {
    const shape = classifySeries(read(name));
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, onset, 0.5);
    expectNear(shape.throttle?.burstBitsPerSecond, burst * GIGA, 0.05 * burst * GIGA);
    expectNear(shape.throttle?.baselineBitsPerSecond, baseline * GIGA, 0.05 * baseline * GIGA);
  });
});

describe('what is not a throttle', () => {
  test('a level rate is steady', () => {
    const shape = classifySeries(stretches([60, 1.2 * GIGA]));
    expect(shape.kind).toBe('steady');
    expect(shape.throttle).toBeNull();
    expect(shape.throttle).toBeNull();
  });

  test('a constant rate without scatter is steady', () => {
    const series = stretches([90, GIGA]).map((interval) => ({ ...interval, bitsPerSecond: GIGA }));
    expect(classifySeries(series).kind).toBe('steady');
  });

  test('a flow that ended is not throttled', () => {
    const shape = classifySeries(stretches([80, 5 * GIGA], [20, 0]));
    expect(shape.kind).toBe('steady');
    expect(shape.deadTailSeconds).toBe(20);
    expect(shape.endSeconds).toBe(80);
  });

  test('a level rate with a lost second is steady', () => {
    const series = stretches([60, 1.19 * GIGA]).map((s) =>
      s.startSeconds === 21 ? { ...s, bitsPerSecond: 0.886 * GIGA } : s,
    );
    expect(classifySeries(series).kind).toBe('steady');
  });

  test('a dip that recovers is dips', () => {
    expect(classifySeries(stretches([40, GIGA], [6, 0.4 * GIGA], [44, GIGA])).kind).toBe('dips');
  });

  test('a minute of linear decline is a ramp', () => {
    const series = stretches([60, GIGA]).map((interval, second) => ({
      ...interval,
      bitsPerSecond: interval.bitsPerSecond * (1 - (0.4 * second) / 60),
    }));
    expect(classifySeries(series).kind).toBe('ramp');
  });

  test('a small lasting shift is a level shift', () => {
    expect(classifySeries(stretches([300, GIGA], [300, 0.94 * GIGA])).kind).toBe('shift');
  });
});

describe('too few samples', () => {
  test.each([
    ['nothing', []],
    ['one sample', stretches([1, GIGA])],
    ['thirty level seconds', stretches([30, GIGA])],
    ['a fall with four samples after it', stretches([36, 9 * GIGA], [4, 2.5 * GIGA])],
    ['all zero', stretches([120, 0])],
    ['nothing but NaN', stretches([60, NaN])],
  ])('%s is insufficient', (_, series) => {
    const shape = classifySeries(series);
    expect(shape.kind).toBe('insufficient');
    expect(shape.throttle).toBeNull();
    expect(shape.throttle).toBeNull();
  });

  test('thirty seconds with an unmistakable fall are a throttle', () => {
    const shape = classifySeries(stretches([8.5, GIGA], [22.5, 0.1 * GIGA]));
    expect(shape.kind).toBe('drop');
    expectNear(shape.throttle?.onset.value, 8.5, 0.15);
  });
});

describe('the same numbers give the same answer', () => {
  const cases: readonly (readonly [string, RateInterval[]])[] = [
    ['throttle', stretches([30.4, 2 * GIGA], [59.6, 0.5 * GIGA])],
    ['two steps', stretches([20.5, 2 * GIGA], [19, GIGA], [50.5, 0.4 * GIGA])],
    ['dips', stretches([40, GIGA], [6, 0.4 * GIGA], [44, GIGA])],
    ['steady', stretches([100, GIGA])],
  ];
  const facts = ({ kind, throttle, sampleCount }: SeriesShape) => ({
    kind,
    onsetSeconds: throttle && Number(throttle.onset.value.toFixed(6)),
    sampleCount,
  });

  test.each(cases)('in any order: %s', (_, series) => {
    const random = seededRandom(5);
    const shuffled = [...series].sort(() => random.uniform(-1, 1));
    expect(classifySeries(shuffled)).toEqual(classifySeries(series));
  });

  test.each(cases)('with duplicates and unusable samples: %s', (_, series) => {
    const hostile = [
      ...series,
      ...series.slice(10, 20),
      { startSeconds: 33.5, lengthSeconds: 1, bitsPerSecond: NaN },
      { startSeconds: NaN, lengthSeconds: 1, bitsPerSecond: GIGA },
      { startSeconds: 34.5, lengthSeconds: 1, bitsPerSecond: Infinity },
      { startSeconds: 35.5, lengthSeconds: 0, bitsPerSecond: GIGA },
      { startSeconds: 36.5, lengthSeconds: 1, bitsPerSecond: -GIGA },
    ];
    expect(classifySeries(hostile)).toEqual(classifySeries(series));
  });

  test.each(cases)('in any unit of the rate: %s', (_, series) => {
    const expected = classifySeries(series);
    for (const factor of [1e-3, 0.125, 7, 1e3]) {
      const scaled = classifySeries(series.map((s) => ({ ...s, bitsPerSecond: factor * s.bitsPerSecond })));
      expect(facts(scaled)).toEqual(facts(expected));
      expectNear(
        (scaled.throttle?.bucketBits ?? 0) / factor,
        expected.throttle?.bucketBits ?? 0,
        1e-3 * (expected.throttle?.bucketBits ?? 0),
      );
    }
  });

  test.each(cases)('from any origin of the time: %s', (_, series) => {
    const expected = classifySeries(series);
    for (const shift of [-500, 86_400, 1_790_000_000]) {
      const shifted = classifySeries(series.map((s) => ({ ...s, startSeconds: s.startSeconds + shift })));
      expect(shifted.kind).toBe(expected.kind);
      expectNear((shifted.throttle?.onset.value ?? shift) - shift, expected.throttle?.onset.value ?? 0, 1e-3);
      expectNear(
        shifted.throttle?.bucketBits ?? 0,
        expected.throttle?.bucketBits ?? 0,
        1e-3 * (expected.throttle?.bucketBits ?? 0),
      );
    }
  });
});

describe('gaps and finer samples', () => {
  test('a gap over the onset widens the interval to cover the gap', () => {
    const series = stretches([30.4, 2 * GIGA], [59.6, 0.5 * GIGA]).filter(
      (s) => s.startSeconds < 26 || s.startSeconds >= 34,
    );
    const shape = classifySeries(series);
    expect(shape.kind).toBe('drop');
    expect(shape.sampleCount).toBe(82);
    expect(shape.throttle!.onset.low).toBeLessThanOrEqual(26.1);
    expect(shape.throttle!.onset.high).toBeGreaterThanOrEqual(33.9);
  });

  test('samples of a tenth of a second locate the onset as well', () => {
    const fine = stretches([304, 2 * GIGA], [596, 0.5 * GIGA]).map((s) => ({
      ...s,
      startSeconds: s.startSeconds / 10,
      lengthSeconds: 0.1,
    }));
    const shape = classifySeries(fine);
    expect(shape.kind).toBe('drop');
    expect(shape.sampleCount).toBe(90);
    expectNear(shape.throttle?.onset.value, 30.4, 0.1);
  });
});
