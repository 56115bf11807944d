/** The atlas by type: a row for each pair of types and conditions, over measurements that differ in duration alone. */
import { elementAt, groupBy } from '../maths/elements';
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import { median } from '../maths/statistics';
import { figureByKey, type Figure } from '../tables/figures';
import { atlasOf, type AtlasEntry } from './atlas';
import type { FigureChange, WatchedFigure } from './changes';
import type { AnswerDigest } from './answer-digest';
import type { RunHistory } from './history';

/** The history of a figure in the newest runs. */
export interface FigureLine {
  readonly figure: Figure;
  /** Medians over the repetitions, in the order of the runs. */
  readonly points: readonly { readonly runId: string; readonly at: string; readonly value: number }[];
  /** The last certain change of any figure of the row. */
  readonly change?: Pick<FigureChange, 'at' | 'firstRunId'> & { readonly name: string };
}

export interface TypeAtlasRow {
  readonly clientType: string;
  readonly serverType: string;
  /** What all measurements of the row share, in words. */
  readonly conditions: string;
  /** Since the last certain change. */
  readonly figures: ReadonlyMap<string, RepetitionStatistics>;
  readonly changes: ReadonlyMap<string, FigureChange>;
  /** Of the newest run that has one. */
  readonly answer?: AnswerDigest;
  /** Of the sustained rate: the baseline or, where nothing dropped, the mean. */
  readonly line?: FigureLine;
  readonly runCount: number;
  readonly lastRunId: string;
  readonly lastMeasuredAt: string;
}

/** So many runs are in the line of a row. */
export const LINE_RUNS = 30;

const DURATION = /\bduration_seconds=[^ ]* /;

/** The rows are sorted by types. */
export function typeAtlasOf(history: RunHistory, watched: readonly WatchedFigure[]): TypeAtlasRow[] {
  const entries = atlasOf(history, watched).filter(({ cell }) => cell.kind === 'throughput');
  const groups = groupBy(entries, ({ cell }) => cell.cell.replace(DURATION, ''));
  return [...groups.values()].map((group) => typeRow(group, history));
}

function typeRow(group: readonly [AtlasEntry, ...AtlasEntry[]], history: RunHistory): TypeAtlasRow {
  const byTime = group.toSorted((left, right) => (left.lastMeasuredAt < right.lastMeasuredAt ? -1 : 1));
  const last = elementAt(byTime, -1);
  const keys = new Set(group.flatMap(({ values }) => [...values.keys()]));
  // The mean falls with the duration, so that only the newest one counts.
  const statistics = [...keys].flatMap((key) => {
    const of = key === MEAN ? [last] : group;
    const all = of.flatMap(({ values }) => values.get(key) ?? []);
    const found = repetitionStatistics(all, figureByKey(key));
    return found === undefined ? [] : [[key, found] as const];
  });
  const figures = new Map(statistics);
  const changes = new Map(byTime.flatMap((entry) => [...entry.changes]));
  const cells = new Set((figures.has(BASELINE) ? group : [last]).map(({ cell }) => cell.cell));
  const { clientType, serverType } = last.cell;
  return {
    clientType,
    serverType,
    conditions: sharedWords(group.map(({ cell }) => cell.conditions)),
    figures,
    changes,
    answer: byTime.flatMap(({ cell }) => cell.answer ?? []).at(-1),
    line: lineOf(history, cells, figures.has(BASELINE) ? BASELINE : MEAN, changes),
    runCount: new Set(group.flatMap(({ runIds }) => runIds)).size,
    lastRunId: last.lastRunId,
    lastMeasuredAt: last.lastMeasuredAt,
  };
}

export const BASELINE = 'baselineBitsPerSecond';
export const MEAN = 'meanBitsPerSecond';

function lineOf(
  { runs }: RunHistory,
  cells: ReadonlySet<string>,
  key: string,
  changes: ReadonlyMap<string, FigureChange>,
): FigureLine | undefined {
  const points = runs.flatMap(({ runId, createdAt, cells: digests }) => {
    const same = digests.filter(({ cell }) => cells.has(cell)).flatMap(({ figures }) => figures);
    const values = same.filter((figure) => figure.key === key).flatMap((figure) => figure.values);
    return values.length === 0 ? [] : [{ runId, at: createdAt, value: median(values) }];
  });
  if (points.length < 2) return undefined;
  const newestFirst = [...changes].sort(([, left], [, right]) => (left.at < right.at ? 1 : -1));
  const [change] = newestFirst.map(([changed, { at, firstRunId }]) => ({
    name: figureByKey(changed).name.toLowerCase(),
    at,
    firstRunId,
  }));
  return { figure: figureByKey(key), points: points.slice(-LINE_RUNS), change };
}

const wordsOf = (conditions: string) => conditions.split(/(?<=[,;:]) /);

/** Returns the words that all conditions have in common, which may leave out the duration. */
export function sharedWords(conditions: readonly string[]): string {
  const [first = [], ...others] = conditions.map(wordsOf);
  return first.filter((word) => others.every((words) => words.includes(word))).join(' ');
}

/** Returns the words of some conditions without those that are said elsewhere. */
export function furtherWords(conditions: string, said: string): string {
  const known = wordsOf(said);
  return wordsOf(conditions)
    .filter((word) => !known.includes(word))
    .join(' ')
    .replace(/[,;:]$/, '');
}
