import { classifySeries } from '../../../domain/detection';
import type { BulkForecast } from '../../../domain/forecast/forecast-bulk';
import type { ForecastInput } from '../../../domain/forecast/inputs';
import type { PlannedMeasurement, PlannedPair } from '../../../domain/model/planned-run';
import { forecastOf, pairOf, throughput } from '../../support/forecast';
import { seededRandom } from '../../support/random';
import { typeFacts } from '../../support/planned-run';

function bulkOf(
  instanceType: string,
  measurement: Partial<PlannedMeasurement> = {},
  pair: Partial<PlannedPair> = {},
  settings: Partial<ForecastInput> = {},
): BulkForecast {
  const forecast = forecastOf(pairOf(instanceType, { measurements: [throughput(measurement)], ...pair }), settings);
  return forecast.pairs[0]!.measurements[0]!.bulk!;
}

describe('the rate is the lowest of peaks, flow caps, path and target', () => {
  test.each([
    ['one flow', 'c5.18xlarge', { parallelStreams: 1 }, {}, 5e9],
    ['one flow in a cluster group', 'c5.18xlarge', { parallelStreams: 1 }, { placement: 'cluster' as const }, 10e9],
    ['one flow, ENA Express on both', 'c7gn.16xlarge', { parallelStreams: 1 }, { enaExpress: 'both' as const }, 25e9],
    ['one flow, ENA Express on one', 'c7gn.16xlarge', { parallelStreams: 1 }, { enaExpress: 'one_side' as const }, 5e9],
    [
      'one UDP flow, ENA Express without UDP',
      'c7gn.16xlarge',
      { parallelStreams: 1, protocol: 'udp' as const },
      { enaExpress: 'both' as const },
      5e9,
    ],
    [
      'one UDP flow, ENA Express with UDP',
      'c7gn.16xlarge',
      { parallelStreams: 1, protocol: 'udp' as const },
      { enaExpress: 'both' as const, enaExpressUdp: true },
      25e9,
    ],
    [
      'one flow through a load balancer, whatever the placement',
      'c5.18xlarge',
      { parallelStreams: 1 },
      { placement: 'cluster' as const, path: 'nlb' as const },
      5e9,
    ],
    ['eight flows', 'c5.18xlarge', {}, {}, 25e9],
    ['a slower server', 'c5.18xlarge', {}, { serverType: 'c5.9xlarge' }, 12e9],
    ['a slower client', 'c5.9xlarge', {}, { serverType: 'c5.18xlarge' }, 12e9],
    ['a target', 'c5.18xlarge', { targetBitsPerSecond: 3e9 }, {}, 3e9],
    ['public, fewer than 32 vCPUs', 'm5.4xlarge', {}, { path: 'public' as const }, 5e9],
    ['public, 72 vCPUs', 'c5.18xlarge', {}, { path: 'public' as const }, 12.5e9],
    ['public, 36 vCPUs of 10 Gbit/s', 'c4.8xlarge', {}, { path: 'public' as const }, 5e9],
  ])('%s', (_, instanceType, measurement, pair, bitsPerSecond) => {
    expect(bulkOf(instanceType, measurement, pair).burstBitsPerSecond).toBe(bitsPerSecond);
  });
});

test('the published limits include those of the path', () => {
  expect(bulkOf('m5.8xlarge', {}, { path: 'public' })).toMatchObject({
    baselineBitsPerSecond: 5e9,
    peakBitsPerSecond: 5e9,
  });
  expect(bulkOf('m5.8xlarge')).toMatchObject({ baselineBitsPerSecond: 10e9, peakBitsPerSecond: 10e9 });
});

