/** The recordings that made-up runs consist of. Every one is analysed by the product's own code. */
import { gunzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { assembleOutput, type AssembledMeasurement } from '../../domain/assembly/assemble-measurement';
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { Sample } from '../../domain/model/sample';
import { parseToolOutputs } from '../../domain/tools/parse-tool-output';
import type { ThroughputOutput } from '../../domain/parsers/tool-output';
import { fixturePath, readFixture, readLines } from './fixtures';
import { published } from './measurement-results';

/** What a measurement of throughput is made of. */
export interface Recording {
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

/** What AWS publishes of a recorded type. */
export function facts(instanceType: string): InstanceTypeFacts | undefined {
  const figures = PUBLISHED_GIGABITS[instanceType];
  return figures && published(instanceType, figures[0] * 1e9, figures[1] * 1e9);
}

/** `c5.2xlarge-us-west-1-1567731832` is of `c5.2xlarge`. */
const typeInId = (id: string) => id.slice(0, id.indexOf('-'));

/** Bursts that others recorded on EC2. */
export function ec2Recordings(): Recording[] {
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

/** iperf3 over the token buckets of the lab. */
export function labRecordings(): Recording[] {
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
export function countedRecording(): Recording {
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

export function quantilesOf(samples: readonly Sample[], mean: number) {
  const sorted = samples.flatMap(({ throughputBitsPerSecond }) => throughputBitsPerSecond ?? []).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? mean;
  return { mean, min: at(0), p5: at(0.05), p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** sockperf between EC2 instances. */
export function latencyStatistics(): AssembledMeasurement[] {
  return ['same-private-tcp', 'same-private-udp', 'other-private-tcp', 'same-public-tcp'].flatMap((name) => {
    const [output] = parseToolOutputs(readFixture(`tool-output/sockperf/2.5-matrix/${name}.out`));
    return output.kind === 'latency' ? assembleOutput(output) : [];
  });
}
