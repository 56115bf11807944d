/** What a plan may ask of each tool, what becomes of it, and where it can't be measured. */
import { describe, expect, test } from '@jest/globals';
import type { PairConditions } from '../../../domain/model/conditions';
import type { PlannedMeasurement } from '../../../domain/model/planned-run';
import type { MeasurementSettings } from '../../../domain/model/settings';
import { measurementPlan, toolModule } from '../../../domain/tools/catalogue';
import { contextOfCommand } from '../../../domain/tools/sockperf/text';

type Fields = Readonly<Record<string, unknown>> & { readonly tool: string };

const iperf3 = (fields: object = {}): Fields => ({ tool: 'iperf3', durationSeconds: 400, ...fields });
const udp = (fields: object = {}) => iperf3({ protocol: 'udp', targetBitsPerSecond: 1e9, ...fields });
const packets = (fields: object = {}) => iperf3({ mode: 'packets', ...fields });
const sockperf = (fields: object = {}): Fields => ({ tool: 'sockperf', durationSeconds: 10, ...fields });
const load = (fields: object = {}) => sockperf({ mode: 'under_load', messagesPerSecond: 1000, ...fields });
const ping = (fields: object = {}): Fields => ({ tool: 'ping', ...fields });
const tracepath: Fields = { tool: 'tracepath' };
const http: Fields = { tool: 'http', durationSeconds: 60 };
const s3 = (fields: object = {}): Fields => ({ tool: 's3', operation: 'download', durationSeconds: 60, ...fields });
const dutyCycle = { onSeconds: 10, offSeconds: 30 };

function settingsOf(fields: Fields): MeasurementSettings {
  return toolModule(fields.tool).settings(measurementPlan.parse(fields));
}

