/** `npm run migrate`: what it says, and that the old layout's rows are in today's tables once, wherever it is killed. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { migrate } from '../../bin/migration';
import type { Row } from '../../domain/tables/columns';
import { planKey, summaryKey } from '../../domain/workflow/object-keys';
import { FakeStore } from '../support/fake-store';
import { plannedRun, RUN_ID } from '../support/planned-run';

const FIXTURE = join(__dirname, '../fixtures/old-layout');
const OLD_OBJECTS = 6;

/** A store with a run that the version before folding had measured and summarised. */
function oldStore(): FakeStore {
  const store = new FakeStore();
  for (const key of readdirSync(FIXTURE, { recursive: true, encoding: 'utf8' })) {
    const file = join(FIXTURE, key);
    if (statSync(file).isFile()) store.objects.set(key, new Uint8Array(readFileSync(file)));
  }
  return store;
}

const oldKeys = (store: FakeStore) =>
  store.keys().filter((key) => key.startsWith('samples/day=') || /^measurements\/.*\.ndjson$/.test(key));

/** Every row of the tables as text, with the metric that stands in the key of a sample. */
function tableRows(store: FakeStore): string[] {
  const folded = store.keys().filter((key) => /^(samples\/metric=|measurements\/)/.test(key));
  return folded.flatMap((key) => {
    const metric = /metric=([a-z_]+)/.exec(key)?.[1];
    return store
      .rows(key)
      .map(withoutEnding)
      .map((row) => JSON.stringify({ ...row, ...(metric && { metric }) }, Object.keys({ ...row, metric }).sort()));
  });
}

/** The rows of measurements get the outcome of their run when they are moved. */
const withoutEnding = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'run_outcome'));

/** The rows of the old layout in the same form. */
function oldRows(): string[] {
  const store = oldStore();
  return oldKeys(store).flatMap((key) => store.rows(key).map((row) => JSON.stringify(row, Object.keys(row).sort())));
}

async function migrated(store: FakeStore): Promise<{ isWhole: boolean; lines: string[] }> {
  const lines: string[] = [];
  const isWhole = await migrate(store, (line) => lines.push(line));
  return { isWhole, lines };
}

describe('a run of the old layout', () => {
  test('is in today’s tables afterwards, row by row, and its old objects are gone', async () => {
    const store = oldStore();
    expect(oldKeys(store)).toHaveLength(OLD_OBJECTS);

    const answer = await migrated(store);

    expect(answer).toEqual({
      isWhole: true,
      lines: [`run-1: moved the rows of ${OLD_OBJECTS} objects, and deleted these`],
    });
    expect(oldKeys(store)).toEqual([]);
    expect(store.keys('measurements/')).toEqual(['measurements/day=2026-11-20/run-1.ndjson.gz']);
    expect(tableRows(store).sort()).toEqual(oldRows().sort());
    expect(tableRows(store).length).toBeGreaterThan(100);
    const outcomes = store.rows('measurements/day=2026-11-20/run-1.ndjson.gz').map((row) => row.run_outcome);
    expect(outcomes).toEqual(['incomplete', 'incomplete', 'incomplete', 'incomplete']);
    const samplesIn = (each: FakeStore, prefix: string) =>
      each.keys(prefix).flatMap((key) => each.rows(key).map((row) => JSON.stringify(row, Object.keys(row).sort())));
    expect(samplesIn(store, 'measurement_samples/').sort()).toEqual(samplesIn(oldStore(), 'samples/').sort());
  });

  test('is left alone by a second migration, which says so', async () => {
    const store = oldStore();
    await migrated(store);
    const before = new Map(store.objects);

    expect(await migrated(store)).toEqual({ isWhole: true, lines: ['nothing is left of the old layout'] });

    expect(store.objects).toEqual(before);
  });

  test('keeps what today’s analysis wrote of one of its measurements', async () => {
    const store = oldStore();
    const result = await store.adapter.result(RUN_ID, 'p0001-m02');
    await store.adapter.writeResult({ ...result, toolVersion: 'newer' }, []);

    await migrated(store);

    const rows = store.rows('measurements/day=2026-11-20/run-1.ndjson.gz');
    expect(rows.map(({ measurement_id, tool_version }) => [measurement_id, tool_version === 'newer'])).toEqual([
      ['p0001-m01', false],
      ['p0001-m02', true],
      ['p0002-m01', false],
      ['p0002-m02', false],
    ]);
    expect(tableRows(store).some((row) => row.includes('"p0001-m02"') && row.includes('start_seconds'))).toBe(false);
  });
});

