/** sockperf, ping and tracepath: valid settings, spent credits, and where they can't measure. */
import { describe, expect, test } from '@jest/globals';
import type { PairConditions } from '../../../domain/model/conditions';
import { contextOfCommand } from '../../../domain/tools/sockperf/text';
import { ping } from '../../../domain/tools/ping/module';
import { sockperf } from '../../../domain/tools/sockperf/module';
import { tracepath } from '../../../domain/tools/tracepath/module';

const over = (path: PairConditions['path']): PairConditions => ({
  zoneRelation: 'same_zone',
  placement: 'none',
  path,
  enaExpress: 'off',
  enaExpressUdp: false,
  mtuBytes: 9001,
});
const planned = { measurementId: 'p0001-m01', planMeasurementIndex: 0, pairRepetition: 1, port: 5201 };

describe('sockperf', () => {
  const parse = (fields: Record<string, unknown>) =>
    sockperf.plan.parse({ tool: 'sockperf', durationSeconds: 10, ...fields });
  const problemsOf = (fields: Record<string, unknown>) =>
    sockperf.problems(parse(fields)).map(({ key, allowed }) => `${key}: ${allowed}`);

  test('is ping-pong over TCP unless told otherwise', () => {
    expect(sockperf.settings(parse({}))).toEqual({
      mode: 'ping_pong',
      protocol: 'tcp',
      messageBytes: 64,
      durationSeconds: 10,
    });
  });

  test('throughput is one flow of the client', () => {
    expect(sockperf.settings(parse({ mode: 'throughput' }))).toMatchObject({
      direction: 'forward',
      parallelStreams: 1,
    });
  });

  test.each([
    {},
    { repetitions: 10 },
    { mode: 'under_load', messagesPerSecond: 1000, repetitions: 3 },
    { mode: 'throughput', protocol: 'udp', repetitions: 2 },
  ])('%j has no problem', (fields) => {
    expect(problemsOf(fields)).toEqual([]);
  });

  test.each([
    [{ mode: 'under_load' }, 'messagesPerSecond: given with mode under_load'],
    [{ messagesPerSecond: 1000 }, 'messagesPerSecond: left out with mode ping_pong'],
    [{ mode: 'throughput', messagesPerSecond: 1000 }, 'messagesPerSecond: left out with mode throughput'],
    [
      { mode: 'under_load', messagesPerSecond: 100_000, durationSeconds: 3600 },
      'messagesPerSecond: at most 4444 over 3600 s',
    ],
  ])('%j: %s', (fields, problem) => {
    expect(problemsOf(fields)).toEqual([expect.stringContaining(problem)]);
  });

  test('throughput spends credits, and both hosts are counted in every mode', () => {
    const settingsOf = (mode: string) =>
      sockperf.settings(parse(mode === 'under_load' ? { mode, messagesPerSecond: 10 } : { mode }));
    expect(sockperf.kind(settingsOf('throughput'))).toBe('throughput');
    expect(sockperf.spendsCredits(settingsOf('throughput'), over('private'))).toBe(true);
    for (const mode of ['ping_pong', 'under_load']) {
      expect(sockperf.kind(settingsOf(mode))).toBe('latency');
      expect(sockperf.spendsCredits(settingsOf(mode), over('private'))).toBe(false);
    }
  });

  test('a load that could reach a baseline spends credits, a light one does not', () => {
    const spends = (messagesPerSecond: number, baselineBitsPerSecond?: number) => {
      const facts = { vcpuCount: 2, baselineBitsPerSecond };
      const settings = sockperf.settings(parse({ mode: 'under_load', messageBytes: 1400, messagesPerSecond }));
      return sockperf.spendsCredits(settings, { ...over('private'), clientFacts: facts, serverFacts: facts });
    };
    // 23.6 and 35.5 Mbit/s with their headers, of which the lowest baseline of any type is 32.
    expect([spends(2_000), spends(3_000)]).toEqual([false, true]);
    expect([spends(3_000, 750e6), spends(70_000, 750e6)]).toEqual([false, true]);
  });

  test.each([
    [10, 1],
    [1000, 1],
    [1600, 2],
    [100_000, 100],
  ])('%d messages a second: one in %s is answered', (messagesPerSecond, replyEvery) => {
    const settings = sockperf.settings(parse({ mode: 'under_load', messagesPerSecond }));
    expect(sockperf.measure({ ...planned, tool: 'sockperf', ...settings })).toMatchObject({
      MessagesPerSecond: messagesPerSecond,
      ReplyEvery: replyEvery,
    });
  });

  test.each([
    ['timeout -k 5 40 stdbuf -oL sockperf ping-pong --full-rtt', { mode: 'ping_pong', isFullRoundTrip: true }],
    ['/usr/bin/sockperf ul -i 10.0.0.2', { mode: 'under_load', isFullRoundTrip: false }],
    ['sockperf tp', { mode: 'throughput', isFullRoundTrip: false }],
    ['sockperf server --tcp', { mode: 'server', isFullRoundTrip: false }],
    ['sockperf playback', { isFullRoundTrip: false }],
    ['iperf3 -c 10.0.0.2', {}],
  ])('%s', (command, context) => {
    expect(contextOfCommand(command.split(' '))).toEqual(context);
  });
});

