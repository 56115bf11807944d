/**
 * Writes the store that `npm run bench:store` measures, by the product's own writers: `tsx write-store.ts FOLDER
 * OPTIONS`, where OPTIONS is the JSON of `StoreOptions`. The objects are in `FOLDER/objects`, by their keys;
 * `FOLDER/facts.json` says what is in them.
 *
 * `writeFinishedRun` and `writeRunningRun` are the only places that change when the product stores a run differently.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { earlierBucketsQuery } from '../../domain/forecast/earlier-buckets';
import { elementAt } from '../../domain/maths/elements';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { earlierRunsQuery } from '../../domain/report/earlier-runs';
import { daysBefore } from '../../domain/tables/query-text';
import { measurementId, pairId } from '../../domain/workflow/identifiers';
import { runFolding } from '../../lambdas/result-store/folding';
import { resultWriter } from '../../lambdas/result-store/writer';
import { FolderBucket } from '../support/folder-bucket';
import { plannedRun } from '../support/planned-run';
import { INSTANCE_TYPES, measuredPairs, MEASUREMENTS_PER_TYPE, type MeasuredPair } from './measured-pairs';

interface StoreOptions {
  /** UTC, YYYY-MM-DD: the day of the newest run, and of the running one. */
  readonly today: string;
  /** The first day that the tables can have. */
  readonly firstDay: string;
  /** The runs are spread evenly over this many days, at most 90. */
  readonly days: number;
  readonly runCount: number;
  /** Further runs, of the rest of a year, as far as the tables reach; they have no samples. */
  readonly earlierRunCount: number;
  /** Of each run; each pair has one measurement. */
  readonly pairCount: number;
  readonly durationSeconds: number;
  /** The runs of this many days have all their samples. Older ones have those of `throughput` only, which is quick. */
  readonly wholeDays: number;
  /** Of the running run; beside it are a run of today and one of yesterday, each with a quarter as many pairs. */
  readonly runningPairCount: number;
}

/** The named queries read the day of 90 days ago as well. */
const FIRST_EARLIER_DAY = 91;
const YEAR_DAYS = 365;

interface FinishedMeasurement {
  readonly result: MeasurementResult;
  readonly samples: readonly Sample[];
}

type Writer = ReturnType<typeof resultWriter>;
type Folding = ReturnType<typeof runFolding>;

/** What analyse-measurement and summarise-run write of a run. */
async function writeFinishedRun(
  { writer, folding }: { readonly writer: Writer; readonly folding: (now: () => Date) => Folding },
  run: { readonly runId: string; readonly day: string; readonly startedAt: string },
  measurements: readonly FinishedMeasurement[],
): Promise<void> {
  const { runId, day, startedAt } = run;
  for (const { result, samples } of measurements) await writer.writeResult(result, samples);
  const pairs = measurements.map(({ result: { pairId: id, measurementId: measurement } }) => {
    return { pairId: id, measurements: [{ measurementId: measurement }] };
  });
  const planned = { ...plannedRun(), runId, day, createdAt: startedAt, pairs } as unknown as PlannedRun;
  await folding(() => new Date(startedAt)).foldRun(planned);
  await writer.writeRunRow(day, {
    runId,
    planName: 'Canary',
    createdAt: startedAt,
    endedAt: `${day}T23:59:00.000Z`,
    outcome: 'complete',
    pairCount: measurements.length,
    failedPairCount: 0,
    repetitions: 1,
    concurrency: measurements.length,
    measurementStatuses: measurements.map(({ result }) => result.status),
    reportUri: writer.uris(runId).report,
  });
}

/** What ingest-chunk writes while a run is running. */
async function writeRunningRun(
  writer: Writer,
  run: { readonly runId: string; readonly day: string; readonly startedAt: string },
  pairs: readonly MeasuredPair[],
): Promise<void> {
  for (const [index, { chunks }] of pairs.entries()) {
    const identity = { ...run, measurementId: measurementId(pairId(index), 0) };
    for (const { samples, ...chunk } of chunks) {
      if (samples.length > 0) await writer.writeLiveSamples({ ...identity, ...chunk }, samples);
    }
  }
}

