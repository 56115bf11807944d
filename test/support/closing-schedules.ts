/**
 * A model of everything that changes or reads the rows of months at the same time: closings, folds, deletions of runs and
 * queries that share one bucket and one clock. A seed decides before each request whose turn it is, how much time passes,
 * and which closing is cut off there.
 *
 * A query lists and opens objects in any order, and counts rows by the rule of the views (`domain/tables/closed-months.ts`).
 */
import { setImmediate } from 'node:timers/promises';
import { CLOSED_MONTHS_KEY, parseClosedKey, parseOpenRowsKey, runRowKey } from '../../domain/workflow/object-keys';
import { TABLES } from '../../domain/tables/columns';
import { makeCloseMonths } from '../../lambdas/close-months/close-months';
import {
  closedMonthsStore,
  type ClosedMonthsBucket,
  type ListedGeneration,
} from '../../lambdas/result-store/closed-months';
import { encodeRows } from '../../lambdas/result-store/encoding';
import { decodeParquet, parquetColumns } from '../../lambdas/result-store/parquet';
import { FakeStore } from './fake-store';
import { seededRandom, type Random } from './random';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Two days before a month ends. */
const BEGIN = Date.parse('2026-11-28T20:00:00Z');
/** Lambda's own limit, and the longest that an account can have for a query. */
const CLOSING_MILLISECONDS = 15 * MINUTE;
const QUERY_MILLISECONDS = 4 * HOUR;
/** How far the clock of the engine, by which a query has begun, may be from the closing's. */
const SKEW_MILLISECONDS = 5 * MINUTE;
/** How long the clock may stand between two rounds of calls. */
const PAUSES = [MINUTE, 11 * MINUTE, HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 24 * HOUR];
const ROUNDS = 4;

const CLOSED_COLUMNS = parquetColumns(
  TABLES.closed_runs.columns.filter(({ name }) => ['run_id', 'plan_name', 'day', 'generation'].includes(name)),
);

/** What a run's row is from some time on; undefined while it has none. */
interface Version {
  readonly since: number;
  readonly name: string | undefined;
}

interface Process {
  readonly kind: 'closing' | 'fold' | 'query';
  readonly begunAt: number;
  readonly requests: (() => void)[];
  isDone: boolean;
}

interface FoundRow {
  readonly runId: string;
  readonly day: string;
  readonly version: string;
  /** Undefined for an open row. */
  readonly generation: string | undefined;
}

