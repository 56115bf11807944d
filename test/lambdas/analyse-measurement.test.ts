import { gunzipSync, gzipSync } from 'node:zlib';
import { resultFromJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import { measurementRow } from '../../domain/tables/columns';
import type { ThroughputStatistics } from '../../domain/model/statistics';
import type { AnalyseMeasurementRequest, PairHosts } from '../../domain/workflow/contracts';
import {
  manifestKey,
  measurementResultKey,
  liveMeasurementRowKey,
  measurementRowsKey,
  measurementSamplesKey,
  pairHostsKey,
  planKey,
  rawChunkKey,
  samplesKey,
} from '../../domain/workflow/object-keys';
import type { RawLine } from '../../domain/model/raw-chunk';
import { type HostRole } from '../../domain/model/host-role';
import { makeAnalyseMeasurement, makeFoldUnfinished } from '../../lambdas/analyse-measurement/analyse-measurement';
import { FakeStore } from '../support/fake-store';
import { writeDocuments } from '../support/fold-schedules';
import { readFixture } from '../support/fixtures';
import { DAY, plannedRun, RUN_ID, typeFacts } from '../support/planned-run';
import {
  burstThenThrottle,
  iperf3Command,
  iperf3Lines,
  putRawStream,
  STARTED_AT_SECONDS,
  textLines,
  type RawStreamProps,
  type Series,
} from '../support/raw-streams';

const HOSTS: Record<HostRole, string> = { client: 'i-0client', server: 'i-0server' };
const THROUGHPUT = 'p0001-m02';
const LATENCY = 'p0001-m01';

const identity = (hostRole: HostRole, measurementId = THROUGHPUT) => ({
  userId: `AROAROLE:${HOSTS[hostRole]}`,
  runId: RUN_ID,
  measurementId,
  hostRole,
});

function setUp(overrides: Record<string, unknown> = {}, types?: Parameters<typeof plannedRun>[1]) {
  const store = new FakeStore();
  const run = plannedRun(overrides, types);
  const host = (hostRole: HostRole) => ({
    instanceId: HOSTS[hostRole],
    instanceType: 'c5.xlarge',
    zone: 'eu-test-1a',
    subnetId: 'subnet-a',
    imageId: 'ami-x86',
    privateIp: '10.0.0.1',
  });
  const hosts: PairHosts = {
    runId: RUN_ID,
    pairId: 'p0001',
    launchedAt: run.createdAt,
    client: host('client'),
    server: host('server'),
  };
  store.putJson(planKey(RUN_ID), run);
  store.putJson(pairHostsKey(RUN_ID, 'p0001'), hosts);
  const analyse = (request: Partial<AnalyseMeasurementRequest> = {}, changed: Partial<FakeStore['adapter']> = {}) =>
    makeAnalyseMeasurement({
      hostRoleId: 'AROAROLE',
      store: { ...store.adapter, ...changed },
      now: () => new Date('2026-11-20T11:00:00.000Z'),
      log: () => undefined,
    })({
      runId: RUN_ID,
      pairIndex: 0,
      measurementIndex: 1,
      acceptTruncated: false,
      failureReason: null,
      ...request,
    });
  const result = (measurementId = THROUGHPUT) =>
    store.json<MeasurementResultJson>(measurementResultKey(RUN_ID, measurementId));
  return { run, store, analyse, result };
}

function putIperf3(store: FakeStore, series: Series, streamCount = 8, props: Partial<RawStreamProps> = {}): void {
  for (const hostRole of ['client', 'server'] as const) {
    putRawStream(store, {
      identity: identity(hostRole),
      tool: 'iperf3',
      command: iperf3Command(hostRole, series.length, streamCount),
      lines: iperf3Lines(hostRole, series, streamCount),
      ...props,
    });
  }
}

describe('a measurement of which everything arrived', () => {
  test('is complete, with its verdict, its row and one sample per second', async () => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));

    const response = await analyse();

    expect(response).toEqual({
      measurementId: THROUGHPUT,
      status: 'complete',
      reason: null,
      verdict: 'drop, not_known',
    });
    expect(result()).toMatchObject({
      status: 'complete',
      tool: 'iperf3',
      toolVersion: '3.16',
      sampleCount: 60,
      startedAt: '2026-11-20T10:05:00.000Z',
      client: { instanceId: 'i-0client', zone: 'eu-test-1a' },
    });
    expect(result()).not.toHaveProperty('reason');
    expect(result().verdict!.onsetSeconds).toBeCloseTo(25, 0);
    const samples = await store.adapter.samples({ runId: RUN_ID, measurementId: THROUGHPUT }, ['throughput']);
    expect(samples.map(({ startSeconds }) => startSeconds)).toEqual(Array.from({ length: 60 }, (_, second) => second));
    expect(store.rows(liveMeasurementRowKey(DAY, RUN_ID, THROUGHPUT))).toEqual([
      expect.objectContaining({
        run_id: RUN_ID,
        measurement_id: THROUGHPUT,
        status: 'complete',
        client_type: 'c5.xlarge',
      }),
    ]);
  });

  test('gives the same objects when it is analysed again', async () => {
    const { store, analyse } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    await analyse();
    const before = new Map(store.objects);

    await analyse();

    expect(store.objects).toEqual(before);
  });

  test('is folded at once when its run has been summarised already', async () => {
    const { store, analyse, run } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    await writeDocuments(store.adapter, run, 1, { outcome: 'incomplete' });

    await analyse();

    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toMatchObject([{ run_outcome: 'incomplete' }]);
    expect(store.rows(samplesKey('throughput', DAY, RUN_ID, 0))).toHaveLength(60);
    expect(store.keys('live_measurements/')).toEqual([]);
    expect(store.keys('unfinished/')).toEqual([]);
  });

  test('is folded by the sweep when it was cut off after it wrote, unless its run was deleted', async () => {
    const { store, analyse, run } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    await writeDocuments(store.adapter, run, 1);
    const cutOff = { foldRun: () => Promise.reject(new Error('killed')) };
    await expect(analyse({}, cutOff)).rejects.toThrow('killed');
    const [unfinishedKey = ''] = store.keys('unfinished/');
    const foldUnfinished = makeFoldUnfinished({ store: store.adapter, log: () => undefined });

    await foldUnfinished({ unfinishedKey });
    expect(store.rows(measurementRowsKey(DAY, RUN_ID))).toMatchObject([{ measurement_id: THROUGHPUT }]);
    expect(store.keys('unfinished/')).toEqual([]);

    for (const key of store.keys(`reports/${RUN_ID}/`)) store.objects.delete(key);
    await foldUnfinished({ unfinishedKey });
    await expect(foldUnfinished({ unfinishedKey: 'unfinished/x' })).rejects.toThrow('unfinished/x: must be');
  });

  /** The ENA counters of a host that carries 125 Mbit/s, which grow until a second. */
  const enaCounters = (fromSecond: number, grownUntil: number) =>
    Array.from({ length: 5 - fromSecond }, (_, index): RawLine[] => {
      const time = STARTED_AT_SECONDS + fromSecond + index;
      const bytes = 15_625_000 * index;
      const exceeded = 100 * Math.min(index, grownUntil - fromSecond);
      return [
        { time, source: 'interface', counters: { rx_bytes: bytes, tx_bytes: bytes } },
        { time: time + 0.02, source: 'ethtool', counters: { bw_out_allowance_exceeded: exceeded } },
      ];
    }).flat();

  const roundTrips = textLines(readFixture('tool-output/sockperf/3.7-pp-full.out'));
  const putRoundTrips = (store: FakeStore, client: RawLine[], server: RawLine[], printed = roundTrips) => {
    const command = ['sockperf', 'ping-pong', '--full-rtt', '-i', '10.0.0.1', '-t', '2', '--tcp'];
    const stream = { tool: 'sockperf', command } as const;
    putRawStream(store, { ...stream, identity: identity('client', LATENCY), lines: [...printed, ...client] });
    putRawStream(store, { ...stream, identity: identity('server', LATENCY), lines: server });
  };

  test.each([
    ['before the client has begun hold nothing back', 0, 125e6, null, null],
    ['while round trips are measured show that credits were spent', 4, 125e6, 'network_credits', 'server'],
    ['while the server carries five times its baseline hold nothing back', 4, 25e6, null, null],
  ])('latency: counters of the server that grow %s', async (_, grownUntil, baselineBitsPerSecond, cause, limitedBy) => {
    const { store, analyse, result } = setUp({}, [
      typeFacts('c5.xlarge', { baselineBitsPerSecond, peakBitsPerSecond: 1e9 }),
    ]);
    putRoundTrips(store, enaCounters(0, 0), enaCounters(-5, grownUntil));

    await analyse({ measurementIndex: 0 });

    expect(result(LATENCY)).toMatchObject({ status: 'complete', latencyVerdict: { cause, limitedBy } });
    const { warnings, latencyVerdict } = result(LATENCY);
    expect(warnings.slice(1)).toEqual(cause === null ? [] : [latencyVerdict?.explanation]);
  });

  test.each([[4, 'network_credits'], [0, undefined]])('latency: without a round trip, growth until %d is %s', async (grownUntil, cause) => {
    const { store, analyse, result } = setUp({}, [
      typeFacts('c5.xlarge', { baselineBitsPerSecond: 125e6, peakBitsPerSecond: 1e9 }),
    ]);
    putRoundTrips(store, enaCounters(0, 0), enaCounters(0, grownUntil), textLines('sockperf: nothing was received'));

    await analyse({ measurementIndex: 0 });

    expect(result(LATENCY).latencyVerdict?.cause).toBe(cause);
  }); // prettier-ignore

  test('latency: round trips as the tool printed them, no verdict on a rate', async () => {
    const { store, analyse, result } = setUp();
    putRoundTrips(store, [], enaCounters(0, 0));

    const response = await analyse({ measurementIndex: 0 });

    expect(response).toEqual({ measurementId: LATENCY, status: 'complete', reason: null, verdict: null });
    expect(result(LATENCY)).toMatchObject({
      verdict: null,
      statistics: { rttMicros: { mean: 61.895, p50: 73.834, p99: 218.642 }, observations: 25005, droppedMessages: 0 },
    });
    expect(result(LATENCY)).not.toHaveProperty('sampleCount');
  });

  test('host facts of the first chunk come with the result', async () => {
    const { store, analyse, result } = setUp();
    const lines = iperf3Lines('client', burstThenThrottle(60, 25), 1);
    putIperf3(store, burstThenThrottle(60, 25), 1);
    putRawStream(store, {
      identity: identity('client'),
      tool: 'iperf3',
      command: iperf3Command('client', 60, 1),
      lines: [{ time: lines[0]!.time, source: 'facts', facts: { kernel: '6.8.0-aws', mtuBytes: 9001 } }, ...lines],
    });

    await analyse();

    expect(result().client!.facts).toEqual({ kernel: '6.8.0-aws', mtuBytes: 9001 });
    expect(result().server).not.toHaveProperty('facts');
  });

  test('host facts of both hosts come with the result and its row, with what ENA Express lacks', async () => {
    const { store, analyse, result } = setUp({
      pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', enaExpress: 'both' }],
    });
    const facts = {
      client: { mtuBytes: 8900, rxRingLength: 8192, queueDisciplines: 'mq fq_codel', tcpLimitOutputBytes: 1_048_576 },
      server: { mtuBytes: 8900, rxRingLength: 1024, hasByteQueueLimits: true, cpuModel: 'Neoverse-N1' },
    };
    putIperf3(store, burstThenThrottle(60, 25), 1);
    for (const hostRole of ['client', 'server'] as const) {
      const lines = iperf3Lines(hostRole, burstThenThrottle(60, 25), 1);
      putRawStream(store, {
        identity: identity(hostRole),
        tool: 'iperf3',
        command: iperf3Command(hostRole, 60, 1),
        lines: [{ time: lines[0]!.time, source: 'facts', facts: facts[hostRole] }, ...lines],
      });
    }

    await analyse();

    expect([result().client!.facts, result().server!.facts]).toEqual([facts.client, facts.server]);
    expect(result().warnings).toContainEqual(
      expect.stringMatching(/^server: not set up as AWS asks for ENA Express: receive ring .*, byte queue limits on$/),
    );
    expect(measurementRow(resultFromJson(result()))).toMatchObject({
      client_rx_ring_length: 8192,
      client_queue_disciplines: 'mq fq_codel',
      client_tcp_limit_output_bytes: 1_048_576,
      server_rx_ring_length: 1024,
      server_has_byte_queue_limits: true,
      server_cpu_model: 'Neoverse-N1',
    });
  });
});

