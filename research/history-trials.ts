/** Trials of the change point over the history of runs. */
import {
  splitsByRun,
  watchHistory,
  type HistoryChange,
  type HistoryPoint,
  type WatchedHistory,
} from '../domain/history/change-point';
import { largest, mean, NORMAL_QUANTILE_95, smallest } from '../domain/maths/statistics';
import { elementAt } from '../domain/maths/elements';
import { randomNumbers } from '../domain/maths/random-order';
import type { HistoryNoise } from './history-noise';
import { smallestDetectable } from '../domain/history/smallest-detectable';

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

export interface StableTrial extends WatchedHistory {
  readonly smallestDetectable?: number;
  /** Whether a change was called possible at any time, or certain. */
  readonly wasNoticed: boolean;
}

/** Histories that did not change, each read run by run until its end. A history with any change in its life is a false alarm. */
export function stableTrials(noise: HistoryNoise, histories: number, runs: number, seed: number): StableTrial[] {
  const random = randomNumbers(seed);
  return Array.from({ length: histories }, () => {
    const logs = noise.logs(runs, random);
    const wasNoticed = [...splitsByRun(logs)].some(({ certain, possible }) => (certain ?? possible) !== undefined);
    const points = historyPoints(logs);
    return { ...watchHistory(points), smallestDetectable: smallestDetectable(points), wasNoticed };
  });
}

export interface ChangeTrial {
  /** Whether the change is found with certainty, in its direction and at most one run beside its place. */
  readonly isFound: boolean;
  /** The same with a change that is called possible. */
  readonly isNoticed: boolean;
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
    const { change: certain, possibleChange: possible } = watchHistory(points);
    const isIt = (found: HistoryChange | undefined) => {
      const place = points.findIndex(({ runId }) => runId === found?.firstRunId);
      return found?.direction === direction && Math.abs(place - before) <= 1;
    };
    return {
      isFound: isIt(certain),
      isNoticed: isIt(certain) || isIt(possible),
      smallestDetectable: smallestDetectable(points.slice(0, before)),
    };
  });
}

/**
 * The share of such changes that three runs show when nothing has to be learnt: the level is known, and the threshold is
 * the one that this very kind of scatter passes in the life of no more than `mostFalseAlarms` of the histories. What is
 * compared with it is the mean of three runs or the one that is least far off, whichever finds more. For normal scatter no
 * test of three runs finds more (Neyman and Pearson 1933, DOI 10.1098/rsta.1933.0009).
 */
export function foundWithAllKnown(
  noise: HistoryNoise,
  histories: number,
  {
    runs,
    change,
    mostFalseAlarms,
  }: { readonly runs: number; readonly change: number; readonly mostFalseAlarms: number },
): number {
  const seed = 1;
  const rises = [mean, (logs: readonly number[]) => smallest(logs)];
  const shares = rises.map((riseOf) => {
    const farthest = (logs: readonly number[]) => Math.max(riseOf(logs), riseOf(logs.map((log) => -log)));
    const random = randomNumbers(seed);
    const most = Array.from({ length: histories }, () => {
      const logs = noise.logs(runs, random);
      return largest(logs.slice(WITHIN_RUNS - 1).map((_, run) => farthest(logs.slice(run, run + WITHIN_RUNS))));
    }).sort((left, right) => right - left);
    const threshold = elementAt(most, Math.floor(mostFalseAlarms * histories));
    const found = Array.from({ length: histories }, (_, index) => {
      const logs = noise.logs(WITHIN_RUNS, random);
      const turned = index % 2 === 0 ? logs : logs.map((log) => -log);
      const shift = Math.abs(Math.log(index % 2 === 0 ? 1 + change : 1 - change));
      return riseOf(turned.map((log) => log + shift)) > threshold;
    });
    return found.filter(Boolean).length / histories;
  });
  return largest(shares);
}

/** Wilson's 95 % interval of a share (1927, DOI 10.1080/01621459.1927.10502953). */
export function binomialInterval(count: number, of: number): readonly [low: number, high: number] {
  const square = NORMAL_QUANTILE_95 ** 2;
  const center = (count + square / 2) / (of + square);
  const half = (NORMAL_QUANTILE_95 / (of + square)) * Math.sqrt((count * (of - count)) / of + square / 4);
  return [center - half, center + half];
}
