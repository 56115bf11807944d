import { gzipSync } from 'node:zlib';
import { liveSamplesKey, pairHostsKey, rawChunkKey } from '../../domain/workflow/object-keys';
import { type HostRole } from '../../domain/model/host-role';
import { makeIngestChunk } from '../../lambdas/ingest-chunk/ingest-chunk';
import { FakeStore } from '../support/fake-store';
import { burstThenThrottle, iperf3Command, iperf3Lines, putRawStream } from '../support/raw-streams';

const SECONDS = 60;
const identity = (hostRole: HostRole) => ({
  userId: `AROAROLE:i-0${hostRole}`,
  runId: 'run-1',
  measurementId: 'p0001-m01',
  hostRole,
});

const eventOf = (key: string, bucket = 'results') => ({ detail: { bucket: { name: bucket }, object: { key } } });

function setUp() {
  const store = new FakeStore();
  store.putJson(pairHostsKey('run-1', 'p0001'), {
    client: { instanceId: 'i-0client' },
    server: { instanceId: 'i-0server' },
  });
  const keys = (['client', 'server'] as const).flatMap((hostRole) =>
    putRawStream(store, {
      identity: identity(hostRole),
      tool: 'iperf3',
      command: iperf3Command(hostRole, SECONDS, 8),
      lines: iperf3Lines(hostRole, burstThenThrottle(SECONDS, 25), 8),
    }),
  );
  const ingest = makeIngestChunk({
    bucketName: 'results',
    store: store.adapter,
    log: () => undefined,
  });
  return { store, keys, ingest };
}

function liveObjects(store: FakeStore) {
  return Object.fromEntries(
    store.keys('live_samples/').map((key) => [key, Buffer.from(store.objects.get(key)!).toString('hex')]),
  );
}

describe('a chunk that has arrived', () => {
  test('becomes one object of rows, under a key with its identity', async () => {
    const { store, ingest } = setUp();

    await ingest(eventOf(rawChunkKey(identity('server'), 0)));

    const key = liveSamplesKey('2026-11-20', identity('server'), 0);
    expect(store.keys('live_samples/')).toEqual([key]);
    const rows = store.rows(key).filter((row) => row.metric === 'throughput');
    expect(rows[0]).toMatchObject({
      measurement_id: 'p0001-m01',
      host_role: 'server',
      stream: 'sum',
      start_seconds: 0,
      length_seconds: 1,
      sequence: 0,
      started_at: '2026-11-20T10:05:00.000Z',
    });
  });

  test('the live rows of all chunks have each second once', async () => {
    const { store, keys, ingest } = setUp();

    for (const key of keys) await ingest(eventOf(key));

    const seconds = store
      .keys('live_samples/')
      .flatMap((key) => store.rows(key))
      .filter((row) => row.metric === 'throughput')
      .map((row) => row.start_seconds);
    expect(seconds).toEqual(Array.from({ length: SECONDS }, (_, second) => second));
  });

  test('delivered twice and in reverse order gives the same objects', async () => {
    const inOrder = setUp();
    for (const key of inOrder.keys) await inOrder.ingest(eventOf(key));
    const shuffled = setUp();

    for (const key of [...shuffled.keys].reverse()) {
      await shuffled.ingest(eventOf(key));
      await shuffled.ingest(eventOf(key));
    }

    expect(liveObjects(shuffled.store)).toEqual(liveObjects(inOrder.store));
    expect(Object.keys(liveObjects(inOrder.store)).length).toBeGreaterThan(10);
  });

  test('ignores a manifest and any other object', async () => {
    const { store, ingest } = setUp();

    await ingest(eventOf('raw/AROAROLE:i-0client/run-1/p0001-m01/client/_COMPLETE.json'));
    await ingest(eventOf('raw/something/else.gz'));

    expect(store.keys('live_samples/')).toEqual([]);
  });
});

test.each([
  ['a host of another pair', { ...identity('server'), userId: 'AROAROLE:i-0other' }],
  ['the other host of the pair', { ...identity('server'), userId: 'AROAROLE:i-0client' }],
])('a chunk that %s wrote under the name of this one is refused, and leaves no rows', async (_, stream) => {
  const { store, ingest } = setUp();
  const key = rawChunkKey(stream, 0);
  store.objects.set(key, store.objects.get(rawChunkKey(identity('server'), 0))!);

  await expect(ingest(eventOf(key))).rejects.toThrow(/must come from i-0server, the server of the pair, got AROAROLE:/);
  expect(store.keys('live_samples/')).toEqual([]);
});

describe('a chunk that is broken fails, and leaves no rows', () => {
  const key = rawChunkKey(identity('client'), 1);
  const header = {
    schema: 'network-benchmark.chunk.v1',
    runId: 'run-1',
    measurementId: 'p0001-m01',
    hostRole: 'client',
    sequence: 1,
    pairId: 'p0001',
    instanceId: 'i-client',
    tool: 'iperf3',
    toolVersion: '3.16',
    startedAtSeconds: 1.78e9,
    command: ['iperf3'],
  };
  const packed = (text: string) => new Uint8Array(gzipSync(text));
  const gzipRows = (...rows: unknown[]) =>
    new Uint8Array(gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));

  test.each<[string, Uint8Array, RegExp]>([
    ['not gzip', new TextEncoder().encode('plain text'), /must be whole gzip, got 10 bytes/],
    [
      'cut off',
      gzipRows(header, { time: 1, source: 'stdout', line: 'x'.repeat(999) }).slice(0, 60),
      /must be whole gzip/,
    ],
    ['not JSON', new Uint8Array(gzipSync('{"schema":')), /line 1 must be JSON/],
    ['empty', new Uint8Array(gzipSync('')), /schema must be network-benchmark\.chunk\.v1, got undefined/],
    [
      'of another version',
      gzipRows({ ...header, schema: 'v2' }),
      /schema must be network-benchmark\.chunk\.v1, got "v2"/,
    ],
    [
      'of another measurement',
      gzipRows({ ...header, measurementId: 'p0002-m01' }),
      /measurementId must be p0001-m01, got "p0002-m01"/,
    ],
    ['of another place in the stream', gzipRows({ ...header, sequence: 3 }), /sequence must be 1, got 3/],
    ['without its start', gzipRows({ ...header, startedAtSeconds: null }), /header: startedAtSeconds: /],
    ['with a line without a time', gzipRows(header, { source: 'stdout', line: '' }), /line 2: time: /],
    ['with a line that is null', gzipRows(header, null), /line 2: .*, got null/],
    [
      'with a start that no clock has',
      packed(JSON.stringify(header).replace('1780000000', '1e309')),
      /header: startedAtSeconds: /,
    ],
    ['with a line of no known source', gzipRows(header, { time: 1.78e9, source: 'x', line: '' }), /line 2: source: /],
    [
      'with counters that are none',
      gzipRows(header, { time: 1.78e9, source: 'ethtool', counters: { packets: '9' } }),
      /line 2: counters.packets: /,
    ],
  ])('%s', async (_, body, message) => {
    const { store, ingest } = setUp();
    store.objects.set(key, body);

    await expect(ingest(eventOf(key))).rejects.toThrow(message);
    expect(store.keys('live_samples/')).toEqual([]);
  });

  test('an event of another bucket', async () => {
    const { ingest } = setUp();

    await expect(ingest(eventOf(key, 'other'))).rejects.toThrow('bucket: must be results, got "other"');
  });
});
