/**
 * Writes many runs as both atlases find them: `tsx write-atlas.ts FOLDER DAY` makes the rows of `measurements`, which the
 * query reads, and `atlas.json`, what the page over all runs makes of the runs' summaries and plans. Cells have 1 to 40
 * repetitions at one level or at several, and some that do not count; one has so many that only the newest count.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atlasOf } from '../../domain/history/atlas';
import { EMPTY_HISTORY, renewedHistory } from '../../domain/history/history';
import { runDigest } from '../../domain/history/run-digest';
import { mapInterval, type Interval } from '../../domain/maths/interval';
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { MeasurementResult } from '../../domain/model/result';
import { summaryToJson } from '../../domain/run/summary';
import { bucketOfAnotherPair } from '../../domain/tables/figure-facts';
import { FIGURES, inUnit } from '../../domain/tables/figures';
import { daysBefore } from '../../domain/tables/query-text';
import { measurementId, pairId } from '../../domain/workflow/identifiers';
import { endedSummary } from '../support/ended-runs';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  packetVerdict,
  published,
  throttledResult,
  throttledVerdict,
} from '../support/measurement-results';
import { seededRandom } from '../support/random';
import { rowWriter, writeFoldedRun } from '../support/table-rows';

const [folder, day] = process.argv.slice(2) as [string, string];
const RUNS = 8;
const CELLS = 40;
const MOST_REPETITIONS = 40;
/** Of the last cell in each run. Four runs have more than the 1,000 that count. */
const MANY_REPETITIONS = 260;
const random = seededRandom(14);

const level = (mean: number) => ({ mean, p5: mean, p50: mean, p95: mean, min: mean, max: mean });
const scaled = (interval: Interval | null, multiple: number) =>
  interval && mapInterval(interval, (value) => value * multiple);

/** What a repetition measures, at a multiple of the figures of the examples; cells take turns. */
const KINDS: readonly ((multiple: number) => MeasurementResult)[] = [
  (multiple) => {
    const { onset, burst, baseline, bucket } = throttledVerdict;
    return throttledResult({
      statistics: {
        throughputBitsPerSecond: level(4e9 * multiple),
        loadedLatency: {
          before: { rttMicros: level(150 * multiple), observations: 60 },
          after: { rttMicros: level(2000 * multiple), observations: 60 },
        },
      },
      verdict: {
        ...throttledVerdict,
        onset: scaled(onset, multiple),
        burst: scaled(burst, multiple),
        // Some never throttle, so they have no baseline.
        baseline: random.chance(0.2) ? null : scaled(baseline, multiple),
        bucket: scaled(bucket, multiple),
      },
    });
  },
  (multiple) =>
    bidirectionalResult({
      statistics: {
        forward: { throughputBitsPerSecond: level(4e9 * multiple) },
        reverse: { throughputBitsPerSecond: level(3e9 * multiple) },
      },
    }),
  (multiple) =>
    latencyResult({
      statistics: {
        rttMicros: { ...level(120 * multiple), p99: 300 * multiple, p99_99: 2000 * multiple },
        observations: random.pick([50, 5000, 50_000]),
        transactionsPerSecond: 8000 / (multiple + 1),
      },
    }),
  (multiple) => {
    const { burst, baseline } = packetVerdict;
    return packetResult({
      statistics: { packetsPerSecond: level(7e5 * multiple) },
      packetVerdict: { ...packetVerdict, burst: scaled(burst, multiple), baseline: scaled(baseline, multiple) },
    });
  },
];

interface Run {
  readonly runId: string;
  /** UTC day of the rows, YYYY-MM-DD. */
  readonly day: string;
  readonly createdAt: string;
  readonly instanceTypes: Readonly<Record<string, InstanceTypeFacts>>;
  readonly results: MeasurementResult[];
}

/** Run 4 is planned on the day of run 3, and before it: of one day, the run counts that is the last by name. */
const dayOf = (index: number) => (index === 4 ? 3 : index);

const runs = Array.from({ length: RUNS }, (_, index): Run => {
  // EC2 publishes other figures from one run to the next, and in the last run nothing of one end.
  const client = published('c5.xlarge', 1e9 + index * 1e8, 10e9);
  const server = { ...published('c5.9xlarge', 12e9, 9e9 + index * 3e8) };
  return {
    runId: `atlas-${index}`,
    day: daysBefore(day, RUNS - dayOf(index)),
    createdAt: `2026-11-${String(dayOf(index) + 10)}T${index === 4 ? '06' : '08'}:00:00.000Z`,
    instanceTypes: { 'c5.xlarge': client, ...(index < RUNS - 1 && { 'c5.9xlarge': server }) },
    results: [],
  };
});

