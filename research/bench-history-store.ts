/**
 * Measures what the history of all runs takes at the end of a run: `npm run bench:history-store -- [runs] [measurements per
 * run]`. The code of publish-run works on a bucket in memory, so that the figures are processor time and bytes, and how
 * long S3 takes to answer is none of them.
 *
 * Three measurements are repetitions of each other, and every run measures the same.
 */
import { newsOf, watchedFigures } from '../domain/history/changes';
import type { RunHistory } from '../domain/history/history';
import type { MeasurementResult } from '../domain/model/result';
import { renderIndex } from '../domain/report/index-page/render-index';
import { counted } from '../domain/text/format';
import { textTable } from '../domain/text/text-table';
import { measurementId, pairId } from '../domain/workflow/identifiers';
import { HISTORY_KEY, INDEX_KEY, summaryKey } from '../domain/workflow/object-keys';
import { renewHistory } from '../lambdas/publish-run/publish-run';
import { runHistoryStore } from '../lambdas/result-store/run-history';
import { putEndedRun } from '../test/support/ended-runs';
import { FakeStore } from '../test/support/fake-store';
import { latencyResult, throttledResult, throttledVerdict } from '../test/support/measurement-results';
import { PAGE_SCRIPT } from '../test/support/page-markup';
import { seededRandom } from '../test/support/random';

const [runCount = 1000, measurementCount = 60] = process.argv.slice(2).map(Number);
const REPETITIONS = 3;
/** Of the figures of a run around their level. */
const SCATTER = 0.02;
const REGION = 'eu-central-1';

const random = seededRandom(1);

/** Half of the cells are throughput with a throttle, half are round trips. */
function measured(index: number): MeasurementResult {
  const cell = Math.floor(index / REPETITIONS);
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

const runName = (index: number) => `run-${String(index).padStart(5, '0')}`;

function filledStore(): FakeStore {
  const store = new FakeStore();
  for (let index = 0; index < runCount; index += 1) {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 6 * 3_600_000).toISOString();
    const results = Array.from({ length: measurementCount }, (_, each) => measured(each));
    putEndedRun(store, runName(index), { createdAt, results });
  }
  return store;
}

/** Processor seconds of an action, of all threads, and what it gave. */
async function timed<Value>(action: () => Value | Promise<Value>): Promise<{ seconds: number; value: Value }> {
  const before = process.cpuUsage();
  const value = await action();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, value };
}

async function main(): Promise<void> {
  const bucket = filledStore();
  const store = runHistoryStore(bucket);
  const last = runName(runCount - 1);
  const renewed = () => renewHistory({ store, pause: () => Promise.resolve() }, last);

  const rebuilding = await timed(renewed);
  const renewing = await timed(renewed);
  const { history, unreadable } = renewing.value;
  if (history.runs.length !== runCount)
    throw new Error(`history: must have ${runCount} runs, has ${history.runs.length}`);
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
  const rendering = await timed(() => renderIndex(page, PAGE_SCRIPT));
  await store.writeIndex(rendering.value);
  const comparing = await timed(() => newsOf(watched, last));

  const cells = new Set(history.runs.flatMap((run: RunHistory['runs'][number]) => run.cells.map(({ cell }) => cell)));
  const bytes = (key: string) => `${((bucket.objects.get(key)?.length ?? 0) / 1e6).toFixed(2)} MB`;
  const cpu = ({ seconds }: { readonly seconds: number }) => `${seconds.toFixed(2)} s`;
  process.stdout.write(
    `${counted(runCount, 'run')} of ${counted(measurementCount, 'measurement')}, ${counted(cells.size, 'cell')}\n` +
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
