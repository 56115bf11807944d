/** The host's counters, which are read once a second and show a throttle that averages hide. */
import { elementAt } from '../maths/elements';
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { EnaSrdPackets, InterfaceBytes } from '../model/result';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';
import type { HostRole } from '../model/host-role';

/** The tool's own time axis, and the labels of the samples. */
export interface CounterContext {
  readonly hostRole: HostRole;
  readonly direction: DrivenDirection;
  /** Unix time at which the tool's first interval began. */
  readonly originSeconds: number;
  /** Counters are read before and after the measurement too; only readings within this span become samples. */
  readonly fromSeconds?: number;
  readonly toSeconds?: number;
}

/** The driver's names of ENA's counters, and the names of their sample fields. */
const ALLOWANCES = {
  bw_in_allowance_exceeded: 'bwInAllowanceExceeded',
  bw_out_allowance_exceeded: 'bwOutAllowanceExceeded',
  pps_allowance_exceeded: 'ppsAllowanceExceeded',
  conntrack_allowance_exceeded: 'conntrackAllowanceExceeded',
  linklocal_allowance_exceeded: 'linklocalAllowanceExceeded',
} as const;

export function counterSamples(lines: readonly RawLine[], context: CounterContext): Sample[] {
  return [
    ...growth(lines, 'interface', context, ({ grown, lengthSeconds, base }) => {
      const rate = (counter: string, factor: number) => {
        const count = grown(counter);
        return count === undefined ? undefined : (count * factor) / lengthSeconds;
      };
      const [receivedBitsPerSecond, sentBitsPerSecond] = [rate('rx_bytes', 8), rate('tx_bytes', 8)];
      if (receivedBitsPerSecond === undefined && sentBitsPerSecond === undefined) return undefined;
      const packets = {
        receivedPacketsPerSecond: rate('rx_packets', 1),
        sentPacketsPerSecond: rate('tx_packets', 1),
      };
      return { ...base, metric: 'interface', receivedBitsPerSecond, sentBitsPerSecond, ...packets };
    }),
    ...growth(lines, 'ethtool', context, ({ grown, base }) => {
      const counted = Object.entries(ALLOWANCES).flatMap(([name, field]) => {
        const packets = grown(name);
        return packets === undefined ? [] : [[field, packets] as const];
      });
      return counted.length === 0 ? undefined : { ...base, metric: 'allowance', ...Object.fromEntries(counted) };
    }),
    ...growth(lines, 'cpu', context, ({ grown, lengthSeconds, base }) => {
      const [user, system] = [grown('user_seconds'), grown('system_seconds')];
      if (user === undefined || system === undefined) return undefined;
      const percent = (seconds: number) => (seconds / lengthSeconds) * 100;
      const percentOf = (counter: string) => {
        const seconds = grown(counter);
        return seconds === undefined ? undefined : percent(seconds);
      };
      return {
        ...base,
        metric: 'tool_cpu',
        userCpuPercent: percent(user),
        systemCpuPercent: percent(system),
        stealCpuPercent: percentOf('steal_seconds'),
        waitingCpuPercent: percentOf('waiting_seconds'),
        cpuPressurePercent: percentOf('pressure_seconds'),
      };
    }),
  ];
}

/** The readings of one source, in order of their time. */
export function readingsOf(lines: readonly RawLine[], source: CounterLine['source']): CounterLine[] {
  return lines
    .filter((line): line is CounterLine => line.source === source)
    .sort((left, right) => left.time - right.time);
}

/** By how much a counter grew; undefined where a reading or the counter is missing, or the counter was reset. */
export function growthOf(counter: string, before: CounterLine | undefined, after: CounterLine | undefined) {
  const [earlier, later] = [before?.counters[counter], after?.counters[counter]];
  return earlier === undefined || later === undefined || later < earlier ? undefined : later - earlier;
}

interface Growth {
  readonly grown: (counter: string) => number | undefined;
  readonly lengthSeconds: number;
  readonly base: Omit<Sample, 'metric'>;
}

function growth(
  lines: readonly RawLine[],
  source: CounterLine['source'],
  { hostRole, direction, originSeconds, fromSeconds = -Infinity, toSeconds = Infinity }: CounterContext,
  sampleOf: (growth: Growth) => Sample | undefined,
): Sample[] {
  const readings = readingsOf(lines, source);
  return readings.slice(1).flatMap((after, index) => {
    const before = elementAt(readings, index);
    const lengthSeconds = roundMicros(after.time - before.time);
    const startSeconds = roundMicros(before.time - originSeconds);
    const middle = startSeconds + lengthSeconds / 2;
    if (!(lengthSeconds > 0) || middle < fromSeconds || middle > toSeconds) return [];
    const base = { hostRole, direction, stream: 'sum', startSeconds, lengthSeconds };
    return sampleOf({ grown: (counter) => growthOf(counter, before, after), lengthSeconds, base }) ?? [];
  });
}

/**
 * How many packets ENA Express carried while it was measured: being on does not mean being used. Names and meaning of the
 * counters: EC2 User Guide, "Metrics for ENA Express".
 *
 * @returns undefined where the driver has no such counters, or reset them during the measurement
 */
export function enaSrdPackets(lines: readonly RawLine[]): EnaSrdPackets | undefined {
  const readings = readingsOf(lines, 'ethtool');
  const grown = (counter: string) => growthOf(counter, readings[0], readings.at(-1));
  const sent = grown('ena_srd_tx_pkts');
  const eligible = grown('ena_srd_eligible_tx_pkts');
  const received = grown('ena_srd_rx_pkts');
  if (sent === undefined || eligible === undefined || received === undefined) return undefined;
  return { sent, eligible, received };
}

/** @returns undefined where the interface's counters were not read twice, or were reset during the measurement */
export function interfaceBytes(lines: readonly RawLine[]): InterfaceBytes | undefined {
  const readings = readingsOf(lines, 'interface');
  if (readings.length < 2) return undefined;
  const grown = (counter: string) => growthOf(counter, readings[0], readings.at(-1));
  const [sent, received] = [grown('tx_bytes'), grown('rx_bytes')];
  return sent === undefined || received === undefined ? undefined : { sent, received };
}
