import type { HistoryChange } from '../../../domain/history/change-point';
import { newsOf, watchedFigures } from '../../../domain/history/changes';
import { EMPTY_HISTORY, type RunHistory } from '../../../domain/history/history';
import type { CellDigest, RunDigest } from '../../../domain/history/run-digest';
import { briefChange, changeLine } from '../../../domain/terminal/change-lines';
import { smallestDetectable } from '../../../domain/history/smallest-detectable';

function cell(clientType: string, figures: CellDigest['figures']): CellDigest {
  const conditions = 'iperf3, same zone';
  return {
    cell: clientType,
    conditions,
    clientType,
    serverType: clientType,
    tool: 'iperf3',
    kind: 'throughput',
    figures,
  };
}

function run(index: number, cells: readonly CellDigest[]): RunDigest {
  const at = new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
  return {
    runId: `run-${index}`,
    planName: 'canary',
    createdAt: at,
    endedAt: at,
    outcome: 'complete',
    costUsd: 1,
    isScheduled: true,
    reason: null,
    completeCount: 1,
    measurementCount: 1,
    cells,
  };
}

/** Every run measures c5.large three times, and m5.large once; from run 15 on, or another, c5.large sustains 20 % less. */
function history(
  runs: number,
  others: (index: number) => CellDigest['figures'] = () => [],
  fallenFrom = 15,
): RunHistory {
  return {
    ...EMPTY_HISTORY,
    runs: Array.from({ length: runs }, (_, index) => {
      const baseline = (index < fallenFrom ? 750e6 : 600e6) * (1 + 0.002 * (index % 5));
      const values = [baseline, baseline * 1.001, baseline / 3];
      return run(index, [
        cell('c5.large', [{ key: 'baselineBitsPerSecond', values }, ...others(index)]),
        cell('m5.large', [{ key: 'baselineBitsPerSecond', values: [5e8 * (1 + 0.002 * (index % 3))] }]),
      ]);
    }),
  };
}

