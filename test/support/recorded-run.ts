/**
 * A run of any size made of recordings: bursts that others recorded on EC2, iperf3 over the lab's token buckets, and
 * sockperf between EC2 instances. Every recording is analysed by the product's own code; only the surroundings of a
 * measurement, such as its host's kernel, are made up.
 */
import { gunzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { judgeMeasurement } from '../../domain/analysis/judge-measurement';
import { assembleOutput, type AssembledMeasurement } from '../../domain/assembly/assemble-measurement';
import INSTANCE_PRICES from '../../domain/forecast/prices/instance-prices.json';
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { parseToolOutputs } from '../../domain/parsers/parse-tool-output';
import type { ThroughputOutput } from '../../domain/parsers/tool-output';
import type { ReportInput } from '../../domain/report/report-input';
import { measurementId, pairId } from '../../domain/workflow/identifiers';
import { pairCost } from './costs';
import { fixturePath, readFixture, readLines } from './fixtures';
import { failedResult, latencyResult, published, throttledResult } from './measurement-results';

interface Recording {
  readonly instanceType: string;
  readonly durationSeconds: number;
  readonly assembled: AssembledMeasurement;
}

interface RecordedSeries {
  readonly id: string;
  readonly set: string;
  readonly dt: number;
  readonly t: readonly number[];
  readonly bps: readonly number[];
}

/** Baseline and peak of the recorded types as AWS publishes them, in Gbit/s. */
const PUBLISHED_GIGABITS: Readonly<Record<string, readonly [baseline: number, peak: number]>> = {
  'c5.large': [0.75, 10],
  'c5.xlarge': [1.25, 10],
  'c5.2xlarge': [2.5, 10],
  'c5.4xlarge': [5, 10],
  'c6gd.medium': [0.5, 10],
  'c6gd.large': [0.75, 10],
  'c6gd.xlarge': [1.25, 10],
  'c6gd.2xlarge': [2.5, 10],
  'c6gd.4xlarge': [5, 10],
};

/** The lab's buckets belong to no type; their recordings stand for these. */
const TYPES_OF_LAB_RECORDINGS = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'm4.xlarge', 'r5.large'];

const rates: Readonly<Record<string, number>> = INSTANCE_PRICES.instanceUsdPerHour;

function facts(instanceType: string): InstanceTypeFacts | undefined {
  const figures = PUBLISHED_GIGABITS[instanceType];
  return figures && published(instanceType, figures[0] * 1e9, figures[1] * 1e9);
}

/** `c5.2xlarge-us-west-1-1567731832` is of `c5.2xlarge`. */
const typeInId = (id: string) => id.slice(0, id.indexOf('-'));

function ec2Recordings(): Recording[] {
  const recorded = readLines<RecordedSeries>(fixturePath('real-world/series.jsonl.gz'));
  return recorded
    .filter(({ set }) => set === 'uta' || set === 'skyrise')
    .map(({ id, t, dt, bps }) => {
      const output: ThroughputOutput = {
        kind: 'throughput',
        tool: 'iperf3',
        role: 'server',
        protocol: 'tcp',
        reverse: false,
        bidirectional: false,
        intervals: t.map((startSeconds, index) => ({
          startSeconds,
          endSeconds: startSeconds + dt,
          direction: 'forward',
          side: 'receiver',
          stream: 'sum',
          bitsPerSecond: bps[index] ?? 0,
        })),
        summaries: [],
        complete: true,
        errors: [],
        warnings: [],
      };
      const durationSeconds = Math.ceil((t.at(-1) ?? 0) + dt);
      return { instanceType: typeInId(id), durationSeconds, assembled: assembleOutput(output) };
    });
}

function labRecordings(): Recording[] {
  const folder = fixturePath('real-buckets');
  const files = readdirSync(folder).filter((file) => file.endsWith('.iperf3.json.gz'));
  return files.sort().flatMap((file, index) => {
    const [output] = parseToolOutputs(gunzipSync(new Uint8Array(readFileSync(`${folder}/${file}`))).toString('utf8'));
    if (output.kind !== 'throughput' || output.reverse) return [];
    const instanceType = TYPES_OF_LAB_RECORDINGS[index % TYPES_OF_LAB_RECORDINGS.length] ?? 'm5.large';
    return { instanceType, durationSeconds: output.durationSeconds ?? 60, assembled: assembleOutput(output) };
  });
}

/** The counters of both hosts beside what arrived, as the lab's result files have them. */
function countedRecording(): Recording {
  const rows = readLines<Record<string, string | number | null>>(
    fixturePath('duty-cycles/c5.xlarge-90-on-90-off.ndjson.gz'),
  );
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const samples = rows.map((row) => {
    const known = Object.entries(row).filter(([, value]) => value !== null);
    const named = Object.fromEntries(known.map(([name, value]) => [camelCase(name), value]));
    return { direction: 'forward', stream: 'sum', ...named } as unknown as Sample;
  });
  const arrived = samples.filter(({ metric }) => metric === 'throughput');
  const mean = arrived.reduce((sum, { throughputBitsPerSecond = 0 }) => sum + throughputBitsPerSecond, 0);
  const throughputBitsPerSecond = quantilesOf(arrived, mean / arrived.length);
  const assembled = { samples, statistics: { throughputBitsPerSecond }, complete: true, warnings: [] };
  return { instanceType: 'c5.xlarge', durationSeconds: 270, assembled };
}

