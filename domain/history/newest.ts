/**
 * Which runs of a cell count, so that neither the history nor the atlas grows with the number of runs: the newest ones,
 * each with all of its repetitions.
 */
import { largest } from '../maths/statistics';
import { MOST_REPETITIONS } from '../tables/query-text';
import type { CellDigest, RunDigest } from './run-digest';

/** This text sorts by time, and then by the id of runs that were planned at the same moment. */
const planned = ({ createdAt, runId }: RunDigest) => `${createdAt} ${runId}`;

/** As planned, but of one day by id alone: rows of `measurements` have the day of their run, and no hour of it. */
const plannedOnDay = ({ createdAt, runId }: RunDigest) => `${createdAt.slice(0, 10)} ${runId}`;

/**
 * @param leastRunCount so many runs of a cell count however many repetitions they have
 * @returns the runs in the order of planning, without the cells that don't count
 */
export function withNewestCells(runs: readonly RunDigest[], leastRunCount = 0): RunDigest[] {
  const newer = new Map<string, { readonly runCount: number; readonly repetitionCount: number }>();
  const counts = (cell: CellDigest) => {
    const { runCount, repetitionCount } = newer.get(cell.cell) ?? { runCount: 0, repetitionCount: 0 };
    newer.set(cell.cell, { runCount: runCount + 1, repetitionCount: repetitionCount + repetitionCountOf(cell) });
    return runCount < leastRunCount || repetitionCount < MOST_REPETITIONS;
  };
  const newestFirst = runs.toSorted((left, right) => (plannedOnDay(left) < plannedOnDay(right) ? 1 : -1));
  return newestFirst
    .map((run) => ({ ...run, cells: run.cells.filter(counts) }))
    .sort((left, right) => (planned(left) < planned(right) ? -1 : 1));
}

/** Not every repetition has every figure (no throttle, no baseline), so the figure with the most values counts them. */
function repetitionCountOf({ figures }: CellDigest): number {
  return largest([0, ...figures.map(({ values, contendedValues = [] }) => values.length + contendedValues.length)]);
}