describe('problems of a plan', () => {
  const problemsOf = (fields: Fields) =>
    (toolModule(fields.tool).problems?.(measurementPlan.parse(fields)) ?? []).map(({ key, allowed }) => [key, allowed]);

  test.each([
    iperf3(),
    iperf3({ dutyCycle }),
    iperf3({ dutyCycle, durationSeconds: 50 }),
    iperf3({ dutyCycle, latencyProbe: {} }),
    iperf3({ stopAfterThrottledSeconds: 120, latencyProbe: { messageBytes: 64, messagesPerSecond: 100 } }),
    iperf3({ stopAfterThrottledSeconds: 399 }),
    iperf3({ mssBytes: 536, congestionControl: 'bbr', socketBufferBytes: 4_194_304 }),
    udp({ direction: 'reverse', stopAfterThrottledSeconds: 10 }),
    udp({ dutyCycle, latencyProbe: {} }),
    udp({ datagramBytes: 64, socketBufferBytes: 4_194_304 }),
    packets({ protocol: 'udp', datagramBytes: 64 }),
    packets({ protocol: 'udp', datagramBytes: 8_972, targetBitsPerSecond: 1e9, direction: 'reverse' }),
    packets({ protocol: 'udp', datagramBytes: 8_973 }),
    packets({ mssBytes: 536, parallelStreams: 64 }),
    sockperf(),
    sockperf({ repetitions: 10 }),
    sockperf({ mode: 'throughput', protocol: 'udp', repetitions: 2 }),
    load({ repetitions: 3 }),
    load({ parallelStreams: 8 }),
    load({ messagesPerSecond: 4444, durationSeconds: 3600 }),
    ping({ count: 720, intervalMillis: 10_000 }),
    s3({ rangeBytes: 8_000_000 }),
    s3({ rangeBytes: 64_000_000 }),
  ])('%j has none', (fields) => {
    expect(problemsOf(fields)).toEqual([]);
  });

  const blind = "absent where UDP is sent by the client, which can't see what arrives";
  const flood = 'which sends as fast as it can';

  test.each<[Fields, string, string]>([
    [iperf3({ protocol: 'udp' }), 'targetBitsPerSecond', 'given with protocol udp (without it, iperf3 sends 1 Mbit/s)'],
    [iperf3({ datagramBytes: 64 }), 'datagramBytes', 'left out with protocol tcp'],
    [udp({ mssBytes: 536 }), 'mssBytes', 'left out with protocol udp'],
    [udp({ congestionControl: 'bbr' }), 'congestionControl', 'left out with protocol udp'],
    [
      iperf3({ dutyCycle, durationSeconds: 49 }),
      'dutyCycle',
      'a cycle that durationSeconds holds twice (50 s are needed, 49 given)',
    ],
    [
      iperf3({ dutyCycle, stopAfterThrottledSeconds: 120 }),
      'stopAfterThrottledSeconds',
      'left out beside dutyCycle, which is held to its end',
    ],
    [iperf3({ stopAfterThrottledSeconds: 400 }), 'stopAfterThrottledSeconds', 'less than durationSeconds (400)'],
    [udp({ stopAfterThrottledSeconds: 120 }), 'stopAfterThrottledSeconds', blind],
    [udp({ direction: 'bidirectional', stopAfterThrottledSeconds: 120 }), 'stopAfterThrottledSeconds', blind],
    [packets(), 'mssBytes', 'given with mode packets and protocol tcp, because it is the length of the packets'],
    [
      packets({ protocol: 'udp' }),
      'datagramBytes',
      'given with mode packets and protocol udp, because it is the length of the packets',
    ],
    [
      packets({ protocol: 'udp', datagramBytes: 8_974 }),
      'datagramBytes',
      'at most 8973 with mode packets, so that a datagram is one packet',
    ],
    [packets({ mssBytes: 536, direction: 'bidirectional' }), 'direction', 'forward or reverse with mode packets'],
    [packets({ mssBytes: 536, latencyProbe: {} }), 'latencyProbe', 'left out with mode packets'],
    [
      packets({ mssBytes: 536, stopAfterThrottledSeconds: 10 }),
      'stopAfterThrottledSeconds',
      'left out with mode packets',
    ],
    [packets({ mssBytes: 536, dutyCycle }), 'dutyCycle', 'left out with mode packets'],
    [sockperf({ mode: 'under_load' }), 'messagesPerSecond', 'given with mode under_load, because it is the load'],
    [sockperf({ messagesPerSecond: 1000 }), 'messagesPerSecond', `left out with mode ping_pong, ${flood}`],
    [
      sockperf({ mode: 'throughput', messagesPerSecond: 1000 }),
      'messagesPerSecond',
      `left out with mode throughput, ${flood}`,
    ],
    [
      load({ messagesPerSecond: 4445, durationSeconds: 3600 }),
      'messagesPerSecond',
      'at most 4444 over 3600 s: sockperf keeps every message in memory',
    ],
    [sockperf({ parallelStreams: 2 }), 'parallelStreams', 'left out with mode ping_pong, which has one flow'],
    [
      sockperf({ mode: 'throughput', parallelStreams: 2 }),
      'parallelStreams',
      'left out with mode throughput, which has one flow',
    ],
    [
      ping({ count: 721, intervalMillis: 10_000 }),
      'count',
      'lower, because the packets may take at most 7200 s (they would take 7210 s)',
    ],
    [s3({ rangeBytes: 65_000_000 }), 'rangeBytes', 'at most objectBytes (64000000)'],
    [s3({ operation: 'upload', rangeBytes: 8_000_000 }), 'rangeBytes', 'left out with operation upload'],
  ])('%j: %s', (fields, key, allowed) => {
    expect(problemsOf(fields)).toEqual([[key, allowed]]);
  });

  test('all are reported at once', () => {
    const fields = iperf3({ protocol: 'udp', dutyCycle, durationSeconds: 20, stopAfterThrottledSeconds: 120 });
    expect(problemsOf(fields)).toHaveLength(5);
  });

  test.each([
    iperf3({ dutyCycle: { onSeconds: 1, offSeconds: 30 } }),
    iperf3({ dutyCycle: { onSeconds: 10, offSeconds: 0 } }),
    iperf3({ dutyCycle: { onSeconds: 10 } }),
    iperf3({ dutyCycle: { onSeconds: 2.5, offSeconds: 1 } }),
    iperf3({ stopAfterThrottledSeconds: 9 }),
    iperf3({ stopAfterThrottledSeconds: 3601 }),
    iperf3({ latencyProbe: { messageBytes: 13 } }),
    iperf3({ latencyProbe: { messageBytes: 1401 } }),
    iperf3({ latencyProbe: { messagesPerSecond: 9 } }),
    iperf3({ latencyProbe: { messagesPerSecond: 1001 } }),
    iperf3({ latencyProbe: { mode: 'ping_pong' } }),
    iperf3({ mssBytes: 87 }),
    iperf3({ mssBytes: 8_962 }),
    iperf3({ datagramBytes: 15 }),
    iperf3({ datagramBytes: 65_508 }),
    iperf3({ congestionControl: '-C' }),
    iperf3({ congestionControl: 'sixteen_letters_' }),
    iperf3({ socketBufferBytes: 4_095 }),
    iperf3({ socketBufferBytes: 536_870_913 }),
    iperf3({ durationSeconds: 4 }),
    iperf3({ durationSeconds: 7201 }),
    sockperf({ messageBytes: 13 }),
    sockperf({ messageBytes: 65_508 }),
    sockperf({ repetitions: 51 }),
    ping({ count: 1 }),
    ping({ count: 10_001 }),
    ping({ intervalMillis: 1 }),
    ping({ intervalMillis: 10_001 }),
    ping({ packetBytes: 15 }),
    ping({ packetBytes: 65_508 }),
    { ...http, objectBytes: 999_999 },
    { ...http, objectBytes: 8_000_000_001 },
    s3({ objectBytes: 4_999_999 }),
    s3({ objectBytes: 5_000_000_001 }),
    s3({ rangeBytes: 999_999 }),
  ])('%j is refused by the schema', (fields) => {
    expect(measurementPlan.safeParse(fields).success).toBe(false);
  });
});