describe('the changes of a history of runs', () => {
  test('are those of each figure of each cell, of the medians over the repetitions', () => {
    const [changed, ...others] = watchedFigures(history(30));
    expect(others.map(({ change }) => change)).toEqual([undefined]);
    expect(changed).toMatchObject({
      cell: { clientType: 'c5.large' },
      figure: { key: 'baselineBitsPerSecond' },
      change: { runCount: 30, firstRunId: 'run-15', foundRunId: 'run-17', direction: 'fall' },
    });
    expect((changed?.change as HistoryChange).ratio).toBeCloseTo(0.8, 2);
  });

  test('are news for the run that shows them and for the two after it, whatever was planned later', () => {
    const figures = watchedFigures(history(30));
    const news = ['run-16', 'run-17', 'run-18', 'run-19', 'run-20'].map((runId) => newsOf(figures, runId).changes);
    expect(news.map((changes) => changes.map(({ cell }) => cell.clientType))).toEqual([
      [],
      ['c5.large'],
      ['c5.large'],
      ['c5.large'],
      [],
    ]);
    expect(news[1]?.[0]?.change).toMatchObject({ runCount: 18, after: { runCount: 3 } });
    expect(news[1]).toEqual(newsOf(watchedFigures(history(18)), 'run-17').changes);
  });

  test('that are only possible are news of their own for three runs, until they are certain', () => {
    const figures = watchedFigures(history(20, undefined, 5));
    const news = Array.from({ length: 20 }, (_, index) => {
      const { changes, possibleChanges } = newsOf(figures, `run-${index}`);
      return { certain: changes.length, possible: possibleChanges.map(({ change }) => change.certainty) };
    });
    expect(news.flatMap(({ possible }, index) => (possible.length > 0 ? [[index, ...possible]] : []))).toEqual([
      [7, 'possible'],
      [8, 'possible'],
      [9, 'possible'],
    ]);
    expect(news.flatMap(({ certain }, index) => (certain > 0 ? [index] : []))).toEqual([11, 12, 13]);
  });

  test('may be of the shares of pairs at two modes, unless repetitions shared a pair', () => {
    const fast = [4, 5, 3, 4, 4, 2, 5, 4, 3, 4, 5, 4, 0, 0, 0];
    const of = (sharesPairs?: true) => {
      const runs = fast.map((count, index) => {
        const values = Array.from({ length: 7 }, (_, pair) => (pair < count ? 9.69e9 : 5.02e9));
        return run(index, [{ ...cell('c5.large', [{ key: 'burstBitsPerSecond', values }]), sharesPairs }]);
      });
      return newsOf(watchedFigures({ ...EMPTY_HISTORY, runs }), 'run-14').changes;
    };
    expect(of().map(changeLine)).toEqual([
      'Burst of c5.large to c5.large: 47 of 84 pairs were at 9.69 Gbit/s, now 0 of 21 (all at 5.02), in the newest 3 of 15 runs, since 2026-01-13 (run run-12). Measured by iperf3, same zone',
    ]);
    expect(of().map(briefChange)).toEqual(['burst of c5.large: pairs at 9.69 Gbit/s fell from 56 % to 0 %']);
    expect(of(true)).toEqual([]);
  });

  test('are none where the median goes to a mode that runs have had as well', () => {
    // From two or three fast pairs of three to one, the median goes from one mode to the other.
    const runs = [2, 2, 3, 2, 3, 3, 2, 3, 2, 3, 2, 2, 2, 1, 1, 1].map((fast, index) => {
      const values = [0, 1, 2].map((pair) => (pair < fast ? 9.69e9 : 5.02e9));
      return run(index, [cell('c5.large', [{ key: 'burstBitsPerSecond', values }])]);
    });
    expect(watchedFigures({ ...EMPTY_HISTORY, runs })[0]?.change).toBeUndefined();
  });

  test('are no news for a run that has not measured the figure', () => {
    const { runs, ...rest } = history(18);
    const other = run(18, [cell('m5.large', [{ key: 'baselineBitsPerSecond', values: [5e8] }])]);
    const figures = watchedFigures({ ...rest, runs: [...runs, other] });
    expect(newsOf(figures, 'run-18')).toEqual({ changes: [], possibleChanges: [] });
    expect(newsOf(figures, 'run-17').changes).toHaveLength(1);
  });

  test('are sought without what was measured on busy processors', () => {
    const key = 'baselineBitsPerSecond';
    const fallen = { key, values: [], contendedValues: [6e8] };
    const runs = Array.from({ length: 30 }, (_, index) =>
      run(index, [cell('c5.large', [index < 15 ? { key, values: [7.5e8 * (1 + 0.002 * (index % 5))] } : fallen])]),
    );
    const [watched, ...others] = watchedFigures({ ...EMPTY_HISTORY, runs });
    expect(others).toEqual([]);
    expect(watched).toMatchObject({ change: undefined, points: { length: 15 } });
    expect(newsOf([watched!], 'run-17')).toEqual({ changes: [], possibleChanges: [] });
    const mixed = run(0, [
      cell('c5.large', [{ key, values: [7e8, 7.1e8, 7.2e8], contendedValues: [1e8, 1e8, 1e8, 1e8] }]),
    ]);
    expect(watchedFigures({ ...EMPTY_HISTORY, runs: [mixed] })[0]?.points).toMatchObject([{ value: 7.1e8 }]);
  });

  test('leave out figures that are no property of a type, and values of 0', () => {
    const figures = (index: number) => [
      { key: 'meanBitsPerSecond', values: [index < 15 ? 1e9 : 5e8] },
      { key: 'burstBitsPerSecond', values: [index === 3 ? 0 : 1e10] },
    ];
    const watched = watchedFigures(history(30, figures));
    expect(watched.map(({ figure, points }) => [figure.key, points.length])).toEqual([
      ['baselineBitsPerSecond', 30],
      ['burstBitsPerSecond', 29],
      ['baselineBitsPerSecond', 30],
    ]);
    expect(watched.map(({ points }) => (smallestDetectable(points) ?? Infinity) < 0.1)).toEqual([true, true, true]);
  });
});
