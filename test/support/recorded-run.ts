/**
 * Runs of any size made of recordings: bursts that others recorded on EC2, iperf3 over the lab's token buckets, and
 * sockperf between EC2 instances. Every recording is analysed by the product's own code; only the surroundings of a
 * measurement, such as its host's kernel, are made up.
 */
import { judgeMeasurement } from '../../domain/analysis/judge-measurement';
import type { AssembledMeasurement } from '../../domain/assembly/assemble-measurement';
import INSTANCE_PRICES from '../../domain/forecast/prices/instance-prices.json';
import { groupBy } from '../../domain/maths/elements';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import type { ReportInput } from '../../domain/run/report-input';
import { measurementId, pairId } from '../../domain/workflow/identifiers';
import { pairCost } from './costs';
import { halfHourRecordings } from './half-hours';
import { failedResult, latencyResult, throttledResult } from './measurement-results';
import { countedRecording, ec2Recordings, facts, labRecordings, latencyStatistics, type Recording } from './recordings';

const rates: Readonly<Record<string, number>> = INSTANCE_PRICES['us-east-1'].instanceUsdPerHour;

/** One of this many measurements has failed; as many pairs went to other subnets. */
const FAILED_ONE_IN = 29;
const DISPLACED_ONE_IN = 23;

interface MadeOf {
  readonly name: string;
  /** Measurements. */
  readonly count: number;
  readonly recordings: readonly Recording[];
  /** With these, each pair measures one of them before its throughput. */
  readonly latencies?: readonly AssembledMeasurement[];
  /** Whether some measurements fail and some pairs are in other subnets. @default true */
  readonly hasMishaps?: boolean;
}

/**
 * Pairs with one measurement of latency and one of throughput each. A type's recordings are its repetitions; when all
 * have been used, they come again with another number of parallel streams.
 *
 * @param count measurements; at least two
 */
export function recordedRun(count: number): ReportInput {
  const recordings = interleaved(ec2Recordings(), [countedRecording(), ...labRecordings()]);
  return runOf({ name: `${count} measurements`, count, recordings, latencies: latencyStatistics() });
}

/** The most that a measurement of half an hour has: counters of both hosts and a latency probe, all of them noisy. */
export function halfHourRun(count: number): ReportInput {
  return runOf({ name: `${count} half-hours`, count, recordings: halfHourRecordings(), hasMishaps: false });
}

function runOf({ name, count, recordings, latencies = [], hasMishaps = true }: MadeOf): ReportInput {
  const perPair = latencies.length > 0 ? 2 : 1;
  const types = [...new Set(recordings.map((each) => each.instanceType))];
  const repetitions = new Map<string, number>();
  const results: MeasurementResult[] = [];
  const seriesOf = new Map<string, readonly Sample[]>();
  for (let index = 0; index < count; index += 1) {
    const pairIndex = Math.floor(index / perPair);
    const round = Math.floor(pairIndex / recordings.length);
    const recording = recordings[pairIndex % recordings.length];
    if (recording === undefined) throw new Error('recorded run: there must be recordings');
    const { instanceType } = recording;
    const inPair = index % perPair;
    const cell = `${instanceType} ${round} ${inPair}`;
    const repetition = (repetitions.get(cell) ?? 0) + 1;
    repetitions.set(cell, repetition);
    const parallelStreams = 2 ** round;
    const common = {
      pairId: pairId(pairIndex),
      measurementId: measurementId(pairId(pairIndex), inPair),
      planName: name,
      clientType: instanceType,
      serverType: instanceType,
      publishedClient: facts(instanceType),
      publishedServer: facts(instanceType),
      planPairIndex: types.indexOf(instanceType),
      planMeasurementIndex: round * 2 + inPair,
      repetition,
      isDisplaced: hasMishaps && pairIndex % DISPLACED_ONE_IN === DISPLACED_ONE_IN - 1,
      warnings: [],
    } satisfies Partial<MeasurementResult>;
    const latency = latencies[pairIndex % latencies.length];
    if (latency !== undefined && inPair === 0) {
      results.push(latencyResult({ ...common, statistics: latency.statistics, warnings: latency.warnings }));
    } else if (hasMishaps && index % FAILED_ONE_IN === FAILED_ONE_IN - 1) {
      results.push(failedResult({ ...common, parallelStreams }));
    } else {
      const settings = { durationSeconds: recording.durationSeconds, parallelStreams };
      results.push(throughputResult(recording, { ...common, ...settings }));
      seriesOf.set(common.measurementId, recording.assembled.samples);
    }
  }
  return {
    ...surroundings(name, results),
    results,
    seriesOf,
    seriesFiles: new Map([...seriesOf.keys()].map((id) => [id, [`series/${id}.csv.gz`]])),
  };
}

function throughputResult({ assembled }: Recording, described: Partial<MeasurementResult>): MeasurementResult {
  const { verdict, otherDirection } = judgeMeasurement(assembled, {
    flowCount: described.parallelStreams ?? 1,
    truncated: false,
    clientType: described.publishedClient,
    serverType: described.publishedServer,
  });
  const { samples, statistics, warnings } = assembled;
  const sampleCount = samples.filter(({ metric }) => metric === 'throughput').length;
  const measured = { statistics, verdict, otherDirection: otherDirection ?? undefined, warnings, sampleCount };
  return throttledResult({ ...described, ...measured });
}

function surroundings(name: string, results: readonly MeasurementResult[]) {
  const firsts = [...groupBy(results, ({ pairId: id }) => id).values()].map(([first]) => first);
  const failed = results.filter(({ status }) => status === 'failed');
  return {
    run: {
      runId: `recorded-${name.replaceAll(' ', '-')}`,
      planName: name,
      outcome: failed.length === 0 ? ('complete' as const) : ('incomplete' as const),
      day: '2026-11-20',
      createdAt: '2026-11-20T21:00:00.000Z',
      endedAt: '2026-11-20T23:09:41.120Z',
      pairCount: firsts.length,
      measurementCount: results.length,
      repetitions: 1,
      concurrency: 10,
    },
    failedPairs: failed.map(({ pairId: id, measurementId: measurement, reason = 'no reason given' }) => {
      return { pairId: id, reason: `${measurement}: ${reason}` };
    }),
    pairCosts: firsts.map(({ pairId: id, clientType, serverType }) =>
      pairCost({
        pairId: id,
        clientHourlyUsd: rates[clientType] ?? null,
        serverHourlyUsd: rates[serverType] ?? null,
      }),
    ),
    athena: { database: 'network_benchmark', workGroup: 'network-benchmark' },
  };
}

/** In turn from both, as long as both have one. */
function interleaved<T>(left: readonly T[], right: readonly T[]): T[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index], right[index]])
    .flat()
    .filter((each) => each !== undefined);
}
