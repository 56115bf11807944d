/** Measurements that a client's tool sums up at its end, and those whose series is the receiver's counters. */
import { latencyOf } from '../../../domain/model/statistics';
import type { MeasurementStreams, RawStream } from '../../../domain/assembly/raw-streams';
import type { MeasurementSettings } from '../../../domain/model/settings';
import type { RawLine } from '../../../domain/model/raw-chunk';
import { toolModule } from '../../../domain/tools/catalogue';
import type { HostRole } from '../../../domain/model/host-role';
import { readFixture } from '../../support/fixtures';
import { chunkHeader, STARTED_AT_SECONDS as STARTED_AT } from '../../support/raw-streams';

const stream = (tool: string, hostRole: HostRole, command: string, lines: readonly RawLine[]): RawStream => ({
  header: chunkHeader({ tool, hostRole, command: command.split(' ') }),
  lines,
});

/** The tool's lines, the later half of them at its end. */
function printed(name: string, endsAfterSeconds: number): RawLine[] {
  return readFixture(`tool-output/${name}`)
    .split('\n')
    .map((line) => ({
      time: STARTED_AT + (/Test end|Total of|Summary/.test(line) ? endsAfterSeconds : 0.5),
      source: 'stdout',
      line,
    }));
}

function counters(bitsPerSecond: number, seconds: number, from = -3): RawLine[] {
  return Array.from({ length: seconds - from }, (_, index) => {
    const second = from + index;
    const bytes = (bitsPerSecond / 8) * Math.max(0, second - 0.5);
    const counted = { rx_bytes: Math.round(bytes), tx_bytes: Math.round(bytes * 1.01) };
    return { time: STARTED_AT + second, source: 'interface', counters: counted };
  });
}

const assemble = (tool: string, streams: MeasurementStreams, settings: Partial<MeasurementSettings> = {}) =>
  toolModule(tool).assemble(streams, { durationSeconds: 10, ...settings });

describe("sockperf's mode throughput", () => {
  const settings = { mode: 'throughput' };
  const client = (seconds: number) =>
    stream('sockperf', 'client', 'sockperf throughput --tcp', [
      ...printed('sockperf/3.7-tp.out', seconds),
      ...counters(8e9, seconds + 3),
    ]);
  const server = (seconds: number) => stream('sockperf', 'server', 'sockperf server --tcp', counters(8e9, seconds + 8));

  test("is judged by what the receiver's interface counted while the client sent", () => {
    const assembled = assemble('sockperf', { client: client(20.5), server: server(20.5) }, settings);
    const throughput = assembled.samples.filter((sample) => sample.metric === 'throughput');

    expect(assembled).toMatchObject({ complete: true, toolVersion: '3.7' });
    expect(throughput).toHaveLength(19);
    expect(throughput[0]).toMatchObject({ hostRole: 'server', direction: 'forward', startSeconds: 0.5 });
    for (const sample of throughput) expect(sample.throughputBitsPerSecond).toBeCloseTo(8e9, -3);
    expect(assembled.statistics).toMatchObject({ throughputBitsPerSecond: { p50: expect.closeTo(8e9, -3) as number } });
    expect(assembled.samples.filter((sample) => sample.metric === 'sent_throughput')).toHaveLength(19);
    expect(assembled.warnings).toContainEqual(expect.stringContaining("the receiver's interface counted"));
  });

  test("without the server, TCP's throughput is what the sender counted", () => {
    const assembled = assemble('sockperf', { client: client(20.5) }, settings);
    const [first] = assembled.samples.filter((sample) => sample.metric === 'throughput');

    expect(first).toMatchObject({ hostRole: 'client' });
    expect(assembled.warnings).toContainEqual(expect.stringContaining("the sender's interface counted"));
  });

  test('without the server, what arrived over UDP is unknown', () => {
    const sent = client(20.5);
    const lines = sent.lines.map((line) =>
      'line' in line ? { ...line, line: line.line.replace('# TCP', '# UDP') } : line,
    );
    const assembled = assemble('sockperf', { client: { ...sent, lines } }, settings);

    expect(assembled.samples.filter((sample) => sample.metric === 'throughput')).toEqual([]);
    expect(assembled.samples.filter((sample) => sample.metric === 'sent_throughput').length).toBeGreaterThan(10);
    expect(assembled.statistics).toEqual({});
  });

  test('a client that never began has no throughput, not a throughput of 0', () => {
    const refused = [...printed('sockperf/3.7-pp-refused.out', 1), ...counters(0, 5)];
    const assembled = assemble(
      'sockperf',
      { client: stream('sockperf', 'client', 'sockperf throughput --tcp', refused), server: server(5) },
      settings,
    );

    expect(assembled.samples.filter((sample) => sample.metric === 'throughput')).toEqual([]);
    expect(assembled).toMatchObject({ complete: false, statistics: {} });
    expect(assembled.reason).toContain('Connection refused');
  });

  test('a killed client keeps what had arrived', () => {
    const lines = [...client(20.5).lines].filter(
      (line) => line.time < STARTED_AT + 12 && !('line' in line && /Test end|Total of|Summary/.test(line.line)),
    );
    const assembled = assemble(
      'sockperf',
      { client: stream('sockperf', 'client', 'sockperf throughput --tcp', lines), server: server(11) },
      settings,
    );

    expect(assembled.samples.filter((sample) => sample.metric === 'throughput').length).toBe(10);
    expect(assembled.complete).toBe(false);
  });
});

