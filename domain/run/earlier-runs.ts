/** Queries Athena for earlier runs, and turns the rows into cells that a run can be compared with. */
import { ascending, nearestRank } from '../maths/statistics';
import { neededObservations } from '../model/percentiles';
import { HELD_BACK_BY } from '../model/verdict';
import type { PlannedRun } from '../model/planned-run';
import type { MeasurementResult } from '../model/result';
import {
  instantText,
  isWithinLookBack,
  MOST_REPETITIONS,
  PLACE_IN_CELL,
  quoted,
  quotedList,
  quotedPlanName,
} from '../tables/query-text';
import type { ComparedCell, EarlierCell } from './comparison';
import type { FigureValues } from '../repetitions/figure-change';
import { FIGURES, type Figure } from '../tables/figures';

/** A row of Athena's result. All values are text, and NULL is an absent key. */
type Row = Readonly<Record<string, string | undefined>>;

export interface EarlierRunsCell extends EarlierCell {
  readonly count: number;
  /** UTC days of the first and the last measurement. */
  readonly firstDay?: string;
  readonly lastDay?: string;
}

type AskingRun = Pick<PlannedRun, 'runId' | 'createdAt' | 'day'>;

/**
 * Returns SQL for Athena and the lab's engine: a row for each cell of this run's instance types, with the values of each
 * figure in the newest repetitions. Only earlier measurements are read, so that a repeated summary makes the same
 * comparison.
 */
export function earlierRunsQuery(run: AskingRun, results: readonly MeasurementResult[]): string {
  return `SELECT
  cell,
  COUNT(*) AS earlier_count,
  COUNT(DISTINCT concat(run_id, ' ', pair_id)) AS pair_count,
  COUNT(cpu_contention) AS contended_count,
  MIN(day) AS first_day,
  MAX(day) AS last_day,
  ${FIGURES.flatMap(figureColumns).join(',\n  ')}
FROM (
  SELECT *, ${PLACE_IN_CELL} AS place
  FROM measurements
  WHERE ${isEarlier(run, 'started_at')}
    AND status = 'complete'
    AND cell IS NOT NULL
    AND NOT coalesce(is_displaced, FALSE)
    AND NOT (kind = 'latency' AND coalesce(verdict_cause, 'none') IN (${quotedList(HELD_BACK_BY)}))
    AND client_type IN (${quotedList(results.map((result) => result.clientType))})
    AND server_type IN (${quotedList(results.map((result) => result.serverType))})
) AS placed
WHERE place <= ${MOST_REPETITIONS}
GROUP BY cell`;
}

/** Returns SQL for the last complete run of a plan of this name that was planned before this run. */
export function previousRunQuery(run: AskingRun & { readonly plan: { readonly name: string } }): string {
  return `SELECT run_id
FROM runs
WHERE ${isEarlier(run, 'created_at')}
  AND plan_name = ${quotedPlanName(run.plan.name)}
  AND outcome = 'complete'
ORDER BY created_at DESC, run_id DESC
LIMIT 1`;
}

/** Matches the rows of other runs that began before this one, within the look-back period. */
const isEarlier = ({ runId, createdAt, day }: AskingRun, began: string) => `${isWithinLookBack(day)}
    AND ${began} < ${instantText(createdAt)}
    AND run_id <> ${quoted(runId)}`;

/**
 * Selects all values of a figure as one text, `9.5E9@eu-central-1a/eu-central-1b …`, and the bounds of its interval,
 * which are used only where there is a single value.
 */
function figureColumns({ column, boundColumns, percentile }: Figure): string[] {
  const supported = percentile === undefined ? '' : ` AND observations >= ${neededObservations(percentile)}`;
  const zones = `coalesce(client_zone || '/' || server_zone, '')`;
  const values = `array_agg(CAST(${column} AS varchar) || '@' || ${zones}) FILTER (WHERE ${column} IS NOT NULL${supported})`;
  return [
    `array_join(${values}, ' ') AS ${column}`,
    ...(boundColumns === undefined
      ? []
      : [`MIN(${boundColumns.low}) AS ${boundColumns.low}`, `MAX(${boundColumns.high}) AS ${boundColumns.high}`]),
  ];
}

export function earlierRunsCells(rows: readonly Row[]): EarlierRunsCell[] {
  return rows.flatMap((row): EarlierRunsCell[] => {
    if (row.cell === undefined) return [];
    const count = Number(row.earlier_count);
    const sharesPairs = Number(row.pair_count) < count;
    const contended = { contendedCount: Number(row.contended_count), count };
    const valuesOf = (figure: Figure) => figureValues(row, figure);
    return [{ key: row.cell, count, sharesPairs, contended, firstDay: row.first_day, lastDay: row.last_day, valuesOf }];
  });
}

function figureValues(row: Row, { column, boundColumns }: Figure): FigureValues {
  const measured = (row[column] ?? '').split(' ').filter(Boolean);
  const values = measured.map((text) => Number(text.split('@')[0]));
  const [value] = values;
  const [low, high] = boundColumns ? [row[boundColumns.low], row[boundColumns.high]] : [];
  const hasInterval = value !== undefined && low !== undefined && high !== undefined;
  return {
    values,
    zones: measured.map((text) => {
      const zones = text.split('@')[1];
      return zones === '' ? undefined : zones;
    }),
    isOnePair: row.pair_count === '1',
    sharesPairs: Number(row.pair_count) < Number(row.earlier_count),
    ownInterval: hasInterval ? { value, low: Number(low), high: Number(high) } : undefined,
  };
}

/** The form of `comparisons` in `summary.json`: a measurement and the earlier medians, by the keys of `FIGURES`. */
export type Comparison = {
  readonly measurementId: string;
  readonly earlierCount: number;
  readonly firstDay?: string;
  readonly lastDay?: string;
} & Readonly<Record<string, string | number | undefined>>;

/** Returns medians for each measurement whose cell was measured before; of two middle values the lower is taken. */
export function earlierMedians(compared: readonly ComparedCell<EarlierRunsCell>[]): Comparison[] {
  return compared.flatMap(({ now, earlier }) => {
    const { count, firstDay, lastDay, valuesOf } = earlier;
    const medians = FIGURES.flatMap((figure) => {
      const { values } = valuesOf(figure);
      return values.length === 0 ? [] : [[figure.key, nearestRank(ascending(values), 50)] as const];
    });
    const earlierFigures = { earlierCount: count, firstDay, lastDay, ...Object.fromEntries(medians) };
    return now.results.map(({ measurementId }) => ({ measurementId, ...earlierFigures }));
  });
}
