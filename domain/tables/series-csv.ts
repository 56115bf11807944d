/** The series of a measurement as a person opens it in a spreadsheet: a row per second, a column per figure. */
import type { Sample } from '../model/sample';

type NumberField = {
  [Field in keyof Sample]-?: Exclude<Sample[Field], undefined> extends number ? Field : never;
}[keyof Sample];

/** How two samples of the same second become one cell. */
type Combination = 'sum' | 'mean' | 'largest';

interface Figure {
  readonly field: NumberField;
  /** What stands in the heading behind the name of the series, with its unit. */
  readonly heading: string;
  readonly combination: Combination;
}

const FIGURES: readonly Figure[] = [
  { field: 'throughputBitsPerSecond', heading: 'bits_per_second', combination: 'mean' },
  { field: 'packetsPerSecond', heading: 'packets_per_second', combination: 'mean' },
  { field: 'retransmits', heading: 'retransmits', combination: 'sum' },
  { field: 'congestionWindowBytes', heading: 'congestion_window_bytes', combination: 'mean' },
  { field: 'lostPackets', heading: 'lost_packets', combination: 'sum' },
  { field: 'sentPackets', heading: 'sent_packets', combination: 'sum' },
  { field: 'jitterMicros', heading: 'jitter_micros', combination: 'mean' },
  { field: 'receivedBitsPerSecond', heading: 'received_bits_per_second', combination: 'mean' },
  { field: 'sentBitsPerSecond', heading: 'sent_bits_per_second', combination: 'mean' },
  { field: 'receivedPacketsPerSecond', heading: 'received_packets_per_second', combination: 'mean' },
  { field: 'sentPacketsPerSecond', heading: 'sent_packets_per_second', combination: 'mean' },
  { field: 'bwInAllowanceExceeded', heading: 'bw_in_exceeded_packets', combination: 'sum' },
  { field: 'bwOutAllowanceExceeded', heading: 'bw_out_exceeded_packets', combination: 'sum' },
  { field: 'ppsAllowanceExceeded', heading: 'pps_exceeded_packets', combination: 'sum' },
  { field: 'conntrackAllowanceExceeded', heading: 'conntrack_exceeded_packets', combination: 'sum' },
  { field: 'linklocalAllowanceExceeded', heading: 'linklocal_exceeded_packets', combination: 'sum' },
  { field: 'rttMedianMicros', heading: 'median_micros', combination: 'mean' },
  { field: 'rttMaxMicros', heading: 'longest_micros', combination: 'largest' },
  { field: 'observations', heading: 'observations', combination: 'sum' },
  { field: 'userCpuPercent', heading: 'user_cpu_percent', combination: 'mean' },
  { field: 'systemCpuPercent', heading: 'system_cpu_percent', combination: 'mean' },
  { field: 'stealCpuPercent', heading: 'steal_cpu_percent', combination: 'mean' },
  { field: 'waitingCpuPercent', heading: 'waiting_cpu_percent', combination: 'mean' },
  { field: 'cpuPressurePercent', heading: 'cpu_pressure_percent', combination: 'mean' },
];

interface Cell {
  readonly value: number;
  readonly count: number;
}

/**
 * @returns lines that end as RFC 4180 says; the column `second` counts from the start of the tool's first interval. A cell
 *   is empty where the second has no value.
 */
export function seriesCsv(samples: readonly Sample[]): string {
  const headings: string[] = [];
  const columnOf = new Map<string, number>();
  const seconds = new Map<number, Map<number, Cell>>();
  for (const sample of samples) {
    // Counters are read a little before or after the second that they are of; the middle tells which it is.
    const second = Math.floor(sample.startSeconds + sample.lengthSeconds / 2);
    const row = seconds.get(second) ?? new Map<number, Cell>();
    seconds.set(second, row);
    for (const { field, heading, combination } of FIGURES) {
      const value = sample[field];
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
