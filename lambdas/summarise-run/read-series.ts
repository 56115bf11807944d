/** The throughput series of a measurement, out of the rows that its analysis wrote: what the report draws. */
import type { DrivenDirection, Sample } from '../../domain/measurement/measurement';
import type { HostRole } from '../../domain/workflow/object-keys';
import { decodeGzipLines } from '../shared/stored-json';

/** The columns of `samples` that a chart needs. */
interface SeriesRow {
  readonly metric: Sample['metric'];
  readonly host_role: HostRole;
  readonly direction: DrivenDirection;
  readonly stream: string;
  readonly start_seconds: number;
  readonly length_seconds: number;
  readonly throughput_bits_per_second?: number;
}

export function decodeSeries(key: string, body: Uint8Array): Sample[] {
  return decodeGzipLines<SeriesRow>(key, body)
    .filter((row) => row.metric === 'throughput')
    .map((row) => ({
      metric: row.metric,
      hostRole: row.host_role,
      direction: row.direction,
      stream: row.stream,
      startSeconds: row.start_seconds,
      lengthSeconds: row.length_seconds,
      throughputBitsPerSecond: row.throughput_bits_per_second,
    }));
}
