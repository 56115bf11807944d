import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { scoreDetector } from '../../support/benchmark-score';
import type { LabelledSeries } from '../../support/prediction';
import { generateSeries } from '../../support/series-generator';
import { LONG_KINDS, SHORT_KINDS } from '../../support/series-shapes';

/** Seeds that no parameter was tuned on. */
const CHECK_SEEDS = [9001, 9002, 9003, 9004, 9005, 9006] as const;

function publicSet(): LabelledSeries[] {
  const file = join(__dirname, '../../fixtures/detection/public.jsonl.gz');
  const lines = gunzipSync(new Uint8Array(readFileSync(file)))
    .toString('utf8')
    .split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LabelledSeries);
}

function generated(kinds: Record<string, unknown>): LabelledSeries[] {
  return Object.keys(kinds).flatMap((kind) => CHECK_SEEDS.map((seed) => generateSeries(kind, seed)));
}

describe('the detector on labelled series', () => {
  test('keeps the figures that it reached on the public benchmark', () => {
    const score = scoreDetector(publicSet());
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
    expect(score.falsePositiveRate).toBeLessThanOrEqual(0.03);
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
});
