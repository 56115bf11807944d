/** Whatever samples come, in whatever form: the same verdict, or `insufficient`, and never a failure. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { classifySeries } from '../../../domain/detection/index';
import type { SeriesShape } from '../../../domain/detection/series-shape';
import type { RateInterval } from '../../../domain/series/rate-series';
import { rateIntervals } from '../../../domain/detection/prediction';
import { median } from '../../../domain/maths/statistics';
import { fixturePath } from '../../support/fixtures';
import type { LabelledSeries } from '../../support/prediction';
import { seededRandom } from '../../support/random';

const GIGA = 1e9;

const publicSet = gunzipSync(new Uint8Array(readFileSync(fixturePath('detection/public.jsonl.gz'))))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as LabelledSeries);

/** A burst of `onset` seconds and a lower rate after it, in samples of any length, each with noise of its own. */
function noisyThrottle(seed: number, onset: number, totalSeconds: number, lengthSeconds: number, noise = 0.04) {
  const random = seededRandom(seed);
  const count = Math.round(totalSeconds / lengthSeconds);
  return Array.from({ length: count }, (_, index): RateInterval => {
    const startSeconds = index * lengthSeconds;
    const burstShare = Math.min(1, Math.max(0, (onset - startSeconds) / lengthSeconds));
    const rate = burstShare * 5 * GIGA + (1 - burstShare) * 1.25 * GIGA;
    return { startSeconds, lengthSeconds, bitsPerSecond: rate * (1 + noise * random.normal()) };
  });
}

/** The same seconds as a tool prints them that reports once a second. */
function wholeSeconds(fine: readonly RateInterval[]): RateInterval[] {
  const perSecond = Math.round(1 / fine[0]!.lengthSeconds);
  return Array.from({ length: fine.length / perSecond }, (_, second) => {
    const part = fine.slice(second * perSecond, (second + 1) * perSecond);
    const bitsPerSecond = part.reduce((total, one) => total + one.bitsPerSecond, 0) / perSecond;
    return { startSeconds: second, lengthSeconds: 1, bitsPerSecond };
  });
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = seededRandom(seed);
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = random.integer(0, i);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

describe('samples of a tenth of a second', () => {
  test('lead to the verdict of whole seconds, and a more precise onset', () => {
    const errors = { fine: [] as number[], coarse: [] as number[] };
    for (let seed = 1; seed <= 24; seed += 1) {
      const onset = seededRandom(seed).uniform(20, 60);
      const fine = noisyThrottle(seed, onset, 120, 0.1, 0.12);
      const [ofFine, ofCoarse] = [classifySeries(fine), classifySeries(wholeSeconds(fine))];
      expect([seed, ofFine.kind]).toEqual([seed, 'drop']);
      expect(ofCoarse.kind).toBe('drop');
      errors.fine.push(Math.abs(ofFine.throttle!.onset.value - onset));
      errors.coarse.push(Math.abs(ofCoarse.throttle!.onset.value - onset));
    }
    expect(median(errors.fine)).toBeLessThan(median(errors.coarse));
    expect(Math.max(...errors.fine)).toBeLessThan(0.3);
  });
});

describe('the order and the number of the samples', () => {
  test.each(publicSet.filter((_, index) => index % 6 === 0).map((series) => [series.id, series] as const))(
    'unsorted and with duplicates: the same in every figure (%s)',
    (id, series) => {
      const intervals = rateIntervals(series);
      const repeated = intervals.filter((_, index) => index % 7 === 3);
      const seed = Number(id.slice(1));
      expect(classifySeries(shuffled([...intervals, ...repeated, ...repeated], seed))).toEqual(
        classifySeries(intervals),
      );
    },
  );
});

describe('gaps', () => {
  test('with several gaps, one of them over the onset, the throttle is found and the interval covers that gap', () => {
    const gaps = [[5, 8], [21, 22], [37, 45], [70, 90]] as const; // prettier-ignore
    for (let seed = 1; seed <= 12; seed += 1) {
      const series = noisyThrottle(seed, 41.3, 120, 1).filter(
        ({ startSeconds }) => !gaps.some(([from, to]) => startSeconds >= from && startSeconds < to),
      );
      const shape = classifySeries(series);
      expect([seed, shape.kind, shape.sampleCount]).toEqual([seed, 'drop', 88]);
      expect(shape.throttle!.onset.low).toBeLessThanOrEqual(38);
      expect(shape.throttle!.onset.high).toBeGreaterThanOrEqual(44);
    }
  });

  test('gaps away from the onset do not move it', () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const whole = noisyThrottle(seed, 41.3, 120, 1);
      const holed = whole.filter(({ startSeconds: at }) => !(at >= 5 && at < 12) && !(at >= 60 && at < 85));
      const shape = classifySeries(holed);
      expect([seed, shape.kind]).toEqual([seed, 'drop']);
      expect(Math.abs(shape.throttle!.onset.value - 41.3)).toBeLessThan(0.5);
    }
  });
});