describe('ping', () => {
  const parse = (fields: Record<string, unknown>) => ping.plan.parse({ tool: 'ping', ...fields });

  test('a hundred packets, five a second', () => {
    expect(ping.settings(parse({}))).toEqual({
      durationSeconds: 20,
      packetCount: 100,
      intervalMillis: 200,
      messageBytes: 56,
    });
  });

  test('a part of a second counts as a whole one', () => {
    expect(ping.settings(parse({ count: 3, intervalMillis: 500 })).durationSeconds).toBe(2);
  });

  test('a ping that takes longer than a measurement may take is refused', () => {
    expect(ping.problems(parse({ count: 720, intervalMillis: 10_000 }))).toEqual([]);
    expect(ping.problems(parse({ count: 721, intervalMillis: 10_000 }))).toEqual([
      { key: 'count', allowed: 'lower, because the packets may take at most 7200 s (they would take 7210 s)' },
    ]);
  });

  test('spends credits where packets are large and follow each other fast', () => {
    const spends = (fields: object) => ping.spendsCredits(ping.settings(parse({ ...fields })), over('private'));
    expect([spends({}), spends({ packetBytes: 65_507, intervalMillis: 2 })]).toEqual([false, true]);
  });

  test.each([{ count: 1 }, { intervalMillis: 1 }, { packetBytes: 8 }, { packetBytes: 70_000 }])('%j', (fields) => {
    expect(ping.plan.safeParse({ tool: 'ping', ...fields }).success).toBe(false);
  });
});

test.each([
  ['ping', ping],
  ['tracepath', tracepath],
])('%s: a load balancer forwards no ICMP, everything else does', (_, tool) => {
  const settings = { durationSeconds: 20 };
  expect(tool.notApplicable(settings, over('nlb'))).toMatch(/^a Network Load Balancer forwards no ICMP/);
  for (const path of ['private', 'public', 'peering'] as const) {
    expect(tool.notApplicable(settings, over(path))).toBeUndefined();
  }
});

describe('sockperf over several flows', () => {
  const parse = (fields: Record<string, unknown>) =>
    sockperf.plan.parse({ tool: 'sockperf', durationSeconds: 10, ...fields });
  const load = { mode: 'under_load', messagesPerSecond: 1_000 };
  const settingsOf = (fields: Record<string, unknown>) => sockperf.settings(parse({ ...load, ...fields }));

  test('is a load of its own, apart from that over one flow, whose identity stays', () => {
    expect(sockperf.problems(parse({ ...load, parallelStreams: 8 }))).toEqual([]);
    expect(settingsOf({ parallelStreams: 8 }).parallelStreams).toBe(8);
    expect(settingsOf({})).not.toHaveProperty('parallelStreams');
    expect(sockperf.kind(settingsOf({ parallelStreams: 8 }))).toBe('latency');
  });

  test.each(['ping_pong', 'throughput'])('mode %s has one flow', (mode) => {
    expect(sockperf.problems(parse({ mode, parallelStreams: 2 }))).toEqual([
      { key: 'parallelStreams', allowed: `left out with mode ${mode}, which has one flow` },
    ]);
  });

  test("can't be measured through a load balancer, which listens on one port", () => {
    const through = (parallelStreams: number, path: string) =>
      sockperf.notApplicable(settingsOf({ parallelStreams }), { path } as never);
    expect(through(2, 'nlb')).toContain('each flow needs a port of its own');
    expect([through(1, 'nlb'), through(2, 'private')]).toEqual([undefined, undefined]);
  });

  test('no two of 256 measurements share a port, and none of them is given to a connection by the kernel', () => {
    const ports = Array.from({ length: 256 }, (_, index) => {
      const planned = { ...settingsOf({ parallelStreams: 64 }), port: 5201 + index } as never;
      const first = sockperf.measure(planned).FirstFlowPort;
      return Array.from({ length: 63 }, (__, flow) => first + flow);
    }).flat();
    expect(new Set(ports).size).toBe(ports.length);
    expect(ports.filter((port) => port < 7_000 || port >= 32_768)).toEqual([]);
  });
});