function quantilesOf(samples: readonly Sample[], mean: number) {
  const sorted = samples.flatMap(({ throughputBitsPerSecond }) => throughputBitsPerSecond ?? []).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? mean;
  return { mean, min: at(0), p5: at(0.05), p50: at(0.5), p95: at(0.95), max: at(1) };
}

function latencyStatistics(): AssembledMeasurement[] {
  return ['same-private-tcp', 'same-private-udp', 'other-private-tcp', 'same-public-tcp'].flatMap((name) => {
    const [output] = parseToolOutputs(readFixture(`tool-output/sockperf/2.5-matrix/${name}.out`));
    return output.kind === 'latency' ? assembleOutput(output) : [];
  });
}

/** One of this many measurements has failed; as many pairs went to other subnets. */
const FAILED_ONE_IN = 29;
const DISPLACED_ONE_IN = 23;

/**
 * Pairs with one measurement of latency and one of throughput each. A type's recordings are its repetitions; when all
 * have been used, they come again with another number of parallel streams.
 *
 * @param count measurements; at least two
 */
export function recordedRun(count: number): ReportInput {
  const recordings = interleaved(ec2Recordings(), [countedRecording(), ...labRecordings()]);
  const latencies = latencyStatistics();
  const repetitions = new Map<string, number>();
  const results: MeasurementResult[] = [];
  const seriesOf = new Map<string, readonly Sample[]>();
  for (let index = 0; index < count; index += 1) {
    const pairIndex = Math.floor(index / 2);
    const round = Math.floor(pairIndex / recordings.length);
    const recording = recordings[pairIndex % recordings.length];
    const latency = latencies[pairIndex % latencies.length];
    if (recording === undefined || latency === undefined) throw new Error('recorded run: there must be recordings');
    const { instanceType } = recording;
    const inPair = index % 2;
    const cell = `${instanceType} ${round} ${inPair}`;
    const repetition = (repetitions.get(cell) ?? 0) + 1;
    repetitions.set(cell, repetition);
    const parallelStreams = 2 ** round;
    const common = {
      pairId: pairId(pairIndex),
      measurementId: measurementId(pairId(pairIndex), inPair),
      planName: `${count} measurements`,
      clientType: instanceType,
      serverType: instanceType,
      publishedClient: facts(instanceType),
      publishedServer: facts(instanceType),
      planPairIndex: [...new Set(recordings.map((each) => each.instanceType))].indexOf(instanceType),
      planMeasurementIndex: round * 2 + inPair,
      repetition,
      isDisplaced: pairIndex % DISPLACED_ONE_IN === DISPLACED_ONE_IN - 1,
      warnings: [],
    } satisfies Partial<MeasurementResult>;
    if (inPair === 0) {
      results.push(latencyResult({ ...common, statistics: latency.statistics, warnings: latency.warnings }));
    } else if (index % FAILED_ONE_IN === FAILED_ONE_IN - 1) {
      results.push(failedResult({ ...common, parallelStreams }));
    } else {
      const { assembled, durationSeconds } = recording;
      const { verdict, otherDirection } = judgeMeasurement(assembled, {
        flowCount: parallelStreams,
        truncated: false,
        clientType: common.publishedClient,
        serverType: common.publishedServer,
      });
      const { samples, statistics, warnings } = assembled;
      const sampleCount = samples.filter(({ metric }) => metric === 'throughput').length;
      const measured = { statistics, verdict, otherDirection: otherDirection ?? undefined, warnings, sampleCount };
      results.push(throttledResult({ ...common, ...measured, durationSeconds, parallelStreams }));
      seriesOf.set(common.measurementId, samples);
    }
  }
  return { ...surroundings(count, results), results, seriesOf, seriesFiles: new Set(seriesOf.keys()) };
}

function surroundings(count: number, results: readonly MeasurementResult[]) {
  const firsts = results.filter(({ planMeasurementIndex }) => planMeasurementIndex % 2 === 0);
  const failed = results.filter(({ status }) => status === 'failed');
  return {
    run: {
      runId: `recorded-${count}`,
      planName: `${count} measurements`,
      outcome: failed.length === 0 ? ('complete' as const) : ('incomplete' as const),
      day: '2026-11-20',
      createdAt: '2026-11-20T21:00:00.000Z',
      endedAt: '2026-11-20T23:09:41.120Z',
      pairCount: firsts.length,
      measurementCount: count,
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
