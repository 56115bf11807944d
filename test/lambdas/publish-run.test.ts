import { gzipSync } from 'node:zlib';
import { describe, expect, jest, test } from '@jest/globals';
import type { RunHistory } from '../../domain/history/history';
import {
  HISTORY_KEY,
  INDEX_KEY,
  planKey,
  publishedKey,
  reportKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import { runHistoryStore } from '../../lambdas/result-store/run-history';
import type { Announcement, EndedRun } from '../../lambdas/publish-run/announcements';
import { renderIndex } from '../../domain/report/index-page/render-index';
import { makePublishRun } from '../../lambdas/publish-run/publish-run';
import type { Log } from '../../lambdas/shared/runtime';
import { FakeStore } from '../support/fake-store';
import { putEndedRun } from '../support/ended-runs';
import { throttledResult, throttledVerdict } from '../support/measurement-results';
import { INDEX_SCRIPT } from '../support/page-markup';

const eventOf = (runId: string, id = `event of ${runId}`) => ({
  id,
  detail: { bucket: { name: 'results' }, object: { key: reportKey(runId) } },
});

function publishing(
  store: FakeStore,
  announcements: Readonly<Record<string, Announcement>> = {},
  log: Log = () => undefined,
) {
  return makePublishRun({
    bucketName: 'results',
    region: 'eu-central-1',
    store: runHistoryStore(store),
    renderIndex: (input) => renderIndex(input, INDEX_SCRIPT),
    announcements,
    pause: () => Promise.resolve(),
    now: () => new Date('2026-11-21T08:00:00Z'),
    log,
  });
}

const historyOf = (store: FakeStore) => store.json<RunHistory>(HISTORY_KEY);
const runIdsOf = (store: FakeStore) => historyOf(store).runs.map(({ runId }) => runId);

describe('the end of a run', () => {
  test('puts the run into the history and the page', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');

    await publishing(store)(eventOf('run-1'));

    expect(runIdsOf(store)).toEqual(['run-1']);
    expect(store.text(INDEX_KEY)).toContain('href="reports/run-1/report.html"');
  });

  test('makes the history again from all summaries where there is none', async () => {
    const store = new FakeStore();
    for (const runId of ['run-1', 'run-2', 'run-3']) putEndedRun(store, runId);
    // Planned, and not yet over; and one that was only forecast.
    store.putJson(planKey('run-4'), { schema: 'network-benchmark.plan.v1' });
    store.putJson('reports/dry-run/forecast.json', {});

    await publishing(store)(eventOf('run-2'));

    expect(runIdsOf(store)).toEqual(['run-1', 'run-2', 'run-3']);
  });

  test('makes the history of many runs again in parts, each of which is kept if the function is cut off', async () => {
    const store = new FakeStore();
    for (let index = 0; index < 600; index += 1) putEndedRun(store, `run-${index}`, { results: [] });
    const written: number[] = [];
    const replaceObject: typeof store.replaceObject = async (...asked) => {
      const isWritten = await store.replaceObject(...asked);
      written.push(runIdsOf(store).length);
      return isWritten;
    };

    await publishing(Object.assign(new FakeStore(), store, { replaceObject }))(eventOf('run-599'));

    expect(written).toEqual([500, 600]);
  });

  test('makes a history of another version again', async () => {
    const store = new FakeStore();
    for (const runId of ['run-1', 'run-2']) putEndedRun(store, runId);
    await publishing(store)(eventOf('run-1'));
    const earlier = { ...historyOf(store), schema: 'network-benchmark.history.v0' };
    store.objects.set(HISTORY_KEY, new Uint8Array(gzipSync(JSON.stringify(earlier))));

    await publishing(store)(eventOf('run-2'));

    expect(historyOf(store).schema).toBe('network-benchmark.history.v3');
    expect(runIdsOf(store)).toEqual(['run-1', 'run-2']);
  });

  test('takes from the history what was removed from the store', async () => {
    const store = new FakeStore();
    for (const runId of ['run-1', 'run-2']) putEndedRun(store, runId);
    await publishing(store)(eventOf('run-1'));
    await store.deleteObjects(store.keys('reports/run-1/'));

    await publishing(store)(eventOf('run-2'));

    expect(runIdsOf(store)).toEqual(['run-2']);
    expect(store.text(INDEX_KEY)).not.toContain('run-1');
  });

  test('drops a run that was deleted, and announces nothing, when it is told of it again', async () => {
    const store = new FakeStore();
    for (const runId of ['run-1', 'run-2']) putEndedRun(store, runId);
    await publishing(store)(eventOf('run-1'));
    await store.deleteObjects(store.keys('reports/run-1/'));
    const announced: string[] = [];
    const announce: Announcement = async ({ runId }) => void announced.push(runId);

    await publishing(store, { message: announce })(eventOf('run-1', 'delete-run run-1'));

    expect(runIdsOf(store)).toEqual(['run-2']);
    expect(store.text(INDEX_KEY)).not.toContain('run-1');
    expect(announced).toEqual([]);
    expect(store.keys('reports/run-1/')).toEqual([]);
  });

  test('does not bring back a run that was removed meanwhile', async () => {
    const store = new FakeStore();
    await publishing(store)(eventOf('run-1'));
    expect(store.keys()).toEqual([]);
  });

  test('renews what the history has of a run whose report is written again', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1', { outcome: 'incomplete' });
    await publishing(store)(eventOf('run-1', 'first'));
    putEndedRun(store, 'run-1', { outcome: 'complete' });
    await publishing(store)(eventOf('run-1', 'second'));
    expect(historyOf(store).runs.map(({ outcome }) => outcome)).toEqual(['complete']);
  });

  test('is nothing to other objects, and an error in another bucket', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    const publish = publishing(store);
    const raw = { ...eventOf('run-1'), detail: { bucket: { name: 'results' }, object: { key: 'raw/x/report.html' } } };
    await publish(raw);
    expect(store.keys('history/')).toEqual([]);
    const other = { ...raw, detail: { ...raw.detail, bucket: { name: 'another' } } };
    await expect(publish(other)).rejects.toThrow('bucket: must be results, got "another"');
  });
});

