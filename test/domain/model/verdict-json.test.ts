import type { Verdict } from '../../../domain/model/verdict';
import { resultFromJson, resultToJson, verdictFromJson, verdictToJson } from '../../../domain/model/verdict-json';
import { bidirectionalResult, latencyResult, steadyResult, throttledResult } from '../../support/measurement-results';

const throttled = throttledResult().verdict!;
const steady = steadyResult().verdict!;
const censored: Verdict = {
  ...steady,
  bucketBitsAtLeast: 90e9,
  refillSecondsAtLeast: 180,
  holdTimes: [{ bitsPerSecond: 2e9, seconds: null, atLeastSeconds: 90 }],
};
const unbounded: Verdict = {
  ...throttled,
  refill: { value: 400, low: 300, high: Infinity },
  holdTimes: [{ bitsPerSecond: 2e9, seconds: { value: 90, low: 80, high: Infinity }, atLeastSeconds: null }],
};

/** The value after it was written as JSON and read again. */
const written = <Json>(value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

describe('the JSON form of a verdict', () => {
  test('has the flat names of the contract, in their order', () => {
    const keys =
      'kind cause direction onsetSeconds onsetLowSeconds onsetHighSeconds burstBitsPerSecond burstLowBitsPerSecond ' +
      'burstHighBitsPerSecond baselineBitsPerSecond baselineLowBitsPerSecond baselineHighBitsPerSecond bucketBits ' +
      'bucketLowBits bucketHighBits bucketBitsAtLeast refillSeconds refillLowSeconds refillHighSeconds holdTimes ' +
      'ifNetworkCredits throttledBy throttledBucket confidence causes witnesses explanation';
    expect(Object.keys(verdictToJson(throttled)).join(' ')).toBe(keys);
  });

  test('has each interval as three fields', () => {
    expect(verdictToJson(throttled)).toMatchObject({
      onsetSeconds: 60.4,
      onsetLowSeconds: 60.3,
      onsetHighSeconds: 60.6,
      bucketBits: 500.1e9,
      bucketLowBits: 497.4e9,
      bucketHighBits: 503.2e9,
    });
    const hold = { bitsPerSecond: 4e9, seconds: 181.2, lowSeconds: 179.8, highSeconds: 182.9 };
    expect(verdictToJson(throttled).holdTimes[0]).toEqual(hold);
  });

  test('has null for an upper end that does not exist', () => {
    expect(written(verdictToJson(unbounded))).toMatchObject({
      refillSeconds: 400,
      refillLowSeconds: 300,
      refillHighSeconds: null,
      holdTimes: [{ seconds: 90, lowSeconds: 80, highSeconds: null }],
    });
  });

  test('has the lower bounds of a verdict without a drop where the lower ends stand', () => {
    expect(verdictToJson(censored)).toMatchObject({
      bucketBits: null,
      bucketLowBits: null,
      bucketBitsAtLeast: 90e9,
      refillSeconds: null,
      refillLowSeconds: 180,
      refillHighSeconds: null,
      holdTimes: [{ seconds: null, lowSeconds: 90, highSeconds: null }],
    });
  });

  test.each<[string, Verdict]>([
    ['throttled', throttled],
    ['steady', steady],
    ['without a drop, but with lower bounds', censored],
    ['without upper ends', unbounded],
  ])('%s: is the same after reading it back', (_, verdict) => {
    expect(verdictFromJson(written(verdictToJson(verdict)))).toEqual(verdict);
  });

  test('fails to be read where a value has lost its interval', () => {
    const broken = { ...verdictToJson(throttled), burstLowBitsPerSecond: null };
    expect(() => verdictFromJson(broken)).toThrow(
      'verdict: burst must have a lower end, as it has the value 9520000000',
    );
  });
});

describe('the JSON form of a result', () => {
  test('keeps every other key where it stands', () => {
    const result = bidirectionalResult({ otherDirection: throttled });
    expect(Object.keys(resultToJson(result))).toEqual(Object.keys(result));
    expect(resultToJson(result).otherDirection).toHaveProperty('onsetSeconds', 60.4);
  });

  test.each([throttledResult(), latencyResult(), bidirectionalResult({ otherDirection: throttled })])(
    '$measurementId: reads back as it was',
    (result) => {
      expect(resultFromJson(written(resultToJson(result)))).toEqual(result);
    },
  );

  test('has no other direction where there is none', () => {
    expect(written(resultToJson(throttledResult()))).not.toHaveProperty('otherDirection');
  });
});
