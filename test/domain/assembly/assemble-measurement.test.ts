import type { AssembledMeasurement } from '../../../domain/assembly/assemble-measurement';
import type { MeasurementStreams, RawStream } from '../../../domain/assembly/raw-streams';
import { toolModule } from '../../../domain/tools/catalogue';
import type { HostRole } from '../../../domain/model/host-role';
import { readFixture } from '../../support/fixtures';
import { chunkHeader, stampedLines } from '../../support/raw-streams';

function assembleMeasurement(streams: MeasurementStreams): AssembledMeasurement {
  const tool = streams.client?.header.tool ?? streams.server?.header.tool ?? 'iperf3';
  return toolModule(tool).assemble(streams, { durationSeconds: 60 });
}

function samplesOf(streams: MeasurementStreams) {
  return assembleMeasurement(streams).samples;
}

const stream = (hostRole: HostRole, text: string, command: readonly string[], tool = 'iperf3'): RawStream => ({
  header: chunkHeader({ hostRole, tool, command }),
  lines: stampedLines(text),
});

const CLIENT = ['iperf3', '-c', '10.0.0.2', '-t', '4'];
const SERVER = ['iperf3', '-s', '-1'];

function recorded(name: string, ...options: string[]): Required<MeasurementStreams> {
  return {
    client: stream('client', readFixture(`tool-output/iperf3/3.12-verbose/${name}.client.out`), [
      ...CLIENT,
      ...options,
    ]),
    server: stream('server', readFixture(`tool-output/iperf3/3.12-verbose/${name}.server.out`), SERVER),
  };
}

function counts(streams: MeasurementStreams): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { metric, direction, hostRole } of samplesOf(streams)) {
    const key = `${metric} ${direction} ${hostRole}`;
    counted[key] = (counted[key] ?? 0) + 1;
  }
  return counted;
}

/** An iperf3 stream of `rates` (Mbit/s, one per second) out of `seconds`, with or without its summary. */
function synthetic(
  hostRole: HostRole,
  rates: readonly number[],
  { seconds = rates.length, ends = true, words = '' } = {},
) {
  const column = hostRole === 'client' ? '    0   1.12 MBytes       ' : '                  ';
  const head = [
    'iperf 3.16',
    hostRole === 'client' ? 'Connecting to host 10.0.0.2, port 5201' : 'Accepted connection from 10.0.0.1, port 40000',
    `Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, ${seconds} second test, tos 0`,
    `[ ID] Interval           Transfer     Bitrate${hostRole === 'client' ? '         Retr  Cwnd' : ''}`,
  ];
  const body = rates.map(
    (rate, second) => `[  5]   ${second}.00-${second + 1}.00   sec  1.00 MBytes  ${rate} Mbits/sec${column}`,
  );
  const summary = ['Test Complete. Summary Results:', '[ ID] Interval           Transfer     Bitrate'];
  if (hostRole === 'client')
    summary.push(`[  5]   0.00-${seconds}.00  sec  1 MBytes  1 Mbits/sec    0             sender`);
  summary.push(`[  5]   0.00-${seconds}.04  sec  1 MBytes  1 Mbits/sec                  receiver`);
  const lines = [...head, ...body, ...(ends ? summary : []), ...(words ? [words] : [])];
  return stream(hostRole, lines.join('\n'), hostRole === 'client' ? CLIENT : SERVER);
}

describe('one sample per second, from the receiver', () => {
  test.each([
    [
      'forward',
      ['-P', '4'],
      { 'throughput forward server': 4, 'stream_throughput forward server': 16, 'sent_throughput forward client': 4 },
    ],
    [
      'reverse',
      ['-R', '-P', '2'],
      { 'throughput reverse client': 3, 'stream_throughput reverse client': 6, 'sent_throughput reverse server': 3 },
    ],
    [
      'udp',
      ['-u', '-P', '2'],
      { 'throughput forward server': 3, 'stream_throughput forward server': 6, 'sent_throughput forward client': 3 },
    ],
    ['udp-reverse', ['-u', '-R'], { 'throughput reverse client': 3, 'sent_throughput reverse server': 3 }],
    [
      'bidir',
      ['--bidir'],
      {
        'throughput forward server': 3,
        'sent_throughput forward client': 3,
        'throughput reverse client': 3,
        'sent_throughput reverse server': 3,
      },
    ],
  ])('%s', (name, options, expected) => {
    expect(counts(recorded(name, ...options))).toEqual(expected);
  });

  test('each second is there once, in order', () => {
    const { client, server } = recorded('forward', '-P', '4');
    const starts = samplesOf({ client, server })
      .filter((sample) => sample.metric === 'throughput')
      .map((sample) => sample.startSeconds);
    expect(starts).toEqual([0, 1, 2, 3]);
  });

  test('chunks read twice change nothing', () => {
    const { client, server } = recorded('forward', '-P', '4');
    const twice = {
      ...server,
      lines: [
        ...server.lines,
        ...server.lines.filter((line) => line.source === 'stdout' && line.line.includes('sec  ')),
      ],
    };
    expect(counts({ client, server: twice })).toEqual(counts({ client, server }));
  });
});

test('the second in which the last queue empties is not a sample', () => {
  const streams = {
    client: synthetic('client', [100, 100, 100]),
    server: synthetic('server', [99, 99, 99, 60], { seconds: 3 }),
  };
  expect(counts(streams)).toEqual({ 'throughput forward server': 3, 'sent_throughput forward client': 3 });
});