describe("a run whose documents can't be read", () => {
  const damaged = {
    'no JSON': (store: FakeStore) => store.objects.set(summaryKey('old'), new TextEncoder().encode('{"runId": "ol')),
    'a summary of another version': (store: FakeStore) =>
      store.putJson(summaryKey('old'), { ...store.json<object>(summaryKey('old')), schema: 'summary.v0' }),
    'a summary without measurements': (store: FakeStore) =>
      store.putJson(summaryKey('old'), { ...store.json<object>(summaryKey('old')), measurements: undefined }),
    'a summary without its end': (store: FakeStore) =>
      store.putJson(summaryKey('old'), { ...store.json<object>(summaryKey('old')), endedAt: undefined }),
    'a plan of another version': (store: FakeStore) => store.putJson(planKey('old'), { schema: 'plan.v0' }),
  };

  test.each(Object.entries(damaged))('is named and left out, and keeps no other out: %s', async (_, damage) => {
    const store = new FakeStore();
    for (const runId of ['old', 'run-1', 'run-2']) putEndedRun(store, runId);
    damage(store);
    const log = jest.fn<Log>();

    await publishing(store, {}, log)(eventOf('run-1'));

    expect(runIdsOf(store)).toEqual(['run-1', 'run-2']);
    expect(store.text(INDEX_KEY)).toMatch(/1 run cannot be read[^]*reports\/old\/report.html/);
    const leftOut = { runId: 'old', reason: expect.stringContaining('old') as unknown };
    expect(log).toHaveBeenCalledWith('run left out of the history', leftOut);
  });

  test('is in the history as soon as it can be', async () => {
    const store = new FakeStore();
    for (const runId of ['old', 'run-1']) putEndedRun(store, runId);
    damaged['no JSON'](store);
    await publishing(store)(eventOf('run-1'));
    putEndedRun(store, 'old');
    await publishing(store)(eventOf('run-1', 'another'));
    expect(runIdsOf(store)).toEqual(['old', 'run-1']);
    expect(store.text(INDEX_KEY)).not.toContain('be read');
  });

  test('fails the invocation if it is the run that has just ended', async () => {
    const store = new FakeStore();
    for (const runId of ['old', 'run-1']) putEndedRun(store, runId);
    damaged['a plan of another version'](store);
    await expect(publishing(store)(eventOf('old'))).rejects.toThrow(
      /old was published only in part: .*plan\.json: schema/,
    );
    expect(runIdsOf(store)).toEqual(['run-1']);
  });

  test('is not one that S3 did not give out, because another attempt may succeed', async () => {
    const store = new FakeStore();
    for (const runId of ['old', 'run-1']) putEndedRun(store, runId);
    const refusing = Object.assign(Object.create(store) as FakeStore, {
      getVersionedObject: async (key: string) => {
        if (key === summaryKey('old')) throw Object.assign(new Error('reduce your rate'), { name: 'SlowDown' });
        return store.getVersionedObject(key);
      },
    });
    await expect(publishing(refusing)(eventOf('run-1'))).rejects.toThrow(/SlowDown: reduce your rate/);
    expect(store.keys(HISTORY_KEY)).toEqual([]);
  });
});

