/** The allowance counters of a series without an accepted fall, and of the short low ends of a duty cycle. */
import { describe, expect, test } from '@jest/globals';
import type { RateInterval } from '../../../domain/series/rate-series';
import type { AllowanceGrowth } from '../../../domain/verdict/evidence';
import { bursting, facts, GIGA, judge, witness } from '../../support/evidence';
import { stretches } from '../../support/rates';

const COUNTERS = 'ena_allowance_counters';
const dips = stretches([300, GIGA], [10, GIGA / 8], [400, GIGA], [10, GIGA / 8], [280, GIGA]);

/** The sender's outbound counter: 100 packets in each second for which `isShaped` holds. */
function shapedWhere(
  series: readonly RateInterval[],
  isShaped: (interval: RateInterval) => boolean,
  clockSeconds = 0,
): AllowanceGrowth[] {
  return series.map((interval) => ({
    hostRole: 'client',
    startSeconds: interval.startSeconds + clockSeconds,
    bwInAllowanceExceeded: 0,
    bwOutAllowanceExceeded: isShaped(interval) ? 100 : 0,
    ppsAllowanceExceeded: 0,
  }));
}

function isLow({ bitsPerSecond }: RateInterval): boolean {
  return bitsPerSecond < GIGA / 2;
}

describe('packets that were queued while no fall was accepted', () => {
  test.each([0, -2, 2])(
    'at a rate eight times lower, clocks %i s apart: said, and evidence against no fall',
    (clock) => {
      const verdict = judge({ series: dips, allowance: shapedWhere(dips, isLow, clock) });
      expect(verdict.onset).toBeNull();
      expect(witness(verdict, COUNTERS)).toEqual({
        name: COUNTERS,
        agrees: false,
        detail:
          '2000 packets were queued or dropped because of a bandwidth allowance in 20 samples, whose rate was 0.13 Gbit/s instead of 1.0 Gbit/s',
      });
      expect(verdict.explanation).toContain('but the ENA counters say: 2000 packets');
      expect(verdict.confidence).toBeLessThan(judge({ series: dips }).confidence!);
    },
  );

  test('at the full rate: unchanged', () => {
    const verdict = judge({ series: dips, allowance: shapedWhere(dips, (each) => !isLow(each)) });
    expect(witness(verdict, COUNTERS)).toMatchObject({
      agrees: null,
      detail: '98000 packets were queued or dropped because of a bandwidth allowance, while the rate stayed the same',
    });
  });

  test('in a single low second: said, without a judgement', () => {
    const [first] = dips.filter(isLow);
    const verdict = judge({ series: dips, allowance: shapedWhere(dips, (each) => each === first) });
    expect(witness(verdict, COUNTERS)).toMatchObject({ agrees: null });
    expect(witness(verdict, COUNTERS)!.detail).toContain('in 1 sample, whose rate was 0.12 Gbit/s instead of');
  });

  test('all the time while the rate changes gradually: nothing is said about the rate', () => {
    const steps = Array.from({ length: 60 }, (_, step) => [10, (2 - step / 60) * GIGA] as const);
    const ramp = stretches(...steps);
    const verdict = judge({ series: ramp, allowance: shapedWhere(ramp, () => true) });
    expect(verdict.kind).toBe('ramp');
    expect(witness(verdict, COUNTERS)!.detail).toBe(
      '60000 packets were queued or dropped because of a bandwidth allowance',
    );
  });
});