describe('statistics', () => {
  test("forward: the receiver's throughput, the sender's retransmits", () => {
    const { statistics, complete, toolVersion } = assembleMeasurement(recorded('forward', '-P', '4'));
    expect({ complete, toolVersion }).toEqual({ complete: true, toolVersion: '3.12' });
    expect(statistics).toEqual({
      throughputBitsPerSecond: {
        mean: expect.closeTo(100_660_000, 0) as number,
        p5: 100_646_000,
        p50: 100_662_000,
        p95: 100_670_000,
        min: 100_646_000,
        max: 100_670_000,
      },
      retransmits: 0,
    });
  });

  test("UDP: loss and jitter are the receiver's", () => {
    expect(assembleMeasurement(recorded('udp', '-u')).statistics).toMatchObject({
      lostPackets: 0,
      sentPackets: 230,
      jitterMicros: 12,
    });
  });

  test('both directions at once have statistics of their own', () => {
    expect(assembleMeasurement(recorded('bidir', '--bidir')).statistics).toEqual({
      forward: { throughputBitsPerSecond: expect.objectContaining({ p50: 50_327_000 }) as object, retransmits: 0 },
      reverse: { throughputBitsPerSecond: expect.objectContaining({ p50: 50_332_000 }) as object, retransmits: 0 },
    });
  });

  test('latency has percentiles and no throughput', () => {
    const client = stream(
      'client',
      readFixture('tool-output/sockperf/3.7-pp-full.out'),
      ['sockperf', 'ping-pong'],
      'sockperf',
    );
    const { statistics, samples, complete } = assembleMeasurement({ client });
    expect(statistics).toMatchObject({ rttMicros: { p50: 73.834 }, observations: 25005, droppedMessages: 0 });
    expect({ samples, complete }).toEqual({ samples: [], complete: true });
  });
});

describe('measurements that ended early', () => {
  test('the server host dies: the part of its stream that arrived counts', () => {
    const client = synthetic('client', [100, 100, 100, 100, 0, 0], { seconds: 60, ends: false });
    const server = synthetic('server', [99, 99, 99], { seconds: 60, ends: false });
    const assembled = assembleMeasurement({ client, server });
    expect(assembled).toMatchObject({ complete: false, reason: 'no final summary of the receiver (forward)' });
    expect(counts({ client, server })).toEqual({ 'throughput forward server': 3, 'sent_throughput forward client': 6 });
  });

  test('the client host dies silently: the zeros after it are not a throttle', () => {
    const client = synthetic('client', [100, 100], { seconds: 60, ends: false });
    const server = synthetic('server', [99, 99, 99, 0, 0, 0, 0], { seconds: 60, ends: false });
    const { samples, warnings } = assembleMeasurement({ client, server });
    expect(samples.filter((sample) => sample.metric === 'throughput')).toHaveLength(3);
    expect(warnings).toEqual(['forward: 4 silent intervals after the end of the flow are left out']);
  });

  test('a stall that ends is part of the series', () => {
    const streams = { client: synthetic('client', [100, 0, 0, 100]), server: synthetic('server', [99, 0, 0, 99]) };
    const { samples, complete } = assembleMeasurement(streams);
    expect(complete).toBe(true);
    expect(samples.filter((sample) => sample.metric === 'throughput')).toHaveLength(4);
  });

  test("the server's stream never came: the sender's stands in", () => {
    const client = synthetic('client', [100, 100, 100]);
    expect(counts({ client })).toEqual({ 'throughput forward client': 3 });
  });

  test("the server's stream never came: the receiver's total in the client's summary is the mean", () => {
    const { statistics, warnings } = assembleMeasurement({ client: synthetic('client', [100, 100, 100]) });
    expect(statistics).toMatchObject({ throughputBitsPerSecond: { mean: 1e6, p50: 100e6 } });
    expect(warnings).toContainEqual(expect.stringContaining('than the 1.00 Mbit/s that arrived'));
  });

  test("little came of the server's stream: the sender's stands in", () => {
    const streams = {
      client: synthetic('client', [100, 100, 100, 100, 100]),
      server: synthetic('server', [99], { ends: false }),
    };
    expect(counts(streams)).toEqual({ 'throughput forward client': 5 });
  });

  test('nothing came from the client', () => {
    const server = synthetic('server', [99, 99], { seconds: 60, ends: false });
    expect(assembleMeasurement({ server })).toMatchObject({ complete: false, reason: 'nothing came from the client' });
    expect(assembleMeasurement({})).toMatchObject({ complete: false, samples: [], statistics: {} });
  });

  test.each([
    [
      'iperf3: error - unable to connect to server: Connection refused',
      'iperf3: error - unable to connect to server: Connection refused',
    ],
    [
      'stdbuf: failed to run command ‘iperf3’: No such file or directory',
      'stdbuf: failed to run command ‘iperf3’: No such file or directory',
    ],
    ['Segmentation fault\n\n', 'Segmentation fault'],
    ['\ufffd\u0000\u0001x\n\u0007\ufffd', 'iperf3 printed 8 bytes that are no output of it'],
    [
      '[  5]   0.00-1.00   sec  1.00 MBytes  -1e+99 Gbits/sec    0   1.12 MBytes',
      'iperf3 printed 74 bytes that are no output of it',
    ],
    ['', 'the tool printed no measured interval'],
  ])('%j: the reason is in the words of the tool', (text, reason) => {
    const assembled = assembleMeasurement({ client: stream('client', text, CLIENT) });
    expect(assembled).toMatchObject({ complete: false, reason, samples: [], statistics: {} });
  });

  test('the reason of a measurement that broke off', () => {
    const words = 'iperf3: error - control socket has closed unexpectedly';
    const client = synthetic('client', [100, 100], { seconds: 60, ends: false, words });
    expect(assembleMeasurement({ client }).reason).toBe(words);
  });
});
