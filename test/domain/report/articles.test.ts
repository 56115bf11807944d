import { ADDRESSES_2013 } from '../../../domain/report/articles/addresses-2013';
import { BURSTS_2018 } from '../../../domain/report/articles/bursts-2018';
import { NETWORKS_2015 } from '../../../domain/report/articles/networks-2015';
import { PLACEMENTS_2016 } from '../../../domain/report/articles/placements-2016';
import { TRANSFERS_2008 } from '../../../domain/report/articles/transfers-2008';
import { roundTrips, slowRoundTrips, transferResult } from '../../support/compared-results';
import { steadyResult } from '../../support/measurement-results';

const transfer = (changes: Parameters<typeof transferResult>[1]) => transferResult(1, changes);
const sameType = (type: string, changes = {}) =>
  steadyResult({ clientType: type, serverType: type, parallelStreams: 1, ...changes });

test('half round trips are doubled, and the load balancer of that time has no figures for UDP', () => {
  expect(ADDRESSES_2013.figuresOf(roundTrips(1))).toEqual({ meanMicros: 2621.948, p99_99Micros: 63359.17 });
  expect(ADDRESSES_2013.figuresOf(roundTrips(1, { path: 'nlb' }))?.meanMicros).toBe(3821.1);
  expect(ADDRESSES_2013.figuresOf(roundTrips(1, { path: 'nlb', protocol: 'udp' }))).toBeUndefined();
  expect(ADDRESSES_2013.figuresOf(roundTrips(1, { path: 'peering' }))).toBeUndefined();
});

test('an instance type has the least and the most throughput that the article states', () => {
  expect(BURSTS_2018.figuresOf(sameType('m5.2xlarge'))).toEqual({ minBitsPerSecond: 2.5e9, maxBitsPerSecond: 9.6e9 });
  expect(BURSTS_2018.figuresOf(sameType('c5.18xlarge'))).toEqual({ maxBitsPerSecond: 10e9 });
  expect(BURSTS_2018.figuresOf(sameType('c5.18xlarge', { parallelStreams: 5 }))).toEqual({ maxBitsPerSecond: 20e9 });
  expect(BURSTS_2018.figuresOf(sameType('c7g.large'))).toBeUndefined();
  expect(BURSTS_2018.figuresOf(sameType('m5.2xlarge', { zoneRelation: 'other_zone' }))).toBeUndefined();
  expect(BURSTS_2018.figuresOf(steadyResult({ clientType: 'm5.2xlarge' }))).toBeUndefined();
});

test('transfers have figures by operation and scheme, converted to bits', () => {
  expect(TRANSFERS_2008.figuresOf(transfer({}))).toEqual({ 1: 600e6, 2: 704e6, 3: 768e6 });
  expect(TRANSFERS_2008.figuresOf(transfer({ tool: 's3', mode: 'upload', scheme: 'https' }))?.[12]).toBeCloseTo(
    430.4e6,
    3,
  );
  expect(TRANSFERS_2008.figuresOf(transfer({ tool: 's3', mode: 'upload' }))).toBeUndefined();
  expect(TRANSFERS_2008.figuresOf(transfer({ scheme: 'https' }))).toBeUndefined();
  expect(TRANSFERS_2008.figuresOf(steadyResult())).toBeUndefined();
});

test('networks have figures across zones only, converted from megabytes of 2^20 bytes', () => {
  const across = { zoneRelation: 'other_zone' } as const;
  expect(NETWORKS_2015.figuresOf(roundTrips(1, { ...across, path: 'peering' }))).toEqual({
    meanBitsPerSecond: 43.41 * 8_388_608,
    meanRoundTripMicros: 884.26,
  });
  expect(NETWORKS_2015.figuresOf(roundTrips(1))).toBeUndefined();
  expect(NETWORKS_2015.figuresOf(roundTrips(1, { ...across, path: 'nlb' }))).toBeUndefined();
});

test('a load that the plan offered has no figures of articles, whose tools sent as fast as they could', () => {
  const offered = { targetBitsPerSecond: 5e9 };
  expect(BURSTS_2018.figuresOf(sameType('m5.2xlarge', offered))).toBeUndefined();
  const across = { zoneRelation: 'other_zone', path: 'peering' } as const;
  expect(NETWORKS_2015.figuresOf(steadyResult(across))).toBeDefined();
  expect(NETWORKS_2015.figuresOf(steadyResult({ ...across, ...offered }))).toBeUndefined();
});

test('placements have figures for echoes only, down to less than half in a cluster group', () => {
  const mean = (changes: Parameters<typeof slowRoundTrips>[1]) =>
    PLACEMENTS_2016.figuresOf(slowRoundTrips(1, changes))?.meanMicros;
  expect(mean({ placement: 'none' })).toBe(385);
  expect(mean({ placement: 'cluster', enaExpress: 'both' })).toBe(157);
  expect(mean({ zoneRelation: 'other_zone', enaExpress: 'one_side' })).toBe(2102);
  expect(mean({ placement: 'spread' })).toBeUndefined();
  // The article has no round trips over TCP or UDP.
  expect(mean({ tool: 'sockperf' })).toBeUndefined();
});