describe('degenerate series', () => {
  const seconds = (rate: (second: number) => number, count = 120): RateInterval[] =>
    Array.from({ length: count }, (_, second) => ({
      startSeconds: second,
      lengthSeconds: 1,
      bitsPerSecond: rate(second),
    }));

  test.each([
    ['no sample', []],
    ['one sample', seconds(() => GIGA, 1)],
    ['one sample of zero', seconds(() => 0, 1)],
    ['all zero', seconds(() => 0)],
    ['nothing but NaN', seconds(() => NaN)],
    ['nothing but infinities', seconds((second) => (second % 2 === 0 ? Infinity : -Infinity))],
    ['one number among NaN', seconds((second) => (second === 60 ? GIGA : NaN))],
    ['samples without a time', seconds(() => GIGA).map((one) => ({ ...one, startSeconds: NaN }))],
    ['samples without a length', seconds(() => GIGA).map((one) => ({ ...one, lengthSeconds: 0 }))],
    ['the same second many times', seconds(() => GIGA).map((one) => ({ ...one, startSeconds: 3 }))],
  ] as const)('%s is insufficient', (_, series) => {
    const shape = classifySeries(series);
    expect(shape).toMatchObject({ kind: 'insufficient', throttle: null });
    expect(shape.throttle).toBeNull();
  });

  test.each([1, 7.25e3, GIGA, 4e11])('a constant %d bit/s is steady', (rate) => {
    expect(classifySeries(seconds(() => rate))).toMatchObject({ kind: 'steady', throttle: null });
  });

  test('single NaN, infinite and negative rates are only gaps', () => {
    const whole = noisyThrottle(3, 50.4, 120, 1);
    const unusable = [NaN, Infinity, -Infinity, -GIGA];
    const spoilt = whole.map((one, index) =>
      index % 9 === 4 ? { ...one, bitsPerSecond: unusable[index % unusable.length]! } : one,
    );
    expect(classifySeries(spoilt)).toEqual(classifySeries(whole.filter((_, index) => index % 9 !== 4)));
  });
});

describe('a verdict does not depend on unit and origin', () => {
  const relative = (shape: SeriesShape, factor: number, shift: number) => ({
    kind: shape.kind,
    throttle: shape.throttle && {
      // Rounded to a fiftieth of a second, the grid of the onset.
      onset: Math.round(50 * (shape.throttle.onset.value - shift)),
      burst: (shape.throttle.burstBitsPerSecond / factor).toPrecision(4),
      baseline: (shape.throttle.baselineBitsPerSecond / factor).toPrecision(4),
    },
  });
  const some = publicSet.filter((_, index) => index % 3 === 0);
  const plain = some.map((series) => relative(classifySeries(rateIntervals(series)), 1, 0));

  test('all rates times 1e-6 to 1e6', () => {
    const random = seededRandom(31);
    some.forEach((series, index) => {
      const factor = random.logUniform(1e-6, 1e6);
      const scaled = rateIntervals({ ...series, bps: series.bps.map((rate) => rate * factor) });
      expect({ id: series.id, ...relative(classifySeries(scaled), factor, 0) }).toEqual({
        id: series.id,
        ...plain[index],
      });
    });
  });

  test('all times plus -1e5 to 1e5', () => {
    const random = seededRandom(32);
    some.forEach((series, index) => {
      const shift = random.uniform(-1e5, 1e5);
      const shifted = rateIntervals({ ...series, t: series.t.map((time) => time + shift) });
      expect({ id: series.id, ...relative(classifySeries(shifted), 1, shift) }).toEqual({
        id: series.id,
        ...plain[index],
      });
    });
  });
});

describe('24 hours', () => {
  const DAY_SECONDS = 86_400;
  const HALF_HOUR_SECONDS = 1800;
  const shapes: Record<string, (totalSeconds: number) => RateInterval[]> = {
    'a throttle': (total) => noisyThrottle(5, 0.4 * total, total, 1),
    'a level rate': (total) => noisyThrottle(6, total, total, 1),
  };
  /** Counts calls of Math's functions, whose number, unlike time, does not depend on what else the machine does. */
  const mathCalls = (work: () => void) => {
    const original = Object.getOwnPropertyDescriptors(Math);
    const functions = Object.entries(original).filter(([, { value }]) => typeof value === 'function');
    let count = 0;
    for (const [name, { value }] of functions) {
      const counted = (...values: number[]) => {
        count += 1;
        return (value as (...values: number[]) => number)(...values);
      };
      Object.defineProperty(Math, name, { ...original[name as 'abs'], value: counted });
    }
    try {
      work();
    } finally {
      Object.defineProperties(Math, original);
    }
    return count;
  };

  test.each(Object.entries(shapes))('%s: the time is linear in the number of samples', (_, make) => {
    const [day, halfHour] = [make(DAY_SECONDS), make(HALF_HOUR_SECONDS)];
    const callsPerSample = (series: RateInterval[]) => mathCalls(() => classifySeries(series)) / series.length;
    expect(callsPerSample(day)).toBeLessThan(2 * callsPerSample(halfHour));
  });

  test('the throttle of a day is located as precisely as that of an hour', () => {
    const shape = classifySeries(noisyThrottle(5, 30_000.4, DAY_SECONDS, 1));
    expect(shape.kind).toBe('drop');
    expect(Math.abs(shape.throttle!.onset.value - 30_000.4)).toBeLessThan(0.3);
  });
});
