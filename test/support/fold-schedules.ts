/**
 * A model of everything that changes the tables of a run at the same time: calls of summarise-run and analyse-measurement
 * that share one bucket. A schedule decides before each request whose turn it is and who is killed there.
 */
import { setImmediate } from 'node:timers/promises';
import { plannedResult } from '../../domain/analysis/measurement-result';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { Metric, Sample } from '../../domain/model/sample';
import { runSummary, type RunSummary } from '../../domain/run/summary';
import { measurementRowsKey, pairRowsKey, runRowKey } from '../../domain/workflow/object-keys';
import { makeFoldUnfinished } from '../../lambdas/analyse-measurement/analyse-measurement';
import { resultFinder, resultReader } from '../../lambdas/result-store/reader';
import { runFolding } from '../../lambdas/result-store/folding';
import { resultWriter } from '../../lambdas/result-store/writer';
import { measurementCost, pairCost } from './costs';
import { FakeStore } from './fake-store';
import { plannedRun, RUN_ID } from './planned-run';
import { seededRandom } from './random';

const run = plannedRun({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }], repetitions: 1 });
const [firstId = '', lateId = ''] = run.pairs.flatMap((pair) => pair.measurements).map((each) => each.measurementId);

type Store = FakeStore['adapter'];

const METRICS: readonly Metric[] = ['throughput', 'interface'];

async function writeResult(store: Pick<Store, 'writeResult'>, index: number): Promise<void> {
  const pair = run.pairs[0]!;
  const planned = plannedResult(run, pair, pair.measurements[index]!);
  const samples = METRICS.map((metric): Sample => {
    return { metric, hostRole: 'server', direction: 'forward', stream: 'sum', startSeconds: 0, lengthSeconds: 1 };
  });
  await store.writeResult({ ...planned, status: 'complete', statistics: {}, verdict: null, warnings: [] }, samples);
}

/** Writes cost.json and summary.json, which differ in every call. */
export async function writeDocuments(
  store: Pick<Store, 'writeCost' | 'writeSummary'>,
  planned: PlannedRun,
  costUsd: number,
  ending: Partial<Pick<RunSummary, 'outcome' | 'interruptedReason'>> = { outcome: 'complete' },
): Promise<void> {
  const { runId, pairs } = planned;
  const measurements = pairs.flatMap((pair) => pair.measurements);
  const cost = {
    schema: 'network-benchmark.cost.v1',
    runId,
    costUsd,
    pairs: pairs.map(({ pairId }) => pairCost({ pairId })),
    measurements: measurements.map(({ measurementId }) => measurementCost({ measurementId, costUsd })),
  } as const;
  const summary = runSummary({
    run: planned,
    results: [],
    pairs: pairs.map((pair) => ({ ...pair, status: 'complete', reason: null })),
    endedAt: planned.createdAt,
    interruptedReason: null,
    cost,
    earlierRuns: [],
    warnings: [],
    reportUri: '',
  });
  await store.writeCost(cost);
  await store.writeSummary({ ...summary, ...ending });
}

const PROCESSES = {
  fold: (store: Store) => store.foldRun(run),
  anotherFold: (store: Store) => store.foldRun(run),
  repeatedSummary: async (store: Store) => {
    await writeDocuments(store, run, 2, { outcome: 'complete' });
    await store.foldRun(run);
  },
  lateAnalysis: async (store: Store) => {
    const key = await store.beginAnalysis({ runId: RUN_ID, measurementId: lateId, begunAt: new Date(0) });
    await writeResult(store, 1);
    if (await store.hasSummary(RUN_ID)) await store.foldRun(run, lateId);
    await store.finishAnalysis(key);
  },
} as const;
export type ProcessName = keyof typeof PROCESSES;

/** @returns whose request is next, or who is killed before its next request */
type Schedule = (waiting: readonly ProcessName[]) => { readonly next: ProcessName } | { readonly killed: ProcessName };

