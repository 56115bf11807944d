/** Writes the series of a measurement as CSV for spreadsheets: a row per second, a column per figure. */
import type { Sample } from '../model/sample';

type NumberField = {
  [Field in keyof Sample]-?: Exclude<Sample[Field], undefined> extends number ? Field : never;
}[keyof Sample];

/** How samples of the same second are combined. */
type Combination = 'sum' | 'mean' | 'largest';

/** For each field the heading, which follows the name of the series and ends with the unit. */
const FIGURES: Readonly<Partial<Record<NumberField, readonly [heading: string, combination: Combination]>>> = {
  throughputBitsPerSecond: ['bits_per_second', 'mean'],
  packetsPerSecond: ['packets_per_second', 'mean'],
  retransmits: ['retransmits', 'sum'],
  congestionWindowBytes: ['congestion_window_bytes', 'mean'],
  lostPackets: ['lost_packets', 'sum'],
  sentPackets: ['sent_packets', 'sum'],
  jitterMicros: ['jitter_micros', 'mean'],
  receivedBitsPerSecond: ['received_bits_per_second', 'mean'],
  sentBitsPerSecond: ['sent_bits_per_second', 'mean'],
  receivedPacketsPerSecond: ['received_packets_per_second', 'mean'],
  sentPacketsPerSecond: ['sent_packets_per_second', 'mean'],
  bwInAllowanceExceeded: ['bw_in_exceeded_packets', 'sum'],
  bwOutAllowanceExceeded: ['bw_out_exceeded_packets', 'sum'],
  ppsAllowanceExceeded: ['pps_exceeded_packets', 'sum'],
  conntrackAllowanceExceeded: ['conntrack_exceeded_packets', 'sum'],
  linklocalAllowanceExceeded: ['linklocal_exceeded_packets', 'sum'],
  rttMedianMicros: ['median_micros', 'mean'],
  rttMaxMicros: ['longest_micros', 'largest'],
  observations: ['observations', 'sum'],
  userCpuPercent: ['user_cpu_percent', 'mean'],
  systemCpuPercent: ['system_cpu_percent', 'mean'],
  stealCpuPercent: ['steal_cpu_percent', 'mean'],
  waitingCpuPercent: ['waiting_cpu_percent', 'mean'],
  cpuPressurePercent: ['cpu_pressure_percent', 'mean'],
};

interface Cell {
  readonly value: number;
  readonly count: number;
}

/**
 * @returns CSV as in RFC 4180; the column `second` counts from the start of the tool's first interval, and a cell is
 * empty where the second has no value
 */
export function seriesCsv(samples: readonly Sample[]): string {
  const headings: string[] = [];
  const columnOf = new Map<string, number>();
  const seconds = new Map<number, Map<number, Cell>>();
  for (const sample of samples) {
    // Counters are not read exactly on the second, so the middle of the interval tells which second it is.
    const second = Math.floor(sample.startSeconds + sample.lengthSeconds / 2);
    const row = seconds.get(second) ?? new Map<number, Cell>();
    seconds.set(second, row);
    for (const [field, [heading, combination]] of Object.entries(FIGURES)) {
      const value = sample[field as NumberField];
      if (value === undefined) continue;
      const name = `${seriesName(sample)}_${heading}`;
      const column = columnOf.get(name) ?? headings.push(name) - 1;
      columnOf.set(name, column);
      row.set(column, combined(row.get(column), value, combination));
    }
  }
  const rows = [...seconds].sort(([left], [right]) => left - right);
  const lines = rows.map(([second, row]) => [second, ...headings.map((_, column) => row.get(column)?.value ?? '')]);
  return [['second', ...headings], ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/** `throughput_forward`, `stream_5_forward`, `client_interface`. */
function seriesName({ metric, direction, stream, hostRole }: Sample): string {
  switch (metric) {
    case 'throughput':
    case 'sent_throughput':
    case 'packets':
      return `${metric}_${direction}`;
    case 'stream_throughput':
      return `stream_${stream}_${direction}`;
    case 'round_trip':
      return metric;
    case 'interface':
    case 'allowance':
    case 'tool_cpu':
      return `${hostRole}_${metric}`;
  }
}

function combined(before: Cell | undefined, value: number, combination: Combination): Cell {
  if (before === undefined) return { value, count: 1 };
  const count = before.count + 1;
  if (combination === 'largest') return { value: Math.max(before.value, value), count };
  return { value: combination === 'sum' ? before.value + value : before.value + (value - before.value) / count, count };
}
