/** The simulation that `research/detection-stress.ts` judges the detector by. */
import { describe, expect, test } from '@jest/globals';
import { simulateCycles } from '../../support/duty-cycles';
import { generateSeries } from '../../support/series-generator';

const SEEDS = Array.from({ length: 60 }, (_, index) => 101 + index);

describe('simulated duty cycles that run empty', () => {
  const all = SEEDS.map(simulateCycles);

  test('have between 2 and 30 runs, each sampled every second', () => {
    for (const { dutyCycle, series, truth } of all) {
      expect(truth.runCount).toBeGreaterThanOrEqual(2);
      expect(truth.runCount).toBeLessThanOrEqual(30);
      expect(series).toHaveLength(truth.runCount * dutyCycle.onSeconds);
    }
  });

  test('spend the bucket and what the pauses earned before the onset', () => {
    for (const { dutyCycle, series, truth } of all) {
      const { baselineBitsPerSecond: baseline, bucketBits, onsetSeconds } = truth;
      const spent = series.reduce((sum, { startSeconds, bitsPerSecond }) => {
        return sum + Math.min(1, Math.max(0, onsetSeconds - startSeconds)) * (bitsPerSecond - baseline);
      }, 0);
      const pauses = Math.floor(onsetSeconds / (dutyCycle.onSeconds + dutyCycle.offSeconds));
      const earned = pauses * dutyCycle.offSeconds * baseline;
      // The scatter is up to 6 %, and the second of the onset holds both levels.
      expect(Math.abs(spent - earned - bucketBits) / spent).toBeLessThan(0.2);
    }
  });

  test('end every run from the onset on at the baseline, for five seconds and more', () => {
    for (const { dutyCycle, series, truth } of all) {
      const { baselineBitsPerSecond: baseline, burstBitsPerSecond: burst, onsetSeconds } = truth;
      const cycleSeconds = dutyCycle.onSeconds + dutyCycle.offSeconds;
      const ends = series.filter(({ startSeconds }) => {
        return startSeconds > onsetSeconds && startSeconds % cycleSeconds >= dutyCycle.onSeconds - 4;
      });
      expect(ends.length).toBeGreaterThanOrEqual(4);
      for (const { bitsPerSecond } of ends) expect(bitsPerSecond).toBeLessThan((baseline + burst) / 2);
    }
  });
});

describe('falls with a rate between or below the two levels right beside them', () => {
  const nearOnset = (kind: string, from: number, to: number) =>
    SEEDS.map((seed) => {
      const { t, bps, truth } = generateSeries(kind, seed);
      const near = bps.filter((_, index) => t[index]! >= truth.onset_s! + from && t[index]! + 1 <= truth.onset_s! + to);
      return { rate: Math.min(...near), burst: truth.burst_bps!, baseline: truth.baseline_bps! };
    }).filter(({ rate }) => Number.isFinite(rate));

  test.each(['edge_undershoot', 'edge_recovery'])('%s: below the baseline after the fall', (kind) => {
    const near = nearOnset(kind, 0, 2);
    expect(near.length).toBeGreaterThan(40);
    expect(near.filter(({ rate, baseline }) => rate < 0.95 * baseline).length).toBeGreaterThan(0.8 * near.length);
  });

  test('edge_dip_before: below the burst before the fall', () => {
    const near = nearOnset('edge_dip_before', -2, 0);
    expect(near.length).toBeGreaterThan(40);
    for (const { rate, burst } of near) expect(rate).toBeLessThan(0.95 * burst);
  });
});