/**
 * Runs the processes by a schedule, then what repairs a run on AWS: a summary that was killed is repeated, and a sweep
 * folds unfinished analyses.
 * @returns what was wrong, by the request after which it was
 */
async function faultsOf(names: readonly ProcessName[], schedule: Schedule): Promise<string[]> {
  const store = new FakeStore();
  await store.adapter.writePlan(run);
  await writeResult(store.adapter, 0);
  await writeDocuments(store.adapter, run, 1, { outcome: 'incomplete' });

  const waiting = new Map<ProcessName, (() => void)[]>();
  const killed = new Set<ProcessName>();
  const failures: string[] = [];
  for (const name of names) {
    const inTurn =
      <Arguments extends unknown[], Answer>(request: (...given: Arguments) => Promise<Answer>) =>
      (...given: Arguments) =>
        new Promise<Answer>((resolve, reject) => {
          const queue = waiting.get(name) ?? [];
          waiting.set(name, [...queue, () => void request(...given).then(resolve, reject)]);
        });
    const bucket = inTurns(store, inTurn);
    const adapter = {
      ...resultReader(bucket),
      ...resultFinder(bucket),
      ...resultWriter(bucket),
      ...runFolding(bucket),
    };
    PROCESSES[name](adapter as Store).catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  }
  const seen = { late: 0, costUsd: 0 };
  for (await setImmediate(); waiting.size > 0; await setImmediate()) {
    const turn = schedule([...waiting.keys()]);
    const name = 'next' in turn ? turn.next : turn.killed;
    const requests = waiting.get(name) ?? [];
    waiting.delete(name);
    // Requests that a process makes at once are answered at once.
    if ('next' in turn) for (const request of requests) request();
    else killed.add(name);
    failures.push(...goneBackwards(store, seen));
  }
  if ([...killed].some((name) => name !== 'lateAnalysis')) await PROCESSES.repeatedSummary(store.adapter);
  const foldUnfinished = makeFoldUnfinished({ store: store.adapter, log: () => undefined });
  for (const unfinishedKey of await store.adapter.unfinishedKeys()) await foldUnfinished({ unfinishedKey });
  return [...failures, ...wrongRows(store)];
}

/** The same bucket, each of whose requests waits for its turn. */
function inTurns(
  store: FakeStore,
  inTurn: <A extends unknown[], R>(request: (...given: A) => Promise<R>) => (...given: A) => Promise<R>,
) {
  return {
    bucketName: store.bucketName,
    getObject: inTurn(store.getObject),
    getObjectUpTo: inTurn(store.getObjectUpTo),
    getDescribedObject: inTurn(store.getDescribedObject),
    getVersionedObject: inTurn(store.getVersionedObject),
    putObject: inTurn(store.putObject),
    putObjectOnce: inTurn(store.putObjectOnce),
    replaceObject: inTurn(store.replaceObject),
    listObjects: inTurn(store.listObjects),
    listFolders: inTurn(store.listFolders),
    listVersions: inTurn(store.listVersions),
    deleteObjects: inTurn(store.deleteObjects),
  };
}

const rowsAt = (store: FakeStore, key: string) => (store.objects.has(key) ? store.rows(key) : []);

/** No object of a table is ever replaced by an older one: a row that was there stays, and a price does not come back. */
function goneBackwards(store: FakeStore, seen: { late: number; costUsd: number }): string[] {
  const rows = rowsAt(store, measurementRowsKey(run.day, RUN_ID));
  const late = rows.filter((row) => row.measurement_id === lateId).length;
  const costUsd = Math.max(0, ...rows.map((row) => Number(row.cost_usd)));
  const faults = [
    ...(late < seen.late ? ['the late measurement was in the table and is gone'] : []),
    ...(costUsd < seen.costUsd ? [`the price was ${seen.costUsd} and is ${costUsd} again`] : []),
  ];
  Object.assign(seen, { late, costUsd });
  return faults;
}