class Model {
  readonly store = new FakeStore();
  readonly faults: string[] = [];
  readonly counts = { closings: 0, queries: 0, queriesOfGoneObjects: 0 };
  now = BEGIN;
  readonly #random: Random;
  readonly #versions = new Map<string, Version[]>();
  readonly #listed = new Map<string, { readonly generation: ListedGeneration; readonly listedAt: number }>();
  #processes: Process[] = [];
  #versionCount = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  async run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      this.#begin();
      await this.#takeTurns(this.#random.chance(0.3));
      this.now += this.#random.pick(PAUSES);
    }
    await this.#settle();
  }

  #begin(): void {
    const closings = this.#random.integer(0, 2);
    for (let count = 0; count < closings; count++) this.#start('closing', (bucket) => this.#close(bucket));
    const folds = this.#random.integer(0, 3);
    for (let count = 0; count < folds; count++) this.#start('fold', (bucket) => this.#fold(bucket));
    const queries = this.#random.integer(1, 2);
    for (let count = 0; count < queries; count++) this.#start('query', (bucket) => this.#query(bucket));
  }

  #start(kind: Process['kind'], work: (bucket: ClosedMonthsBucket) => Promise<void>): void {
    const process: Process = { kind, begunAt: this.now, requests: [], isDone: false };
    this.#processes.push(process);
    const inTurn =
      <A extends unknown[], R>(request: (...given: A) => Promise<R>) =>
      (...given: A) =>
        new Promise<R>((resolve, reject) => {
          process.requests.push(() => void request(...given).then(resolve, reject));
        });
    const { store } = this;
    const bucket: ClosedMonthsBucket = {
      getObject: inTurn(store.getObject),
      getVersionedObject: inTurn(store.getVersionedObject),
      listObjects: inTurn(store.listObjects),
      listVersions: inTurn(store.listVersions),
      listFolders: inTurn(store.listFolders),
      putObject: inTurn(store.putObject),
      replaceObject: inTurn((...given) => this.#replace(...given)),
      deleteObjects: inTurn(store.deleteObjects),
      deleteVersion: inTurn(store.deleteVersion),
    };
    work(bucket)
      .catch((error: unknown) => this.faults.push(`${kind}: ${String(error)}`))
      .finally(() => (process.isDone = true));
  }

  /** @param leavesQueries whether queries that have begun go on in the next round */
  async #takeTurns(leavesQueries: boolean): Promise<void> {
    for (;;) {
      await setImmediate();
      this.#processes = this.#processes.filter((each) => !each.isDone && !this.#isStopped(each));
      const waiting = this.#processes.filter(({ requests }) => requests.length > 0);
      if (!waiting.some(({ kind }) => kind !== 'query' || !leavesQueries)) return;
      const next = this.#random.pick(waiting);
      // A process goes on for some requests, so that whole closings happen between two requests of a query.
      let turns = this.#random.integer(1, 12);
      do {
        this.now += this.#random.chance(0.1) ? this.#random.integer(0, 2 * MINUTE) : 50;
        if (next.kind === 'closing' && this.#random.chance(0.01)) {
          this.#processes = this.#processes.filter((each) => each !== next);
          break;
        }
        for (const request of next.requests.splice(0)) request();
        await setImmediate();
        await setImmediate();
      } while (--turns > 0 && !next.isDone && !this.#isStopped(next));
    }
  }

  #isStopped({ kind, begunAt }: Process): boolean {
    return this.now - begunAt > (kind === 'query' ? QUERY_MILLISECONDS : CLOSING_MILLISECONDS);
  }

  async #close(bucket: ClosedMonthsBucket): Promise<void> {
    const close = makeCloseMonths({
      store: closedMonthsStore(bucket),
      now: () => new Date(this.now),
      log: () => undefined,
      rowsPerPiece: 2,
    });
    await close({});
    this.counts.closings += 1;
  }

  async #replace(key: string, body: Uint8Array, type: string, etag: string | undefined): Promise<boolean> {
    const isReplaced = await this.store.replaceObject(key, body, type, etag);
    if (isReplaced && key === CLOSED_MONTHS_KEY) {
      for (const generation of this.store.rows(key) as unknown as ListedGeneration[]) {
        const listedAt = this.#listed.get(generation.generation)?.listedAt ?? this.now;
        this.#listed.set(generation.generation, { generation, listedAt });
      }
    }
    return isReplaced;
  }

  /** Writes the rows of a run as folds do, or deletes them as `delete-run` does: the object stays, without rows. */
  async #fold({ listVersions, replaceObject }: ClosedMonthsBucket): Promise<void> {
    const day = new Date(this.now - this.#random.integer(0, 3) * 24 * HOUR).toISOString().slice(0, 10);
    const runId = `run-${this.#random.integer(0, 2)}`;
    const key = runRowKey(day, runId);
    const isDeletion = this.#random.chance(0.2);
    for (let isWritten = false; !isWritten;) {
      const [found] = await listVersions(key);
      const name = `v${String(++this.#versionCount).padStart(6, '0')}`;
      const rows = isDeletion ? [] : [{ run_id: runId, plan_name: name }];
      isWritten = await replaceObject(key, encodeRows(rows), '', found?.etag);
      if (isWritten) {
        const versions = this.#versions.get(`${day} ${runId}`) ?? [];
        versions.push({ since: this.now, name: isDeletion ? undefined : name });
        this.#versions.set(`${day} ${runId}`, versions);
      }
    }
  }

  async #query(bucket: ClosedMonthsBucket): Promise<void> {
    const realBegin = this.now;
    const begunAt = realBegin + this.#random.integer(-SKEW_MILLISECONDS, SKEW_MILLISECONDS);
    let listed: readonly ListedGeneration[] = [];
    const found: FoundRow[] = [];
    const state = { isGone: false };
    const readOpen = async (key: string) => {
      const body = await bucket.getObject(key);
      const { day, runId } = parseOpenRowsKey(key);
      for (const line of linesOf(body)) found.push({ runId, day, version: line.plan_name!, generation: undefined });
    };
    const readClosed = async (key: string) => {
      for await (const row of decodeParquet(CLOSED_COLUMNS, await bucket.getObject(key))) {
        const [runId, day, version] = [String(row.run_id), String(row.day), String(row.plan_name)];
        found.push({ runId, day, version, generation: String(row.generation) });
      }
    };
    const steps: (() => Promise<void>)[] = [
      async () => {
        const keys = await bucket.listObjects(CLOSED_MONTHS_KEY);
        listed =
          keys.length === 0 ? [] : (linesOf(await bucket.getObject(CLOSED_MONTHS_KEY)) as unknown as typeof listed);
      },
      async () => {
        for (const key of await bucket.listObjects('runs/')) steps.push(() => readOpen(key));
      },
      ...['2026-11', '2026-12'].map((month) => async () => {
        for (const key of await bucket.listObjects(`closed/runs/month=${month}/`)) steps.push(() => readClosed(key));
      }),
    ];
    while (steps.length > 0 && !state.isGone) {
      const [step] = steps.splice(this.#random.integer(0, steps.length - 1), 1);
      await step!().catch((error: unknown) => {
        // An engine fails a query whose object was deleted after it was listed. It shows no wrong rows.
        if ((error as Error).name !== 'NoSuchKey') throw error;
        state.isGone = true;
      });
    }
    if (state.isGone) this.counts.queriesOfGoneObjects += 1;
    else {
      this.counts.queries += 1;
      this.#judge(realBegin, begunAt, rowsThatCount(listed, found, begunAt));
    }
  }

  /** Compares what a query shows with what runs had written when it, or the closing that it depends on, had begun. */
  #judge(realBegin: number, begunAt: number, found: readonly FoundRow[]): void {
    for (const [run, versions] of this.#versions) {
      const [day = '', runId = ''] = run.split(' ');
      const shown = found.filter((row) => row.day === day && row.runId === runId);
      if (shown.length > 1) this.faults.push(`${run} is shown ${shown.length} times`);
      const valid = [...this.#listed.values()].find(
        ({ generation }) => isValid(generation, begunAt) && generation.month === day.slice(0, 7),
      );
      const [from, to] =
        valid === undefined || valid.generation.until < day
          ? [realBegin, this.now]
          : [parseClosedKey(`/${valid.generation.generation}.x`).begunAt.getTime(), valid.listedAt];
      const allowed = versionsWithin(versions, from, to);
      if (!allowed.has(shown[0]?.version)) {
        this.faults.push(`${run} is shown as ${shown[0]?.version}, must be one of ${[...allowed].join(', ')}`);
      }
    }
  }

  /** After some days of closings alone, each run is shown in its last version, and nothing superfluous is stored. */
  async #settle(): Promise<void> {
    this.#processes = [];
    for (let day = 0; day < 4; day++) {
      this.now += 24 * HOUR;
      this.#start('closing', (bucket) => this.#close(bucket));
      while (this.#processes.some(({ isDone }) => !isDone)) {
        for (const { requests } of this.#processes) for (const request of requests.splice(0)) request();
        await setImmediate();
      }
    }
    const generations = this.store.keys().includes(CLOSED_MONTHS_KEY) ? this.store.rows(CLOSED_MONTHS_KEY) : [];
    const newest = generations.filter((each) => each.valid_to === undefined).map((each) => each.generation);
    const left = this.store.keys('runs/');
    const stored = this.store.keys('closed/').filter((key) => !newest.includes(parseClosedKey(key).generation));
    for (const key of [...left, ...stored]) this.faults.push(`${key} is left`);
    this.#start('query', (bucket) => this.#query(bucket));
    while (this.#processes.some(({ isDone }) => !isDone)) {
      for (const { requests } of this.#processes) for (const request of requests.splice(0)) request();
      await setImmediate();
    }
  }
}

