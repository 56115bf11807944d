/** Figures that follow from a bucket by hand: c5.xlarge as recorded has 4,445 Gbit, 1.254 Gbit/s and a peak of 10. */
import { namedTypes, PUBLISHED_TYPES } from '../../../bin/published-types';
import { pricesOf } from '../../../domain/forecast/prices/price-table';
import { examinedTypes, largeEnough } from '../../../domain/fit/examined-type';
import { fitTransfer } from '../../../domain/fit/transfer';
import { chosen, fitTypes, type TypeFit } from '../../../domain/fit/type-fit';
import { answerText, fitAnswer } from '../../../domain/terminal/fit-table';

const { prices } = pricesOf('us-east-1');
const typesOf = (...names: string[]) => examinedTypes(namedTypes(names), prices).examined;

/** @param rates Gbit/s of each interval, null for one that is missing */
function fitsOf(rates: readonly (number | null)[], seconds: number, ...names: string[]): readonly TypeFit[] {
  const intervals = rates.flatMap((rate, index) =>
    rate === null ? [] : [{ startSeconds: index * seconds, lengthSeconds: seconds, bitsPerSecond: rate * 1e9 }],
  );
  const series = [{ instance: 'a host', direction: 'out' as const, intervals }];
  return fitTypes({ series, startSeconds: 0, read: [] }, typesOf(...names));
}
const fitOf = (rates: readonly (number | null)[], seconds: number, name: string) => fitsOf(rates, seconds, name)[0]!;

/** 9.254 Gbit/s for half an hour, then none for another half. */
const COPY = [...Array<number>(30).fill(9.254), ...Array<number>(30).fill(0)];

test('a copy at 8 Gbit/s above the baseline: throttled after 4,445 / 8 s, and sent at the baseline from then on', () => {
  const { throttled, source, series, bucketBits } = fitOf(COPY, 60, 'c5.xlarge');
  const [{ firstThrottleSeconds: first, transfer, lowestCreditBits, heldBackSeconds }] = series;
  expect([throttled, source]).toEqual(['certainly', 'public_recordings']);
  expect(bucketBits!.low / 1e9).toBeCloseTo(4445 / 1.13, 3);
  expect(bucketBits!.high / 1e9).toBeCloseTo(4445 * 1.13, 3);
  expect(first!.value).toBeCloseTo(4445 / 8, 6);
  // 16,657.2 Gbit: 5,141.75 until the throttle, the rest at 1.254 Gbit/s.
  const sent = 4445 / 8 + (9.254 * 1800 - 9.254 * (4445 / 8)) / 1.254;
  expect(transfer!.bits).toBeCloseTo(9.254e9 * 1800, -1);
  expect(transfer!.recordedSeconds).toBe(1800);
  expect(transfer!.seconds.value).toBeCloseTo(sent, 3);
  expect(heldBackSeconds.value).toBeCloseTo(sent - 4445 / 8, 3);
  expect(transfer!.seconds.low).toBeLessThan(sent);
  expect(transfer!.seconds.high).toBeGreaterThan(sent);
  expect(lowestCreditBits!.value).toBe(0);
});

test('what needs fewer credits than the smallest bucket is never throttled, and the lowest credits are known', () => {
  const { throttled, series } = fitOf([5, 5, 5, 0, 0], 60, 'c5.xlarge');
  expect(throttled).toBe('never');
  expect(series[0].lowestCreditBits!.value / 1e9).toBeCloseTo(4445 - 180 * (5 - 1.254), 6);
  expect(series[0].heldBackSeconds).toEqual({ value: 0, low: 0, high: 0 });
});

test('a rest earns the baseline, and up to 1.64 times as much', () => {
  const rest = Array<number>(20).fill(0);
  const [{ neededBits }] = fitOf(
    [...Array<number>(8).fill(9.254), ...rest, ...Array<number>(8).fill(9.254)],
    60,
    'c5.xlarge',
  ).series;
  const spent = 8 * 480;
  expect(neededBits.value / 1e9).toBeCloseTo(spent - 1.254 * 1200 + spent, 6);
  expect(neededBits.low / 1e9).toBeLessThan(spent - 1.64 * 1.254 * 1200 + spent);
  expect(neededBits.high).toBeGreaterThan(neededBits.value);
});

test('averages hide what lies within an interval: half a minute at the peak is enough to be throttled', () => {
  // 1 Gbit/s on average over an hour is below the baseline, and 3,600 Gbit at the peak of 10 in one block need 3,144.
  const hour = fitOf([1, 1, 1], 3600, 'c5.xlarge');
  expect(hour.throttled).toBe('perhaps');
  expect(hour.series[0].neededBits.value).toBe(0);
  expect(fitOf(Array<number>(180).fill(1), 60, 'c5.xlarge').throttled).toBe('never');
});

