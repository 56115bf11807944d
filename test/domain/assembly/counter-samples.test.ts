import { enaSrdPackets, interfaceBytes, throughputFromCounters } from '../../../domain/assembly/counter-samples';
import type { CounterLine, RawLine } from '../../../domain/model/raw-chunk';
import { chunkHeader } from '../../support/raw-streams';

const ORIGIN = 1_795_000_000;

/** A host that counts at 0.4 s past each second, before, during and after a load of 10 s from the origin on. */
function counted(bitsPerSecond: (second: number) => number, { from = -2, to = 13, counter = 'rx_bytes' } = {}) {
  let bytes = 1_000_000;
  const lines = Array.from({ length: to - from }, (_, index): RawLine => {
    const time = ORIGIN + from + index + 0.4;
    const line: RawLine = { time, source: 'interface', counters: { [counter]: bytes } };
    bytes += bitsPerSecond(from + index) / 8;
    return line;
  });
  return { header: chunkHeader({ hostRole: 'server' }), lines };
}

const load = { direction: 'forward', originSeconds: ORIGIN, fromSeconds: 0, toSeconds: 10 } as const;
/** Nothing before 0.4 s and after 9.4 s: the edges that the load began and ended in. */
const flat = (second: number) => (second >= 0 && second < 9 ? 8e9 : 1e9);

test('the series is what the receiver counted in the seconds within the load', () => {
  const samples = throughputFromCounters(counted(flat), load, 'received');

  expect(samples.map((sample) => sample.startSeconds)).toEqual([0.4, 1.4, 2.4, 3.4, 4.4, 5.4, 6.4, 7.4, 8.4]);
  expect(samples[0]).toEqual({
    metric: 'throughput',
    hostRole: 'server',
    direction: 'forward',
    stream: 'sum',
    startSeconds: 0.4,
    lengthSeconds: 1,
    throughputBitsPerSecond: 8e9,
  });
  expect(new Set(samples.map((sample) => sample.throughputBitsPerSecond))).toEqual(new Set([8e9]));
});

test('the seconds in which the load began or ended are omitted because they would look slow', () => {
  const starts = throughputFromCounters(counted(flat), { ...load, fromSeconds: 3, toSeconds: 7.4 }, 'received');

  expect(starts.map((sample) => sample.startSeconds)).toEqual([3.4, 4.4, 5.4, 6.4]);
});

test("a sender's series is what it sent, with the given metric", () => {
  const sender = counted(flat, { counter: 'tx_bytes' });

  expect(throughputFromCounters(sender, load, 'received')).toEqual([]);
  const samples = throughputFromCounters(sender, load, 'sent', 'sent_throughput');
  expect(samples).toHaveLength(9);
  expect(samples[0]).toMatchObject({ metric: 'sent_throughput', throughputBitsPerSecond: 8e9 });
});

test('an unknown end is the last reading', () => {
  const { toSeconds: _, ...open } = load;

  expect(throughputFromCounters(counted(flat), open, 'received').at(-1)!.startSeconds).toBe(11.4);
});

test('a counter that was reset leaves a gap, not a second without traffic', () => {
  const stream = counted(flat);
  const lines = stream.lines.map((line) =>
    line.source === 'interface' && line.time > ORIGIN + 5 ? { ...line, counters: { rx_bytes: line.time } } : line,
  );

  const samples = throughputFromCounters({ ...stream, lines }, load, 'received');
  expect(samples.map((sample) => sample.startSeconds)).not.toContain(4.4);
});

describe('what was counted in a whole measurement', () => {
  const reading = (time: number, source: CounterLine['source'], counters: CounterLine['counters']): CounterLine => ({
    time,
    source,
    counters,
  });
  const srd = (time: number, [sent, eligible, received]: readonly [number, number, number]) =>
    reading(time, 'ethtool', {
      bw_in_allowance_exceeded: 0,
      ena_srd_tx_pkts: sent,
      ena_srd_eligible_tx_pkts: eligible,
      ena_srd_rx_pkts: received,
    });
  const bytes = (time: number, sent: number, received: number) =>
    reading(time, 'interface', { tx_bytes: sent, rx_bytes: received });
  const line: RawLine = { time: 0, source: 'stdout', line: 'Connecting' };

  test.each<[string, RawLine[], ReturnType<typeof enaSrdPackets>]>([
    [
      'without what was carried before',
      [line, srd(0, [1000, 2000, 3000]), srd(1, [1500, 2600, 3000]), srd(2, [1900, 3000, 3001])],
      { sent: 900, eligible: 1000, received: 1 },
    ],
    ['0 where it was idle', [srd(0, [0, 0, 0]), srd(1, [0, 0, 0])], { sent: 0, eligible: 0, received: 0 }],
    [
      'unknown to a driver that counts other things alone',
      [0, 1].map((time) => reading(time, 'ethtool', { x: 3 })),
      undefined,
    ],
    ['unknown to a driver that does not count', [line], undefined],
    ['unknown from one reading, which has no growth', [srd(0, [10, 20, 30])], undefined],
    ['unknown to a driver that began anew', [srd(0, [10, 20, 30]), srd(1, [1, 2, 3])], undefined],
  ])('packets of ENA Express: %s', (_, lines, expected) => {
    expect(enaSrdPackets(lines)).toEqual(expected);
  });

  test.each<[string, RawLine[], ReturnType<typeof interfaceBytes>]>([
    [
      'from the first reading to the last',
      [line, bytes(0, 1_000, 5_000), bytes(1, 4_000, 5_500), bytes(2, 11_000, 6_000)],
      { sent: 10_000, received: 1_000 },
    ],
    ['unknown without a reading', [line], undefined],
    ['unknown from one reading, which has no growth', [bytes(0, 1_000, 5_000)], undefined],
    ['unknown where the counters began anew', [bytes(0, 1_000, 5_000), bytes(1, 10, 20)], undefined],
  ])("the interface's bytes: %s", (_, lines, expected) => {
    expect(interfaceBytes(lines)).toEqual(expected);
  });
});
