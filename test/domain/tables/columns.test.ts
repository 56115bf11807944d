import { runAnswer } from '../../../domain/answer/run-answer';
import { typeTree } from '../../../domain/tables/column';
import {
  liveSampleRow,
  measurementCostRow,
  measurementRow,
  pairRow,
  runEndingRow,
  runRow,
  sampleOf,
  sampleRow,
  TABLES,
} from '../../../domain/tables/columns';
import type { PairFacts, Row } from '../../../domain/tables/columns';
import type { MeasurementResult } from '../../../domain/model/result';
import type { Sample } from '../../../domain/model/sample';
import {
  bidirectionalResult,
  failedResult,
  heldBackVerdict,
  latencyResult,
  packetResult,
  throttledResult,
} from '../../support/measurement-results';
import { measurementCost, pairCost, SPLIT } from '../../support/costs';
import { plannedRun } from '../../support/planned-run';

const tables = Object.values(TABLES);
const columnNames = (table: (typeof tables)[number]) => table.columns.map(({ name }) => name);

describe('the tables', () => {
  test.each(tables)('$name: columns are snake_case, unique, commented, and none is a partition', (table) => {
    const names = columnNames(table);
    expect(new Set(names).size).toBe(names.length);
    for (const { name } of table.partitions) expect(names).not.toContain(name);
    for (const { name, comment } of [...table.partitions, ...table.columns]) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      // Glue's limit
      expect(comment.length).toBeLessThanOrEqual(255);
      expect(comment).not.toBe('');
    }
  });

  test('every table is keyed by its own name', () => {
    expect(Object.keys(TABLES)).toEqual(tables.map(({ name }) => name));
  });

  test('every double and every rate has its unit in its name', () => {
    const unitless = tables.flatMap((table) =>
      table.columns.filter(
        ({ name, type }) =>
          type === 'double' &&
          !/_(bits_per_second|seconds|micros|bits|bits_at_least|percent|usd)$|_per_second$/.test(name),
      ),
    );
    expect([...new Set(unitless.map(({ name }) => name))]).toEqual([
      'confidence',
      'scaled_model_rate_divisor',
      'scaled_model_time_divisor',
    ]);
  });
});

/** Paths of all values within an object, with the values; arrays count as one. */
function leaves(value: unknown, path = ''): [path: string, value: unknown][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, path === '' ? key : `${path}.${key}`));
}

/** What has no column, and why it needs none. */
const WITHOUT_COLUMN = [
  // The setting of the same name has it.
  /^packetVerdict\.direction$/,
  /^schema$/, // of the document, not of the measurement
  /^day$/, // the partition
  /^(client|server)\.privateIp$/, // gone with the host
  /^(client|server)\.facts\.instanceId$/, // instance_id
  /^otherDirection\.(kind|\w+\.(low|high)|bucketBitsAtLeast|refill\.value|holdTimes|confidence|witnesses)$/, // in the result's document
  /^verdict\.holdTimes$/, // held_1_gbit_seconds and its like
  /^published(Client|Server)\.(instanceType|architecture|vcpuCount|isBurstableCpu|supportsClusterPlacement|supportsEnaExpress)$/, // of the type
];

/** The same shape with a different value in every leaf, so that no column can stand in for another. */
function withDistinctValues(result: MeasurementResult): MeasurementResult {
  let next = 1000;
  const distinct = (value: unknown): unknown => {
    if (typeof value === 'number') return next++;
    if (typeof value === 'string') return `text ${next++}`;
    if (typeof value === 'boolean' || value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map(distinct);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, distinct(child)]));
  };
  return { ...(distinct(result) as MeasurementResult), tool: result.tool, kind: result.kind };
}

const rtt = { rttMicros: { mean: 1, min: 1, p50: 1, p99: 1, max: 1 }, observations: 1 };
/** What only some tools have: settings, streams, round trips beside a load, what the route is like. */
const withEnaExpress = (host: MeasurementResult['client']) => ({
  ...host!,
  facts: {
    ...host!.facts,
    enaSrdMode: 1,
    cpuModel: 'Neoverse-N1',
    rxRingLength: 8192,
    txRingLength: 512,
    hasByteQueueLimits: false,
    queueDisciplines: 'mq fq_codel',
    tcpLimitOutputBytes: 1_048_576,
    hasTcpAutocorking: false,
  },
  enaSrdPackets: { sent: 1, eligible: 1, received: 1 },
});
const PINNED = {
  clientPinnedPlace: 'subnet-1',
  serverPinnedPlace: 'euc1-az3',
  clientPinnedImage: 'ami-1',
  serverPinnedImage: '/own/image',
};

