/** The series of a measurement that the report draws, out of the rows that its analysis wrote. */
import type { DrivenDirection, Sample } from '../../domain/measurement/measurement';
import type { HostRole } from '../../domain/workflow/object-keys';
import { decodeGzipLines } from '../shared/stored-json';

/** The columns of `samples` that a chart needs; a value that was not measured has no key. */
interface SeriesRow {
  readonly metric: Sample['metric'];
  readonly host_role: HostRole;
  readonly direction: DrivenDirection;
  readonly stream: string;
  readonly start_seconds: number;
  readonly length_seconds: number;
  readonly throughput_bits_per_second?: number;
  readonly bw_in_allowance_exceeded?: number;
  readonly bw_out_allowance_exceeded?: number;
  readonly pps_allowance_exceeded?: number;
  readonly conntrack_allowance_exceeded?: number;
  readonly linklocal_allowance_exceeded?: number;
}

/** The series of single streams and of the interface stay where they are: they are most of the rows, and no chart shows them. */
const DRAWN_METRICS: ReadonlySet<Sample['metric']> = new Set(['throughput', 'allowance'] as const);

export function decodeSeries(key: string, body: Uint8Array): Sample[] {
  return decodeGzipLines<SeriesRow>(key, body)
    .filter((row) => DRAWN_METRICS.has(row.metric))
    .map((row) => {
      const values = {
        throughputBitsPerSecond: row.throughput_bits_per_second,
        bwInAllowanceExceeded: row.bw_in_allowance_exceeded,
        bwOutAllowanceExceeded: row.bw_out_allowance_exceeded,
        ppsAllowanceExceeded: row.pps_allowance_exceeded,
        conntrackAllowanceExceeded: row.conntrack_allowance_exceeded,
        linklocalAllowanceExceeded: row.linklocal_allowance_exceeded,
      };
      return {
        metric: row.metric,
        hostRole: row.host_role,
        direction: row.direction,
        stream: row.stream,
        startSeconds: row.start_seconds,
        lengthSeconds: row.length_seconds,
        ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
      };
    });
}
