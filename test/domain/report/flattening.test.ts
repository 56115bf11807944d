import { flattensAtStreams } from '../../../domain/report/sections/streams';

const once = (...steps: readonly (readonly [streams: number, gigabits: number])[]) =>
  steps.map(([streams, gigabits]) => ({ streams, throughputsBitsPerSecond: [gigabits * 1e9] }));

test.each([
  // The figures of RightScale from 2008, in MB/s: six and eight streams still gained 24 % and 7 %.
  ['a full link', once([1, 2.5], [2, 5], [4, 9.4], [8, 9.5], [12, 9.4]), 4],
  ['downloads of 2008', once([1, 12.6], [2, 21], [3, 31.3], [4, 37.5], [6, 46.6], [8, 49.8]), undefined],
  ['one stream that fills the link', once([1, 9.4], [2, 9.5]), 1],
  ['a plateau with a further gain after it', once([1, 5], [2, 5.1], [4, 9]), undefined],
  ['a single number of streams', once([8, 9.4]), undefined],
  ['less throughput with more streams', once([1, 5], [2, 9], [4, 7]), 2],
])('%s', (_, measured, expected) => {
  expect(flattensAtStreams(measured)).toBe(expected);
});

test('a gain within the noise of the repetitions does not count', () => {
  const steps = (scatter: number) =>
    (
      [
        [1, 5],
        [2, 5.5],
      ] as const
    ).map(([streams, gigabits]) => ({
      streams,
      throughputsBitsPerSecond: [gigabits - scatter, gigabits, gigabits + scatter],
    }));
  expect(flattensAtStreams(steps(1))).toBe(1);
  expect(flattensAtStreams(steps(0.05))).toBeUndefined();
});
