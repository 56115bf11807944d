import { cleanSeries } from '../../../domain/series/rate-series';
import { stretches } from '../../support/rates';

const rates = (series: Parameters<typeof cleanSeries>[0]) => [...(cleanSeries(series)?.bitsPerSecond ?? [])];

describe('cleaning', () => {
  test('keeps a gap', () => {
    const series = stretches([20, 1e9]).filter(({ startSeconds }) => startSeconds < 5 || startSeconds >= 9);
    const clean = cleanSeries(series)!;
    expect([...clean.startSeconds]).toEqual([0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  test('drops the repeated last interval of a tool that was stopped, and a remnant of a few milliseconds', () => {
    const series = [
      { startSeconds: 0, lengthSeconds: 1, bitsPerSecond: 5 },
      { startSeconds: 1, lengthSeconds: 1, bitsPerSecond: 6 },
      { startSeconds: 1, lengthSeconds: 1, bitsPerSecond: 6 },
      { startSeconds: 2, lengthSeconds: 0.02, bitsPerSecond: 900 },
    ];
    expect(rates(series)).toEqual([5, 6]);
  });

  test('cuts a dead tail of five seconds, and keeps one of four', () => {
    expect(cleanSeries(stretches([30, 1e9], [5, 0]))!.bitsPerSecond).toHaveLength(30);
    expect(cleanSeries(stretches([30, 1e9], [4, 0]))!.bitsPerSecond).toHaveLength(34);
  });

  test('averages tenths of a second, and omits a second that is mostly missing', () => {
    const fine = stretches([30, 1e9]).map((_, index) => ({
      startSeconds: index / 10,
      lengthSeconds: 0.1,
      bitsPerSecond: index < 10 ? 2 : 4,
    }));
    const holed = fine.filter(({ startSeconds }) => startSeconds < 1.35 || startSeconds > 1.95);
    expect(rates(holed)).toEqual([2, 4]);
  });

  test('has no result for no samples', () => {
    expect(cleanSeries([])).toBeNull();
    expect(cleanSeries(stretches([60, 0]))).toBeNull();
  });
});