describe('a migration that is killed', () => {
  const writes = writesOf();

  test('has more than ten writes and a deletion at the end', async () => {
    expect((await writes).length).toBeGreaterThan(10);
    expect((await writes).at(-1)).toBe(`delete ${OLD_OBJECTS}`);
  });

  async function writesOf(killedAt = Infinity, isDone = true, store = oldStore()): Promise<string[]> {
    const done: string[] = [];
    const breaking =
      <Args extends unknown[]>(name: (...args: Args) => string, write: (...args: Args) => Promise<void>) =>
      async (...args: Args) => {
        done.push(name(...args));
        if (done.length === killedAt && !isDone) throw new Error('killed');
        await write(...args);
        if (done.length >= killedAt) throw new Error('killed');
      };
    const { putObject, deleteObjects } = store;
    await migrate(
      {
        ...store,
        putObject: breaking((key) => key, putObject),
        deleteObjects: breaking((keys: readonly string[]) => `delete ${keys.length}`, deleteObjects),
      },
      () => undefined,
    );
    return done;
  }

  test('loses no row on the way, and is completed by its repetition', async () => {
    const expected = oldRows().sort();
    for (let killedAt = 1; killedAt <= (await writes).length; killedAt++) {
      for (const isDone of [true, false]) {
        const store = oldStore();
        await writesOf(killedAt, isDone, store);
        // Each row is still in an old object or already in a new one.
        const found = new Set([
          ...tableRows(store),
          ...oldKeys(store).flatMap((key) =>
            store.rows(key).map((row) => JSON.stringify(row, Object.keys(row).sort())),
          ),
        ]);
        expect({ killedAt, isDone, lost: expected.filter((row) => !found.has(row)) }).toEqual({
          killedAt,
          isDone,
          lost: [],
        });

        await migrated(store);

        expect(tableRows(store).sort()).toEqual(expected);
        expect(oldKeys(store)).toEqual([]);
      }
    }
  });
});

describe('what is not moved', () => {
  const left = async (store: FakeStore) => {
    const before = oldKeys(store);
    const { isWhole, lines } = await migrated(store);
    expect(isWhole).toBe(false);
    expect(oldKeys(store)).toEqual(before);
    return lines;
  };

  test('a run that has not ended', async () => {
    const store = oldStore();
    store.objects.delete(summaryKey(RUN_ID));
    expect(await left(store)).toEqual(['run-1: left as it is: has no summary yet; repeat this when it has ended']);
  });

  test('a run without a plan', async () => {
    const store = oldStore();
    store.objects.delete(planKey(RUN_ID));
    expect(await left(store)).toEqual([expect.stringContaining(`run-1: left as it is: ${planKey(RUN_ID)}`)]);
  });

  test('a run of another day than its plan says', async () => {
    const store = oldStore();
    store.putJson(planKey(RUN_ID), { ...plannedRun(), day: '2026-11-21' });
    expect(await left(store)).toEqual([
      expect.stringMatching(
        /^run-1: left as it is: samples\/day=2026-11-20\/.*: must be of 2026-11-21, the day of its run$/,
      ),
    ]);
  });

  test('a run of which a new object would have fewer rows than there were', async () => {
    const store = oldStore();
    await migrated(store);
    for (const key of store.keys('parts/')) store.objects.delete(key);
    const again = 'measurements/day=2026-11-20/run-1.p0001-m02.ndjson';
    store.objects.set(again, oldStore().objects.get(again)!);
    const before = store.text('measurements/day=2026-11-20/run-1.ndjson.gz');

    expect(await left(store)).toEqual([
      'run-1: left as it is: the store has results but no rows of p0001-m01, p0002-m01, p0002-m02, ' +
        'which a new object would lose',
    ]);
    expect(store.text('measurements/day=2026-11-20/run-1.ndjson.gz')).toBe(before);
  });

  test.each([
    ['{"metric":"steps"}', 'metric must be one of throughput, sent_throughput, .*, got "steps"'],
    ['no JSON', 'line 1 must be JSON, got "no JSON"'],
  ])('samples with the line %s', async (line, reason) => {
    const store = oldStore();
    store.objects.set('samples/day=2026-11-20/run-1.p0001-m02.ndjson.gz', new Uint8Array(gzipSync(line)));
    expect(await left(store)).toEqual([
      expect.stringMatching(new RegExp(`^run-1: left as it is: samples/.*: ${reason}$`)),
    ]);
  });

  test('an object that is none of a table', async () => {
    const store = oldStore();
    store.putJson('samples/day=2026-11-20/notes.txt', {});
    const { isWhole, lines } = await migrated(store);
    expect(isWhole).toBe(false);
    expect(lines).toContain('samples/day=2026-11-20/notes.txt: left: is no object of a table, old or new');
    expect(oldKeys(store)).toEqual(['samples/day=2026-11-20/notes.txt']);
  });
});

describe('the command', () => {
  const command = (...args: string[]) =>
    spawnSync('bash', [join(__dirname, '../../scripts/migrate.sh'), ...args], { encoding: 'utf8' });

  test('--help prints how it is used', () => {
    expect(command('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^usage: npm run migrate /),
      stderr: '',
    });
  });

  test.each<[string[], RegExp]>([
    [[], /^migrate: must be given one BUCKET, got none\n\nusage: /],
    [['one', 'two'], /^migrate: must be given one BUCKET, got one, two\n\nusage: /],
    [['--nosuch'], /^migrate: unknown option "--nosuch"; allowed: --profile, --endpoint-url, --help\n\nusage: /],
  ])('%j is refused with a sentence and exit code 2', (args, refusal) => {
    expect(command(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(refusal) });
  });
});
