/**
 * Measurements as the product analyses them from the raw streams of two hosts: three kinds of iperf3 measurement for
 * each of ten instance types. The streams come from a seed and have the shape of a real lab run's: counters are read
 * 30 ms before the tool's intervals begin, with a jitter of their own, so that a counter's interval starts at x.97.
 */
import { elementAt, groupBy } from '../../domain/maths/elements';
import { sampleLines } from '../../domain/analysis/live-samples';
import { analyseStreams } from '../../domain/analysis/measurement-result';
import type { HostRole } from '../../domain/model/host-role';
import type { PlannedMeasurement, PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import {
  CHUNK_SCHEMA,
  MANIFEST_SCHEMA,
  type ChunkHeader,
  type CounterLine,
  type RawLine,
} from '../../domain/model/raw-chunk';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { CHUNK_SECONDS } from '../../domain/model/service-facts';
import { pairIdOf } from '../../domain/workflow/identifiers';
import { host } from '../support/measurement-results';
import { plannedRun, RUN_ID, typeFacts } from '../support/planned-run';
import { seededRandom, type Random } from '../support/random';
import { iperf3Command, iperf3Lines, type Series } from '../support/raw-streams';

/** The samples of what a host uploads in ten seconds while it measures. */
interface MeasuredChunk {
  readonly hostRole: HostRole;
  readonly sequence: number;
  readonly samples: readonly Sample[];
}

export interface MeasuredPair {
  /** With its one measurement. */
  readonly planned: PlannedPair;
  readonly result: MeasurementResult;
  readonly samples: readonly Sample[];
  readonly chunks: readonly MeasuredChunk[];
}

const GBIT = 1e9;
/** The published bandwidth of the instance types, in Gbit/s. */
const TYPES = {
  'm5.large': { baseline: 0.75, peak: 10 },
  'm5.xlarge': { baseline: 1.25, peak: 10 },
  'm5.2xlarge': { baseline: 2.5, peak: 10 },
  'c5.large': { baseline: 0.75, peak: 10 },
  'c5.xlarge': { baseline: 1.25, peak: 10 },
  'c5.2xlarge': { baseline: 2.5, peak: 10 },
  'c5.9xlarge': { baseline: 12, peak: 12 },
  'c7g.large': { baseline: 0.937, peak: 12.5 },
  'c7g.xlarge': { baseline: 1.876, peak: 12.5 },
  'r5.large': { baseline: 0.75, peak: 10 },
} as const;
type InstanceType = keyof typeof TYPES;
export const INSTANCE_TYPES = Object.keys(TYPES) as InstanceType[];

const PROBE = { messageBytes: 64, messagesPerSecond: 10 };
const MEASUREMENTS = [{ parallelStreams: 1 }, { parallelStreams: 8 }, { parallelStreams: 1, latencyProbe: PROBE }];
export const MEASUREMENTS_PER_TYPE = MEASUREMENTS.length;

const SINGLE_FLOW_GBIT = 5;
const LINE_RATE_GBIT = 9.5;
/** How long before the tool's own intervals the counters are read. */
const COUNTER_LEAD_SECONDS = 0.03;
const HOSTS = {
  runId: RUN_ID,
  pairId: 'p0001',
  launchedAt: '2026-11-20T10:00:00.000Z',
  client: launched('i-0aaaaaaaaaaaaaaa1', 11),
  server: launched('i-0bbbbbbbbbbbbbbb2', 12),
};

export interface MeasuredRun {
  readonly run: PlannedRun;
  /** One for each measurement of each type, because a measurement that spends credits needs a fresh pair. */
  readonly pairs: readonly MeasuredPair[];
}

export function measuredRun(types: readonly InstanceType[], durationSeconds: number): MeasuredRun {
  const run = plannedRun(
    {
      name: 'Canary',
      pairs: types.map((type) => ({ clientType: type, serverType: type })),
      measurements: MEASUREMENTS.map((settings) => ({ tool: 'iperf3', durationSeconds, ...settings })),
    },
    types.map((type) =>
      typeFacts(type, {
        baselineBitsPerSecond: TYPES[type].baseline * GBIT,
        peakBitsPerSecond: TYPES[type].peak * GBIT,
        networkPerformance: `Up to ${TYPES[type].peak} Gigabit`,
      }),
    ),
  );
  const pairs = run.pairs.flatMap((pair) =>
    pair.measurements.map((measurement): MeasuredPair => {
      const random = seededRandom(pair.pairIndex);
      const series = burstSeries(random, pair.clientType as InstanceType, measurement);
      const client = streamOf(random, 'client', series, measurement);
      const server = streamOf(random, 'server', series, measurement);
      const streams = { client, server };
      const found = analyseStreams({ run, pair, measurement, hosts: HOSTS, streams, failureReason: null });
      if (found.result.status !== 'complete') throw new Error(`${measurement.measurementId}: ${found.result.reason}`);
      const chunks = [client, server].flatMap(({ stream }) => chunksOf(stream));
      return { planned: { ...pair, measurements: [measurement] }, ...found, chunks };
    }),
  );
  return { run, pairs };
}

function launched(instanceId: string, last: number) {
  const placed = { instanceType: 'm5.large', architecture: 'x86_64', subnetId: 'subnet-a' } as const;
  return { ...host(instanceId, 'eu-central-1a', last), ...placed };
}

interface MadeSeries {
  readonly rates: Series;
  /** The number of rates where nothing is throttled. */
  readonly onsetSeconds: number;
}

/**
 * A burst until a second that the seed decides, then the type's baseline. One series in five, and each whose type has
 * no lower baseline, is a burst to its end.
 */
function burstSeries(random: Random, type: InstanceType, measurement: PlannedMeasurement): MadeSeries {
  const { durationSeconds, parallelStreams } = measurement;
  const burst = parallelStreams === 1 ? SINGLE_FLOW_GBIT : LINE_RATE_GBIT;
  const { baseline } = TYPES[type];
  const isThrottled = baseline < burst && !random.chance(0.2);
  const onsetSeconds = isThrottled ? random.uniform(0.2, 0.8) * durationSeconds : durationSeconds;
  const rates = Array.from({ length: durationSeconds }, (_, second) => {
    const burstShare = Math.min(1, Math.max(0, onsetSeconds - second));
    const gbits = burstShare * burst + (1 - burstShare) * baseline;
    return gbits * GBIT * Math.max(0.5, 1 + 0.01 * random.studentT(6));
  });
  return { rates, onsetSeconds };
}

function streamOf(random: Random, hostRole: HostRole, series: MadeSeries, measurement: PlannedMeasurement) {
  const { measurementId, durationSeconds, parallelStreams = 1, latencyProbe } = measurement;
  const printed = iperf3Lines(hostRole, series.rates, parallelStreams);
  const startedAtSeconds = elementAt(printed, 0).time;
  const facts: RawLine = { time: startedAtSeconds, source: 'facts', facts: { ...HOSTS[hostRole].facts } };
  const lines = [
    facts,
    ...printed,
    ...counterLines(random, hostRole, series, startedAtSeconds),
    ...(hostRole === 'client' && latencyProbe !== undefined ? probeLines(random, series, startedAtSeconds) : []),
  ].sort((left, right) => left.time - right.time);
  const header = {
    runId: RUN_ID,
    pairId: pairIdOf(measurementId),
    measurementId,
    hostRole,
    instanceId: HOSTS[hostRole].instanceId,
    tool: 'iperf3',
    toolVersion: '3.16',
    command: iperf3Command(hostRole, durationSeconds, parallelStreams),
    startedAtSeconds,
  };
  const end = { endedAtSeconds: elementAt(lines, -1).time, exitCode: 0, signal: null };
  return {
    stream: { header: { schema: CHUNK_SCHEMA, ...header, sequence: 0 } satisfies ChunkHeader, lines },
    manifest: { schema: MANIFEST_SCHEMA, ...header, ...end, chunks: [], lineCount: lines.length } as const,
    faults: [],
  };
}

/** The counters of a host, once a second from before the tool's first interval to after its last. */
function counterLines(random: Random, role: HostRole, series: MadeSeries, originSeconds: number): CounterLine[] {
  const isClient = role === 'client';
  const lines: CounterLine[] = [];
  const bytes = { rx_bytes: 1e9, tx_bytes: 1e9 };
  const cpu = { user_seconds: 0, system_seconds: 0 };
  let outboundExceeded = 0;
  for (let second = 0; second <= series.rates.length + 1; second += 1) {
    const readAt = originSeconds - COUNTER_LEAD_SECONDS + second + random.uniform(0, 0.004);
    const exceeded = {
      bw_in_allowance_exceeded: 0,
      bw_out_allowance_exceeded: outboundExceeded,
      pps_allowance_exceeded: 0,
      conntrack_allowance_exceeded: 0,
      linklocal_allowance_exceeded: 0,
    };
    lines.push(
      { time: micros(readAt), source: 'interface', counters: { ...bytes } },
      { time: micros(readAt + random.uniform(0.0003, 0.0006)), source: 'cpu', counters: { ...cpu } },
      { time: micros(readAt + 0.01 + random.exponential(0.005)), source: 'ethtool', counters: exceeded },
    );
    const carried = ((series.rates[second] ?? 0) / 8) * 1.007 * random.uniform(0.995, 1.005);
    const acknowledged = carried * random.uniform(0.0012, 0.0018);
    bytes[isClient ? 'tx_bytes' : 'rx_bytes'] += Math.round(carried);
    bytes[isClient ? 'rx_bytes' : 'tx_bytes'] += Math.round(acknowledged);
    // The client sends, so its outbound credits are the ones that are spent.
    if (isClient && second >= series.onsetSeconds) outboundExceeded += random.integer(900, 2100);
    cpu.user_seconds += random.integer(0, 3) / 100;
    cpu.system_seconds += random.integer(2, 30) / 100;
  }
  return lines;
}

/** What the latency probe prints beside the load: the start of a round trip in seconds, and its length in µs. */
function probeLines(random: Random, series: MadeSeries, originSeconds: number): RawLine[] {
  const count = series.rates.length * PROBE.messagesPerSecond;
  return Array.from({ length: count }, (_, index): RawLine => {
    const start = index / PROBE.messagesPerSecond;
    const rttMicros = 150 + random.exponential(start < series.onsetSeconds ? 30 : 400);
    const line = `probe: ${start.toFixed(3)} ${rttMicros.toFixed(3)}`;
    return { time: originSeconds + start + 0.01, source: 'stdout', line };
  });
}

function chunksOf({ header, lines }: { readonly header: ChunkHeader; readonly lines: readonly RawLine[] }) {
  const groups = groupBy(lines, ({ time }) => Math.floor((time - header.startedAtSeconds) / CHUNK_SECONDS));
  return [...groups.values()].map((group, sequence): MeasuredChunk => {
    return { hostRole: header.hostRole, sequence, samples: sampleLines(header, group) };
  });
}

function micros(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
