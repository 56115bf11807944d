/** The host's counters, which are read once a second and show a throttle that averages hide. */
import { elementAt } from '../maths/elements';
import type { HostRole } from '../model/host-role';
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { EnaSrdPackets, InterfaceBytes } from '../model/result';
import type { Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import { roundMicros } from '../series/second-grid';
import type { MeasurementStreams, RawStream } from './raw-streams';

/** When the load ran, on the tool's own time axis. */
export interface LoadSpan {
  readonly direction: DrivenDirection;
  /** Unix time at which the tool's first interval began. */
  readonly originSeconds: number;
  /** Counters are read before and after the load too; only readings within this span become samples. */
  readonly fromSeconds: number;
  /** @default the last reading */
  readonly toSeconds?: number;
}

type SampleField = Exclude<keyof Sample, 'metric' | 'hostRole' | 'direction' | 'stream'>;
/** A counter and the factor of its growth per second; without a factor, the field is the plain growth. */
type CountedField = readonly [counter: string, factorPerSecond?: number];

interface CounterTable {
  readonly source: CounterLine['source'];
  readonly metric: Sample['metric'];
  readonly fields: Readonly<Partial<Record<SampleField, CountedField>>>;
  /** Whether the sample has the fields without which it is omitted. */
  readonly isSample: (sample: Sample) => boolean;
}

const ALLOWANCES = {
  bwInAllowanceExceeded: ['bw_in_allowance_exceeded'],
  bwOutAllowanceExceeded: ['bw_out_allowance_exceeded'],
  ppsAllowanceExceeded: ['pps_allowance_exceeded'],
  conntrackAllowanceExceeded: ['conntrack_allowance_exceeded'],
  linklocalAllowanceExceeded: ['linklocal_allowance_exceeded'],
} as const;

const COUNTER_TABLES: readonly CounterTable[] = [
  {
    source: 'interface',
    metric: 'interface',
    fields: {
      receivedBitsPerSecond: ['rx_bytes', 8],
      sentBitsPerSecond: ['tx_bytes', 8],
      receivedPacketsPerSecond: ['rx_packets', 1],
      sentPacketsPerSecond: ['tx_packets', 1],
    },
    isSample: (sample) => sample.receivedBitsPerSecond !== undefined || sample.sentBitsPerSecond !== undefined,
  },
  {
    source: 'ethtool',
    metric: 'allowance',
    fields: ALLOWANCES,
    isSample: (sample) => Object.keys(ALLOWANCES).some((field) => field in sample),
  },
  {
    source: 'cpu',
    metric: 'tool_cpu',
    fields: {
      userCpuPercent: ['user_seconds', 100],
      systemCpuPercent: ['system_seconds', 100],
      stealCpuPercent: ['steal_seconds', 100],
      waitingCpuPercent: ['waiting_seconds', 100],
      cpuPressurePercent: ['pressure_seconds', 100],
    },
    isSample: ({ userCpuPercent, systemCpuPercent }) => userCpuPercent !== undefined && systemCpuPercent !== undefined,
  },
];

export function counterSamples(lines: readonly RawLine[], hostRole: HostRole, span: LoadSpan): Sample[] {
  const { direction, originSeconds, fromSeconds, toSeconds = Infinity } = span;
  return COUNTER_TABLES.flatMap(({ source, metric, fields, isSample }) => {
    const readings = readingsOf(lines, source);
    return readings.slice(1).flatMap((after, index) => {
      const before = elementAt(readings, index);
      const lengthSeconds = roundMicros(after.time - before.time);
      const startSeconds = roundMicros(before.time - originSeconds);
      const middle = startSeconds + lengthSeconds / 2;
      if (!(lengthSeconds > 0) || middle < fromSeconds || middle > toSeconds) return [];
      const counted = Object.entries(fields).flatMap(([field, [counter, factor]]) => {
        const grown = growthOf(counter, before, after);
        if (grown === undefined) return [];
        return [[field, factor === undefined ? grown : (grown / lengthSeconds) * factor] as const];
      });
      const labels = { metric, hostRole, direction, stream: 'sum', startSeconds, lengthSeconds };
      const sample: Sample = { ...labels, ...Object.fromEntries(counted) };
      return isSample(sample) ? [sample] : [];
    });
  });
}

export function countersOfHosts({ client, server }: MeasurementStreams, span: LoadSpan): Sample[] {
  return [client, server].flatMap((stream) =>
    stream === undefined ? [] : counterSamples(stream.lines, stream.header.hostRole, span),
  );
}

/**
 * A throughput series from an interface's byte counters, for tools that print none, or only averages. Interfaces count
 * whole packets with their headers: some percent more than what a tool calls throughput. Seconds that the load only
 * partly covers are omitted, because they look slow.
 *
 * @param counted whether the stream's host received or sent the measured traffic
 * @returns only zeros if nothing was carried; the caller decides whether the tool measured at all
 */
export function throughputFromCounters(
  { header: { hostRole }, lines }: RawStream,
  span: LoadSpan,
  counted: 'received' | 'sent',
  metric: 'throughput' | 'sent_throughput' = 'throughput',
): Sample[] {
  const { direction, fromSeconds, toSeconds = Infinity } = span;
  return counterSamples(lines, hostRole, span).flatMap((sample): Sample[] => {
    const { startSeconds, lengthSeconds, [`${counted}BitsPerSecond` as const]: throughputBitsPerSecond } = sample;
    const isWithin = startSeconds >= fromSeconds && roundMicros(startSeconds + lengthSeconds) <= toSeconds;
    if (throughputBitsPerSecond === undefined || !isWithin) return [];
    return [{ metric, hostRole, direction, stream: 'sum', startSeconds, lengthSeconds, throughputBitsPerSecond }];
  });
}

export function readingsOf(lines: readonly RawLine[], source: CounterLine['source']): CounterLine[] {
  return lines
    .filter((line): line is CounterLine => line.source === source)
    .sort((left, right) => left.time - right.time);
}

/** The growth of a counter; undefined if a reading or the counter is missing, or the counter was reset. */
export function growthOf(counter: string, before: CounterLine | undefined, after: CounterLine | undefined) {
  const [earlier, later] = [before?.counters[counter], after?.counters[counter]];
  return earlier === undefined || later === undefined || later < earlier ? undefined : later - earlier;
}

/** The packets that ENA Express carried during the measurement (EC2 User Guide, "Metrics for ENA Express"). */
export function enaSrdPackets(lines: readonly RawLine[]): EnaSrdPackets | undefined {
  const readings = readingsOf(lines, 'ethtool');
  const counters = { sent: 'ena_srd_tx_pkts', eligible: 'ena_srd_eligible_tx_pkts', received: 'ena_srd_rx_pkts' };
  return wholeGrowth(readings, counters);
}

export function interfaceBytes(lines: readonly RawLine[]): InterfaceBytes | undefined {
  return wholeGrowth(readingsOf(lines, 'interface'), { sent: 'tx_bytes', received: 'rx_bytes' });
}

/** @returns undefined if a counter was not read twice, or was reset during the measurement */
function wholeGrowth<Name extends string>(
  readings: readonly CounterLine[],
  counters: Readonly<Record<Name, string>>,
): Record<Name, number> | undefined {
  if (readings.length < 2) return undefined;
  const grown = Object.entries<string>(counters).map(([name, counter]) => [
    name,
    growthOf(counter, readings[0], readings.at(-1)),
  ]);
  return grown.some(([, growth]) => growth === undefined)
    ? undefined
    : (Object.fromEntries(grown) as Record<Name, number>);
}
