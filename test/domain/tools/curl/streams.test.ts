/** Parallel curl, assembled: the series is the interface's, each stream's figures are curl's. */
import { describe, expect, test } from '@jest/globals';
import type { RawStream } from '../../../../domain/assembly/raw-streams';
import type { RawLine } from '../../../../domain/model/raw-chunk';
import { withToolCpu } from '../../../../domain/assembly/assemble-measurement';
import { assembleCurlStreams, streamStatistics } from '../../../../domain/tools/curl/streams';
import type { HostRole } from '../../../../domain/model/host-role';
import { chunkHeader, STARTED_AT_SECONDS as STARTED_AT } from '../../../support/raw-streams';

/** The driver takes a moment to start; everything is counted from its first line. */
const ORIGIN = STARTED_AT + 0.35;
const SECONDS = 20;
const PACKET_BYTES = 9_015;
const HEADER_BYTES = 66;

interface Load {
  readonly hostRole?: HostRole;
  /** Bytes that curl sees, of each second of the load. */
  readonly payload?: (second: number) => number;
  readonly prefix?: 'rx' | 'tx';
  readonly extraShare?: number;
  readonly lines?: readonly { readonly at: number; readonly line: string }[];
  readonly untilSeconds?: number;
  readonly cpu?: { readonly user: number; readonly system: number };
}

/** 400 Mbit/s, and a quarter of it from the tenth second. */
const throttled = (second: number) => (second < 10 ? 50e6 : 12.5e6);

function bytesAt(elapsed: number, payload: (second: number) => number): number {
  let total = 0;
  for (let second = 0; second < SECONDS && second < elapsed; second++) {
    total += payload(second) * Math.min(1, elapsed - second);
  }
  return total;
}

function stream(load: Load): RawStream {
  const { hostRole = 'client', payload = throttled, prefix = 'rx', extraShare = 0, untilSeconds = 22, cpu } = load;
  const counters = Array.from({ length: Math.floor(untilSeconds) + 1 }, (_, index): RawLine[] => {
    const time = STARTED_AT + index;
    const bytes = bytesAt(time - ORIGIN, payload) * (1 + extraShare);
    const packets = bytes / (PACKET_BYTES - HEADER_BYTES);
    const wire = bytes + packets * HEADER_BYTES;
    const used = Math.max(0, Math.min(time - ORIGIN, SECONDS));
    return [
      { time, source: 'interface', counters: { [`${prefix}_bytes`]: 1e9 + wire, [`${prefix}_packets`]: packets } },
      ...(cpu === undefined
        ? []
        : [
            {
              time,
              source: 'cpu' as const,
              counters: { user_seconds: used * cpu.user, system_seconds: used * cpu.system, steal_seconds: used * 0.3 },
            },
          ]),
    ];
  }).flat();
  const lines = (load.lines ?? []).map(({ at, line }): RawLine => ({ time: ORIGIN + at, source: 'stdout', line }));
  return {
    header: chunkHeader({ hostRole, tool: 'http' }),
    lines: [...counters, ...lines].sort((left, right) => left.time - right.time),
  };
}

const start = (streams: number, operation = 'download') => ({
  at: 0,
  line: JSON.stringify({
    event: 'start',
    tool: 'curl',
    toolVersion: '8.5.0',
    operation,
    streams,
    durationSeconds: SECONDS,
  }),
});
const transfer = (at: number, number: number, bytes: number, more: Record<string, number> = {}) => ({
  at,
  line: JSON.stringify({
    event: 'transfer',
    stream: number,
    startSeconds: 0,
    seconds: at,
    bytes,
    httpCode: 200,
    curlExitCode: 28,
    ...more,
  }),
});
const end = { at: SECONDS + 0.02, line: JSON.stringify({ event: 'end', seconds: SECONDS + 0.02 }) };
const TOTAL = 10 * 50e6 + 10 * 12.5e6;
/** Three streams, one of which is at half the speed of the others. */
const DOWNLOAD = [start(3), ...[0.4, 0.2, 0.4].map((share, index) => transfer(SECONDS, index + 1, TOTAL * share)), end];

