/**
 * Measures what closing a month takes: `npm run bench:closing -- [runs] [measurements per run]`. First all runs of the month
 * are merged, then one more into the generation with all of them, as on each day. The bucket is in this process.
 *
 * Exit code 1: the process takes more memory than the function has.
 */
import { elementAt } from '../domain/maths/elements';
import { measurementRow, runRow, type Row } from '../domain/tables/columns';
import { ONE_VCPU_MEBIBYTES } from '../domain/model/service-facts';
import { measurementRowsKey, runRowKey } from '../domain/workflow/object-keys';
import { makeCloseMonths } from '../lambdas/close-months/close-months';
import { closedMonthsStore } from '../lambdas/result-store/closed-months';
import { encodeGzipRows, encodeRows } from '../lambdas/result-store/encoding';
import { FakeStore } from '../test/support/fake-store';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  steadyResult,
  throttledResult,
} from '../test/support/measurement-results';
import { seededRandom } from '../test/support/random';

const [runCount = 1000, measurementCount = 40] = process.argv.slice(2).map(Number);
const RESULTS = [throttledResult, latencyResult, steadyResult, bidirectionalResult, packetResult, failedResult];
const random = seededRandom(1);
const store = new FakeStore();

/** Gives each figure of a row another value, so that no column has the same few in all rows. */
function varied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(varied);
  if (typeof value !== 'number') return value;
  const other = value * random.uniform(0.8, 1.2);
  return Number.isInteger(value) ? Math.round(other) : other;
}

function putRun(index: number): void {
  const day = `2026-11-${String(1 + (index % 28)).padStart(2, '0')}`;
  const runId = `team-${index % 7}-burst-${String(index).padStart(6, '0')}`;
  const rows = Array.from({ length: measurementCount }, (_, position): Row => {
    const measurementId = `p${String(position + 1).padStart(4, '0')}-m01`;
    const row = measurementRow(elementAt(RESULTS, position % RESULTS.length)({ runId, measurementId }));
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, varied(value)]));
  });
  store.objects.set(measurementRowsKey(day, runId), encodeGzipRows(rows));
  const run = runRow({
    runId,
    planName: 'Burst of c5',
    createdAt: `${day}T10:00:00.000Z`,
    outcome: 'complete',
    pairCount: measurementCount,
    failedPairCount: 0,
    repetitions: 1,
    concurrency: 10,
    measurementStatuses: rows.map(() => 'complete'),
  });
  store.objects.set(runRowKey(day, runId), encodeRows([run]));
}

const megabytes = (prefix: string) =>
  store.keys(prefix).reduce((sum, key) => sum + (store.objects.get(key)?.length ?? 0), 0) / 1e6;

async function main(): Promise<void> {
  for (let index = 0; index < runCount; index++) putRun(index);
  console.log(`${runCount} runs with ${measurementCount} measurements: ${megabytes('measurements/').toFixed(1)} MB`);
  const close = makeCloseMonths({
    store: closedMonthsStore(store),
    now: () => new Date('2026-12-01T00:20:00Z'),
    log: () => undefined,
  });
  for (const step of ['all runs', 'one more run']) {
    if (step !== 'all runs') putRun(runCount);
    const before = { cpu: process.cpuUsage(), bytes: megabytes('closed/'), objects: store.keys('closed/').length };
    await close({});
    const { user, system } = process.cpuUsage(before.cpu);
    const bytes = (megabytes('closed/') - before.bytes).toFixed(2);
    const objects = store.keys('closed/').length - before.objects;
    console.log(`${step}: ${((user + system) / 1e6).toFixed(1)} s of the processor, ${objects} objects, ${bytes} MB`);
  }
  const mebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`memory: ${mebibytes} MiB, the bucket included; the function has ${ONE_VCPU_MEBIBYTES}`);
  if (mebibytes > ONE_VCPU_MEBIBYTES) process.exitCode = 1;
}

void main();