describe('a stream that is not there yet', () => {
  test.each(['client', 'server'] as const)(
    'fails with IncompleteSeriesError without the manifest of the %s',
    async (hostRole) => {
      const { store, analyse } = setUp();
      putIperf3(store, burstThenThrottle(60, 25));
      store.objects.delete(manifestKey(identity(hostRole)));

      await expect(analyse()).rejects.toMatchObject({ name: 'IncompleteSeriesError' });
      expect(store.keys('reports/run-1/measurements/')).toEqual([]);
    },
  );
});

describe('a measurement that ended early', () => {
  test('a host killed at second 40 leaves 40 seconds and a verdict', async () => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25), 8, { diedAtSeconds: 40.5 });

    const response = await analyse({ acceptTruncated: true, failureReason: 'server i-0server is terminated' });

    expect(response).toMatchObject({ status: 'truncated', verdict: 'drop, not_known' });
    expect(response.reason).toMatch(/^server i-0server is terminated; /);
    expect(response.reason).toContain('server: its stream has no end, because the host was lost or its tool still ran');
    expect(result().sampleCount).toBe(40);
    expect(result().verdict!.onsetSeconds).toBeCloseTo(25, 0);
    expect(result().statistics as ThroughputStatistics).toHaveProperty('throughputBitsPerSecond.max');
  });

  test('one that the state machine calls failed is not complete, even if all of it is there', async () => {
    const { store, analyse } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));

    expect(await analyse({ acceptTruncated: true, failureReason: 'the command timed out' })).toMatchObject({
      status: 'truncated',
      reason: 'the command timed out',
    });
  });

  test('a tool that ended with an exit code of its own is not complete', async () => {
    const { store, analyse } = setUp();
    putIperf3(store, burstThenThrottle(60, 25), 8, { exitCode: 1 });

    expect(await analyse()).toMatchObject({ status: 'truncated', reason: 'iperf3 ended with exit code 1' });
  });
});

