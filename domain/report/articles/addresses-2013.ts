/** Round trips by zone, address and protocol. Tokyo, 2013. */
import type { MeasurementResult } from '../../model/result';
import type { Article } from './article';

export interface AddressFigures {
  readonly meanMicros: number;
  readonly p99_99Micros: number;
}

type Key = `${MeasurementResult['zoneRelation']} ${MeasurementResult['path']} ${'tcp' | 'udp'}`;

/** Mean and 99.99th percentile of half round trips, as printed. The load balancer of that time could not carry UDP. */
const PRINTED_MICROS: Partial<Record<Key, readonly [mean: number, p99_99: number]>> = {
  'same_zone public tcp': [1462.875, 31958.137],
  'same_zone public udp': [4312.799, 34023.287],
  'same_zone private tcp': [1310.974, 31679.585],
  'same_zone private udp': [3921.816, 34020.301],
  'same_zone nlb tcp': [1910.55, 31351.928],
  'other_zone public tcp': [2548.662, 46399.863],
  'other_zone public udp': [4386.197, 28006.313],
  'other_zone private tcp': [2177.273, 26539.603],
  'other_zone private udp': [5409.573, 25542.427],
  'other_zone nlb tcp': [3200.865, 25292.453],
};

export const ADDRESSES_2013: Article<AddressFigures> = {
  source: 'Latency between EC2 instances by zone and address, Tokyo, 2013 (in Korean)',
  name: 'article of 2013',
  planName: 'Article 2013',
  differs:
    'Measured between m1.small hosts with messages of 16,384 bytes, once for 10 s each. The hosts shared a processor with ' +
    'others and had a 4 ms timer, which shows in the UDP figures. The tool printed half round trips, which are doubled ' +
    'here. It took at most 3,814 of them, so the 99.99th percentile is the slowest one. The load balancer was a Classic ' +
    'Load Balancer.',
  figuresOf: ({ zoneRelation, path, protocol }) => {
    const printed = protocol && PRINTED_MICROS[`${zoneRelation} ${path} ${protocol}`];
    return printed && { meanMicros: 2 * printed[0], p99_99Micros: 2 * printed[1] };
  },
};