/** Run `index`, counted back from the newest. Runs of one day start one after the other. */
function datedRun(name: string, index: number, day: string) {
  const minute = String(59 - (index % 60)).padStart(2, '0');
  return { runId: `${name}-${String(index + 1).padStart(4, '0')}`, day, startedAt: `${day}T08:${minute}:00.000Z` };
}

function measurementsOf(
  { runId, day, startedAt }: ReturnType<typeof datedRun>,
  pairs: readonly MeasuredPair[],
  keepsSample: (sample: Sample) => boolean,
): FinishedMeasurement[] {
  return pairs.map(({ result, samples }, index) => {
    const ids = { runId, pairId: pairId(index), measurementId: measurementId(pairId(index), 0) };
    const endedAt = new Date(Date.parse(startedAt) + result.durationSeconds * 1000).toISOString();
    const dated = { ...result, ...ids, planName: 'Canary', day, startedAt, endedAt };
    return { result: dated, samples: samples.filter(keepsSample) };
  });
}

/** As many as asked for: the measured ones over and over. */
function repeated(pairs: readonly MeasuredPair[], count: number): MeasuredPair[] {
  return Array.from({ length: count }, (_, index) => elementAt(pairs, index % pairs.length));
}

async function writeStore(folder: string, options: StoreOptions): Promise<void> {
  const { today, firstDay, days, runCount, earlierRunCount, pairCount, wholeDays, runningPairCount } = options;
  const bucket = new FolderBucket(join(folder, 'objects'));
  const writer = resultWriter(bucket);
  const store = { writer, folding: (now: () => Date) => runFolding(bucket, now) };
  const types = INSTANCE_TYPES.slice(0, Math.ceil(pairCount / MEASUREMENTS_PER_TYPE));
  const measured = measuredPairs(types, options.durationSeconds);
  const pairs = repeated(measured, pairCount);

  for (let index = 0; index < runCount; index += 1) {
    const age = Math.floor((index * days) / runCount);
    const run = datedRun('canary', index, daysBefore(today, age));
    const keepsSample = ({ metric }: Sample) => age < wholeDays || metric === 'throughput';
    const measurements = measurementsOf(run, pairs, keepsSample);
    await writeFinishedRun(store, run, measurements);
  }
  const tableDays = (Date.parse(today) - Date.parse(firstDay)) / 86_400_000 + 1;
  const earlierDays = Math.min(YEAR_DAYS, tableDays) - FIRST_EARLIER_DAY;
  for (let index = 0; index < earlierRunCount; index += 1) {
    const age = FIRST_EARLIER_DAY + Math.floor((index * earlierDays) / earlierRunCount);
    const run = datedRun('earlier', index, daysBefore(today, age));
    const measurements = measurementsOf(run, pairs, () => false);
    await writeFinishedRun(store, run, measurements);
  }

  const running = datedRun('running', 0, today);
  await writeRunningRun(writer, running, repeated(measured, runningPairCount));
  for (const [index, day] of [today, daysBefore(today, 1)].entries()) {
    await writeRunningRun(writer, datedRun('beside', index, day), repeated(measured, Math.ceil(runningPairCount / 4)));
  }

  const newest = measurementsOf(datedRun('canary', 0, today), pairs, () => false).map(({ result }) => result);
  const throttled = newest.find(({ verdict }) => verdict !== null && verdict.onset !== null);
  if (throttled === undefined) throw new Error('pairCount: must be so many that one of them is throttled');
  const facts = {
    options,
    series: { runId: throttled.runId, measurementId: throttled.measurementId, day: throttled.day },
    runningRunId: running.runId,
    // The questions that plan-run and summarise-run put to Athena.
    lookBacks: {
      'plan-run': earlierBucketsQuery(today, types),
      'summarise-run': earlierRunsQuery({ runId: 'next', createdAt: `${today}T23:59:59.000Z`, day: today }, newest),
    },
  };
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts));
}

const [folder, options] = process.argv.slice(2) as [string, string];
mkdirSync(folder, { recursive: true });
void writeStore(folder, JSON.parse(options) as StoreOptions);