describe('a measurement that left nothing', () => {
  test('the tool’s own words are the reason, and are there only once', async () => {
    const { store, analyse, result } = setUp();
    for (const hostRole of ['client', 'server'] as const) {
      putRawStream(store, {
        identity: identity(hostRole),
        tool: 'iperf3',
        command: iperf3Command(hostRole, 60, 8),
        lines: textLines('iperf3: error - unable to connect to server: Connection refused', 'stderr'),
        exitCode: 1,
      });
    }

    const response = await analyse();

    expect(response).toMatchObject({ status: 'failed', verdict: null });
    expect(response.reason).toMatch(/unable to connect to server: Connection refused/);
    expect(response.reason!.match(/Connection refused/g)).toHaveLength(1);
    expect(result()).toMatchObject({ statistics: {}, verdict: null });
    expect(store.rows(measurementSamplesKey(RUN_ID, THROUGHPUT))).toEqual([]);
    expect(store.rows(liveMeasurementRowKey(DAY, RUN_ID, THROUGHPUT))).toHaveLength(1);
  });

  test('nonsense is quoted, not parsed', async () => {
    const { store, analyse } = setUp();
    for (const hostRole of ['client', 'server'] as const) {
      putRawStream(store, {
        identity: identity(hostRole),
        tool: 'iperf3',
        command: iperf3Command(hostRole, 60, 8),
        lines: textLines('Segmentation fault (core dumped)'),
      });
    }

    expect((await analyse()).reason).toMatch(/Segmentation fault/);
  });

  test('no chunk at all: failed, with the state machine’s reason', async () => {
    const { analyse } = setUp();

    expect(await analyse({ acceptTruncated: true, failureReason: 'serve-iperf3: port in use' })).toMatchObject({
      status: 'failed',
      reason: 'serve-iperf3: port in use',
    });
  });
});

