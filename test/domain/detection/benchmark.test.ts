import { scoreDetector } from '../../support/benchmark-score';
import { calibrate, ofBenchmark, ofRecording, type Recording } from '../../support/calibration';
import { fixturePath, readLines } from '../../support/fixtures';
import type { LabelledSeries } from '../../support/prediction';
import { generateSeries } from '../../support/series-generator';
import { LONG_KINDS, SHORT_KINDS } from '../../support/series-shapes';

/** Seeds that no parameter was tuned on. */
const CHECK_SEEDS = [9001, 9002, 9003, 9004, 9005, 9006] as const;

function generated(kinds: Record<string, unknown>): LabelledSeries[] {
  return Object.keys(kinds).flatMap((kind) => CHECK_SEEDS.map((seed) => generateSeries(kind, seed)));
}

describe('the detector on labelled series', () => {
  test('keeps the figures that it reached on the public benchmark', () => {
    const score = scoreDetector(readLines<LabelledSeries>(fixturePath('detection/public.jsonl.gz')));
    expect(score.wrong.length).toBeLessThanOrEqual(2);
    expect(score.f1).toBeGreaterThanOrEqual(0.99);
    expect(score.f1Placed).toBeGreaterThanOrEqual(0.98);
    expect(score.falsePositiveRate).toBe(0);
    expect(score.classAccuracy).toBeGreaterThanOrEqual(0.99);
    expect(score.onsetErrorSeconds.p50).toBeLessThanOrEqual(0.025);
    expect(score.onsetErrorSeconds.p90).toBeLessThanOrEqual(1);
    expect(score.onsetErrorSeconds.p95).toBeLessThanOrEqual(2);
    expect(score.intervalCoverage).toBeGreaterThanOrEqual(0.92);
    expect(score.bucketErrorMedian).toBeLessThanOrEqual(0.008);
  });

  test('judges half an hour of every kind, from seeds that it was not tuned on', () => {
    const score = scoreDetector(generated(LONG_KINDS));
    expect(score.f1).toBeGreaterThanOrEqual(0.97);
    expect(score.f1Placed).toBeGreaterThanOrEqual(0.96);
    // One of them falls from an exactly held rate 9 s before its end, as the C5 recordings do at their throttle.
    expect(score.falsePositiveRate).toBeLessThanOrEqual(0.04);
    expect(score.classAccuracy).toBeGreaterThanOrEqual(0.95);
  });

  test('judges one to three minutes with bursts of six to eighty seconds', () => {
    const score = scoreDetector(generated(SHORT_KINDS));
    expect(score.f1Placed).toBeGreaterThanOrEqual(0.98);
    expect(score.falsePositiveRate).toBe(0);
    expect(score.classAccuracy).toBeGreaterThanOrEqual(0.96);
    expect(score.onsetErrorSeconds.p50).toBeLessThanOrEqual(0.02);
    expect(score.onsetErrorSeconds.p95).toBeLessThanOrEqual(1.5);
  });

  test('is right in nine of ten answers of which it is sure, on generated series and on real networks', () => {
    const recordings = readLines<Recording>(fixturePath('real-world/series.jsonl.gz')).map(ofRecording);
    const sets = [recordings, [...generated(LONG_KINDS), ...generated(SHORT_KINDS)].map(ofBenchmark)];
    for (const set of sets) {
      const { said, right } = calibrate(set).get('.9 and more')!;
      expect(said).toBeGreaterThan(50);
      expect(right / said).toBeGreaterThanOrEqual(0.9);
    }
  });
});