describe('the onset', () => {
  test('comes from public recordings where they exist', () => {
    const { onset, burstBitsPerSecond, sustainedBitsPerSecond } = bulkOf('c5.2xlarge');
    expect(onset).toMatchObject({ kind: 'at', source: 'public_recordings', instanceType: 'c5.2xlarge' });
    expect(onset).toHaveProperty('expectedSeconds', expect.closeTo(1060, -1));
    expect([burstBitsPerSecond, sustainedBitsPerSecond]).toEqual([9.69e9, 2.508e9]);
  });

  // Recorded under a flow cap of 5 Gbit/s: 574 to 596 s, 1167 to 1191 s, 2993 to 3009 s, never.
  test.each([
    ['c5.large', 587],
    ['c5.xlarge', 1179],
    ['c5.2xlarge', 3001],
  ])('of %s at 5 Gbit/s is within 3 %% of the recorded one', (instanceType, seconds) => {
    const { onset } = bulkOf(instanceType, { parallelStreams: 1 });
    if (onset.kind !== 'at') throw new Error(`onset: ${onset.kind}`);
    expect(Math.abs(onset.expectedSeconds! / seconds - 1)).toBeLessThan(0.03);
  });

  test.each([
    ['at the baseline', bulkOf('c5.4xlarge', { parallelStreams: 1 })],
    ['below the baseline', bulkOf('m5.2xlarge', { targetBitsPerSecond: 2.5e9 })],
    ['without credits', bulkOf('c5.18xlarge')],
    [
      'in a duty cycle that earns what it spends',
      bulkOf('m5.2xlarge', { dutyCycle: { onSeconds: 10, offSeconds: 30 } }),
    ],
  ])('%s there is none, and the plan has nothing to show', (_, bulk) => {
    expect(bulk).toMatchObject({ onset: { kind: 'none' }, canShow: 'nothing_to_show' });
  });

  test('comes from earlier results before all others', () => {
    const earlierBuckets = [
      {
        instanceType: 'c5.2xlarge',
        burstBitsPerSecond: 10e9,
        baselineBitsPerSecond: 2e9,
        bucketBits: 800e9,
        measurementCount: 3,
      },
    ];
    const bulk = bulkOf('c5.2xlarge', {}, {}, { earlierBuckets });
    expect(bulk.onset).toEqual({
      kind: 'at',
      lowSeconds: 100,
      expectedSeconds: 100,
      highSeconds: 100,
      source: 'earlier_results',
      instanceType: 'c5.2xlarge',
    });
    expect(bulk.expectedBytes).toBeCloseTo((800e9 + 1800 * 2e9) / 8, 0);
  });

  test('is 5 to 60 minutes at full rate from published figures alone, later at a lower rate', () => {
    expect(bulkOf('m5.2xlarge').onset).toMatchObject({
      lowSeconds: 300,
      highSeconds: 3600,
      source: 'published_figures',
    });
    expect(bulkOf('m5.2xlarge', { parallelStreams: 1 }).onset).toMatchObject({ lowSeconds: 900, highSeconds: 10_800 });
  });

  test('is that of the end whose credits run out first', () => {
    expect(bulkOf('c5.2xlarge', {}, { serverType: 'c5.large' }).onset).toMatchObject({ instanceType: 'c5.large' });
    expect(bulkOf('c5.large', {}, { serverType: 'c5.2xlarge' }).onset).toMatchObject({ instanceType: 'c5.large' });
  });

  test.each([
    ['neither figure', {}],
    ['no baseline', { peakBitsPerSecond: 10e9 }],
    ['no peak', { baselineBitsPerSecond: 1e9 }],
  ])('is unknown for a type with %s published, like the volume, but not the greatest volume', (_, figures) => {
    const instanceTypes = { 'm9.old': typeFacts('m9.old', figures) };
    const bulk = bulkOf('m9.old', {}, {}, { instanceTypes });
    expect(bulk).toMatchObject({
      onset: { kind: 'unknown', reason: 'no bandwidth is published for m9.old' },
      canShow: 'unknown',
      burstBitsPerSecond: null,
      expectedBytes: null,
      upperBytes: (1800 * ('peakBitsPerSecond' in figures ? 10e9 : 40e9)) / 8,
    });
  });

  test('unknown traffic has no expected price between zones, and is free within a zone', () => {
    const settings = { instanceTypes: { 'c5.old': typeFacts('c5.old') } };
    const across = forecastOf(pairOf('c5.old', { zoneRelation: 'other_zone' }), settings);
    expect(across.price.expected.crossZoneTraffic).toBeNull();
    expect(across.price.upper.crossZoneTraffic).toBeCloseTo(180, 8);
    expect(forecastOf(pairOf('c5.old'), settings).price.expected.crossZoneTraffic).toBe(0);
  });
});