describe('a duty cycle', () => {
  // A pause earns a burst of 53.3 s.
  const dutyCycle = { onSeconds: 60, offSeconds: 160 };
  const withPauses = (series: readonly RateInterval[]) =>
    series.map((each) => ({ ...each, startSeconds: each.startSeconds + 160 * Math.floor(each.startSeconds / 60) }));

  test('whose runs are shaped in their last seconds: the counters agree', () => {
    const run = [[53.3, 2 * GIGA], [6.7, 0.5 * GIGA]] as const; // prettier-ignore
    const series = withPauses(stretches([117, 2 * GIGA], [3, 0.5 * GIGA], ...run, ...run));
    const allowance = shapedWhere(series, ({ bitsPerSecond }) => bitsPerSecond < GIGA);
    const verdict = judge({ series, allowance, dutyCycle, sender: facts('c5.xlarge', 0.5, 2) });
    expect(Math.abs(verdict.onset!.value - 277)).toBeLessThanOrEqual(0.2);
    expect(witness(verdict, COUNTERS)).toMatchObject({ agrees: true });
    expect(verdict.throttledBy).toBe('sender');
    const seldom = shapedWhere(series, ({ startSeconds, bitsPerSecond }) => bitsPerSecond < GIGA && startSeconds < 279);
    expect(witness(judge({ series, allowance: seldom, dutyCycle }), COUNTERS)).toMatchObject({ agrees: null });
  });

  test('that runs empty in the last tenths of a run: its onset is there, and not in the next run', () => {
    const run = [[53.3, 2 * GIGA], [6.7, 0.5 * GIGA]] as const; // prettier-ignore
    const series = withPauses(stretches([119.6, 2 * GIGA], [0.4, 0.5 * GIGA], ...run, ...run, ...run));
    const { onset } = judge({ series, dutyCycle });
    expect(Math.abs(onset!.value - 279.6)).toBeLessThanOrEqual(0.2);
    expect(onset!.high).toBeLessThan(280);
  });

  test('that runs empty at the very end of a run, or at the beginning of the low end of the next: both are possible', () => {
    const run = [[53.3, 2 * GIGA], [6.7, 0.5 * GIGA]] as const; // prettier-ignore
    const series = withPauses(stretches([120, 2 * GIGA], ...run, ...run, ...run));
    const { onset } = judge({ series, dutyCycle });
    expect(onset!.low).toBeLessThan(280);
    expect(onset!.high).toBeGreaterThan(493);
  });

  test('whose last run ends with three lower samples: left open, and the counters are heard', () => {
    const series = withPauses(stretches([117, 2 * GIGA], [3, 0.5 * GIGA]));
    const allowance = shapedWhere(series, ({ bitsPerSecond }) => bitsPerSecond < GIGA);
    const verdict = judge({ series, allowance, dutyCycle, sender: bursting });
    expect(verdict).toMatchObject({ kind: 'insufficient', onset: null });
    expect(verdict.explanation).toContain(
      'end with 3 lower samples, too few to tell whether credits ran out or the rate only dipped',
    );
    expect(witness(verdict, 'series')).toMatchObject({
      agrees: null,
      detail: 'too few of 120 samples are low at the end of an on-phase to tell whether credits ran out',
    });
    expect(witness(verdict, COUNTERS)).toMatchObject({
      agrees: false,
      detail:
        '300 packets were queued or dropped because of a bandwidth allowance in 3 samples, whose rate was 0.50 Gbit/s instead of 2.0 Gbit/s',
    });
  });

  test('whose runs all end with one slow second: left open', () => {
    const run = [[59, 2 * GIGA], [1, 0.5 * GIGA]] as const; // prettier-ignore
    const verdict = judge({ series: withPauses(stretches(...run, ...run, ...run)), dutyCycle });
    expect(verdict).toMatchObject({ kind: 'insufficient', onset: null });
  });

  test('whose runs begin slowly: no recharge of a bucket', () => {
    const run = [[6, 0.5 * GIGA], [9, 2 * GIGA]] as const; // prettier-ignore
    const runs = Array.from({ length: 12 }, () => run).flat();
    const series = stretches(...runs).map((each) => ({
      ...each,
      startSeconds: each.startSeconds + 30 * Math.floor(each.startSeconds / 15),
    }));
    expect(judge({ series, dutyCycle: { onSeconds: 15, offSeconds: 30 }, sender: bursting }).onset).toBeNull();
  });
});