describe('tools whose client prints its figures at the end', () => {
  test('the command line shows the mode under-load', () => {
    const lines = printed('sockperf/3.7-ul.out', 2);
    const assembled = assemble('sockperf', {
      client: stream('sockperf', 'client', 'timeout 40 stdbuf -oL sockperf under-load --full-rtt', lines),
    });

    // It was started with --full-rtt, so the printed figures are full round trips.
    expect(assembled.statistics).toMatchObject({ rttMicros: { mean: 177.008 }, observations: 14 });
    expect(latencyOf({ kind: 'latency', ...assembled })?.transactionsPerSecond).toBeUndefined();
  });

  test('ping: fewer packets than the command line asked for are incomplete', () => {
    const lines = printed('ping/20221126-interrupted.out', 1);
    const ping = (command: string) => assemble('ping', { client: stream('ping', 'client', command, lines) });

    expect(ping('timeout -k 5 30 env LC_ALL=C bash -c ping_-V;_exec bash ping -n -c 100 -i 0.1')).toMatchObject({
      complete: false,
      reason: '10 of 100 packets were sent',
      toolVersion: '20221126',
    });
    expect(ping('bash -c ping_-V bash ping -n -c 10 -i 0.1').complete).toBe(true);
  });

  test('ping: losing every packet is a failure with a reason', () => {
    const lines = printed('ping/20221126-unreachable.out', 1);
    const assembled = assemble('ping', { client: stream('ping', 'client', 'ping -c 4', lines) });

    expect(assembled).toMatchObject({ complete: false, reason: 'no reply to 4 packets: Destination Host Unreachable' });
    expect(latencyOf({ kind: 'latency', ...assembled })?.rttMicros).toBeUndefined();
  });

  test('tracepath', () => {
    const lines = printed('tracepath/20221126-two-hops.out', 1);
    const assembled = assemble('tracepath', { client: stream('tracepath', 'client', 'tracepath -n', lines) });

    expect(assembled).toMatchObject({ complete: true, statistics: { pathMtuBytes: 9001, hopCount: 2 } });
  });

  test.each(['sockperf', 'ping', 'tracepath'])('%s without a stream has the reason', (tool) => {
    expect(assemble(tool, {})).toMatchObject({ complete: false, reason: 'nothing came from the client', samples: [] });
  });
});
