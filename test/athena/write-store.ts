/**
 * Writes the store that `npm run bench:store` measures, by the product's own writers: `tsx write-store.ts FOLDER
 * OPTIONS`, where OPTIONS is the JSON of `StoreOptions`. The objects are in `FOLDER/objects`, by their keys;
 * `FOLDER/facts.json` says what is in them.
 *
 * `writeFinishedRun` and `writeRunningRun` are the only places that change when the product stores a run differently.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { earlierBucketsQuery } from '../../domain/forecast/credits';
import { forecastRun, type RunForecast } from '../../domain/forecast/forecast-run';
import { pricesOf } from '../../domain/forecast/prices/price-table';
import type { PairLife } from '../../domain/forecast/pair-life-cost';
import { runCost } from '../../domain/forecast/run-cost';
import { elementAt } from '../../domain/maths/elements';
import { HOST_ROLES } from '../../domain/model/host-role';
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { workOf } from '../../domain/plan/prepare-plan';
import { earlierRunsQuery, previousRunQuery } from '../../domain/run/earlier-runs';
import { runSummary } from '../../domain/run/summary';
import { daysBefore } from '../../domain/tables/query-text';
import { measurementId, pairId } from '../../domain/workflow/identifiers';
import { runFolding } from '../../lambdas/result-store/folding';
import { resultWriter } from '../../lambdas/result-store/writer';
import { FolderBucket } from '../support/folder-bucket';
import {
  INSTANCE_TYPES,
  measuredRun,
  MEASUREMENTS_PER_TYPE,
  type MeasuredPair,
  type MeasuredRun,
} from './measured-pairs';

interface StoreOptions {
  /** UTC, YYYY-MM-DD: the day of the newest run, and of the running one. */
  readonly today: string;
  /** The runs are spread evenly over this many days, at most 90. */
  readonly days: number;
  readonly runCount: number;
  /** Further runs, of the rest of a year; they have no samples. */
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

type Writer = ReturnType<typeof resultWriter>;
type Folding = ReturnType<typeof runFolding>;

interface Store {
  readonly writer: Writer;
  readonly folding: Folding;
}

/** The day and the instant at which a run was planned. */
interface DatedRun {
  readonly runId: string;
  readonly day: string;
  readonly startedAt: string;
}

interface FinishedRun {
  readonly run: PlannedRun;
  readonly forecast: RunForecast;
  readonly measurements: readonly { readonly result: MeasurementResult; readonly samples: readonly Sample[] }[];
}

/** What analyse-measurement and summarise-run write of a run. */
async function writeFinishedRun({ writer, folding }: Store, finished: FinishedRun): Promise<void> {
  const { run, forecast, measurements } = finished;
  const { runId, day } = run;
  for (const { result, samples } of measurements) await writer.writeResult(result, samples);
  const results = new Map(measurements.map(({ result }) => [result.measurementId, result]));
  const lives = new Map(run.pairs.map((pair) => [pair.pairId, lifeOf(pair, results)]));
  const cost = runCost({ run, results, lives, forecast, workOf });
  await writer.writeCost(cost);
  await writer.writeSummary(
    runSummary({
      run,
      results: measurements.map(({ result }) => result),
      pairs: run.pairs.map(({ pairId, clientType, serverType }) => {
        return { pairId, status: 'complete', reason: null, clientType, serverType };
      }),
      endedAt: `${day}T23:59:00.000Z`,
      interruptedReason: null,
      cost,
      earlierRuns: [],
      warnings: [],
      reportUri: writer.uris(runId).report,
    }),
  );
  await folding.foldRun(run);
}

/** The hosts of a pair are there two minutes before its measurement and one after it. */
function lifeOf(pair: PlannedPair, results: ReadonlyMap<string, MeasurementResult>): PairLife {
  const { startedAt = '', endedAt = '' } = results.get(measurementId(pair.pairId, 0)) ?? {};
  const launchedAt = new Date(Date.parse(startedAt) - 120_000).toISOString();
  const goneAt = new Date(Date.parse(endedAt) + 60_000).toISOString();
  const hosts = HOST_ROLES.map((role) => ({ role, instanceType: pair[`${role}Type`], launchedAt, goneAt }));
  return { hosts, isTried: true, areAllKnown: true, warnings: [] };
}

/** What ingest-chunk writes while a run is running. */
async function writeRunningRun(writer: Writer, run: DatedRun, pairs: readonly MeasuredPair[]): Promise<void> {
  for (const [index, { chunks }] of pairs.entries()) {
    const identity = { ...run, measurementId: measurementId(pairId(index), 0) };
    for (const { samples, ...chunk } of chunks) {
      if (samples.length > 0) await writer.writeLiveSamples({ ...identity, ...chunk }, samples);
    }
  }
}

