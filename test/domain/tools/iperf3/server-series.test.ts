import { withServerSeries } from '../../../../domain/tools/iperf3/text';
import type { Side, ThroughputOutput, ToolInterval } from '../../../../domain/parsers/tool-output';

function output(intervals: readonly ToolInterval[]): ThroughputOutput {
  const facts = { reverse: false, bidirectional: false, complete: true, summaries: [], errors: [], warnings: [] };
  return { ...facts, kind: 'throughput', tool: 'iperf3', intervals };
}

function interval(startSeconds: number, side: Side, bitsPerSecond: number): ToolInterval {
  return { startSeconds, endSeconds: startSeconds + 1, direction: 'forward', stream: 'sum', side, bitsPerSecond };
}

test("only a series that the client lacks is taken from the server's output", () => {
  const client = output([interval(0, 'sender', 1), interval(1, 'sender', 2)]);
  const server = output([interval(0, 'sender', 3), interval(0, 'receiver', 4), interval(1, 'receiver', 5)]);
  expect(withServerSeries(client, server).intervals.map(({ bitsPerSecond }) => bitsPerSecond)).toEqual([1, 4, 2, 5]);
});

test('the work grows with the number of intervals, not with its square', () => {
  const readsFor = (seconds: number) => {
    let reads = 0;
    const series = (side: Side) =>
      Array.from({ length: seconds }, (_, second): ToolInterval => ({
        ...interval(second, side, 1),
        get side() {
          reads += 1;
          return side;
        },
      }));
    withServerSeries(output(series('sender')), output(series('receiver')));
    return reads;
  };
  expect(readsFor(4000) / readsFor(1000)).toBeLessThan(6);
});