describe('what a tool is asked to do', () => {
  const transfers = { scheme: 'http', parallelStreams: 4, durationSeconds: 60, protocol: 'tcp' };

  test.each<[Fields, object]>([
    [iperf3(), { protocol: 'tcp', parallelStreams: 8, direction: 'forward', durationSeconds: 400 }],
    [sockperf(), { mode: 'ping_pong', protocol: 'tcp', messageBytes: 64, durationSeconds: 10 }],
    [
      sockperf({ mode: 'throughput', repetitions: 2 }),
      {
        mode: 'throughput',
        protocol: 'tcp',
        messageBytes: 64,
        durationSeconds: 10,
        direction: 'forward',
        parallelStreams: 1,
      },
    ],
    [
      load({ parallelStreams: 8 }),
      {
        mode: 'under_load',
        protocol: 'tcp',
        messageBytes: 64,
        messagesPerSecond: 1000,
        parallelStreams: 8,
        durationSeconds: 10,
      },
    ],
    [ping(), { durationSeconds: 20, packetCount: 100, intervalMillis: 200, messageBytes: 56 }],
    [
      // A part of a second counts as a whole one.
      ping({ count: 3, intervalMillis: 500 }),
      { durationSeconds: 2, packetCount: 3, intervalMillis: 500, messageBytes: 56 },
    ],
    [tracepath, { durationSeconds: 24 }],
    [http, { ...transfers, objectBytes: 1_073_741_824, direction: 'reverse' }],
    [s3(), { ...transfers, mode: 'download', objectBytes: 64_000_000, direction: 'reverse' }],
    [s3({ operation: 'upload' }), { ...transfers, mode: 'upload', objectBytes: 64_000_000, direction: 'forward' }],
  ])('%j', (fields, settings) => {
    expect(settingsOf(fields)).toStrictEqual(settings);
  });

  test.each<[Fields, string, string[]]>([
    [iperf3(), 'throughput', ['retransmits']],
    [udp(), 'throughput', ['lossPercent']],
    [packets({ mssBytes: 536 }), 'packets', []],
    [sockperf(), 'latency', ['transactionsPerSecond']],
    [load(), 'latency', []],
    [load({ parallelStreams: 8 }), 'latency', []],
    [sockperf({ mode: 'throughput' }), 'throughput', []],
    [ping(), 'latency', []],
    [tracepath, 'conditions', []],
    [http, 'throughput', []],
    [s3(), 'throughput', []],
  ])('%j is of kind %s, with %j of its own', (fields, kind, ownFigures) => {
    const module = toolModule(fields.tool);
    expect(module.kind(settingsOf(fields))).toBe(kind);
    expect(module.ownFigures?.(settingsOf(fields)) ?? []).toEqual(ownFigures);
  });

  test.each([
    [10, 1],
    [1000, 1],
    [1600, 2],
    [100_000, 100],
  ])('of %d messages a second, one in %d is answered', (messagesPerSecond, ReplyEvery) => {
    expect(parametersOf(load({ messagesPerSecond }))).toMatchObject({
      MessagesPerSecond: messagesPerSecond,
      ReplyEvery,
    });
  });

  test('no two of 256 measurements share a port, and none of them is given to a connection by the kernel', () => {
    const ports = Array.from({ length: 256 }, (_, index) => {
      const first = Number(parametersOf(load({ parallelStreams: 64 }), 5201 + index).FirstFlowPort);
      return Array.from({ length: 63 }, (__, flow) => first + flow);
    }).flat();
    expect(new Set(ports).size).toBe(ports.length);
    expect(ports.filter((port) => port < 7_000 || port >= 32_768)).toEqual([]);
  });

  function parametersOf(fields: Fields, port = 5201) {
    return toolModule(fields.tool).measure({ ...settingsOf(fields), port } as PlannedMeasurement);
  }
});

