import { throughputFromCounters } from '../../../domain/assembly/counter-samples';
import type { RawStream } from '../../../domain/assembly/raw-streams';
import { CHUNK_SCHEMA, type RawLine } from '../../../domain/model/raw-chunk';

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
  const stream: RawStream = {
    header: {
      schema: CHUNK_SCHEMA,
      runId: 'run',
      pairId: 'p0001',
      measurementId: 'p0001-m01',
      hostRole: 'server',
      instanceId: 'i-1',
      sequence: 0,
      tool: 'sockperf',
      toolVersion: '3.7',
      command: ['sockperf', 'server'],
      startedAtSeconds: ORIGIN - 5,
    },
    lines,
  };
  return stream;
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
