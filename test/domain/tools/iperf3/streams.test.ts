/** A measurement from what both hosts' drivers printed, with the streamer's time stamps. */
import { describe, expect, test } from '@jest/globals';
import { sampleLines } from '../../../../domain/analysis/live-samples';
import type { MeasurementSettings } from '../../../../domain/model/settings';
import type { BidirectionalStatistics, ThroughputStatistics } from '../../../../domain/model/statistics';
import type { ChunkHeader } from '../../../../domain/model/raw-chunk';
import { assembleIperf3 } from '../../../../domain/tools/iperf3/streams';
import { readFixture } from '../../../support/fixtures';
import {
  burstThenThrottle,
  chunkHeader,
  iperf3Command,
  iperf3Lines,
  stampedLines,
  STARTED_AT_SECONDS as STARTED_AT,
} from '../../../support/raw-streams';

const CLIENT = ['timeout', '-k', '5', '105', 'python3', '/opt/network-benchmark/drive_iperf3.py', '--runs', '8', '--'];

function header(hostRole: 'client' | 'server', durationSeconds: number, more: readonly string[] = []): ChunkHeader {
  const client = ['-c', '10.9.2.2', '-t', String(durationSeconds), ...more];
  const iperf3 = hostRole === 'client' ? client : ['-s', '-1'];
  const command = [...(hostRole === 'client' ? CLIENT : []), 'stdbuf', '-oL', 'iperf3', ...iperf3];
  return chunkHeader({ hostRole, command });
}

function assemble(
  name: string,
  durationSeconds: number,
  settings: Partial<MeasurementSettings> = {},
  more: readonly string[] = [],
) {
  const stream = (hostRole: 'client' | 'server') => ({
    header: header(hostRole, durationSeconds, more),
    lines: stampedLines(readFixture(`tool-output/iperf3/3.12-driver/${name}.${hostRole}.out`)),
  });
  const asked: MeasurementSettings = { durationSeconds, ...settings };
  return assembleIperf3({ client: stream('client'), server: stream('server') }, asked);
}

const PROBE = { messageBytes: 64, messagesPerSecond: 10 };

test('a duty cycle is one series of the receiver, without samples in the pauses', () => {
  const { complete, reason, samples } = assemble('duty-cycle', 8);

  expect({ complete, reason }).toEqual({ complete: true });
  const throughput = samples.filter(({ metric }) => metric === 'throughput');
  expect(throughput).toHaveLength(64);
  expect(new Set(throughput.map(({ hostRole }) => hostRole))).toEqual(new Set(['server']));
  const inPauses = throughput.filter(({ startSeconds, lengthSeconds }) => (startSeconds + lengthSeconds) % 12 > 8.2);
  expect(inPauses).toEqual([]);
});

test('a chunk from the middle of a duty cycle has its place on the same axis', () => {
  const lines = stampedLines(readFixture('tool-output/iperf3/3.12-driver/duty-cycle.server.out'));
  const middle = lines.filter((line) => line.time > STARTED_AT + 36 && line.time < STARTED_AT + 45);

  const starts = sampleLines(header('server', 8), middle).map(({ startSeconds }) => Math.round(startSeconds));

  expect(starts).toEqual([36, 37, 38, 39, 40, 41, 42, 43]);
});

describe('ended after its throttle', () => {
  test('is complete on both hosts, with a warning that says so', () => {
    const assembled = assemble('early-end-with-probe', 90, { latencyProbe: PROBE });

    expect(assembled).toMatchObject({ complete: true });
    expect(assembled.warnings).toEqual([expect.stringMatching(/^stopped 10 s after the throttle seen at \d+ s$/)]);
    const throughput = assembled.samples.filter(({ metric }) => metric === 'throughput');
    expect(throughput.at(-1)!.startSeconds).toBeLessThan(45);
  });

  test("the probe's round trips are samples of the client, one per second", () => {
    const { samples, roundTrips } = assemble('early-end-with-probe', 90, { latencyProbe: PROBE });

    const ofProbe = samples.filter(({ metric }) => metric === 'round_trip');
    expect(ofProbe.reduce((sum, { observations }) => sum + observations!, 0)).toBe(roundTrips!.length);
    expect(new Set(ofProbe.map(({ startSeconds }) => startSeconds)).size).toBe(ofProbe.length);
    for (const sample of ofProbe) {
      expect(sample).toMatchObject({ hostRole: 'client', lengthSeconds: 1, stream: 'sum' });
      expect(sample.rttMaxMicros!).toBeGreaterThanOrEqual(sample.rttMedianMicros!);
    }
  });
});

test('a planned probe that measured nothing makes the measurement incomplete', () => {
  expect(assemble('duty-cycle', 8, { latencyProbe: PROBE })).toMatchObject({
    complete: false,
    reason: 'latency probe: no round trip was measured',
  });
});

test('a duty cycle that broke off keeps what was measured', () => {
  const { complete, reason, samples } = assemble('duty-cycle-refused', 3);

  expect(complete).toBe(false);
  expect(reason).toContain('Connection refused');
  expect(samples.filter(({ metric }) => metric === 'throughput')).toHaveLength(6);
});

describe('UDP that loses datagrams: the receiver reports the loss', () => {
  const direction = (name: string, bidirectional: boolean) =>
    assemble(name, 4, {}, bidirectional ? ['-u', '--bidir'] : ['-u', '-R']).statistics;

  test('both directions at once, each with its own loss', () => {
    expect(direction('udp-loss-bidirectional', true)).toMatchObject({
      forward: { lostPackets: 3737, sentPackets: 17_261 },
      reverse: { lostPackets: 7063, sentPackets: 17_195 },
    });
    const { forward, reverse } = direction('udp-loss-bidirectional', true) as BidirectionalStatistics;
    expect(forward.throughputBitsPerSecond!.mean / 39.06e6).toBeCloseTo(1, 1);
    expect(reverse.throughputBitsPerSecond!.mean / 29.26e6).toBeCloseTo(1, 1);
  });

  test('reverse', () => {
    const statistics = direction('udp-loss-reverse', false) as ThroughputStatistics;
    expect(statistics).toMatchObject({ lostPackets: 7064, sentPackets: 17_196 });
    expect(statistics.throughputBitsPerSecond!.mean / 29.34e6).toBeCloseTo(1, 1);
    expect(statistics.retransmits).toBeUndefined();
  });
});

test.each([
  [64, 3600],
  [32, 7200],
])('%d streams in %d seconds, which a plan may ask for, are all samples', (streamCount, seconds) => {
  const lines = iperf3Lines('client', burstThenThrottle(seconds, 1000), streamCount);
  const command = iperf3Command('client', seconds, streamCount);
  const client = { header: { ...header('client', seconds), command, startedAtSeconds: lines[0]!.time }, lines };

  const { complete, samples } = assembleIperf3({ client }, {});

  expect(complete).toBe(true);
  const counts = { throughput: seconds, stream_throughput: streamCount * seconds };
  for (const [metric, count] of Object.entries(counts)) {
    expect(samples.filter((sample) => sample.metric === metric)).toHaveLength(count);
  }
});
