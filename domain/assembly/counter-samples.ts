/** The host's counters, read once a second beside the tool, as samples: they show a throttle that curl or an average hides. */
import type { CounterLine, RawLine } from '../model/raw-chunk';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';
import type { HostRole } from '../model/host-role';

/** Where on the tool's own time axis a counter was read, and what its samples are labelled with. */
export interface CounterContext {
  readonly hostRole: HostRole;
  readonly direction: DrivenDirection;
  /** Unix time at which the tool's first interval began. */
  readonly originSeconds: number;
  /** Counters are read before and after the measurement too; only what lies within it is a sample. */
  readonly fromSeconds?: number;
  readonly toSeconds?: number;
}

/** ENA's names, as the driver spells them, and ours. */
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
      return {
        ...base,
        metric: 'interface',
        ...(receivedBitsPerSecond !== undefined && { receivedBitsPerSecond }),
        ...(sentBitsPerSecond !== undefined && { sentBitsPerSecond }),
      };
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
  /** By how much the counter grew; absent when the driver lacks it or it was reset. */
  readonly grown: (counter: string) => number | undefined;
  readonly lengthSeconds: number;
  readonly base: Omit<Sample, 'metric'>;
}

function growth(
  lines: readonly RawLine[],
  source: CounterLine['source'],
  context: CounterContext,
  sampleOf: (growth: Growth) => Sample | undefined,
): Sample[] {
  const readings = lines
    .filter((line): line is CounterLine => line.source === source)
    .sort((left, right) => left.time - right.time);
  const samples: Sample[] = [];
  for (let index = 1; index < readings.length; index++) {
    const before = readings[index - 1]!;
    const after = readings[index]!;
    const lengthSeconds = roundMicros(after.time - before.time);
    const startSeconds = roundMicros(before.time - context.originSeconds);
    if (!(lengthSeconds > 0)) continue;
    const middle = startSeconds + lengthSeconds / 2;
    if (middle < (context.fromSeconds ?? -Infinity) || middle > (context.toSeconds ?? Infinity)) continue;
    const grown = (counter: string) => {
      const earlier = before.counters[counter];
      const later = after.counters[counter];
      return earlier === undefined || later === undefined || later < earlier ? undefined : later - earlier;
    };
    const { hostRole, direction } = context;
    const sample = sampleOf({
      grown,
      lengthSeconds,
      base: { hostRole, direction, stream: 'sum', startSeconds, lengthSeconds },
    });
    if (sample !== undefined) samples.push(sample);
  }
  return samples;
}
