import { secondCells } from '../../../domain/series/second-grid';

interface Interval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

/** Intervals between the given edges, all at one rate unless told. */
function between(edges: readonly number[], rates: readonly number[] = []): Interval[] {
  return edges.slice(1).map((endSeconds, index) => ({
    startSeconds: edges[index]!,
    endSeconds,
    bitsPerSecond: rates[index] ?? 100,
  }));
}

function bits(cells: readonly { lengthSeconds: number; bitsPerSecond: number }[]): number {
  return cells.reduce((total, cell) => total + cell.lengthSeconds * cell.bitsPerSecond, 0);
}

test('regular seconds stay as the tool printed them', () => {
  const cells = secondCells(between([0, 1.01, 2, 2.99, 4], [10, 20, 30, 40]));
  expect(cells.map((cell) => [cell.startSeconds, cell.lengthSeconds, cell.bitsPerSecond])).toEqual([
    [0, 1.01, 10],
    [1.01, 0.99, 20],
    [2, 0.99, 30],
    [2.99, 1.01, expect.closeTo(40, 9)],
  ]);
});

test('the remnant at the end is no sample', () => {
  expect(secondCells(between([0, 1, 2, 3, 3.04]))).toHaveLength(3);
  expect(secondCells(between([0, 1, 2, 3, 3]))).toHaveLength(3);
});

test('a last second cut short by more than half is no sample, by less it is', () => {
  expect(secondCells(between([0, 1, 2, 2.4]))).toHaveLength(2);
  const cells = secondCells(between([0, 1, 2, 2.6]));
  expect(cells).toHaveLength(3);
  expect(cells[2]!.lengthSeconds).toBe(0.6);
});

//  3 ┤      ▁▁▁▁▁▁▁▁▁▁▁▁▁▁           one interval of 1.6 s, one of 0.4 s: two seconds
test('a late report is split by time without loss', () => {
  const intervals = between([0, 1, 2, 3.6, 4, 5], [100, 100, 200, 50, 100]);
  const cells = secondCells(intervals);
  expect(cells.map((cell) => cell.startSeconds)).toEqual([0, 1, 2, 3, 4]);
  expect(cells[2]!.bitsPerSecond).toBe(200);
  expect(cells[3]!.bitsPerSecond).toBeCloseTo(0.6 * 200 + 0.4 * 50, 6);
  expect(bits(cells)).toBeCloseTo(640, 6);
});

test('the counts of a split interval appear once', () => {
  const intervals = between([0, 1, 2, 4, 5]).map((interval, index) => ({ ...interval, retransmits: index }));
  const counted = secondCells(intervals).map((cell) => cell.counted.map((interval) => interval.retransmits));
  expect(counted.flat().sort()).toEqual([0, 1, 2, 3]);
  expect(counted).toHaveLength(5);
});

test('a clock that drifts still gives one sample per second', () => {
  const edges = Array.from({ length: 61 }, (_, index) => index * 1.07);
  const cells = secondCells(between(edges));
  expect(cells.map((cell) => Math.round(cell.startSeconds))).toEqual(Array.from({ length: 64 }, (_, index) => index));
});

test('a hole has no samples', () => {
  const cells = secondCells([...between([0, 1, 2, 3]), ...between([13, 14, 15])]);
  expect(cells.map((cell) => cell.startSeconds)).toEqual([0, 1, 2, 13, 14]);
});

test('reports every ten seconds, or every tenth of a second, are unchanged', () => {
  expect(secondCells(between([0, 10, 20, 30, 30.02]))).toHaveLength(3);
  expect(secondCells(between(Array.from({ length: 21 }, (_, index) => index / 10)))).toHaveLength(20);
});

test.each([1, 60, 1800])('%i seconds with a jitter of 40 ms have as many samples, and no second twice', (seconds) => {
  // A fixed pattern: no test depends on chance.
  const edges = Array.from(
    { length: seconds + 1 },
    (_, index) => index + (index === 0 ? 0 : 0.04 * Math.sin(index * 12.9)),
  );
  const cells = secondCells(between([...edges, edges.at(-1)! + 0.03]));
  expect(cells).toHaveLength(seconds);
  expect(new Set(cells.map((cell) => Math.round(cell.startSeconds))).size).toBe(seconds);
});

test('no intervals have no samples', () => {
  expect(secondCells([])).toEqual([]);
});
