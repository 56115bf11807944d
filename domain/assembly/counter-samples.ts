/**
 * Samples of the host's counters, which are read once a second beside the tool: they show a throttle that averages
 * hide.
 */
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';
import type { HostRole } from '../model/host-role';

/** The tool's own time axis, and what the samples are labelled with. */
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
      const rate = (bytes: number | undefined) => (bytes === undefined ? undefined : (bytes * 8) / lengthSeconds);
      const receivedBitsPerSecond = rate(grown('rx_bytes'));
      const sentBitsPerSecond = rate(grown('tx_bytes'));
      if (receivedBitsPerSecond === undefined && sentBitsPerSecond === undefined) return undefined;
      return { ...base, metric: 'interface', receivedBitsPerSecond, sentBitsPerSecond };
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
      return { ...base, metric: 'tool_cpu', userCpuPercent: percent(user), systemCpuPercent: percent(system) };
    }),
  ];
}

interface Growth {
  /** By how much the counter grew; undefined where the driver lacks it or it was reset. */
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
  const readings = lines
    .filter((line): line is CounterLine => line.source === source)
    .sort((left, right) => left.time - right.time);
  const between = (before: CounterLine, after: CounterLine): Sample | undefined => {
    const lengthSeconds = roundMicros(after.time - before.time);
    const startSeconds = roundMicros(before.time - originSeconds);
    const middle = startSeconds + lengthSeconds / 2;
    if (!(lengthSeconds > 0) || middle < fromSeconds || middle > toSeconds) return undefined;
    const grown = (counter: string) => {
      const earlier = before.counters[counter];
      const later = after.counters[counter];
      return earlier === undefined || later === undefined || later < earlier ? undefined : later - earlier;
    };
    const base = { hostRole, direction, stream: 'sum', startSeconds, lengthSeconds };
    return sampleOf({ grown, lengthSeconds, base });
  };
  const samples: Sample[] = [];
  let before: CounterLine | undefined;
  for (const after of readings) {
    const sample = before && between(before, after);
    if (sample !== undefined) samples.push(sample);
    before = after;
  }
  return samples;
}