test('a gap is unknown: it may have been a rest or the peak', () => {
  expect(fitOf([0.1, ...Array<null>(60).fill(null), 0.1], 60, 'c5.xlarge').throttled).toBe('perhaps');
  expect(fitOf([0.1, ...Array<number>(60).fill(0), 0.1], 60, 'c5.xlarge').throttled).toBe('never');
  const [copy] = fitOf([...COPY, ...Array<null>(60).fill(null), 0], 60, 'c5.xlarge').series;
  expect(copy.throttled).toBe('certainly');
});

test('without a recorded bucket the answer is perhaps, with the credits that would be needed', () => {
  const { throttled, source, series, bucketBits } = fitOf(COPY, 60, 'm6i.xlarge');
  expect([throttled, source, bucketBits]).toEqual(['perhaps', 'published_figures', null]);
  expect(series[0].neededBits.value / 1e9).toBeCloseTo(1800 * (9.254 - 1.562), 3);
  expect(series[0].firstThrottleSeconds).toBeNull();
  expect(series[0].heldBackSeconds).toMatchObject({ value: null, low: 0 });
});

test('a type whose baseline is its peak needs no credits, and is held back only above it', () => {
  expect(fitOf([12, 11.9], 60, 'c5.9xlarge')).toMatchObject({
    throttled: 'never',
    series: [{ neededBits: { high: 0 } }],
  });
  const { throttled, series } = fitOf([6, 24, 6], 60, 'c5.9xlarge');
  expect([throttled, series[0].isAbovePeak]).toEqual(['certainly', true]);
  expect(series[0].firstThrottleSeconds!.value).toBe(60);
  // 12 Gbit/s of the 24 wait: half of it is sent beside the 6 of the last minute, the rest in 30 s after that.
  expect(series[0].heldBackSeconds.value).toBeCloseTo(150, 6);
});

test('a throttle by spent credits comes first where the traffic exceeds the peak only later', () => {
  const [{ isAbovePeak, firstThrottleSeconds }] = fitOf([...COPY, 12], 60, 'c5.xlarge').series;
  expect([isAbovePeak, firstThrottleSeconds!.value]).toEqual([true, expect.closeTo(4445 / 8, 6)]);
  expect(firstThrottleSeconds!.low).toBeLessThan(4445 / 8);
  expect(firstThrottleSeconds!.high).toBeLessThan(1800);
});

describe('the choice', () => {
  test('is the cheapest that is never throttled; what is cheaper and nearly as good is named', () => {
    const fits = fitsOf(COPY, 60, 'c5', 'm6i.large');
    const { certainly, nearlyAll } = chosen(fits);
    expect([certainly, nearlyAll].map((fit) => fit?.instanceType)).toEqual(['c5.4xlarge', 'c5.4xlarge']);
    expect(certainly!.usdPerMonth).toBeCloseTo(0.68 * 730, 6);
    expect(answerText(fitAnswer(fits, []))).toMatch(
      /^c5\.4xlarge \(496 USD a month\) certainly holds this traffic, the cheapest of the 6 that do \(10 types examined\)\.\n/,
    );
  });

  test('99 % is enough for some', () => {
    // After the throttle, 1.3 of 1.254 Gbit/s leaves little waiting.
    const day = [...Array<number>(9).fill(9.254), ...Array<number>(400).fill(1.3)];
    const fits = fitsOf(day, 60, 'c5.xlarge', 'c5.4xlarge');
    expect(fits.map(({ throttled }) => throttled)).toEqual(['perhaps', 'never']);
    expect(chosen(fits)).toMatchObject({
      certainly: { instanceType: 'c5.4xlarge' },
      nearlyAll: { instanceType: 'c5.4xlarge' },
    });
    const mild = fitsOf(Array<number>(3000).fill(2.53), 60, 'c5.2xlarge', 'c5.9xlarge');
    expect(chosen(mild)).toMatchObject({
      certainly: { instanceType: 'c5.9xlarge' },
      nearlyAll: { instanceType: 'c5.2xlarge' },
    });
    expect(answerText(fitAnswer(mild, []))).toContain(
      ' c5.2xlarge (248 USD a month) certainly carries 99 % of this traffic without a wait.',
    );
  });

  test('by vCPUs and memory', () => {
    const found = largeEnough(namedTypes(['c5', 'r5']), 4, 32).map(({ instanceType }) => instanceType);
    expect(found).toEqual(expect.arrayContaining(['c5.4xlarge', 'r5.xlarge']));
    expect(found).not.toContain('c5.2xlarge');
    expect(() => largeEnough(PUBLISHED_TYPES, 5000)).toThrow(
      '--vcpus, --memory: must be no more than a type has that is asked about, got "5000 vCPUs and 0 GiB"',
    );
  });
});

