/** A measurement of packets per second from the streams of both hosts. */
import { describe, expect, test } from '@jest/globals';
import type { HostRole } from '../../../../domain/model/host-role';
import type { RawLine } from '../../../../domain/model/raw-chunk';
import type { PacketStatistics } from '../../../../domain/model/statistics';
import { iperf3 } from '../../../../domain/tools/iperf3/module';
import { chunkHeader, iperf3Command, iperf3Lines } from '../../../support/raw-streams';

const SECONDS = 20;
const parse = (fields: Record<string, unknown>) =>
  iperf3.plan.parse({ tool: 'iperf3', mode: 'packets', durationSeconds: SECONDS, ...fields });

//  a packet has 500 bytes; the receiver gets 30,000 a second of 40,000, and the client's driver counts the rest
function counterLines(role: HostRole, originSeconds: number): RawLine[] {
  return Array.from({ length: SECONDS + 4 }, (_, second): RawLine[] => {
    // The counters are read before the load and after it, too, between the tool's seconds.
    const time = originSeconds + second - 1.6;
    const loaded = Math.min(Math.max(second - 1.6, 0), SECONDS);
    const [sent, received] = role === 'client' ? [40_000, 100] : [100, 30_000];
    const packets = { tx_packets: Math.round(sent * loaded), rx_packets: Math.round(received * loaded) };
    const bytes = { tx_bytes: 500 * packets.tx_packets, rx_bytes: 500 * packets.rx_packets };
    const held = role === 'client' ? Math.round(10_000 * loaded) : 0;
    const exceeded = { pps_allowance_exceeded: held, conntrack_allowance_exceeded: 0, bw_out_allowance_exceeded: 0 };
    return [
      { time, source: 'interface', counters: { ...packets, ...bytes } },
      { time, source: 'ethtool', counters: exceeded },
    ];
  }).flat();
}

function stream(hostRole: HostRole, keep: (line: RawLine) => boolean = () => true) {
  const printed = iperf3Lines(
    hostRole,
    Array.from({ length: SECONDS }, () => 120e6),
    2,
  );
  const first = printed.find((line) => 'line' in line && line.line.includes('0.00-1.00'))!;
  const lines = [...printed, ...counterLines(hostRole, first.time - 1)].filter(keep);
  return {
    header: chunkHeader({ hostRole, command: iperf3Command(hostRole, SECONDS, 2) }),
    lines,
  };
}

const settings = iperf3.settings(parse({ mssBytes: 460, parallelStreams: 2 }));

describe('a measurement of packets', () => {
  const assembled = iperf3.assemble({ client: stream('client'), server: stream('server') }, settings);

  test("has the series of the receiver's interface, second by second, without the edges of the load", () => {
    const series = assembled.samples.filter(({ metric }) => metric === 'packets');
    expect(series.length).toBeGreaterThanOrEqual(SECONDS - 2);
    expect(series.length).toBeLessThanOrEqual(SECONDS);
    for (const { packetsPerSecond, hostRole } of series) {
      expect(hostRole).toBe('server');
      expect(packetsPerSecond).toBeCloseTo(30_000, -1);
    }
  });

  test('leaves no series in bits that could be taken for the throughput of the types', () => {
    expect(assembled.samples.filter(({ metric }) => /^(stream_)?throughput$/.test(metric))).toEqual([]);
    expect(assembled.statistics).not.toHaveProperty('throughputBitsPerSecond');
  });

  test('has what was sent, the length of a packet, and what the drivers counted', () => {
    const statistics = assembled.statistics as PacketStatistics;
    expect(statistics.packetsPerSecond!.mean).toBeCloseTo(30_000, -1);
    expect(statistics.sentPacketsPerSecond).toBeCloseTo(40_000, -1);
    expect(statistics.packetBytes).toBeCloseTo(500, 6);
    expect(statistics.clientPpsAllowanceExceeded).toBeGreaterThan(9_000 * SECONDS);
    expect(statistics).toMatchObject({ serverPpsAllowanceExceeded: 0, clientConntrackAllowanceExceeded: 0 });
    expect(assembled.complete).toBe(true);
  });

  test('counts what the client receives in reverse', () => {
    const reverse = iperf3.settings(parse({ mssBytes: 460, direction: 'reverse' }));
    const { samples } = iperf3.assemble({ client: stream('client'), server: stream('server') }, reverse);
    expect(samples.filter(({ metric, hostRole }) => metric === 'packets' && hostRole === 'server')).toEqual([]);
  });

  test('is not complete where the receiver counted nothing, also with streams of older versions', () => {
    const withoutPackets = stream('server').lines.map((line) =>
      line.source === 'interface' ? { ...line, counters: { rx_bytes: 1, tx_bytes: 1 } } : line,
    );
    const old = { ...stream('server'), lines: withoutPackets };
    for (const server of [undefined, stream('server', ({ source }) => source !== 'interface'), old]) {
      const { samples, complete, reason } = iperf3.assemble({ client: stream('client'), server }, settings);
      expect(samples.some(({ metric }) => metric === 'packets')).toBe(false);
      expect([complete, reason]).toEqual([false, "the receiver's interface counted no packets"]);
    }
  });
});

test('an older stream without packet counters still has its interface samples, in bits alone', () => {
  const lines = stream('server').lines.map((line) =>
    line.source === 'interface'
      ? { ...line, counters: { rx_bytes: line.counters.rx_bytes!, tx_bytes: line.counters.tx_bytes! } }
      : line,
  );
  const throughput = iperf3.settings(iperf3.plan.parse({ tool: 'iperf3', durationSeconds: SECONDS }));
  const { samples } = iperf3.assemble({ client: stream('client'), server: { ...stream('server'), lines } }, throughput);
  const [sample] = samples.filter(({ metric, hostRole }) => metric === 'interface' && hostRole === 'server');
  expect(sample!.receivedBitsPerSecond).toBeDefined();
  expect(sample!.receivedPacketsPerSecond).toBeUndefined();
});
