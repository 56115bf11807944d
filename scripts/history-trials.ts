/** Trials of the change point over the history of runs. */
import { watchHistory, type HistoryPoint, type WatchedHistory } from '../domain/history/change-point';
import { randomNumbers } from '../domain/maths/random-order';
import type { HistoryNoise } from './history-noise';

/** How many runs at the new level a change may take to be found. */
const WITHIN_RUNS = 3;

/** Runs a day apart at a level of 1 Gbit/s. */
function historyPoints(logs: readonly number[]): HistoryPoint[] {
  return logs.map((log, index) => ({
    runId: `run-${index}`,
    at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    value: 1e9 * Math.exp(log),
  }));
}

/** Histories that did not change, each read run by run until its end. A history with any change in its life is a false alarm. */
export function stableTrials(noise: HistoryNoise, histories: number, runs: number, seed: number): WatchedHistory[] {
  const random = randomNumbers(seed);
  return Array.from({ length: histories }, () => watchHistory(historyPoints(noise.logs(runs, random))));
}

export interface ChangeTrial {
  /** Whether the change is found, in its direction and at most one run beside its place. */
  readonly isFound: boolean;
  /** What the detector says before the change: the smallest that it would find. */
  readonly smallestDetectable?: number;
}

/** Histories of so many runs before a change of this share, up or down, and three runs after it. */
export function changeTrials(
  noise: HistoryNoise,
  histories: number,
  { before, change }: { readonly before: number; readonly change: number },
  seed: number,
): ChangeTrial[] {
  const random = randomNumbers(seed);
  return Array.from({ length: histories }, (_, index) => {
    const direction = index % 2 === 0 ? 'rise' : 'fall';
    const shift = Math.log(direction === 'rise' ? 1 + change : 1 - change);
    const logs = noise.logs(before + WITHIN_RUNS, random);
    const points = historyPoints(logs.map((log, run) => (run < before ? log : log + shift)));
    const { change: found } = watchHistory(points);
    const place = points.findIndex(({ runId }) => runId === found?.firstRunId);
    return {
      isFound: found?.direction === direction && Math.abs(place - before) <= 1,
      smallestDetectable: watchHistory(points.slice(0, before)).smallestDetectable,
    };
  });
}
