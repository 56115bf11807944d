/** Summarises each cell over the whole history: each figure over all repetitions of the runs that count. */
import { groupBy } from '../maths/elements';
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import { figureByKey } from '../tables/figures';
import type { FigureChange, WatchedFigure } from './changes';
import type { RunHistory } from './history';
import { withNewestCells } from './newest';
import type { CellDigest } from './run-digest';

export interface AtlasEntry {
  /** Taken from the last run, because published figures and the wording of conditions can change. */
  readonly cell: CellDigest;
  readonly runCount: number;
  readonly runIds: readonly string[];
  readonly lastRunId: string;
  /** When that run was planned, ISO 8601 in UTC. */
  readonly lastMeasuredAt: string;
  /**
   * The statistics by the figure's key, of the runs since the figure's last certain change. The intervals assume independent repetitions, so they are too narrow where
   * repetitions ran on the same hosts.
   */
  readonly figures: ReadonlyMap<string, RepetitionStatistics>;
  /** The values behind the statistics, by the figure's key. */
  readonly values: ReadonlyMap<string, readonly number[]>;
  /** By the figure's key, its last certain change. */
  readonly changes: ReadonlyMap<string, FigureChange>;
  /** By the figure's key, the number of repetitions during which other work kept the processors of a host busy. */
  readonly contendedCounts: ReadonlyMap<string, number>;
  /** The number of runs in which processors were busy during every repetition; the search for changes skips them. */
  readonly contendedRunCount: number;
}

/** Returns the entries sorted by cell, that is by instance types first. */
export function atlasOf({ runs }: RunHistory, watched: readonly WatchedFigure[] = []): AtlasEntry[] {
  const changesByCell = groupBy(watched, ({ cell }) => cell.cell);
  const measured = withNewestCells(runs).flatMap((run) => run.cells.map((cell) => ({ run, cell })));
  const entries = [...groupBy(measured, ({ cell }) => cell.cell).values()].map((digests): AtlasEntry => {
    const last = digests.at(-1) ?? digests[0];
    const changes = new Map(
      (changesByCell.get(last.cell.cell) ?? []).flatMap(({ figure, change }) => (change ? [[figure.key, change]] : [])),
    );
    const isPresent = (at: string, key: string) => at >= (changes.get(key)?.at ?? '');
    const found = groupBy(
      digests.flatMap(({ run, cell }) => cell.figures.filter(({ key }) => isPresent(run.createdAt, key))),
      ({ key }) => key,
    );
    const values = new Map(
      [...found].map(([key, figures]) => [
        key,
        figures.flatMap((figure) => [...figure.values, ...contendedValuesOf(figure)]),
      ]),
    );
    return {
      cell: last.cell,
      runCount: digests.length,
      runIds: digests.map(({ run }) => run.runId),
      lastRunId: last.run.runId,
      lastMeasuredAt: last.run.createdAt,
      figures: new Map(
        [...values].flatMap(([key, all]) => {
          const statistics = repetitionStatistics(all, figureByKey(key));
          return statistics === undefined ? [] : [[key, statistics] as const];
        }),
      ),
      values,
      changes,
      contendedCounts: new Map([...found].map(([key, figures]) => [key, figures.flatMap(contendedValuesOf).length])),
      contendedRunCount: digests.filter(({ cell }) => isOfBusyHosts(cell)).length,
    };
  });
  return entries.sort((left, right) => (left.cell.cell < right.cell.cell ? -1 : 1));
}

type FigureDigest = CellDigest['figures'][number];

const contendedValuesOf = ({ contendedValues = [] }: FigureDigest) => contendedValues;

const isOfBusyHosts = ({ figures }: CellDigest) =>
  figures.length > 0 && figures.every(({ values }) => values.length === 0);
