/**
 * Measures what the history of all runs takes at the end of a run: `npm run bench:history-store -- [runs] [measurements per
 * run] [cells]`. The code of publish-run works on a bucket in memory, so that the figures are processor time and bytes, and how
 * long S3 takes to answer is none of them.
 *
 * Three measurements are repetitions of each other. Runs take turns where there are more cells than one of them has. The
 * runs are those of a year. `NODE_OPTIONS=--max-old-space-size=N` shows whether N MiB are enough.
 */
import { newsOf, watchedFigures } from '../domain/history/changes';
import { runCountOf, type RunHistory } from '../domain/history/history';
import { elementAt } from '../domain/maths/elements';
import type { MeasurementResult } from '../domain/model/result';
import { renderIndex } from '../domain/report/index-page/render-index';
import { counted } from '../domain/text/format';
import { textTable } from '../domain/text/text-table';
import { measurementId, pairId } from '../domain/workflow/identifiers';
import { HISTORY_KEY, INDEX_KEY, planKey, summaryKey } from '../domain/workflow/object-keys';
import { renewHistory } from '../lambdas/publish-run/publish-run';
import { runHistoryStore } from '../lambdas/result-store/run-history';
import { putEndedRun } from '../test/support/ended-runs';
import { FakeStore } from '../test/support/fake-store';
import { latencyResult, throttledResult, throttledVerdict } from '../test/support/measurement-results';
import { INDEX_SCRIPT } from '../test/support/page-markup';
import { seededRandom } from '../test/support/random';

const [runCount = 1000, measurementCount = 60, cellCount = measurementCount / 3] = process.argv.slice(2).map(Number);
const REPETITIONS = 3;
/** Of the figures of a run around their level. */
const SCATTER = 0.02;
/** Runs of the same cells repeat each other after so many, because each summary takes a millisecond to make. */
const VARIANTS = 20;
const YEAR_MILLIS = 365 * 86_400_000;
const REGION = 'eu-central-1';

const random = seededRandom(1);

/** Half of the cells are throughput with a throttle, half are round trips. */
function measured(index: number, firstCell: number): MeasurementResult {
  const cell = firstCell + Math.floor(index / REPETITIONS);
  const ids = { pairId: pairId(index), measurementId: measurementId(pairId(index), 0), durationSeconds: 60 + cell };
  const factor = Math.exp(SCATTER * random.normal());
  if (cell % 2 === 1) {
    const rtt = 115 * factor;
    const rttMicros = { mean: rtt, min: rtt, p50: rtt, p99: 2 * rtt, p99_99: 9 * rtt, max: 20 * rtt };
    return latencyResult({ ...ids, statistics: { rttMicros, observations: 250_000 } });
  }
  const value = 1.24e9 * factor;
  const baseline = { value, low: 0.99 * value, high: 1.01 * value };
  return throttledResult({ ...ids, verdict: { ...throttledVerdict, baseline } });
}

const runName = (index: number) => `run-${String(index).padStart(6, '0')}`;

/** The documents of the runs, made when they are read, so that the memory of this process is publish-run's. */
function bucketOfRuns() {
  const store = new FakeStore();
  const groups = cellCount / (measurementCount / REPETITIONS);
  const documents = Array.from({ length: groups * VARIANTS }, (_, index) => {
    const made = new FakeStore();
    const firstCell = (index % groups) * (measurementCount / REPETITIONS);
    const results = Array.from({ length: measurementCount }, (_unused, each) => measured(each, firstCell));
    putEndedRun(made, 'RUN_ID', { createdAt: 'CREATED_AT', results });
    return { summary: made.text(summaryKey('RUN_ID')), plan: made.text(planKey('RUN_ID')) };
  });
  const ofRun = /^reports\/(run-[0-9]+)\/(summary|plan)\.json$/;
  const document = (key: string): string | undefined => {
    const [, runId, name] = ofRun.exec(key) ?? [];
    if (runId === undefined) return undefined;
    const index = Number(runId.slice('run-'.length));
    const createdAt = new Date(Date.UTC(2026, 0, 1) + (index * YEAR_MILLIS) / runCount).toISOString();
    const text = elementAt(documents, index % documents.length)[name as 'summary' | 'plan'];
    return text.replaceAll('RUN_ID', runId).replaceAll('CREATED_AT', createdAt);
  };
  const { putObject, putObjectOnce, replaceObject } = store;
  return {
    putObject,
    putObjectOnce,
    replaceObject,
    sizeOf: (key: string) => document(key)?.length ?? store.objects.get(key)?.length ?? 0,
    listFolders: () => Promise.resolve(Array.from({ length: runCount }, (_, index) => runName(index))),
    listObjects: (key: string) => (ofRun.test(key) ? Promise.resolve([key]) : store.listObjects(key)),
    getVersionedObject: (key: string) => {
      const text = document(key);
      return text === undefined
        ? store.getVersionedObject(key)
        : Promise.resolve({ body: new TextEncoder().encode(text), etag: 'of a document' });
    },
  };
}

/** Processor seconds of an action, of all threads, and what it gave. */
async function timed<Value>(action: () => Value | Promise<Value>): Promise<{ seconds: number; value: Value }> {
  const before = process.cpuUsage();
  const value = await action();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, value };
}

async function main(): Promise<void> {
  const bucket = bucketOfRuns();
  const store = runHistoryStore(bucket);
  const last = runName(runCount - 1);
  const renewed = () => renewHistory({ store, pause: () => Promise.resolve() }, last);

  const rebuilding = await timed(renewed);
  const renewing = await timed(renewed);
  const { history, unreadable } = renewing.value;
  if (runCountOf(history) !== runCount)
    throw new Error(`history: must have ${runCount} runs, has ${runCountOf(history)}`);
  const watching = await timed(() => watchedFigures(history));
  const watched = watching.value;
  const page = {
    history,
    watched,
    unreadable,
    region: REGION,
    bucketName: 'results',
    renewedAt: '2026-11-23T09:00:00.000Z',
  };
  const rendering = await timed(() => renderIndex(page, INDEX_SCRIPT));
  await store.writeIndex(rendering.value);
  const comparing = await timed(() => newsOf(watched, last));

  const cells = new Set(history.runs.flatMap((run: RunHistory['runs'][number]) => run.cells.map(({ cell }) => cell)));
  const bytes = (key: string) => `${(bucket.sizeOf(key) / 1e6).toFixed(2)} MB`;
  const cpu = ({ seconds }: { readonly seconds: number }) => `${seconds.toFixed(2)} s`;
  process.stdout.write(
    `${counted(runCount, 'run')} of ${counted(measurementCount, 'measurement')}, ${counted(cells.size, 'cell')}, at most ` +
      `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB of memory\n` +
      `${textTable(
        ['step', 'processor', 'object', 'bytes'],
        [
          ['history made again from all summaries', cpu(rebuilding), HISTORY_KEY, bytes(HISTORY_KEY)],
          ['history renewed by one run', cpu(renewing), HISTORY_KEY, bytes(HISTORY_KEY)],
          ['changes over the history', cpu(watching), '', ''],
          ['page with the atlas', cpu(rendering), INDEX_KEY, bytes(INDEX_KEY)],
          ['what is new by the run', cpu(comparing), '', ''],
          ['a summary that is read', '', 'summary.json', bytes(summaryKey(last))],
        ],
      )}\n`,
  );
}

void main();