const everythingElse = throttledResult({
  client: { ...withEnaExpress(throttledResult().client), zoneId: 'euc1-az2', subnetId: 'subnet-1', vpcId: 'vpc-1' },
  server: { ...withEnaExpress(throttledResult().server), zoneId: 'euc1-az3', subnetId: 'subnet-2', vpcId: 'vpc-2' },
  isDisplaced: false,
  region: 'eu-test-1',
  scaledModel: { name: 'lab', rateDivisor: 10, timeDivisor: 20 },
  mode: 'download',
  scheme: 'https',
  messagesPerSecond: 1,
  packetCount: 1,
  objectBytes: 1,
  rangeBytes: 1,
  dutyCycle: { onSeconds: 1, offSeconds: 1 },
  intervalMillis: 1,
  latencyProbe: { messageBytes: 1, messagesPerSecond: 1 },
  stopAfterThrottledSeconds: 1,
  cpuContention: 'other work kept the processors busy',
  clientCpuCredits: 'standard',
  serverCpuCredits: 'unlimited',
  ...PINNED,
  statistics: {
    streams: [{ stream: '1', throughputBitsPerSecond: 1, isStraggler: false }],
    clientCpu: { userPercent: 1, systemPercent: 1, waitingPercent: 1, pressurePercent: 1, stealPercent: 1 },
    serverCpu: { userPercent: 1, systemPercent: 1, waitingPercent: 1, pressurePercent: 1, stealPercent: 1 },
    loadedLatency: { before: rtt, after: rtt },
  } as MeasurementResult['statistics'],
});

const fullVerdict = { ...throttledResult().verdict!, bucketBitsAtLeast: 1 };

describe('the prices', () => {
  const facts: PairFacts = {
    runId: 'a-run',
    planName: 'A plan',
    region: 'eu-test-1',
    pair: { ...plannedRun().pairs[0]!, clientCpuCredits: 'standard', serverCpuCredits: 'unlimited', ...PINNED },
    status: 'failed',
    reason: 'a reason',
    cost: pairCost(),
  };

  test('pairRow fills every column, and the sum is that of the parts', () => {
    const row = pairRow(facts);
    expectKeysOf(TABLES.open_pairs, row);
    expect(row).toMatchObject({
      cost_instances_usd: 1,
      cost_lambda_usd: 9,
      cost_usd: 55,
      expected_usd: 55,
      upper_usd: 55,
    });
  });

  test('what is unknown has no key, and no sum has one that contains it', () => {
    const row = pairRow({ ...facts, cost: pairCost({ expected: null, cost: { ...SPLIT, instances: null } }) });
    expect(Object.keys(row).filter((name) => /^expected_|^cost_usd$|^cost_instances/.test(name))).toEqual([]);
    expect(row).toMatchObject({ cost_lambda_usd: 9, upper_usd: 55 });
    expect(measurementCostRow(measurementCost({ costUsd: null }))).not.toHaveProperty('cost_usd');
  });
});

describe('how long a rate is held', () => {
  const held = (result: MeasurementResult) =>
    Object.fromEntries(Object.entries(measurementRow(result)).filter(([name]) => name.startsWith('held_')));

  test('bucket / (rate - baseline): 500.1 Gbit, 1.24 and at most 9.52 Gbit/s', () => {
    const {
      held_2_gbit_seconds: two,
      held_5_gbit_seconds: five,
      held_10_gbit_seconds: ten,
      ...others
    } = held(throttledResult());
    expect([two, five]).toEqual([expect.closeTo(658.0263, 3), expect.closeTo(133.0053, 3)]);
    // Tools count no headers: 9.52 Gbit/s are a rate of ten.
    expect(ten).toBeCloseTo(60.3986, 3);
    expect(others).toEqual({ held_1_gbit: 'always', held_2_gbit: 'for', held_5_gbit: 'for', held_10_gbit: 'for' });
  });

  test('a lower bound says that it is one, and what is not known has no value', () => {
    const unexplained = throttledResult({ verdict: { ...throttledResult().verdict!, holdTimes: [] } });
    expect(held(unexplained)).toMatchObject({ held_5_gbit: 'at_least', held_5_gbit_seconds: 60.3 });
    expect(held(latencyResult())).toEqual({});
  });
});