describe('a stream that is not what the host wrote', () => {
  const key = rawChunkKey(identity('server'), 2);

  test('a missing chunk: not complete, and the gap stays a gap', async () => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    store.objects.delete(key);

    const response = await analyse();

    expect(response.status).toBe('truncated');
    expect(response.reason).toContain(`${key}: must be in the store, is missing`);
    expect(result().sampleCount).toBe(50);
  });

  test('an altered chunk: not complete, and not used', async () => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    store.objects.set(key, store.objects.get(rawChunkKey(identity('server'), 3))!);

    const response = await analyse();

    expect(response.status).toBe('truncated');
    expect(response.reason).toMatch(/000002\.ndjson\.gz: sha256 must be [0-9a-f]{64}, got [0-9a-f]{64}/);
    expect(result().sampleCount).toBe(50);
  });

  test('a broken chunk of a host that died', async () => {
    const { store, analyse } = setUp();
    putIperf3(store, burstThenThrottle(60, 25), 8, { diedAtSeconds: 40.5 });
    store.objects.set(key, new Uint8Array(gzipSync('{"schema":')));

    const response = await analyse({ acceptTruncated: true, failureReason: 'gone' });

    expect(response.status).toBe('truncated');
    expect(response.reason).toContain('000002.ndjson.gz: line 1 must be JSON');
  });

  test.each<[string, string]>([
    ['no JSON', '{"schema":'],
    ['null', 'null'],
    ['of another version', '{"schema":"v2"}'],
    ['without its chunks', '{"schema":"network-benchmark.manifest.v1","endedAtSeconds":1e309}'],
  ])('a manifest that is damaged: what is whole is analysed, and the fault is a reason: %s', async (_, text) => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    store.objects.set(manifestKey(identity('server')), new TextEncoder().encode(text));

    const response = await analyse({ acceptTruncated: true, failureReason: 'gone' });

    expect(response.status).toBe('truncated');
    expect(response.reason).toMatch(/_COMPLETE\.json: .*got/);
    expect(result().sampleCount).toBe(60);
  });

  test.each<[string, (header: object) => unknown[]]>([
    ['a header that is a list', () => [[1, 2]]],
    ['a start beyond all dates', (header) => [{ ...header, startedAtSeconds: 1e300 }]],
    ['a command that is text', (header) => [{ ...header, command: 'iperf3' }]],
    ['a line that is text', (header) => [header, 'x']],
    ['a time beyond all dates', (header) => [header, { time: 1e300, source: 'stdout', line: 'x' }]],
    ['a line whose text is a number', (header) => [header, { time: 1.78e9, source: 'stdout', line: 7 }]],
    ['counters that are null', (header) => [header, { time: 1.78e9, source: 'interface', counters: null }]],
    ['facts that are a list', (header) => [header, { time: 1.78e9, source: 'facts', facts: [] }]],
  ])('a chunk of a host that died with %s', async (_, rowsOf) => {
    const { store, analyse, result } = setUp();
    putIperf3(store, burstThenThrottle(60, 25), 8, { diedAtSeconds: 40.5 });
    const [header = ''] = gunzipSync(store.objects.get(key)!).toString('utf8').split('\n');
    const rows = rowsOf(JSON.parse(header) as object).map((row) => JSON.stringify(row));
    store.objects.set(key, new Uint8Array(gzipSync(rows.join('\n'))));

    const response = await analyse({ acceptTruncated: true, failureReason: 'gone' });

    expect(response.status).toBe('truncated');
    expect(response.reason).toMatch(/000002\.ndjson\.gz: /);
    expect(result().sampleCount).toBe(30);
  });

  test('a chunk that the manifest does not know', async () => {
    const { store, analyse } = setUp();
    putIperf3(store, burstThenThrottle(60, 25));
    store.objects.set(rawChunkKey(identity('server'), 9), store.objects.get(key)!);

    expect((await analyse()).reason).toContain('000009.ndjson.gz: must be in the manifest, is not');
  });
});

test('fails for a measurement that the plan does not have', async () => {
  const { analyse } = setUp();

  await expect(analyse({ measurementIndex: 9 })).rejects.toThrow(
    'measurement 9 of pair 0: must be in the plan of run-1',
  );
});