describe('a transfer of 2 TB, 16,000 Gbit', () => {
  const fits = Object.fromEntries(
    fitTransfer(16e12, 2400, typesOf('c5', 'm6i.large')).map((fit) => [fit.instanceType, fit]),
  );

  test('takes the burst and then the baseline', () => {
    const { takesSeconds, isWithin, throttled } = fits['c5.xlarge']!;
    const { value: seconds, low: lowSeconds, high: highSeconds } = takesSeconds;
    // All credits and the baseline: (16,000 - 4,445) / 1.254.
    expect(seconds).toBeCloseTo((16_000 - 4445) / 1.254, 6);
    expect(lowSeconds).toBeLessThan(seconds!);
    expect(highSeconds).toBeGreaterThan(seconds!);
    expect([isWithin, throttled]).toEqual(['no', 'yes']);
  });

  test('is in time where the baseline or the credits allow it', () => {
    expect(fits['c5.4xlarge']).toMatchObject({
      isWithin: 'yes',
      throttled: 'no',
      takesSeconds: { value: 1600 },
      paceBitsPerSecond: null,
    });
    expect(fits['m6i.large']).toMatchObject({
      isWithin: 'perhaps',
      throttled: 'perhaps',
      takesSeconds: { value: null },
      paceBitsPerSecond: null,
    });
  });

  test('a steady pace ends when the slowest pair does at full speed, and as a trace it is on the edge of a throttle', () => {
    const { paceBitsPerSecond: pace, takesSeconds } = fits['c5.xlarge']!;
    const leastBits = 4445e9 / 1.13;
    expect(takesSeconds.high).toBeCloseTo((16e12 - leastBits) / (1.254e9 / 1.01), 6);
    expect(pace! * takesSeconds.high).toBeCloseTo(16e12, 0);
    const seconds = Math.round(takesSeconds.high / 10);
    const paced = (share: number) => fitOf(Array<number>(seconds).fill((share * pace!) / 1e9), 10, 'c5.xlarge');
    expect([paced(0.99), paced(1.01)].map(({ throttled }) => throttled)).toEqual(['never', 'perhaps']);
  });
});

test.each([
  // [type, TB, within minutes, answer, throttled]: a bucket, none, an unknown one, and no room for one.
  ['c5.xlarge', 0.4, 6, 'yes', 'no'],
  ['c5.xlarge', 0.6, 7, 'no', 'perhaps'],
  ['c5.xlarge', 0.6, 10, 'perhaps', 'perhaps'],
  ['c5.xlarge', 0.6, 60, 'yes', 'perhaps'],
  ['c5.xlarge', 2, 160, 'perhaps', 'yes'],
  ['m4.xlarge', 0.6, 60, 'no', 'no'],
  ['m6i.large', 0.6, 6, 'no', 'perhaps'],
  ['m6i.large', 0.6, 60, 'perhaps', 'perhaps'],
  ['m6i.large', 0.6, 120, 'yes', 'perhaps'],
  ['c5.18xlarge', 2, 12, 'yes', 'no'],
] as const)(
  '%s, among others, carries %d TB within %d min: %s; throttled: %s',
  (name, terabytes, minutes, ...answer) => {
    const types = typesOf('m4.xlarge', 'c5', 'm6i', 't3', 'c6gn');
    const fits = fitTransfer(8e12 * terabytes, 60 * minutes, types);
    expect(fits.map(({ instanceType }) => instanceType)).toEqual(types.map(({ instanceType }) => instanceType));
    const { isWithin, throttled, takesSeconds } = fits.find(({ instanceType }) => instanceType === name)!;
    expect([isWithin, throttled]).toEqual(answer);
    expect(fits.filter(({ takesSeconds: { low, high } }) => !(low > 0 && low <= high))).toEqual([]);
    expect(takesSeconds.value ?? takesSeconds.low).toBeGreaterThanOrEqual(takesSeconds.low);
  },
);

test('of several hosts and directions, the one that decides is first, and the type is as it', () => {
  const series = (['in', 'out'] as const).flatMap((direction, index) =>
    ['quiet', 'busy'].map((instance) => {
      const gigabits = instance === 'quiet' ? 0.1 : index === 0 ? 5 : 9;
      const intervals = COPY.map((rate, minute) => ({
        ...{ startSeconds: 60 * minute, lengthSeconds: 60 },
        bitsPerSecond: rate > 0 ? gigabits * 1e9 : 0,
      }));
      return { instance, direction, intervals };
    }),
  );
  const fits = fitTypes({ series, startSeconds: 0, read: [] }, typesOf('c5.xlarge', 'c5.2xlarge', 'c5.9xlarge'));
  const answers = fits.map(({ throttled, series }) => [throttled, series.map((each) => each.throttled)]);
  expect(answers).toEqual([
    ['certainly', ['certainly', 'certainly', 'never', 'never']],
    ['certainly', ['certainly', 'never', 'never', 'never']],
    ['never', ['never', 'never', 'never', 'never']],
  ]);
  expect(fits[1]!.series[0]).toMatchObject({ instance: 'busy', direction: 'out' });
});
