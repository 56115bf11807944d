import { describe, expect, test } from '@jest/globals';
import { TABLES } from '../../../domain/tables/columns';
import type { MeasurementResult } from '../../../domain/model/result';
import { COMPARISON_COLUMNS, comparisonQuery, comparisonsOf } from '../../../domain/report/comparison';

const result = (overrides: Partial<MeasurementResult> = {}) =>
  ({
    measurementId: 'p0001-m01',
    tool: 'sockperf',
    protocol: 'tcp',
    clientType: 'c5.xlarge',
    serverType: 'm5.large',
    zoneRelation: 'same_zone',
    placement: 'none',
    path: 'private',
    mode: 'ping_pong',
    enaExpress: 'off',
    enaExpressUdp: false,
    mtuBytes: 9001,
    messageBytes: 64,
    durationSeconds: 60,
    ...overrides,
  }) as MeasurementResult;

describe('the question to Athena', () => {
  test('reads only columns that the table has', () => {
    const columns = TABLES.measurements.columns.map(({ name }) => name);

    expect(COMPARISON_COLUMNS.filter((name) => !columns.includes(name))).toEqual([]);
  });

  test('reads half a year of partitions, other runs and complete measurements', () => {
    const sql = comparisonQuery('run-1', '2026-11-20', [result(), result({ clientType: 't2.medium' })]);

    expect(sql).toContain("WHERE day BETWEEN '2026-05-24' AND '2026-11-20'");
    expect(sql).toContain("run_id <> 'run-1'");
    expect(sql).toContain("status = 'complete'");
    expect(sql).toContain("client_type IN ('c5.xlarge', 't2.medium')");
    expect(sql).toContain("server_type IN ('m5.large')");
  });

  test.each(["c5.xlarge') OR 1=1 --", 'c5 xlarge', ''])('fails for %j, which could end a quotation', (clientType) => {
    expect(() => comparisonQuery('run-1', '2026-11-20', [result({ clientType })])).toThrow(
      'name in a query: must match',
    );
  });
});

describe('its answer', () => {
  const row = {
    tool: 'sockperf',
    protocol: 'tcp',
    client_type: 'c5.xlarge',
    server_type: 'm5.large',
    zone_relation: 'same_zone',
    placement: 'none',
    path: 'private',
    mode: 'ping_pong',
    ena_express: 'off',
    ena_express_udp: 'false',
    mtu_bytes: '9001',
    direction: undefined,
    parallel_streams: undefined,
    message_bytes: '64',
    duration_seconds: '60',
    earlier_count: '2',
    first_day: '2026-11-01',
    last_day: '2026-11-02',
    rtt_p50_micros: '61.5',
  };

  test('stands beside each measurement that was measured that way, absent figures absent', () => {
    expect(comparisonsOf([row], [result(), result({ measurementId: 'p0002-m01' })])).toEqual([
      {
        measurementId: 'p0001-m01',
        earlierCount: 2,
        firstDay: '2026-11-01',
        lastDay: '2026-11-02',
        rttP50Micros: 61.5,
      },
      {
        measurementId: 'p0002-m01',
        earlierCount: 2,
        firstDay: '2026-11-01',
        lastDay: '2026-11-02',
        rttP50Micros: 61.5,
      },
    ]);
  });

  test.each<Partial<MeasurementResult>>([
    { messageBytes: 1400 },
    { protocol: 'udp' },
    { zoneRelation: 'other_zone' },
    { placement: 'cluster' },
    { serverType: 'c5.xlarge' },
    { mode: 'under_load' },
    { enaExpress: 'both' },
    { mtuBytes: 1500 },
    { scheme: 'https' },
    { durationSeconds: 1800 },
    { stopAfterThrottledSeconds: 20 },
    { dutyCycle: { onSeconds: 10, offSeconds: 30 } },
  ])('says nothing of another way of measuring: %j', (overrides) => {
    expect(comparisonsOf([row], [result(overrides)])).toEqual([]);
  });
});