/** Run `index`, counted back from the newest. Runs of one day start one after the other. */
function datedRun(name: string, index: number, day: string): DatedRun {
  const minute = String(59 - (index % 60)).padStart(2, '0');
  return { runId: `${name}-${String(index + 1).padStart(4, '0')}`, day, startedAt: `${day}T08:${minute}:00.000Z` };
}

/** The measured run under another name and on another day. */
function finishedRun(
  { run: measured, pairs }: MeasuredRun,
  { runId, day, startedAt }: DatedRun,
  keepsSample: (sample: Sample) => boolean,
): FinishedRun {
  const planned = pairs.map(({ planned: pair }, pairIndex): PlannedPair => {
    const measurements = pair.measurements.map((measurement, index) => {
      return { ...measurement, measurementId: measurementId(pairId(pairIndex), index) };
    });
    return { ...pair, pairIndex, pairId: pairId(pairIndex), measurements };
  });
  const { instanceTypes } = measured;
  const forecast = forecastRun({ pairs: planned, instanceTypes, ...pricesOf('us-east-1'), workOf });
  const { expectedUsd, upperUsd } = forecast;
  const measurements = pairs.map(({ result, samples }, index) => {
    const ids = { runId, pairId: pairId(index), measurementId: measurementId(pairId(index), 0) };
    const endedAt = new Date(Date.parse(startedAt) + result.durationSeconds * 1000).toISOString();
    return { result: { ...result, ...ids, day, startedAt, endedAt }, samples: samples.filter(keepsSample) };
  });
  const run = { ...measured, runId, day, createdAt: startedAt, expectedUsd, upperUsd, pairs: planned };
  return { run, forecast, measurements };
}

/** As many as asked for: the measured ones over and over. */
function repeated(pairs: readonly MeasuredPair[], count: number): MeasuredPair[] {
  return Array.from({ length: count }, (_, index) => elementAt(pairs, index % pairs.length));
}

async function writeStore(folder: string, options: StoreOptions): Promise<void> {
  const { today, days, runCount, earlierRunCount, pairCount, wholeDays, runningPairCount } = options;
  const bucket = new FolderBucket(join(folder, 'objects'));
  const writer = resultWriter(bucket);
  const store = { writer, folding: runFolding(bucket) };
  const types = INSTANCE_TYPES.slice(0, Math.ceil(pairCount / MEASUREMENTS_PER_TYPE));
  const measured = measuredRun(types, options.durationSeconds);
  const repeatedRun = { ...measured, pairs: repeated(measured.pairs, pairCount) };

  for (let index = 0; index < runCount; index += 1) {
    const age = Math.floor((index * days) / runCount);
    const run = datedRun('canary', index, daysBefore(today, age));
    const keepsSample = ({ metric }: Sample) => age < wholeDays || metric === 'throughput';
    await writeFinishedRun(store, finishedRun(repeatedRun, run, keepsSample));
  }
  const earlierDays = YEAR_DAYS - FIRST_EARLIER_DAY;
  for (let index = 0; index < earlierRunCount; index += 1) {
    const age = FIRST_EARLIER_DAY + Math.floor((index * earlierDays) / earlierRunCount);
    const run = datedRun('earlier', index, daysBefore(today, age));
    await writeFinishedRun(
      store,
      finishedRun(repeatedRun, run, () => false),
    );
  }

  const running = datedRun('running', 0, today);
  await writeRunningRun(writer, running, repeated(measured.pairs, runningPairCount));
  for (const [index, day] of [today, daysBefore(today, 1)].entries()) {
    await writeRunningRun(
      writer,
      datedRun('beside', index, day),
      repeated(measured.pairs, Math.ceil(runningPairCount / 4)),
    );
  }

  const { run: newestRun, measurements } = finishedRun(repeatedRun, datedRun('canary', 0, today), () => false);
  const newest = measurements.map(({ result }) => result);
  const throttled = newest.find(({ verdict }) => verdict !== null && verdict.onset !== null);
  if (throttled === undefined) throw new Error('pairCount: must be so many that one of them is throttled');
  const next = { runId: 'next', createdAt: `${today}T23:59:59.000Z`, day: today };
  const facts = {
    options,
    series: { runId: throttled.runId, measurementId: throttled.measurementId, day: throttled.day },
    runningRunId: running.runId,
    // The questions that plan-run and summarise-run put to Athena.
    lookBacks: {
      'plan-run': earlierBucketsQuery(today, types),
      'plan-run for the previous run': previousRunQuery({ ...next, plan: newestRun.plan }),
      'summarise-run': earlierRunsQuery(next, newest),
    },
  };
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts));
}

const [folder, options] = process.argv.slice(2) as [string, string];
mkdirSync(folder, { recursive: true });
void writeStore(folder, JSON.parse(options) as StoreOptions);