describe('network credits', () => {
  const spends = (fields: Fields, baselineBitsPerSecond?: number) => {
    const facts = { vcpuCount: 2, baselineBitsPerSecond };
    const route = { ...over('private'), clientFacts: facts, serverFacts: facts };
    return toolModule(fields.tool).spendsCredits(settingsOf(fields), route);
  };
  const slow = (messagesPerSecond: number) => load({ messageBytes: 1400, messagesPerSecond });

  test.each<[Fields, boolean, number | undefined]>([
    [iperf3(), true, undefined],
    [packets({ mssBytes: 536 }), true, undefined],
    [http, true, undefined],
    [s3(), true, undefined],
    [tracepath, false, undefined],
    [sockperf(), false, undefined],
    [sockperf({ mode: 'throughput' }), true, undefined],
    [load({ messagesPerSecond: 10 }), false, undefined],
    // 23.6 and 35.5 Mbit/s with their headers, of which the lowest baseline of any type is 32.
    [slow(2_000), false, undefined],
    [slow(3_000), true, undefined],
    [slow(3_000), false, 750e6],
    [slow(70_000), true, 750e6],
    [ping(), false, undefined],
    [ping({ packetBytes: 65_507, intervalMillis: 2 }), true, undefined],
  ])('%j spends them: %s', (fields, expected, baseline) => {
    expect(spends(fields, baseline)).toBe(expected);
  });
});

function over(path: PairConditions['path'], mtuBytes: PairConditions['mtuBytes'] = 9001): PairConditions {
  return { zoneRelation: 'same_zone', placement: 'none', path, enaExpress: 'off', enaExpressUdp: false, mtuBytes };
}

