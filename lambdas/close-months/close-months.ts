/**
 * Closes the days and months that are over: makes few Parquet objects of the rows that runs wrote one by one, because a
 * query pays for each object that it reads (docs/decisions/0019-closed-months.md).
 *
 * A closing writes a whole new generation of a month and then lists it in `closed_months`. It may be cut off, repeated or
 * run twice at once: what is not listed is in no query, and the list is replaced only if nobody has replaced it since it
 * was read.
 *
 * | rows of a run                             | in the next generation                       |
 * | ----------------------------------------- | -------------------------------------------- |
 * | its object, in a version not merged yet   | those of the object, even if there are none  |
 * | its object, in the merged version         | those of the generation before               |
 * | no object any more                        | those of the generation before               |
 */
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { Row } from '../../domain/tables/column';
import {
  generationName,
  CLOSED_TABLES,
  type GenerationOfMonth,
  type ClosedTable,
} from '../../domain/workflow/object-keys';
import type { ObjectVersion } from '../adapters/s3';
import {
  type ClosedMonths,
  type ClosedMonthsStore,
  type ListedGeneration,
  type Manifest,
  type OpenObject,
} from '../result-store/closed-months';
import { Failures } from '../shared/failures';
import type { Log } from '../shared/runtime';

/**
 * How long after it was listed a generation begins to count. A query may list a month's objects before a closing and read
 * the list after it; it began before then and counts the generation that it has seen.
 */
const ANNOUNCED_MILLISECONDS = 10 * 60_000;
/**
 * For how long a superseded generation and merged objects are kept for queries that had begun before. Athena's own limit
 * is 30 minutes, or 4 hours where the account has asked for more. No closing takes that long either. It is less than the
 * time from one closing to the next, so that each deletes what the one before has merged.
 */
const KEPT_MILLISECONDS = 5 * 3_600_000;
/** Objects of 40,000 measurements have some 6 MB. A closing has the rows of one object and of the next in memory. */
const ROWS_PER_PIECE = 40_000;
/** Objects of so many runs are read ahead. */
const RUNS_READ_AHEAD = 16;
const DAY_MILLISECONDS = 86_400_000;

export interface CloseMonthsDependencies {
  readonly store: ClosedMonthsStore;
  readonly now: () => Date;
  readonly log: Log;
  /** @default 40,000 */
  readonly rowsPerPiece?: number;
}

/** As EventBridge sends it for a schedule. */
export interface CloseMonthsEvent {
  /** ISO 8601. If it is later than now, what is over by then is closed. @default now */
  readonly time?: string;
}

/** The output of the function. */
export interface CloseMonthsReport {
  /** The generations that were made, and when each begins to count. */
  readonly closed: readonly ListedGeneration[];
  /** How many objects were deleted: merged ones, and those of generations that no query needs. */
  readonly deletedCount: number;
}

export function makeCloseMonths(deps: CloseMonthsDependencies) {
  return async ({ time }: CloseMonthsEvent): Promise<CloseMonthsReport> => {
    const started = deps.now().getTime();
    const aheadMilliseconds = time === undefined ? 0 : Math.max(0, Date.parse(time) - started);
    const now = () => deps.now().getTime() + aheadMilliseconds;
    const failures = new Failures();
    const yesterday = dayOf(now() - DAY_MILLISECONDS);
    const days = [...(await deps.store.openDays())].filter((day) => day <= yesterday);
    const closed: ListedGeneration[] = [];
    let deletedCount = 0;
    for (const month of [...new Set(days.map(monthOf))].sort()) {
      const close = async () => {
        deletedCount += await deleteMerged(deps.store, month, yesterday, now);
        const generation = await closeMonth(deps, month, yesterday, now);
        if (generation === undefined) return;
        closed.push(generation);
        deps.log('month closed', { ...generation });
      };
      await failures.attempt(`month ${month}`, close, undefined);
    }
    deletedCount += await failures.attempt('old generations', () => deleteGenerations(deps.store, now), 0);
    failures.throwIfAny('must be closed later');
    return { closed, deletedCount };
  };
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);
const monthOf = (day: string) => day.slice(0, 7);

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  // Day 0 of the next month; months count from 0 here.
  return dayOf(Date.UTC(year, number, 0));
}