describe('whether the duration is long enough to show the throttle', () => {
  test.each([
    ['c5.2xlarge', 300, 'no'],
    ['c5.2xlarge', 1060, 'no'],
    ['c5.2xlarge', 1100, 'unknown'],
    ['c5.2xlarge', 1106, 'yes'],
    ['m5.2xlarge', 300, 'no'],
    ['m5.2xlarge', 1800, 'unknown'],
    ['m5.2xlarge', 3600, 'unknown'],
    ['m5.2xlarge', 3619, 'unknown'],
    ['m5.2xlarge', 3620, 'yes'],
    ['m4.xlarge', 60, 'nothing_to_show'],
  ])('%s for %d s: %s', (instanceType, durationSeconds, canShow) => {
    expect(bulkOf(instanceType, { durationSeconds }).canShow).toBe(canShow);
  });

  // The lab's c5.xlarge: a burst of 25 s.
  const short = { instanceType: 'c5.xlarge', burstBitsPerSecond: 10e9, baselineBitsPerSecond: 5e9, bucketBits: 125e9 };
  const earlierBuckets = [{ ...short, measurementCount: 1 }];

  test('a minute shows a throttle at 25 s, and so do 45 s, which a verdict needs', () => {
    const shown = (durationSeconds: number) => bulkOf('c5.xlarge', { durationSeconds }, {}, { earlierBuckets });
    expect(shown(60)).toMatchObject({ onset: { expectedSeconds: 25 }, canShow: 'yes', showsFromSeconds: 45 });
    expect(shown(45).canShow).toBe('yes');
    expect(shown(44).canShow).toBe('no');
  });

  test('the detector finds the drop in a measurement of that length, and in none that is half a margin shorter', () => {
    const kinds = (seconds: number) =>
      [1, 2, 3, 4].map((seed) => {
        const random = seededRandom(seed);
        const rates = Array.from(
          { length: seconds },
          (_, second) => (second < 25 ? 10e9 : 5e9) * (1 + 0.03 * random.normal()),
        );
        return classifySeries(
          rates.map((bitsPerSecond, startSeconds) => ({ startSeconds, lengthSeconds: 1, bitsPerSecond })),
        ).kind;
      });
    expect(kinds(45)).toEqual(Array(4).fill('drop'));
    expect(kinds(35)).not.toContain('drop');
  });
});

test('a measurement that ends after the throttle carries less, but as much at most', () => {
  const fixed = bulkOf('c5.large');
  const adaptive = bulkOf('c5.large', { stopAfterThrottledSeconds: 120 });
  expect(adaptive.expectedBytes).toBeCloseTo((2483e9 + (2483 / 8.94 + 120) * 0.75e9) / 8, -6);
  expect(adaptive.upperBytes).toBe(fixed.upperBytes);
});

describe('a load of packets', () => {
  const packets = { kind: 'packets', isBetweenHosts: true, expectedSeconds: 65, limitSeconds: 200 } as const;
  const forecast = (instanceType: string, measurement: Partial<PlannedMeasurement>) =>
    bulkOf(instanceType, { mode: 'packets', durationSeconds: 60, ...measurement }, {}, { workOf: () => packets });

  test('is at most a million datagrams a second for each processor that sends, headers included', () => {
    const udp = { protocol: 'udp', datagramBytes: 64, parallelStreams: 16 } as const;
    // 4 vCPUs, 92 bytes a packet
    expect(forecast('c5.xlarge', udp).burstBitsPerSecond).toBe(4e6 * 8 * 92);
    expect(forecast('c5.xlarge', udp).upperBytes).toBe(4e6 * 92 * 60);
    expect(forecast('c5.xlarge', { ...udp, parallelStreams: 2 }).burstBitsPerSecond).toBe(2e6 * 8 * 92);
    // Long datagrams, and many processors, are bounded by the bandwidth.
    expect(forecast('c5.xlarge', { ...udp, datagramBytes: 8_000 }).upperBytes).toBe((10e9 * 60) / 8);
  });

  test('offers what the plan says, with the headers', () => {
    const udp = { protocol: 'udp', datagramBytes: 72, targetBitsPerSecond: 72e6 } as const;
    expect(forecast('c5.xlarge', udp).burstBitsPerSecond).toBe(100e6);
  });

  test('over TCP is at most the bandwidth, because many segments are passed at once', () => {
    expect(forecast('c5.xlarge', { protocol: 'tcp', mssBytes: 536 }).upperBytes).toBe((10e9 * 60) / 8);
  });

  test('need not show when the bandwidth falls', () => {
    expect(forecast('c5.xlarge', { protocol: 'tcp', mssBytes: 536 }).canShow).toBe('nothing_to_show');
  });
});
