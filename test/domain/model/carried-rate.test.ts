import { holdOf, holdSecondsOf, sustainedRate } from '../../../domain/model/carried-rate';
import type { MeasurementResult } from '../../../domain/model/result';
import type { ThroughputQuantiles } from '../../../domain/model/statistics';
import type { Verdict } from '../../../domain/model/verdict';
import {
  published,
  steadyResult,
  steadyVerdict,
  throttledResult,
  throttledVerdict,
} from '../../support/measurement-results';

const UNPUBLISHED = { publishedClient: undefined, publishedServer: undefined };

function level(kind: Verdict['kind'], rates: ThroughputQuantiles, changes: Partial<MeasurementResult> = {}) {
  return steadyResult({
    verdict: { ...steadyVerdict, kind },
    statistics: { throughputBitsPerSecond: rates },
    ...changes,
  });
}

const dropOf = (cause: Verdict['cause'], changes: Partial<MeasurementResult> = {}) =>
  throttledResult({ verdict: { ...throttledVerdict, cause, bucket: null, holdTimes: [] }, ...changes });

/** Mean 5 and, in one second of twenty, .7 Gbit/s at most. */
const NOISE = { mean: 5e9, p5: 0.7e9, p50: 5e9, p95: 9e9 };

describe('a rate is always held', () => {
  test('where the level after credits carries it, without the headers that the tool does not count', () => {
    // 1.24 of 1.3 Gbit/s are 95 %, and of 1.33 Gbit/s 93 %.
    expect(holdOf(throttledResult(), 1.3e9)).toEqual({ kind: 'always' });
    expect(holdOf(throttledResult(), 1.33e9)?.kind).toBe('for');
  });

  test('not where only the mean of a noisy rate reaches it', () => {
    expect(holdOf(level('noisy', NOISE), 5e9)).toBeUndefined();
    expect(holdOf(level('noisy', NOISE), 0.7e9)).toEqual({ kind: 'always' });
    expect(sustainedRate(level('noisy', NOISE))).toMatchObject({ value: 5e9, bound: 'measured' });
  });

  test('not beyond the measurement where a published baseline is unknown', () => {
    const unknown = level('steady', { mean: 9.48e9 }, UNPUBLISHED);
    expect(holdOf(unknown, 5e9)).toEqual({ kind: 'at_least', seconds: unknown.sampleCount });
    expect(holdOf(level('steady', { mean: 9.48e9 }, { publishedServer: undefined }), 5e9)?.kind).toBe('at_least');
  });
});

describe('after a fall that no credits explain', () => {
  test.each(['packet_loss', 'cpu', 'not_known'] as const)('of cause %s, nothing is sustained', (cause) => {
    expect(sustainedRate(dropOf(cause))).toBeUndefined();
    expect(holdOf(dropOf(cause), 5e9)).toBeUndefined();
  });

  test('what nearly all seconds carried was held as long as was measured, and a faster rate than the burst never was', () => {
    const drop = dropOf('not_known');
    expect(holdOf(drop, 1e9)).toEqual({ kind: 'at_least', seconds: drop.sampleCount });
    expect(holdOf(drop, 20e9)).toEqual({ kind: 'never' });
  });
});

test('credits that no single bucket explains hold the burst until the onset, unless the load had pauses', () => {
  const verdict = { ...throttledVerdict, holdTimes: [] };
  expect(holdOf(throttledResult({ verdict }), 5e9)).toEqual({ kind: 'at_least', seconds: throttledVerdict.onset?.low });
  const dutyCycle = { onSeconds: 9, offSeconds: 9 };
  expect(holdOf(throttledResult({ verdict, dutyCycle }), 5e9)).toBeUndefined();
  expect(holdOf(throttledResult({ verdict: { ...verdict, bucket: null } }), 5e9)).toBeUndefined();
});

describe('a load that was not all the time, or not more than was offered', () => {
  const offered = level('steady', { mean: 1.9e9 }, { targetBitsPerSecond: 2e9 });

  test('says nothing of faster rates', () => {
    expect(holdOf(offered, 5e9)).toBeUndefined();
    expect(sustainedRate(offered)).toMatchObject({ value: 1.9e9, bound: 'at_least' });
    const less = level('steady', { mean: 1.5e9 }, { targetBitsPerSecond: 2e9 });
    expect([sustainedRate(less)?.bound, holdOf(less, 5e9)]).toEqual(['measured', { kind: 'never' }]);
  });

  test('and with pauses nothing of slower ones', () => {
    const paused = { ...level('steady', { mean: 9.48e9 }), dutyCycle: { onSeconds: 9, offSeconds: 9 } };
    expect(holdOf(paused, 5e9)).toBeUndefined();
    expect(sustainedRate(paused)).toBeUndefined();
    expect(holdOf(paused, 20e9)).toEqual({ kind: 'never' });
  });
});

test('above a published baseline, credits last at least until as many are spent as were', () => {
  const verdict: Verdict = {
    ...steadyVerdict,
    bucketBitsAtLeast: 1000e9,
    holdTimes: [{ bitsPerSecond: 9.48e9, seconds: null, atLeastSeconds: 1000 / 8.48 }],
  };
  const spending = steadyResult({ verdict, publishedClient: published('c5.large', 1e9, 10e9) });
  expect(sustainedRate(spending)?.bound).toBe('at_most');
  expect(holdOf(spending, 1e9)).toEqual({ kind: 'always' });
  const hold = holdOf(spending, 5e9);
  expect(hold?.kind).toBe('at_least');
  expect(hold && holdSecondsOf(hold)).toBeCloseTo(250, 6);
});

test.each(['insufficient', 'outage'] as const)('%s tells nothing of any rate', (kind) => {
  const untold = level(kind, { mean: 9e9, p5: 9e9, p95: 9e9 });
  expect([sustainedRate(untold), holdOf(untold, 1e9), holdOf(untold, 20e9)]).toEqual([undefined, undefined, undefined]);
});