describe('measurementRow', () => {
  test.each([
    [
      'throughput',
      throttledResult({ reason: 'a reason', verdict: fullVerdict, targetBitsPerSecond: 1, messageBytes: 1 }),
    ],
    ['bidirectional throughput', bidirectionalResult({ verdict: fullVerdict, otherDirection: fullVerdict })],
    ['latency', latencyResult({ latencyVerdict: heldBackVerdict })],
    ['packets', packetResult({ mssBytes: 536, congestionControl: 'reno', socketBufferBytes: 65_536 })],
  ])('%s: every value of the result is in the row', (_, result) => {
    const full = withDistinctValues(result);
    const row = Object.values(measurementRow(full)).map((cell) => JSON.stringify(cell));
    const lost = leaves(full)
      .filter(([path]) => !WITHOUT_COLUMN.some((pattern) => pattern.test(path)))
      .filter(([, value]) => !row.includes(JSON.stringify(value)));
    expect(lost).toEqual([]);
  });

  test('every column is filled by some measurement', () => {
    const filled = new Set(
      [
        throttledResult({ reason: 'a reason', verdict: fullVerdict, targetBitsPerSecond: 1 }),
        bidirectionalResult({ otherDirection: fullVerdict }),
        bidirectionalResult({
          statistics: { forward: throttledResult().statistics, reverse: throttledResult().statistics } as never,
        }),
        latencyResult({ latencyVerdict: heldBackVerdict }),
        latencyResult({ statistics: { transactionsPerSecond: 1 } }),
        packetResult({ mssBytes: 536, congestionControl: 'reno', socketBufferBytes: 65_536 }),
        latencyResult({ kind: 'conditions', statistics: { pathMtuBytes: 1500, hopCount: 1 } }),
        throttledResult({ verdict: { ...throttledResult().verdict!, baseline: { value: 5e8, low: 4e8, high: 6e8 } } }),
        everythingElse,
      ].flatMap((result) => Object.keys(measurementRow(result))),
    );
    const ending = runEndingRow({ outcome: 'incomplete', interruptedReason: 'stopped' });
    const atTheEnd = Object.keys({ ...measurementCostRow(measurementCost()), ...ending });
    expect(columnNames(TABLES.open_measurements)).toEqual(expect.arrayContaining(atTheEnd));
    for (const name of atTheEnd) filled.add(name);
    expect(columnNames(TABLES.open_measurements).filter((name) => !filled.has(name))).toEqual([]);
  });

  test('what was not measured has no key, so that no reader takes it for 0', () => {
    const row = measurementRow(failedResult());
    expect(
      Object.keys(row).filter((name) => /throughput|rtt|retransmits|onset|client_zone|sample_count|verdict/.test(name)),
    ).toEqual([]);
    expect(row).toMatchObject({ status: 'failed', reason: expect.stringContaining('Connection refused') as string });
    expect(Object.values(row)).not.toContain(null);
  });

  test('a measured 0 stays 0', () => {
    expect(measurementRow(throttledResult({ statistics: { retransmits: 0 } }))).toMatchObject({ retransmits: 0 });
  });

  test('both directions have columns of their own', () => {
    expect(measurementRow(bidirectionalResult())).toMatchObject({
      throughput_mean_bits_per_second: 3.98e9,
      lost_packets: 321,
      reverse_throughput_mean_bits_per_second: 3.58e9,
      reverse_lost_packets: 4321,
    });
  });

  test('a neutral witness keeps its null, which the SerDe reads as NULL', () => {
    expect(measurementRow(throttledResult()).witnesses).toContainEqual({
      name: 'retransmits',
      agrees: null,
      detail: 'few before and after',
    });
  });

  test('rejects NaN instead of writing null', () => {
    expect(() => measurementRow(throttledResult({ statistics: { jitterMicros: Number.NaN } }))).toThrow(
      'column jitter_micros: must be a finite number, got NaN',
    );
  });
});

const sample: Required<Sample> = {
  metric: 'throughput',
  hostRole: 'server',
  direction: 'reverse',
  stream: 'sum',
  startSeconds: 12,
  lengthSeconds: 1.001,
  throughputBitsPerSecond: 9.5e9,
  retransmits: 101,
  congestionWindowBytes: 1_415_577.6,
  lostPackets: 102,
  sentPackets: 103,
  jitterMicros: 10.5,
  receivedBitsPerSecond: 9.6e9,
  receivedPacketsPerSecond: 133_000.5,
  sentPacketsPerSecond: 41_000.5,
  packetsPerSecond: 92_000.5,
  sentBitsPerSecond: 9.7e9,
  bwInAllowanceExceeded: 104,
  bwOutAllowanceExceeded: 105,
  ppsAllowanceExceeded: 106,
  conntrackAllowanceExceeded: 107,
  linklocalAllowanceExceeded: 108,
  rttMedianMicros: 11.5,
  rttMaxMicros: 12.5,
  observations: 109,
  userCpuPercent: 13.5,
  systemCpuPercent: 14.5,
  stealCpuPercent: 85.5,
  waitingCpuPercent: 15.5,
  cpuPressurePercent: 95.5,
};

