/** A row that can't be told from the highest one is not called the lowest. */
import { runAnswer } from '../../../domain/answer/run-answer';
import type { MeasurementResult } from '../../../domain/model/result';
import { latencyResult, throttledResult, throttledVerdict } from '../../support/measurement-results';

/** Measurements of one path, one for each value: its baseline in Gbit/s, or its median round trip. */
const PATHS = ['private', 'public', 'nlb'] as const;
function measured(make: (value: number, changes: Partial<MeasurementResult>) => MeasurementResult, all: number[][]) {
  return all.flatMap((values, planPairIndex) =>
    values.map((value, index) => {
      const pairId = `p${planPairIndex}${index}`;
      const path = PATHS[planPairIndex]!;
      return make(value, { pairId, measurementId: `${pairId}-m01`, planPairIndex, repetition: index + 1, path });
    }),
  );
}
const throttling = (gigabits: number, changes: Partial<MeasurementResult>) => {
  const baseline = { value: gigabits * 1e9, low: gigabits * 0.99e9, high: gigabits * 1.01e9 };
  return throttledResult({ ...changes, verdict: { ...throttledVerdict, baseline } });
};
const answering = (p50: number, changes: Partial<MeasurementResult>) => {
  const whole = latencyResult(changes);
  const rttMicros = { p50, mean: p50, p99: 2 * p50, min: p50 / 2, max: 9 * p50 };
  return { ...whole, statistics: { ...whole.statistics, rttMicros } } as MeasurementResult;
};
const lead = (results: readonly MeasurementResult[]) => runAnswer(results)?.sentences[0];

describe('of three paths, the last scatters so much that it may be as good as the first', () => {
  test('and is not called the lowest, although the one between them is certainly worse', () => {
    const first = [2, 2.001, 1.999, 2];
    const second = [1.8, 1.801, 1.799, 1.8];
    expect(lead(measured(throttling, [first, second, [1.4, 2.1, 1.9, 1.5]]))).toBe(
      'Sustained throughput is about the same in every case: 1.73 to 2.00 Gbit/s.',
    );
    expect(lead(measured(throttling, [first, second, [1.7, 1.701, 1.699, 1.7]]))).toMatch(
      /^Sustained throughput is highest over private addresses \(2.00 Gbit\/s\) and lowest through a load balancer \(1.70 Gbit\/s\): 18 % more/,
    );
  });

  test('nor are its round trips called the longest', () => {
    const first = [100, 100.1, 99.9, 100];
    const second = [120, 120.1, 119.9, 120];
    expect(lead(measured(answering, [first, second, [95, 110, 130, 150, 165]]))).toBe(
      'The median round trip (sockperf, TCP, messages of 64 bytes) is about the same in every case: 100 to 130 µs.',
    );
    expect(lead(measured(answering, [first, second, [130, 130.1, 129.9, 130]]))).toBe(
      'The median round trip (sockperf, TCP, messages of 64 bytes) is shortest over private addresses (100 µs) and longest through a load balancer (130 µs).',
    );
  });
});

test('rows of a single pair are named, or counted where their labels have commas', () => {
  const results = measured(throttling, [[2], [1.8, 1.8], [1.4, 1.4]]);
  const byZone = results.map(
    (result) => ({ ...result, zoneRelation: result.path === 'nlb' ? 'other_zone' : 'same_zone' }) as const,
  );
  const doubt = (some: readonly MeasurementResult[]) => runAnswer(some)?.sentences.at(-1);

  expect(doubt(results)).toBe('Measured on one pair only, so another pair may differ: private address.');
  expect(doubt(byZone)).toBe('1 of 3 rows was measured on one pair only, and another pair may differ.');
});
