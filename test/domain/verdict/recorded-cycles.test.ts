/** Duty cycles that the lab measured over real token buckets (test/fixtures/duty-cycles/README.md). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { DutyCycle } from '../../../domain/model/settings';
import type { RateInterval } from '../../../domain/series/rate-series';
import type { AllowanceGrowth } from '../../../domain/verdict/evidence';
import { facts, judge, witness } from '../../support/evidence';
import { fixturePath } from '../../support/fixtures';

type Line = Readonly<Record<string, number>> & { readonly metric: string; readonly host_role: 'client' | 'server' };

function recorded(name: string): { series: RateInterval[]; allowance: AllowanceGrowth[] } {
  const packed = new Uint8Array(readFileSync(fixturePath(`duty-cycles/${name}.ndjson.gz`)));
  const text = gunzipSync(packed).toString('utf8').trimEnd();
  const lines = text.split('\n').map((line) => JSON.parse(line) as Line);
  return {
    series: lines
      .filter(({ metric }) => metric === 'throughput')
      .map((line) => ({
        startSeconds: line.start_seconds!,
        lengthSeconds: line.length_seconds!,
        bitsPerSecond: line.throughput_bits_per_second!,
      })),
    allowance: lines
      .filter(({ metric }) => metric === 'allowance')
      .map((line) => ({
        hostRole: line.host_role,
        startSeconds: line.start_seconds!,
        bwInAllowanceExceeded: line.bw_in_allowance_exceeded!,
        bwOutAllowanceExceeded: line.bw_out_allowance_exceeded!,
        ppsAllowanceExceeded: line.pps_allowance_exceeded!,
      })),
  };
}

const recordings = [
  {
    name: 't2.medium-60-on-60-off',
    type: facts('t2.medium', 0.0256, 0.1024),
    dutyCycle: { onSeconds: 60, offSeconds: 60 },
    onsetSeconds: 43.9,
    bucketBits: 3.456e9,
  },
  {
    name: 't2.medium-60-on-60-off-busy',
    type: facts('t2.medium', 0.0256, 0.1024),
    dutyCycle: { onSeconds: 60, offSeconds: 60 },
    onsetSeconds: 44,
    bucketBits: 3.456e9,
  },
  {
    name: 'c5.xlarge-90-on-90-off',
    type: facts('c5.xlarge', 0.125, 1),
    dutyCycle: { onSeconds: 90, offSeconds: 90 },
    onsetSeconds: 27.1,
    bucketBits: 22.225e9,
  },
] as const;

/** The first of the runs, each with its pause, as a measurement of its own. */
function firstRuns(
  { series, allowance }: ReturnType<typeof recorded>,
  { onSeconds, offSeconds }: DutyCycle,
  count: number,
) {
  const isEarly = ({ startSeconds }: { startSeconds: number }) => startSeconds < count * (onSeconds + offSeconds) - 1;
  return { series: series.filter(isEarly), allowance: allowance.filter(isEarly) };
}

describe.each(recordings)('$name', ({ name, type, dutyCycle, onsetSeconds, bucketBits }) => {
  const recording = recorded(name);
  const types = { sender: type, receiver: type, dutyCycle };

  test('runs empty: the onset, the bucket and whose it was, with the counters as a witness', () => {
    const verdict = judge({ ...recording, ...types });
    expect(verdict).toMatchObject({ kind: 'cycle', throttledBy: 'sender', throttledBucket: 'outbound' });
    expect(Math.abs(verdict.onset!.value - onsetSeconds)).toBeLessThanOrEqual(0.5);
    // The tool counts payload and the bucket whole packets; a busy machine sends its first seconds more slowly.
    expect(Math.abs(verdict.bucket!.value / bucketBits - 1)).toBeLessThanOrEqual(0.06);
    expect(witness(verdict, 'ena_allowance_counters')).toMatchObject({ agrees: true });
    expect(verdict.confidence).toBeGreaterThanOrEqual(0.9);
    expect(verdict.explanation).not.toContain('without a drop');
  });

  test('the same from its first two runs alone', () => {
    const verdict = judge({ ...firstRuns(recording, dutyCycle, 2), ...types });
    expect(verdict.kind).toBe('cycle');
    expect(Math.abs(verdict.onset!.value - onsetSeconds)).toBeLessThanOrEqual(0.5);
  });

  test('without types and counters the fall is the same', () => {
    const { onset, kind } = judge({ series: recording.series, dutyCycle });
    expect(kind).toBe('cycle');
    expect(Math.abs(onset!.value - onsetSeconds)).toBeLessThanOrEqual(0.5);
  });
});
