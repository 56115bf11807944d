/** Builds parts of the SQL that handlers send to Athena: quoted names, days, instants and the look-back period. */

/** A second check after the plan's schema, which allows no other characters. */
const SAFE = /^[A-Za-z0-9._-]+$/;
/** A plan's name may have spaces. */
const SAFE_PLAN_NAME = /^[A-Za-z0-9 ._-]+$/;

/** @throws for a name with other characters, which could inject SQL */
export const quoted = (name: string) => quotedWhere(SAFE, name);
export const quotedPlanName = (name: string) => quotedWhere(SAFE_PLAN_NAME, name);

function quotedWhere(safe: RegExp, name: string): string {
  if (!safe.test(name)) throw new Error(`name in a query: must match ${safe}, got ${JSON.stringify(name)}`);
  return `'${name}'`;
}

/** `'a', 'b'`: sorted, without duplicates. */
export function quotedList(names: readonly string[]): string {
  return [...new Set(names)].sort().map(quoted).join(', ');
}

/** @param day UTC, YYYY-MM-DD */
const dateLiteral = (day: string) => `date ${quoted(day)}`;

/** Columns hold instants as this text, which sorts by time. @param instant ISO 8601 UTC */
export const instantText = (instant: string) => `'${new Date(instant).toISOString()}'`;

/** @param day UTC, YYYY-MM-DD */
export function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Half a year, less a few days. Older measurements may not be comparable, because AWS changes the network of its
 * instance types.
 */
export const LOOK_BACK_DAYS = 178;

/** Matches a run's day and the look-back period before it. @param day UTC, YYYY-MM-DD */
export const isWithinLookBack = (day: string) =>
  `day BETWEEN ${dateLiteral(daysBefore(day, LOOK_BACK_DAYS))} AND ${dateLiteral(day)}`;

/**
 * Of a cell whole runs count, the newest first, until there are so many repetitions, so that the memory of a query does
 * not grow with the number of runs. `queries/atlas.sql` has the same number.
 */
export const MOST_REPETITIONS = 1000;

/** One more than the repetitions of a row's cell in newer runs. Rows know the day of their run and no hour of it. */
export const PLACE_IN_CELL = 'rank() OVER (PARTITION BY cell ORDER BY day DESC, run_id DESC)';