describe('runs that end at the same time', () => {
  /** Lets another run be published between what the first one has read and what it writes. */
  function interleaved(store: FakeStore, meanwhile: () => Promise<void>): FakeStore {
    let isFirst = true;
    const replaceObject: FakeStore['replaceObject'] = async (...args) => {
      if (isFirst) {
        isFirst = false;
        await meanwhile();
      }
      return store.replaceObject(...args);
    };
    return Object.assign(Object.create(store) as FakeStore, { replaceObject });
  }

  test.each([[['run-0']], [[]]])('are both in the history, which had %j', async (earlier) => {
    const store = new FakeStore();
    for (const runId of earlier) {
      putEndedRun(store, runId);
      await publishing(store)(eventOf(runId));
    }
    putEndedRun(store, 'run-1');
    const slow = interleaved(store, async () => {
      putEndedRun(store, 'run-2');
      await publishing(store)(eventOf('run-2'));
    });

    await publishing(slow)(eventOf('run-1'));

    expect(runIdsOf(store)).toEqual([...earlier, 'run-1', 'run-2']);
    expect(store.text(INDEX_KEY)).toContain('reports/run-2/report.html');
  });

  test('do not bring back an earlier summary', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1', { outcome: 'incomplete' });
    const slow = interleaved(store, async () => {
      putEndedRun(store, 'run-1', { outcome: 'complete' });
      await publishing(store)(eventOf('run-1', 'second'));
    });

    await publishing(slow)(eventOf('run-1', 'first'));

    expect(historyOf(store).runs.map(({ outcome }) => outcome)).toEqual(['complete']);
  });

  test('are all in the history, of twenty', async () => {
    const store = new FakeStore();
    const runIds = Array.from({ length: 20 }, (_, index) => `run-${String(index).padStart(2, '0')}`);
    for (const runId of runIds) putEndedRun(store, runId);
    await Promise.all(runIds.map((runId) => publishing(store)(eventOf(runId))));
    expect(runIdsOf(store)).toEqual(runIds);
  });

  test('fails when somebody else is first each time', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    const beaten = Object.assign(Object.create(store) as FakeStore, { replaceObject: async () => false });
    await expect(publishing(beaten)(eventOf('run-1'))).rejects.toThrow(/run-1 .*another writer changed the history/);
  });
});