describe('a download', () => {
  const client = stream({ lines: DOWNLOAD });
  const assembled = assembleCurlStreams({ client });

  test('has the series that the interface counted, within the load only', () => {
    const series = assembled.samples.filter((sample) => sample.metric === 'throughput');
    expect(series).toHaveLength(19);
    expect(series[0]).toMatchObject({ hostRole: 'client', direction: 'reverse', stream: 'sum', lengthSeconds: 1 });
    expect(series[0]!.startSeconds).toBeCloseTo(0.65, 5);
    const wire = PACKET_BYTES / (PACKET_BYTES - HEADER_BYTES);
    expect(series[3]!.throughputBitsPerSecond! / (400e6 * wire)).toBeCloseTo(1, 4);
    expect(series.at(-1)!.throughputBitsPerSecond! / (100e6 * wire)).toBeCloseTo(1, 4);
    expect(assembled.complete).toBe(true);
    expect(assembled.warnings).toEqual([]);
    expect(assembled.toolVersion).toBe('8.5.0');
  });

  test('marks the straggler, and the streams add up to the whole', () => {
    const rate = (TOTAL * 8) / SECONDS;
    expect(assembled.statistics).toMatchObject({
      streams: [
        { stream: '1', throughputBitsPerSecond: rate * 0.4, isStraggler: false },
        { stream: '2', throughputBitsPerSecond: rate * 0.2, isStraggler: true },
        { stream: '3', throughputBitsPerSecond: rate * 0.4, isStraggler: false },
      ],
    });
  });

  test.each([
    [0.08, '8 % more'],
    [-0.09, '9 % less'],
  ])('a sum that differs by %d from the interface has a warning', (extraShare, words) => {
    const { warnings } = assembleCurlStreams({ client: stream({ lines: DOWNLOAD, extraShare }) });
    expect(warnings).toEqual([`the interface counted ${words} than the streams transferred, headers apart`]);
  });

  test.each([0.04, -0.04])('a sum that differs by %d has no warning', (extraShare) => {
    expect(assembleCurlStreams({ client: stream({ lines: DOWNLOAD, extraShare }) }).warnings).toEqual([]);
  });
});

test("an upload's series is what the client sent", () => {
  const lines = [start(1, 'upload'), transfer(SECONDS, 1, TOTAL, { httpCode: 0 }), end];
  const assembled = assembleCurlStreams({ client: stream({ lines, prefix: 'tx' }) });

  const series = assembled.samples.filter((sample) => sample.metric === 'throughput');
  expect(series).toHaveLength(19);
  expect(series[0]).toMatchObject({ hostRole: 'client', direction: 'forward' });
  expect(assembled.warnings).toEqual([]);
});

describe('measurements that broke off', () => {
  test('the series ends where a stream failed', () => {
    const lines = [start(2), { at: 8, line: 'ERROR: stream 2: curl: (56) Recv failure: Connection reset by peer' }];
    const assembled = assembleCurlStreams({ client: stream({ lines }) });

    expect(assembled).toMatchObject({
      complete: false,
      reason: 'stream 2: curl: (56) Recv failure: Connection reset by peer',
      warnings: [],
    });
    const series = assembled.samples.filter((sample) => sample.metric === 'throughput');
    expect(series.map((sample) => Math.round(sample.throughputBitsPerSecond! / 1e6))).toEqual(Array(7).fill(403));
  });

  test('a host that died leaves the series that it had uploaded', () => {
    const assembled = assembleCurlStreams({ client: stream({ lines: [start(2)], untilSeconds: 12 }) });

    expect(assembled).toMatchObject({ complete: false, reason: 'the transfers did not go on to their end' });
    expect(assembled.samples.filter((sample) => sample.metric === 'throughput')).toHaveLength(11);
  });

  test.each([
    [[], 'no transfer was begun'],
    [
      [{ at: 0, line: 'ModuleNotFoundError: no module named curl_streams' }],
      'ModuleNotFoundError: no module named curl_streams',
    ],
  ])('nothing but %j: %s', (lines, reason) => {
    expect(assembleCurlStreams({ client: stream({ lines }) })).toEqual({
      samples: [],
      statistics: {},
      complete: false,
      reason,
      warnings: [],
    });
  });

  test('nothing came from the client', () => {
    const assembled = assembleCurlStreams({ server: stream({ hostRole: 'server' }) });
    expect(assembled).toMatchObject({ complete: false, reason: 'nothing came from the client' });
  });
});