/** Compares the tables with the documents and the parts of which they are made. */
function wrongRows(store: FakeStore): string[] {
  const cost = store.json<{ costUsd: number }>(`reports/${RUN_ID}/cost.json`).costUsd;
  const { outcome } = store.json<{ outcome: string }>(`reports/${RUN_ID}/summary.json`);
  const idsBelow = (prefix: string) =>
    [firstId, lateId].filter((id) => store.keys(prefix).some((key) => key.includes(id)));
  const samplesOf = (metric: Metric) =>
    store.keys(`samples/metric=${metric}/`).flatMap((key) => store.rows(key).map((row) => row.measurement_id));
  const found = {
    measurements: rowsAt(store, measurementRowsKey(run.day, RUN_ID)).map((row) =>
      [row.measurement_id, row.cost_usd, row.run_outcome].join(' '),
    ),
    samples: METRICS.map(samplesOf),
    pairs: rowsAt(store, pairRowsKey(run.day, RUN_ID)).map((row) => row.pair_id),
    runs: rowsAt(store, runRowKey(run.day, RUN_ID)).map((row) => [row.cost_usd, row.outcome].join(' ')),
    unfinished: store.keys('unfinished/'),
  };
  const expected = {
    measurements: idsBelow('parts/').map((id) => [id, cost, outcome].join(' ')),
    samples: METRICS.map(() => idsBelow('measurement_samples/')),
    pairs: run.pairs.map(({ pairId }) => pairId),
    runs: [[cost, outcome].join(' ')],
    unfinished: [],
  };
  return JSON.stringify(found) === JSON.stringify(expected)
    ? []
    : [`found ${JSON.stringify(found)}, must be ${JSON.stringify(expected)}`];
}

const ALL = Object.keys(PROCESSES) as ProcessName[];

/** A process goes on for a random number of requests, so that whole folds happen between two requests of another. */
export async function faultsOfRandomSchedules(count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let seed = 0; seed < count; seed++) {
    const random = seededRandom(seed);
    const oneOf = (names: readonly ProcessName[]) => names[random.integer(0, names.length - 1)]!;
    const victim = oneOf(ALL);
    let current = oneOf(ALL);
    const schedule: Schedule = (waiting) => {
      if (!waiting.includes(current) || random.chance(0.2)) current = oneOf(waiting);
      return current === victim && random.chance(0.1) ? { killed: current } : { next: current };
    };
    for (const fault of await faultsOf(ALL, schedule)) faults.push(`seed ${seed}: ${fault}`);
  }
  return faults;
}

/**
 * Tries every schedule with at most `depth` events. An event is a kill, or the turn of another process although the one
 * before still has requests.
 */
export async function faultsOfSchedulesTo(depth: number, names: readonly ProcessName[]) {
  const faults: string[] = [];
  let count = 0;
  const explore = async (events: readonly Event[]): Promise<void> => {
    let steps = 0;
    let current = names[0]!;
    const turns: { readonly waiting: readonly ProcessName[]; readonly current: ProcessName }[] = [];
    const found = await faultsOf(names, (waiting) => {
      if (!waiting.includes(current)) current = waiting[0]!;
      turns.push({ waiting, current });
      const event = events.find(({ step }) => step === steps);
      steps += 1;
      if (event?.turn !== undefined && 'next' in event.turn) current = event.turn.next;
      return event?.turn ?? { next: current };
    });
    count += 1;
    faults.push(...found.map((fault) => `${JSON.stringify(events)}: ${fault}`));
    if (events.length === depth) return;
    const from = (events.at(-1)?.step ?? -1) + 1;
    for (let step = from; step < turns.length; step++) {
      const { waiting, current: running } = turns[step]!;
      const others = waiting.filter((name) => name !== running);
      for (const turn of [{ killed: running }, ...others.map((next) => ({ next }))]) {
        await explore([...events, { step, turn }]);
      }
    }
  };
  await explore([]);
  return { faults, count };
}

interface Event {
  /** Counts the turns of the whole schedule from 0. */
  readonly step: number;
  readonly turn: ReturnType<Schedule>;
}