const earliest = (one: string, other: string) => (one < other ? one : other);
const latest = (one: string, other: string) => (one > other ? one : other);

const ofMonth = ({ generations }: ClosedMonths, month: string) => generations.filter((each) => each.month === month);
const newestOf = (months: ClosedMonths, month: string) =>
  ofMonth(months, month).find((each) => each.valid_to === undefined);

/** Whether no query counts the generation that may still be reading. */
const isOver = ({ valid_to: end }: ListedGeneration, now: number) =>
  end !== undefined && Date.parse(end) <= now - KEPT_MILLISECONDS;

const versionOf = ({ key, etag }: Pick<OpenObject, 'key' | 'etag'>) => `${key} ${etag}`;
const mergedVersions = ({ merged }: Manifest) => new Set(merged.map(versionOf));

/** @returns undefined if the newest generation has all rows already */
async function closeMonth(
  { store, rowsPerPiece = ROWS_PER_PIECE }: CloseMonthsDependencies,
  month: string,
  yesterday: string,
  now: () => number,
): Promise<ListedGeneration | undefined> {
  for (;;) {
    const of = { month, generation: generationName(new Date(now()), randomUUID().slice(0, 8)) };
    // Read the list before the objects are listed: if another closing has merged and deleted one of them since, it has
    // replaced the list too, and this closing begins again.
    const months = await store.readClosedMonths();
    const newest = newestOf(months, month);
    const before = newest && (await store.readManifest(newest));
    const until = latest(earliest(lastDayOf(month), yesterday), newest?.until ?? '');
    const open = await store.openObjects(month, until);
    const mergedBefore = before === undefined ? new Set<string>() : mergedVersions(before);
    const changed = open.filter((object) => !mergedBefore.has(versionOf(object)));
    if (changed.length === 0) return undefined;

    const written = await writeGeneration(store, of, before, changed, rowsPerPiece);
    const unchanged = open.filter((object) => mergedBefore.has(versionOf(object)));
    const merged = [...unchanged.map(({ key, etag }) => ({ key, etag })), ...written.merged];
    await store.writeManifest({
      schema: 'network-benchmark.closed-month.v1',
      ...of,
      pieces: written.pieces,
      merged,
    });

    const listedAt = now();
    const announced = listedAt + ANNOUNCED_MILLISECONDS;
    // Of two closings at once, the later one may have the slower clock.
    const afterNewest = newest === undefined ? announced : Date.parse(newest.valid_from) + 1;
    const validFrom = new Date(Math.max(announced, afterNewest)).toISOString();
    const generation = { ...of, until, valid_from: validFrom };
    const kept = months.generations
      .filter((each) => !isOver(each, listedAt))
      .map((each) => (each === newest ? { ...each, valid_to: validFrom } : each));
    if (await store.replaceClosedMonths([...kept, generation], months.etag)) return generation;
  }
}

async function writeGeneration(
  store: ClosedMonthsStore,
  of: GenerationOfMonth,
  before: Manifest | undefined,
  changed: readonly OpenObject[],
  rowsPerPiece: number,
): Promise<Pick<Manifest, 'pieces' | 'merged'>> {
  const merged: ObjectVersion[] = [];
  const pieces: Record<ClosedTable, number> = { runs: 0, pairs: 0, measurements: 0 };
  for (const table of CLOSED_TABLES) {
    const opened = new OpenRows(
      store,
      changed.filter((object) => object.table === table),
    );
    let rows = store.newPiece(table);
    const writePiece = async () => {
      await store.writePiece(table, of, pieces[table]++, rows);
      rows = store.newPiece(table);
    };
    for await (const row of mergedRows(store, table, before, opened)) {
      rows.add({ ...row, generation: of.generation });
      if (rows.rowCount === rowsPerPiece) await writePiece();
    }
    if (rows.rowCount > 0) await writePiece();
    for (const version of opened.read) merged.push(version);
  }
  return { pieces, merged };
}

/** Objects of one table with new rows, in the order of day and run. */
class OpenRows {
  /** The versions that were read. */
  readonly read: ObjectVersion[] = [];
  readonly #waiting: readonly OpenObject[];
  readonly #runs: ReadonlySet<string>;
  #next = 0;
  #ahead: { readonly run: string; readonly rows: readonly Row[] }[] = [];

