/** The series of a measurement that the report draws, out of the rows that its analysis wrote. */
import { sampleOf, type Row } from '../../domain/tables/columns';
import type { Sample } from '../../domain/model/sample';
import { decodeGzipLines } from '../shared/stored-json';

/** The series of single streams and of the interface stay where they are: they are most of the rows, and no chart shows them. */
const DRAWN_METRICS: ReadonlySet<unknown> = new Set<Sample['metric']>(['throughput', 'allowance', 'round_trip']);

export function decodeSeries(key: string, body: Uint8Array): Sample[] {
  return decodeGzipLines<Row>(key, body)
    .filter((row) => DRAWN_METRICS.has(row.metric))
    .map(sampleOf);
}