const linesOf = (body: Uint8Array) =>
  Buffer.from(body)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, string>);

const isValid = (generation: ListedGeneration, at: number) =>
  Date.parse(generation.valid_from) <= at &&
  (generation.valid_to === undefined || Date.parse(generation.valid_to) > at);

/** The rule of the views. */
function rowsThatCount(listed: readonly ListedGeneration[], found: readonly FoundRow[], begunAt: number): FoundRow[] {
  const valid = listed.filter((each) => isValid(each, begunAt));
  return found.filter(({ day, generation }) =>
    generation === undefined
      ? !valid.some(({ month, until }) => month === day.slice(0, 7) && until >= day)
      : valid.some((each) => each.month === day.slice(0, 7) && each.generation === generation),
  );
}

/** The versions that a run's row had at any moment of a time, undefined if it had none then. */
function versionsWithin(versions: readonly Version[], from: number, to: number): Set<string | undefined> {
  const all: readonly Version[] = [{ since: -Infinity, name: undefined }, ...versions];
  const within = all.filter(({ since }, index) => since <= to && (all[index + 1]?.since ?? Infinity) >= from);
  return new Set(within.map(({ name }) => name));
}

/** @returns the faults of all schedules, and how much happened in them */
export async function faultsOfClosings(count: number, firstSeed = 0) {
  const faults: string[] = [];
  const counts = { closings: 0, queries: 0, queriesOfGoneObjects: 0 };
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const model = new Model(seed);
    await model.run();
    for (const fault of model.faults) faults.push(`seed ${seed}: ${fault}`);
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += model.counts[name];
  }
  return { faults, ...counts };
}
