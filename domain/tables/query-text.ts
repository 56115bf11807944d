/** What stands in the SQL that handlers put to Athena: names as they are, days, instants, and how far they look back. */

/** The plan's schema lets nothing else through, and this would refuse it. */
const SAFE = /^[A-Za-z0-9._-]+$/;
/** A plan's name may have spaces. */
const SAFE_PLAN_NAME = /^[A-Za-z0-9 ._-]+$/;

/** @throws when the name could be read as more than a name */
export const quoted = (name: string) => quotedWhere(SAFE, name);
export const quotedPlanName = (name: string) => quotedWhere(SAFE_PLAN_NAME, name);

function quotedWhere(safe: RegExp, name: string): string {
  if (!safe.test(name)) throw new Error(`name in a query: must match ${safe}, got ${JSON.stringify(name)}`);
  return `'${name}'`;
}

/** `'a', 'b'`: each once, in order. */
export function quotedList(names: readonly string[]): string {
  return [...new Set(names)].sort().map(quoted).join(', ');
}

/** @param day UTC, YYYY-MM-DD */
const dateLiteral = (day: string) => `date ${quoted(day)}`;

/** Columns hold instants as such text, whose order is that of time. @param instant ISO 8601 UTC */
export const instantText = (instant: string) => `'${new Date(instant).toISOString()}'`;

/** @param day UTC, YYYY-MM-DD */
export function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Half a year, less a few days. AWS changes the network of its instance types, so that older measurements may be of another
 * one. And a look back reads one object per run: with 200 runs in 90 days these are 393 (`npm run bench:store`).
 */
export const LOOK_BACK_DAYS = 178;

/** The days before a run in which it looks for earlier ones, and its own. @param day UTC, YYYY-MM-DD */
export const isWithinLookBack = (day: string) =>
  `day BETWEEN ${dateLiteral(daysBefore(day, LOOK_BACK_DAYS))} AND ${dateLiteral(day)}`;