/** @param partitions what a row has as well although it stands in the key of the table's objects */
function expectKeysOf(
  table: { readonly columns: readonly { readonly name: string }[] },
  row: Row,
  partitions: readonly string[] = [],
) {
  const names = Object.keys(row).filter((name) => !partitions.includes(name));
  expect(names).toEqual(table.columns.map(({ name }) => name));
}

describe('sampleRow', () => {
  const identity = { runId: 'a-run', measurementId: 'p0007-m03' };

  test('fills every column of a full sample, each from its own value', () => {
    const row = sampleRow(sample, identity);
    expectKeysOf(TABLES.samples, row, ['metric']);
    expectKeysOf(TABLES.measurement_samples, row, ['run_id', 'measurement_id']);
    expect(new Set(Object.values(row)).size).toBe(Object.values(row).length);
    expect(row).toMatchObject({ run_id: 'a-run', pair_id: 'p0007', measurement_id: 'p0007-m03', start_seconds: 12 });
  });

  test('a bigint column holds whole numbers, because a fraction would fail every query', () => {
    expect(sampleRow(sample, identity).congestion_window_bytes).toBe(1_415_578);
  });

  test('a row turns back into its sample', () => {
    expect(sampleOf(sampleRow(sample, identity))).toEqual({ ...sample, congestionWindowBytes: 1_415_578 });
  });

  test('a live sample also has its chunk', () => {
    const row = liveSampleRow(sample, { ...identity, sequence: 4, startedAt: '2026-11-20T21:02:03.250Z' });
    expectKeysOf(TABLES.live_samples, row);
    expect(row).toMatchObject({ sequence: 4, started_at: '2026-11-20T21:02:03.250Z' });
  });
});

describe('runRow', () => {
  test('counts the measurements by status', () => {
    const row = runRow({
      runId: 'a-run',
      planName: 'A plan',
      createdAt: '2026-11-20T21:00:00Z',
      endedAt: '2026-11-20T21:30:00Z',
      outcome: 'incomplete',
      pairCount: 3,
      failedPairCount: 2,
      repetitions: 1,
      concurrency: 4,
      measurementStatuses: ['complete', 'complete', 'truncated', 'failed', 'not_applicable'],
      interruptedReason: 'stopped',
      reportUri: 's3://bucket/reports/a-run/report.html',
      expectedUsd: 1.5,
      upperUsd: 3,
      costUsd: 1.25,
      expectationsOutcome: 'not_met',
      expectationCounts: { met: 5, not_met: 1, undecided: 2, not_measured: 0 },
      expectations: [],
      tags: { Team: 'net', CostCenter: '42' },
      startedBy: 'schedule',
      region: 'eu-test-1',
      priceList: 'list prices',
      answer: runAnswer([throttledResult()]),
    });
    expect(row.answers).toHaveLength(1);
    expect(row.tags).toBe('{"CostCenter":"42","Team":"net"}');
    expectKeysOf(TABLES.open_runs, row);
    expect(row).toMatchObject({
      expectations_outcome: 'not_met',
      expectations_met_count: 5,
      expectations_not_met_count: 1,
      expectations_undecided_count: 2,
      expectations_not_measured_count: 0,
      measurement_count: 5,
      complete_count: 2,
      truncated_count: 1,
      failed_count: 1,
      not_applicable_count: 1,
    });
  });
});

test('a type may have arrays of structs within a struct', () => {
  expect(typeTree('array<struct<a:string,b:array<struct<c:double,d:bigint>>,e:array<double>>>')).toEqual({
    item: {
      fields: [
        ['a', { scalar: 'string' }],
        [
          'b',
          {
            item: {
              fields: [
                ['c', { scalar: 'double' }],
                ['d', { scalar: 'bigint' }],
              ],
            },
          },
        ],
        ['e', { item: { scalar: 'double' } }],
      ],
    },
  });
});
