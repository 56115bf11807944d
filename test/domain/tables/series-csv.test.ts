/** The series of a measurement as a spreadsheet. */
import type { Sample } from '../../../domain/model/sample';
import { seriesCsv } from '../../../domain/tables/series-csv';

const sample = (metric: Sample['metric'], startSeconds: number, values: Partial<Sample>): Sample => ({
  metric,
  hostRole: 'server',
  direction: 'forward',
  stream: 'sum',
  startSeconds,
  lengthSeconds: 1,
  ...values,
});

test('there is a row per second, with all metrics of that second beside each other', () => {
  const csv = seriesCsv([
    sample('throughput', 0, { lengthSeconds: 1.01, throughputBitsPerSecond: 9.5e9 }),
    sample('throughput', 1.01, { lengthSeconds: 0.99, throughputBitsPerSecond: 1.25e9 }),
    sample('stream_throughput', 1.01, { stream: '5', throughputBitsPerSecond: 6e8 }),
    // Counters are read a little before the second begins.
    sample('allowance', 0.97, { hostRole: 'client', bwOutAllowanceExceeded: 12 }),
    sample('round_trip', 1, { rttMedianMicros: 101.5, rttMaxMicros: 900, observations: 10 }),
  ]);
  expect(csv.split('\r\n')).toEqual([
    'second,throughput_forward_bits_per_second,stream_5_forward_bits_per_second,client_allowance_bw_out_exceeded_packets,' +
      'round_trip_median_micros,round_trip_longest_micros,round_trip_observations',
    '0,9500000000,,,,,',
    '1,1250000000,600000000,12,101.5,900,10',
    '',
  ]);
});

test('several samples of a second are one value: counts add up, rates are averaged, the longest stays', () => {
  const csv = seriesCsv([
    ...[1e9, 2e9, 6e9].map((throughputBitsPerSecond, index) =>
      sample('throughput', index * 0.25, { lengthSeconds: 0.25, throughputBitsPerSecond, retransmits: 2 }),
    ),
    ...[500, 900, 700].map((rttMaxMicros, index) =>
      sample('round_trip', index * 0.1, { lengthSeconds: 0.1, rttMaxMicros }),
    ),
  ]);
  expect(csv).toContain('\r\n0,3000000000,6,900\r\n');
});

test('seconds without a sample have no row, and the order of samples does not matter', () => {
  const samples = [5, 0, 1].map((second) => sample('packets', second, { packetsPerSecond: second }));
  expect(seriesCsv(samples)).toBe('second,packets_forward_packets_per_second\r\n0,0\r\n1,1\r\n5,5\r\n');
});