/** Of some cells all repetitions, of some every fourth. */
const isContended = (cell: number, repetition: number) => cell % 10 === 9 || (cell % 3 === 0 && repetition % 4 === 0);

/** What stands beside the repetitions of a cell, and is none of them. */
const NO_REPETITIONS = 3;
function noRepetition(measured: MeasurementResult, which: number): MeasurementResult {
  if (which === 1) return { ...measured, isDisplaced: true };
  if (which === 2) return { ...measured, status: 'truncated', reason: 'cut off' };
  return { ...measured, ...failedResult(), runId: measured.runId, measurementId: measured.measurementId };
}

/** Adds a repetition to a run, or what stands beside the repetitions and is none. */
function add(run: Run, cell: number, repetition: number, multiple: number, kind?: number): void {
  const index = run.results.length;
  const ids = { runId: run.runId, pairId: pairId(index), measurementId: measurementId(pairId(index), 0) };
  const startedAt = run.createdAt.replace(':00:', `:${String((index % 59) + 1).padStart(2, '0')}:`);
  const made = { ...KINDS[cell % KINDS.length]!(multiple), ...ids, durationSeconds: 60 + cell, repetition, startedAt };
  const measured: MeasurementResult = {
    ...made,
    publishedClient: run.instanceTypes[made.clientType],
    publishedServer: run.instanceTypes[made.serverType],
  };
  const contended = isContended(cell, repetition) ? { cpuContention: 'other work kept both hosts busy' } : {};
  run.results.push(kind === undefined ? { ...measured, ...contended } : noRepetition(measured, kind));
}

for (let cell = 0; cell < CELLS; cell += 1) {
  const levels = [1, 1.9, 3.5, 7].slice(0, random.integer(1, 4));
  const scatter = random.pick([0, 0.01, 0.05, 0.3]);
  const repetitions = cell < 24 ? cell + 1 : random.integer(1, MOST_REPETITIONS);
  for (let repetition = 1; repetition <= repetitions + NO_REPETITIONS; repetition += 1) {
    const isRepetition = repetition <= repetitions;
    const multiple = random.chance(0.02) ? 0 : random.pick(levels) * Math.exp(scatter * random.normal());
    add(
      random.pick(runs),
      cell,
      repetition,
      isRepetition ? multiple : 100,
      isRepetition ? undefined : repetition - repetitions,
    );
  }
}
for (const run of runs) {
  for (let repetition = 1; repetition <= MANY_REPETITIONS; repetition += 1) {
    add(run, CELLS, repetition, Math.exp(0.05 * random.normal()));
  }
}

const write = rowWriter(folder, { compressed: false });
for (const run of runs) {
  writeFoldedRun(
    write,
    run.day,
    run.runId,
    run.results.map((result) => ({ result })),
  );
}
const digests = runs.map(({ runId, createdAt, instanceTypes, results }) =>
  runDigest(summaryToJson(endedSummary(runId, { createdAt, results })), { instanceTypes }),
);
const entries = atlasOf(renewedHistory(EMPTY_HISTORY, digests, () => true));
writeFileSync(
  join(folder, 'atlas.json'),
  JSON.stringify(
    entries.flatMap(({ cell, runCount, lastRunId, figures, contendedCounts }) =>
      FIGURES.flatMap((figure) => {
        const statistics = figures.get(figure.key);
        if (statistics === undefined) return [];
        const shown = (value: number | null | undefined) => (typeof value === 'number' ? inUnit(figure, value) : null);
        const { median, medianInterval, modes, count, min, max } = statistics;
        const ofAnother = bucketOfAnotherPair(figure, statistics);
        const isThroughput = cell.kind === 'throughput';
        return [
          {
            cell: cell.cell,
            setting: cell.conditions,
            column: figure.column,
            median: shown(median),
            median_low: shown(medianInterval?.low),
            median_high: shown(medianInterval?.high),
            another_pair_low: shown(ofAnother?.low),
            another_pair_high: shown(ofAnother?.high),
            mode_count: modes.length,
            lowest_mode: modes.length > 1 ? shown(modes.at(0)?.centre) : null,
            highest_mode: modes.length > 1 ? shown(modes.at(-1)?.centre) : null,
            lowest: shown(min),
            highest: shown(max),
            repetition_count: count,
            contended_count: contendedCounts.get(figure.key),
            run_count: runCount,
            last_run_id: lastRunId,
            published_baseline: isThroughput ? (cell.publishedBaselineBitsPerSecond ?? null) : null,
            published_peak: isThroughput ? (cell.publishedPeakBitsPerSecond ?? null) : null,
          },
        ];
      }),
    ),
  ),
);
