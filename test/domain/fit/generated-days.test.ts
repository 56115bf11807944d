/** 60 generated days of each of the four types with recorded buckets, from averages over five minutes. */
import { RECORDED_BUCKETS, type KnownBucket } from '../../../domain/forecast/credits';
import { examinedTypes } from '../../../domain/fit/examined-type';
import { fitTypes, type SeriesFit } from '../../../domain/fit/type-fit';
import type { RateInterval } from '../../../domain/series/rate-series';
import { recordedTypes } from '../../support/forecast';
import { averages, generatedCases, type GeneratedCase } from './generated-days';

const BUCKETS = Object.fromEntries(RECORDED_BUCKETS.map((bucket) => [bucket.instanceType, bucket]));
const cases = generatedCases(20261128, 60);

/** @param changed figures of the bucket that stand in for the recorded ones */
function fitOf(instanceType: string, intervals: readonly RateInterval[], changed?: Partial<KnownBucket>): SeriesFit {
  const trace = { series: [{ instance: 'a host', direction: 'out' as const, intervals }], startSeconds: 0, read: [] };
  const measured = changed === undefined ? [] : [{ ...BUCKETS[instanceType]!, ...NO_RANGE, ...changed }];
  const candidate = { ...recordedTypes[instanceType]!, architecture: 'x86_64' as const, memoryMebibytes: 0 };
  return fitTypes(trace, examinedTypes([candidate], { instanceUsdPerHour: {} }, measured).examined)[0]!.series[0];
}
const NO_RANGE = { bucketLowBits: undefined, bucketHighBits: undefined };

function scored(fitted: (generated: GeneratedCase) => SeriesFit) {
  const score = { right: 0, undecided: 0, wrong: [] as string[] };
  for (const generated of cases) {
    const { throttled } = fitted(generated);
    if (throttled === 'perhaps') score.undecided += 1;
    else if ((throttled === 'certainly') === generated.isThrottled) score.right += 1;
    else score.wrong.push(`${generated.instanceType} ${generated.kind}: ${throttled}`);
  }
  return score;
}

test('there are 240 cases, of which a good part is throttled', () => {
  expect(cases).toHaveLength(240);
  expect(cases.filter(({ isThrottled }) => isThrottled).length).toBeGreaterThan(80);
  expect(cases.filter(({ isThrottled }) => !isThrottled).length).toBeGreaterThan(80);
});

test.each([
  ['five minutes', 5],
  ['a minute', 1],
])('from averages over %s, none is wrong, and two in three are decided', (_, minutes) => {
  const { right, wrong } = scored(({ instanceType, minutes: rates }) => fitOf(instanceType, averages(rates, minutes)));
  expect(wrong).toEqual([]);
  expect(right).toBeGreaterThanOrEqual(160);
});

test('the first throttle is inside its interval', () => {
  const outside = cases.filter(({ instanceType, minutes, firstThrottleSeconds: truth }) => {
    const first = fitOf(instanceType, averages(minutes, 5)).firstThrottleSeconds;
    return truth !== null && (first === null || truth < first.low || truth > first.high);
  });
  expect(outside).toEqual([]);
});

test.each([
  ['a baseline that is 30 % too high', { baseline: 1.3, bucket: 1 }],
  ['a baseline that is 30 % too low', { baseline: 0.7, bucket: 1 }],
  ['a bucket of half the size', { baseline: 1, bucket: 0.5 }],
])('%s would be wrong', (_, { baseline, bucket }) => {
  const { wrong } = scored(({ instanceType, minutes }) => {
    const { baselineBitsPerSecond } = BUCKETS[instanceType]!;
    const bits = BUCKETS[instanceType]!.bucketBits * bucket;
    return fitOf(instanceType, averages(minutes, 5), {
      baselineBitsPerSecond: baseline * baselineBitsPerSecond,
      bucketBits: bits,
    });
  });
  expect(wrong.length).toBeGreaterThan(0);
});