describe('what can be measured', () => {
  const idle = (seconds: number, protocol: string, longest: number) =>
    `${seconds} s outlast the load balancer's longest idle timeout (${longest} s for ${protocol}): ` +
    "iperf3's control connection is silent while it measures";
  const long = (what: string, bytes: number, longest: number) =>
    `${what} of ${bytes} bytes don't fit into packets of 1500 bytes, which carry ${longest}`;

  test.each<[Fields, PairConditions, string | undefined]>([
    [iperf3({ durationSeconds: 6000 }), over('nlb'), undefined],
    [iperf3({ durationSeconds: 6001 }), over('nlb'), idle(6001, 'TCP', 6000)],
    [iperf3({ durationSeconds: 6001 }), over('private'), undefined],
    [udp({ durationSeconds: 350 }), over('nlb'), undefined],
    [udp({ durationSeconds: 351 }), over('nlb'), idle(351, 'UDP', 350)],
    [udp({ durationSeconds: 351 }), over('private'), undefined],
    [iperf3({ durationSeconds: 7200, dutyCycle: { onSeconds: 600, offSeconds: 600 } }), over('nlb'), undefined],
    [udp({ durationSeconds: 7200, dutyCycle }), over('nlb'), undefined],
    [udp({ durationSeconds: 7200, dutyCycle: { onSeconds: 400, offSeconds: 9 } }), over('nlb'), idle(400, 'UDP', 350)],
    [
      iperf3({ latencyProbe: {} }),
      over('nlb'),
      "the load balancer listens on iperf3's port only, not on the latency probe's",
    ],
    [iperf3({ latencyProbe: {} }), over('private'), undefined],
    [iperf3({ mssBytes: 8_961 }), over('private'), undefined],
    [iperf3({ mssBytes: 1_460 }), over('private', 1500), undefined],
    [iperf3({ mssBytes: 1_460 }), over('public'), undefined],
    [iperf3({ mssBytes: 1_461 }), over('private', 1500), long('segments', 1461, 1460)],
    [iperf3({ mssBytes: 1_461 }), over('nlb', 1500), long('segments', 1461, 1460)],
    [iperf3({ mssBytes: 8_961 }), over('public'), long('segments', 8961, 1460)],
    [packets({ protocol: 'udp', datagramBytes: 1_472 }), over('public'), undefined],
    [packets({ protocol: 'udp', datagramBytes: 1_473 }), over('public'), long('datagrams', 1473, 1472)],
    // Fragments are no packets of that length, but they do carry a throughput.
    [udp({ datagramBytes: 1_473 }), over('public'), undefined],
    [
      load({ parallelStreams: 2 }),
      over('nlb'),
      'the load balancer listens on one port, and each flow needs a port of its own',
    ],
    [load({ parallelStreams: 1 }), over('nlb'), undefined],
    [load({ parallelStreams: 2 }), over('private'), undefined],
    [ping(), over('nlb'), 'a Network Load Balancer forwards no ICMP'],
    [tracepath, over('nlb'), 'a Network Load Balancer forwards no ICMP, and no datagram to a port without a listener'],
    ...[ping(), tracepath].flatMap((fields) =>
      (['private', 'public', 'peering'] as const).map(
        (path) => [fields, over(path), undefined] as [Fields, PairConditions, undefined],
      ),
    ),
    [s3(), over('private'), undefined],
    [s3(), over('nlb'), 'S3 is reached through its gateway endpoint, whatever the path (nlb) to the server is'],
  ])('%j, %j', (fields, conditions, reason) => {
    expect(toolModule(fields.tool).notApplicable?.(settingsOf(fields), conditions)).toBe(reason);
  });
});

test.each([
  ['timeout -k 5 40 stdbuf -oL sockperf ping-pong --full-rtt', { mode: 'ping_pong', isFullRoundTrip: true }],
  ['/usr/bin/sockperf ul -i 10.0.0.2', { mode: 'under_load', isFullRoundTrip: false }],
  ['sockperf tp', { mode: 'throughput', isFullRoundTrip: false }],
  ['sockperf server --tcp', { mode: 'server', isFullRoundTrip: false }],
  ['sockperf playback', { isFullRoundTrip: false }],
  ['iperf3 -c 10.0.0.2', {}],
])("what sockperf's command line shows: %s", (command, context) => {
  expect(contextOfCommand(command.split(' '))).toEqual(context);
});
