import { findLateDrop } from '../../../domain/detection/rules/too-short';
import { bursting, GIGA, judge, witness } from '../../support/evidence';
import { stretches } from '../../support/rates';

const ratesOf = (...gigabits: readonly number[]) => ({ bitsPerSecond: Float64Array.from(gigabits, (g) => g * GIGA) });
const fallen = stretches([30, 10 * GIGA], [10, 5 * GIGA]);

describe('a fall in a series that is too short to judge', () => {
  test('is named with its figures, and the verdict stays insufficient', () => {
    const verdict = judge({ series: fallen });
    expect(verdict).toMatchObject({ kind: 'insufficient', onset: null, bucket: null, confidence: null });
    expect(verdict.explanation).toBe(
      'the last 10 samples are at 5.0 Gbit/s, 50 % below the first 30; 40 samples over 40.0 s are too few for a verdict: ' +
        'at least 45 are needed to tell whether credits ran out or the rate only dipped',
    );
    expect(witness(verdict, 'series')!.detail).toBe(
      '40 samples show a rate that is lower at the end than at the start, but are too few to tell whether credits ran out',
    );
  });

  test('is named where published figures give a verdict that a few lower samples do not change', () => {
    const series = stretches([9, 10 * GIGA], [1, 7 * GIGA], [2, 4 * GIGA]);
    const verdict = judge({ series, sender: bursting, receiver: bursting });
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast).toBeGreaterThan(0);
    expect(verdict.explanation).toMatch(
      /without a clear drop \(the last 3 samples are at 4\.98 Gbit\/s, 50 % below the first 9\): .* and may have run out at the end$/,
    );
  });

  test('is none of a series that is long enough, which has a verdict', () => {
    const verdict = judge({ series: stretches([60, 10 * GIGA], [60, 5 * GIGA]) });
    expect(verdict.cause).toBe('not_known');
    expect(verdict.explanation).not.toContain('the last');
  });
});

describe('the samples', () => {
  test('are divided where the rate falls', () => {
    expect(findLateDrop(ratesOf(10, 10, 10, 10, 5, 5, 5))).toEqual({
      firstSampleCount: 4,
      firstBitsPerSecond: 10 * GIGA,
      lastSampleCount: 3,
      lastBitsPerSecond: 5 * GIGA,
    });
  });

  test.each([
    ['stay at one level', [10, 10, 10, 10, 10, 10, 10]],
    ['fall by less than a throttle does', [10, 10, 10, 10, 9, 9, 9]],
    ['rise', [5, 5, 5, 5, 10, 10, 10]],
    ['dip and come back', [10, 10, 10, 5, 5, 5, 10, 10, 10]],
    ['are low at the end too seldom', [10, 10, 10, 10, 10, 5, 5]],
    ['scatter over both levels', [10, 4, 10, 10, 4, 4, 10, 4]],
  ])('have no late fall where they %s', (_, rates) => {
    expect(findLateDrop(ratesOf(...rates))).toBeUndefined();
  });
});
