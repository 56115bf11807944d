import { cellOf } from '../../../domain/model/cell';
import type { MeasurementResult } from '../../../domain/model/result';
import { compareCells } from '../../../domain/run/comparison';
import { earlierMedians, earlierRunsCells, earlierRunsQuery, previousRunQuery } from '../../../domain/run/earlier-runs';
import { isScheduledRun, RUN_ID_PATTERN } from '../../../domain/workflow/identifiers';
import { latencyResult, steadyResult, throttledResult } from '../../support/measurement-results';

const RUN = { runId: 'run-1', createdAt: '2026-11-20T10:00:00.000Z', day: '2026-11-20' };

describe('the question to Athena', () => {
  test('reads half a year of partitions, only other runs and only complete measurements', () => {
    const results = [throttledResult(), throttledResult({ clientType: 't2.medium' })];
    const sql = earlierRunsQuery(RUN, results);

    expect(sql).toContain("WHERE day BETWEEN date '2026-05-26' AND date '2026-11-20'");
    expect(sql).toContain("started_at < '2026-11-20T10:00:00.000Z'");
    expect(sql).toContain("run_id <> 'run-1'");
    expect(sql).toContain("status = 'complete'");
    expect(sql).toContain("client_type IN ('c5.xlarge', 't2.medium')");
    expect(sql).toContain("server_type IN ('c5.9xlarge')");
    expect(sql).toContain('observations >= 10000');
  });

  test.each(["c5.xlarge') OR 1=1 --", 'c5 xlarge', ''])('fails for %j, which could end a quotation', (clientType) => {
    expect(() => earlierRunsQuery(RUN, [throttledResult({ clientType })])).toThrow('name in a query: must match');
  });

  test('for the previous run fails for a name of a plan that could end a quotation', () => {
    const queryFor = (name: string) => previousRunQuery({ ...RUN, plan: { name } });
    expect(queryFor('Weekly check')).toContain("plan_name = 'Weekly check'");
    expect(() => queryFor("Weekly' OR 1=1 --")).toThrow('name in a query: must match');
  });
});

describe('the answer', () => {
  const days = { first_day: '2026-11-01', last_day: '2026-11-02' };
  const rowOf = (result: MeasurementResult, row: Readonly<Record<string, string>>) => ({
    cell: cellOf(result),
    earlier_count: '2',
    pair_count: '2',
    ...days,
    ...row,
  });
  const compared = (results: readonly MeasurementResult[], row: Readonly<Record<string, string | undefined>>) =>
    compareCells(earlierRunsCells([row]), results).compared;

  test('gives every measurement of its cell the earlier medians, without those that are missing', () => {
    const results = ['p0001-m01', 'p0002-m01'].map((measurementId, index) =>
      latencyResult({ measurementId, repetition: index + 1 }),
    );
    const row = rowOf(latencyResult(), { rtt_p50_micros: '61.5 70.25' });

    expect(earlierMedians(compared(results, row))).toEqual(
      results.map(({ measurementId }) => ({
        measurementId,
        earlierCount: 2,
        firstDay: '2026-11-01',
        lastDay: '2026-11-02',
        rttP50Micros: 61.5,
      })),
    );
  });

  test('is compared like a named run: repetitions against repetitions', () => {
    const results = [9.0, 9.1, 8.9].map((rate, index) =>
      steadyResult({
        repetition: index + 1,
        measurementId: `p000${index + 1}-m01`,
        pairId: `p000${index + 1}`,
        statistics: { throughputBitsPerSecond: { mean: rate * 1e9 } },
      }),
    );
    const row = rowOf(steadyResult(), { throughput_mean_bits_per_second: '9.4E9 9.5E9 9.6E9', earlier_count: '3' });
    const mean = compared(results, row)[0]?.figures[0];

    expect(mean).toMatchObject({ figure: 'meanBitsPerSecond', basis: 'repetitions', isBeyondNoise: true });
    expect(mean?.difference).toBeCloseTo(-0.5e9, -6);
  });

  test('has the zones of each value, so that a change within them is found', () => {
    const zones = ['a', 'b', 'c'];
    const results = [744, 960, 1212].map((p50, index) => {
      const result = latencyResult({
        repetition: index + 1,
        pairId: `p000${index}`,
        measurementId: `p000${index}-m01`,
      });
      const place = { zone: `eu-central-1${zones[index]}` };
      const { statistics, client, server } = result;
      if (client === undefined || server === undefined) throw new Error('must have hosts');
      const rttMicros = { ...(statistics as { rttMicros: object }).rttMicros, p50 };
      const hosts = { client: { ...client, ...place }, server: { ...server, ...place } };
      return { ...result, ...hosts, statistics: { ...statistics, rttMicros } } as MeasurementResult;
    });
    const text = [620, 800, 1010].map((p50, index) => `${p50}@eu-central-1${zones[index]}/eu-central-1${zones[index]}`);
    const row = rowOf(latencyResult(), { rtt_p50_micros: text.join(' '), earlier_count: '3', pair_count: '3' });
    const median = compared(results, row)[0]?.figures.find(({ figure }) => figure === 'rttP50Micros');
    expect(median).toMatchObject({ basis: 'zones', isBeyondNoise: true });
  });

  test('has the interval of a single earlier measurement', () => {
    const result = throttledResult();
    const row = rowOf(result, {
      earlier_count: '1',
      onset_seconds: '50.0',
      onset_low_seconds: '49.8',
      onset_high_seconds: '50.2',
    });
    const onset = compared([result], row)[0]?.figures.find(({ figure }) => figure === 'onsetSeconds');

    // Another pair may burst at half the rate, and throttle that much later.
    expect(onset).toMatchObject({ basis: 'own_intervals', isBeyondNoise: false });
    expect(onset?.difference).toBeCloseTo(10.4, 6);
  });

  test('reports that the same pair was measured several times', () => {
    const result = throttledResult();
    expect(compared([result], rowOf(result, { pair_count: '1' }))[0]?.sharesPairs).toBe(true);
    expect(compared([result], rowOf(result, {}))[0]?.sharesPairs).toBe(false);
  });

  test('has no earlier figures for another way of measuring', () => {
    const result = throttledResult();
    const row = rowOf(throttledResult({ parallelStreams: 4 }), { throughput_mean_bits_per_second: '9.4E9' });
    expect(compared([result], row)).toEqual([]);
  });
});

test('the previous run of a plan is found among runs that a schedule has named', () => {
  const runId = 'scheduled-6f1c1f0e-2b1d-4e0a-9d6e-0b1f8c9e7a55';
  const sql = previousRunQuery({ ...RUN, runId, plan: { name: 'canary' } });
  expect(sql).toContain(`run_id <> '${runId}'`);
  expect(sql).toContain("plan_name = 'canary'");
  expect(runId).toMatch(RUN_ID_PATTERN);
  expect(isScheduledRun(runId)).toBe(true);
});
