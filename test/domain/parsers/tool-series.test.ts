import { orderedIntervals } from '../../../domain/parsers/tool-series';
import type { ToolInterval } from '../../../domain/parsers/tool-output';

const STREAMS = 2;

function interval(startSeconds: number, stream: string, bitsPerSecond: number): ToolInterval {
  return { startSeconds, endSeconds: startSeconds + 1, stream, bitsPerSecond, direction: 'forward', side: 'sender' };
}

/** Two streams of 1 bit/s in each second, and the sum that the tool printed after them. */
function printed(seconds: number, sums = seconds): ToolInterval[] {
  return Array.from({ length: seconds }, (_, second) => [
    interval(second, '5', 1),
    interval(second + 0.0001, '7', 1),
    // The printed sum differs from the sum of the streams, so that one made here shows.
    ...(second < sums ? [interval(second + 0.05, 'sum', 3)] : []),
  ]).flat();
}

const ratesOfSums = (intervals: readonly ToolInterval[]) =>
  orderedIntervals(intervals)
    .intervals.filter(({ stream }) => stream === 'sum')
    .map(({ startSeconds, bitsPerSecond }) => [Math.floor(startSeconds), bitsPerSecond]);

test('a sum is made only for the seconds in which the tool printed none', () => {
  expect(ratesOfSums(printed(4, 2))).toEqual([
    [0, 3],
    [1, 3],
    [2, STREAMS],
    [3, STREAMS],
  ]);
});

test('the sums may stand anywhere', () => {
  const [sums, streams] = [printed(3, 2).filter(({ stream }) => stream === 'sum'), printed(3, 0)];
  expect(ratesOfSums([...streams, ...sums.reverse()])).toEqual([
    [0, 3],
    [1, 3],
    [2, STREAMS],
  ]);
});

test('the work grows with the number of seconds, not with its square', () => {
  const readsFor = (seconds: number) => {
    let reads = 0;
    const counting = printed(seconds).map(({ startSeconds, ...rest }): ToolInterval => ({
      ...rest,
      get startSeconds() {
        reads += 1;
        return startSeconds;
      },
    }));
    orderedIntervals(counting);
    return reads;
  };
  expect(readsFor(4000) / readsFor(1000)).toBeLessThan(6);
});