function putFallingRuns(store: FakeStore, { stable, fallen }: { stable: number; fallen: number }): void {
  for (let index = 0; index < stable + fallen; index++) {
    const value = (index < stable ? 1.25e9 : 1.02e9) * (1 + 0.002 * (index % 3));
    const baseline = { value, low: value, high: value };
    putEndedRun(store, `run-${index}`, {
      createdAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
      results: [throttledResult({ verdict: { ...throttledVerdict, baseline } })],
    });
  }
}

describe('announcements', () => {
  test('are made once, although the report is written again', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    const message = jest.fn<Announcement>(async () => undefined);
    const publish = publishing(store, { message });

    await publish(eventOf('run-1', 'first'));
    await publish(eventOf('run-1', 'second'));

    expect(message).toHaveBeenCalledTimes(1);
    const [run] = message.mock.calls[0] as [EndedRun];
    expect(run).toMatchObject({ runId: 'run-1', summary: { outcome: 'complete' }, changes: [] });
    expect(run.digest).toEqual(historyOf(store).runs[0]);
  });

  test('have what is new by the run, although runs that were planned later have ended already', async () => {
    const store = new FakeStore();
    putFallingRuns(store, { stable: 12, fallen: 6 });
    const message = jest.fn<Announcement>(async () => undefined);
    for (const index of [13, 14, 17]) await publishing(store, { message })(eventOf(`run-${index}`));
    const announced = message.mock.calls.map(([{ changes }]) => changes.map(({ change }) => change.after.runCount));
    expect(announced).toEqual([[], [3], []]);
    expect(store.text(INDEX_KEY)).toMatch(/in the newest\s+6 of 18 runs/);
  });

  test('have what is possible after few runs apart from what is certain', async () => {
    const store = new FakeStore();
    putFallingRuns(store, { stable: 5, fallen: 3 });
    const message = jest.fn<Announcement>(async () => undefined);
    await publishing(store, { message })(eventOf('run-7'));
    const [run] = message.mock.calls[0] as [EndedRun];
    expect(run.changes).toEqual([]);
    expect(run.possibleChanges).toMatchObject([{ change: { certainty: 'possible', after: { runCount: 3 } } }]);
  });

  test('that failed are made by the same event again, and no others', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    const metrics = jest.fn<Announcement>(async () => undefined);
    const message = jest.fn<Announcement>().mockRejectedValueOnce(new Error('throttled')).mockResolvedValue(undefined);
    const publish = publishing(store, { metrics, message });

    await expect(publish(eventOf('run-1'))).rejects.toThrow(
      /run-1 was published only in part: message: Error: throttled/,
    );
    expect(store.json(publishedKey('run-1'))).toMatchObject({ done: ['metrics'] });
    await publish(eventOf('run-1'));

    expect(metrics).toHaveBeenCalledTimes(1);
    expect(message).toHaveBeenCalledTimes(2);
    expect(store.json(publishedKey('run-1'))).toMatchObject({ done: ['metrics', 'message'] });
  });

  test('that failed are not made by another event, whose repetitions would double them', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    const message = jest.fn<Announcement>().mockRejectedValueOnce(new Error('throttled')).mockResolvedValue(undefined);
    const publish = publishing(store, { message });

    await expect(publish(eventOf('run-1', 'first'))).rejects.toThrow(/throttled/);
    await publish(eventOf('run-1', 'second'));
    expect(message).toHaveBeenCalledTimes(1);
    await publish(eventOf('run-1', 'first'));
    expect(message).toHaveBeenCalledTimes(2);
  });

  test('are made although the history could not be renewed, which fails the invocation', async () => {
    const store = new FakeStore();
    putEndedRun(store, 'run-1');
    store.putJson(HISTORY_KEY, 'no gzip');
    const message = jest.fn<Announcement>(async () => undefined);
    await expect(publishing(store, { message })(eventOf('run-1'))).rejects.toThrow(/history: /);
    expect(message).toHaveBeenCalledTimes(1);
  });
});