describe("the tool's processor time", () => {
  const client = stream({ lines: DOWNLOAD, cpu: { user: 0.3, system: 0.5 } });
  const server = stream({ hostRole: 'server', prefix: 'tx', cpu: { user: 1.2, system: 0.6 } });

  test('is sampled on both hosts, within the load', () => {
    const { samples } = assembleCurlStreams({ client, server });
    const ofServer = samples.filter((sample) => sample.metric === 'tool_cpu' && sample.hostRole === 'server');
    expect(ofServer.length).toBeGreaterThanOrEqual(19);
    expect(ofServer[3]!.userCpuPercent).toBeCloseTo(120, 3);
    expect(ofServer[3]!.systemCpuPercent).toBeCloseTo(60, 3);
    expect(ofServer[3]!.stealCpuPercent).toBeCloseTo(30, 3);
  });

  // The second in which the load begins counts as a whole, as it does in the series of the samples.
  test('is part of the statistics, and a witness where the tool itself reports none', () => {
    const { statistics, cpu } = withToolCpu(assembleCurlStreams({ client, server }));
    const { clientCpu, serverCpu } = statistics as { clientCpu: unknown; serverCpu: { userPercent: number } };
    expect(clientCpu).toEqual({
      userPercent: expect.closeTo(29.5, 0),
      systemPercent: expect.closeTo(49, 0),
      stealPercent: expect.closeTo(29.5, 0),
    });
    expect(serverCpu.userPercent).toBeCloseTo(120, -1);
    expect(cpu).toEqual({ clientPercent: expect.closeTo(80, -1), serverPercent: expect.closeTo(180, -1) });
  });

  test("does not replace the tool's own figure", () => {
    const assembled = { ...assembleCurlStreams({ client }), cpu: { clientPercent: 12, serverPercent: 34 } };
    expect(withToolCpu(assembled).cpu).toEqual({ clientPercent: 12, serverPercent: 34 });
  });

  test('is stored with forward where both directions were driven at once', () => {
    const assembled = { ...assembleCurlStreams({ client }), statistics: { forward: {}, reverse: {} } };
    expect(withToolCpu(assembled).statistics).toEqual({ forward: { clientCpu: expect.anything() }, reverse: {} });
  });

  test('is absent where nothing was sampled', () => {
    const assembled = assembleCurlStreams({ client: stream({ lines: DOWNLOAD }) });
    expect(withToolCpu(assembled)).toBe(assembled);
  });
});

/** Megabytes per second of each stream, as they are published. */
const stragglers = (rates: readonly number[]) =>
  streamStatistics(new Map(rates.map((rate, index) => [index + 1, rate * 8e6])))
    .filter((stream) => stream.isStraggler)
    .map((stream) => Number(stream.stream));

describe('streams that share a link', () => {
  // The RightScale article's: between two hosts, then S3 by HTTPS and by HTTP.
  test.each([
    [[44, 44]],
    [[33, 35, 28]],
    [[10.2, 10.0, 11.1]],
    [[9.0, 9.1, 9.8, 9.6]],
    [[8.0, 7.8, 7.6, 7.9, 7.8, 7.5]],
    [[6.0, 6.3, 7.0, 6.1, 6.0, 5.9, 6.2, 6.3]],
    [[6.6, 6.4, 6.6, 6.3, 6.2, 6.2, 6.7, 6.3]],
  ])('have no straggler in %j', (rates) => {
    expect(stragglers(rates)).toEqual([]);
  });

  test.each([
    // "the average varies by about 2×"
    [[8, 8, 4, 8], [3]],
    [
      [7.8, 3.9, 8.0, 7.6, 4.1, 7.9],
      [2, 5],
    ],
    // With half of them slow, each slow stream sees more fast streams than slow ones.
    [
      [8, 4, 8, 4],
      [2, 4],
    ],
    [[10, 5], [2]],
    [[10, 0, 10], [2]],
    // One fast stream does not make stragglers of the others.
    [[6, 6, 6, 30], []],
    [[9], []],
    [[0, 0], []],
  ])('%j: %j', (rates, slow) => {
    expect(stragglers(rates)).toEqual(slow);
  });

  test('the limit is two thirds of the median of the others', () => {
    expect(stragglers([9, 9, 6])).toEqual([]);
    expect(stragglers([9, 9, 5.99])).toEqual([3]);
  });

  test('streams are in the order of their numbers', () => {
    const streams = streamStatistics(new Map([10, 2, 1].map((stream) => [stream, stream * 1e6])));
    expect(streams.map((stream) => stream.stream)).toEqual(['1', '2', '10']);
    expect(streams[2]).toEqual({ stream: '10', throughputBitsPerSecond: 10e6, isStraggler: false });
  });
});