  constructor(
    private readonly store: ClosedMonthsStore,
    objects: readonly OpenObject[],
  ) {
    this.#waiting = [...objects].sort((one, other) => (runOf(one) < runOf(other) ? -1 : 1));
    this.#runs = new Set(objects.map(runOf));
  }

  has(run: string): boolean {
    return this.#runs.has(run);
  }

  /** Returns the rows of all runs up to this one that were not returned yet. */
  async *upTo(run: string | undefined): AsyncGenerator<Row> {
    for (;;) {
      if (this.#ahead.length === 0) await this.#readAhead();
      const [first] = this.#ahead;
      if (first === undefined || (run !== undefined && first.run > run)) return;
      yield* first.rows;
      this.#ahead.shift();
    }
  }

  async #readAhead(): Promise<void> {
    const objects = this.#waiting.slice(this.#next, this.#next + RUNS_READ_AHEAD);
    this.#next += objects.length;
    const found = await pMap(objects, async (object) => ({ object, content: await this.store.readOpenRows(object) }));
    this.#ahead = found.flatMap(({ object, content }) => {
      // Another closing has merged and deleted it since it was listed, so this one can't replace the list any more.
      if (content === undefined) return [];
      this.read.push({ key: object.key, etag: content.etag });
      return { run: runOf(object), rows: content.rows.map((row) => ({ ...row, day: object.day })) };
    });
  }
}

/** Text that sorts by day and then by run. */
const runOf = ({ day, runId }: Pick<OpenObject, 'day' | 'runId'>) => `${day} ${runId}`;

/** Merges the rows of the generation before with those of changed objects, by day and run, without holding all of them. */
async function* mergedRows(
  store: ClosedMonthsStore,
  table: ClosedTable,
  before: Manifest | undefined,
  opened: OpenRows,
): AsyncGenerator<Row> {
  for (let piece = 0; before !== undefined && piece < before.pieces[table]; piece++) {
    for await (const row of store.readPiece(table, before, piece)) {
      const run = runOf({ day: String(row.day), runId: String(row.run_id) });
      yield* opened.upTo(run);
      if (!opened.has(run)) yield row;
    }
  }
  yield* opened.upTo(undefined);
}

/**
 * Deletes the runs' objects whose rows every query finds in a closed generation: those that are merged, in this version,
 * in all generations that count for a query that may still be reading or is yet to come.
 * @returns how many
 */
async function deleteMerged(
  store: ClosedMonthsStore,
  month: string,
  yesterday: string,
  now: () => number,
): Promise<number> {
  const months = await store.readClosedMonths();
  const needed = ofMonth(months, month).filter((each) => !isOver(each, now()));
  if (!needed.some((each) => Date.parse(each.valid_from) <= now() - KEPT_MILLISECONDS)) return 0;
  const manifests = await pMap(needed, (each) => store.readManifest(each), { concurrency: 1 });
  const merged = manifests.map((manifest) => (manifest === undefined ? new Set<string>() : mergedVersions(manifest)));
  const open = await store.openObjects(month, yesterday);
  const deletable = open.filter((object) => merged.every((versions) => versions.has(versionOf(object))));
  const deleted = await pMap(deletable, (object) => store.deleteVersion(object), { concurrency: 32 });
  return deleted.filter((isDeleted) => isDeleted).length;
}

/**
 * Deletes the objects of generations that are not listed, or count for no query any more. A closing that was cut off
 * leaves some; one that is still at work is younger.
 * @returns how many
 */
async function deleteGenerations(store: ClosedMonthsStore, now: () => number): Promise<number> {
  const stored = await store.storedGenerations();
  const { generations } = await store.readClosedMonths();
  const needed = new Set(generations.filter((each) => !isOver(each, now())).map(({ generation }) => generation));
  const old = stored.filter(
    ({ generation, begunAt }) => !needed.has(generation) && begunAt.getTime() <= now() - KEPT_MILLISECONDS,
  );
  const keys = old.flatMap((each) => each.keys);
  await store.deleteObjects(keys);
  return keys.length;
}
