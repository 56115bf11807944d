import { forecastRun } from '../../../domain/forecast/forecast-run';
import type { PlannedMeasurement, PlannedPair } from '../../../domain/model/planned-run';
import type { MetricKind } from '../../../domain/model/settings';
import { PRICE_PARTS, totalUsd } from '../../../domain/model/cost';
import { pricesOf } from '../../../domain/forecast/prices/price-table';
import { hostDeadlines } from '../../../domain/workflow/polling';
import { forecastOf, inputOf, pairOf, recordedTypes, throughput } from '../../support/forecast';

function acrossZones(instanceType: string, measurement: Partial<PlannedMeasurement> = {}): PlannedPair {
  return pairOf(instanceType, { zoneRelation: 'other_zone', measurements: [throughput(measurement)] });
}

const { prices: LIST_PRICES } = pricesOf('us-east-1');
const UDP = { protocol: 'udp', parallelStreams: 16 } as const;
const LARGE = 'c6in.32xlarge';

describe('traffic at most: half an hour at the peak', () => {
  test.each<[string, Partial<PlannedMeasurement>, Partial<PlannedPair>, number]>([
    ['eight streams at 10 Gbit/s', {}, {}, 45],
    ['one stream outside a cluster group', { parallelStreams: 1 }, {}, 22.5],
    ['both directions driven', { direction: 'bidirectional' }, {}, 90],
    ['over peering', {}, { path: 'peering' }, 45],
    ['a rate of 1 Gbit/s', { targetBitsPerSecond: 1e9 }, {}, 4.5],
    ['on for a quarter of the time', { dutyCycle: { onSeconds: 10, offSeconds: 30 } }, {}, 11.25],
    ['100 Gbit/s', { parallelStreams: 64 }, { clientType: LARGE, serverType: 'c6in.16xlarge' }, 450],
    ['UDP towards a slower receiver', UDP, { clientType: LARGE }, 360],
    ['UDP from a slower sender', UDP, { serverType: LARGE }, 45],
    ['UDP in reverse', { ...UDP, direction: 'reverse' }, { serverType: LARGE }, 360],
    ['UDP in both directions', { ...UDP, direction: 'bidirectional' }, { clientType: LARGE }, 405],
    ['UDP at 20 Gbit/s', { protocol: 'udp', targetBitsPerSecond: 20e9 }, { clientType: LARGE }, 90],
    ['in the same zone', {}, { zoneRelation: 'same_zone' }, 0],
    ['in the same zone over peering', {}, { zoneRelation: 'same_zone', path: 'peering' }, 0],
  ])('%s', (_, measurement, pair, usd) => {
    const { price } = forecastOf({ ...acrossZones('c5.2xlarge', measurement), ...pair });
    expect(price.upper.crossZoneTraffic).toBeCloseTo(usd, 10);
    expect(price.upper.publicTraffic).toBe(0);
  });

  test('by public address the traffic is charged within a zone too, up to the limit of a gateway', () => {
    const { price } = forecastOf(pairOf('c5.2xlarge', { path: 'public' }));
    expect(price.upper.publicTraffic).toBeCloseTo(22.5, 10);
    expect(price.upper.crossZoneTraffic).toBe(0);
    const other = forecastOf(pairOf('c5.2xlarge', { path: 'public', zoneRelation: 'other_zone' }));
    expect(other.price.upper).toEqual(price.upper);
  });

  test('a load balancer is charged by the gigabyte and by the started hour', () => {
    const { price } = forecastOf(pairOf('c5.2xlarge', { path: 'nlb', zoneRelation: 'other_zone' }));
    expect(price.upper.loadBalancer).toBeCloseTo(2250 * 0.006 + 0.0225, 10);
    expect(price.upper.crossZoneTraffic).toBeCloseTo(45, 10);
    const long = forecastOf(pairOf('c5.2xlarge', { path: 'nlb', lifetimeSeconds: 3601 }));
    expect(long.price.upper.loadBalancer! - price.upper.loadBalancer!).toBeCloseTo(0.0225, 10);
  });
});

describe('traffic expected: burst while the credits last, then the baseline', () => {
  test.each([
    ['c5.xlarge', 838, 16.76],
    ['c5.2xlarge', 1515, 30.3],
  ])('%s, half an hour across zones', (instanceType, gigabytes, usd) => {
    const forecast = forecastOf(acrossZones(instanceType));
    expect(Math.round(forecast.pairs[0]!.measurements[0]!.bytes.expected! / 1e9)).toBe(gigabytes);
    expect(forecast.price.expected.crossZoneTraffic!).toBeCloseTo(usd, 1);
  });

  test('every part of the price, of half an hour across zones through a load balancer with unlimited CPU credits', () => {
    const credits = { clientCpuCredits: 'unlimited', serverCpuCredits: 'unlimited' } as const;
    const { expected, upper } = forecastOf({ ...acrossZones('t3.large'), path: 'nlb', ...credits }).price;
    const rows = PRICE_PARTS.map((part) => `${part}: ${expected[part]!.toPrecision(6)} ${upper[part]!.toPrecision(6)}`);
    expect(rows).toEqual([
      'instances: 0.0956290 0.323322',
      'publicAddresses: 0.00567222 0.0191778',
      'crossZoneTraffic: 13.9616 22.5000',
      'publicTraffic: 0.00000 0.00000',
      'loadBalancer: 4.21097 6.77250',
      's3: 0.00483120 0.00523171',
      'athena: 0.0000500000 0.0200000',
      'stepFunctions: 0.0147750 0.0724000',
      'lambda: 0.00461596 0.0145071',
      'cpuCredits: 0.0567222 0.383556',
    ]);
  });

  test('never exceeds the traffic at most', () => {
    for (const instanceType of ['c5.large', 'm5.2xlarge', 't3.micro', 'c7gn.large', 'c5.18xlarge', 'm4.large']) {
      for (const path of ['private', 'public', 'nlb', 'peering'] as const) {
        const { expectedUsd, upperUsd, price } = forecastOf({ ...acrossZones(instanceType), path });
        expect(expectedUsd).toBeLessThan(upperUsd!);
        for (const part of Object.keys(price.upper) as (keyof typeof price.upper)[]) {
          expect(price.expected[part]).toBeLessThanOrEqual(price.upper[part]!);
        }
      }
    }
  });

  test('grows with duration, streams and hosts', () => {
    const costs = (pairs: readonly PlannedPair[]) => pairs.map((pair) => forecastOf(pair));
    for (const forecasts of [
      costs([60, 600, 1800, 7200].map((durationSeconds) => acrossZones('c5.xlarge', { durationSeconds }))),
      costs([1, 2].map((parallelStreams) => acrossZones('c5.xlarge', { parallelStreams }))),
      costs(['c5.large', 'c5.xlarge', 'c5.2xlarge', 'c5.18xlarge'].map((type) => acrossZones(type))),
    ]) {
      for (const which of ['expectedUsd', 'upperUsd'] as const) {
        const usd = forecasts.map((forecast) => forecast[which]!);
        expect(usd).toEqual([...usd].sort((one, other) => one - other));
        expect(new Set(usd).size).toBe(usd.length);
      }
    }
  });
});

describe('hosts', () => {
  test('at most run until their limit twice', () => {
    const { price } = forecastOf(pairOf('c5.2xlarge', { lifetimeSeconds: 3600 }));
    const disks = (2 * 10 * 0.08) / 730;
    expect(price.upper.instances).toBeCloseTo(2 * (2 * 0.34 + disks), 10);
    expect(price.upper.publicAddresses).toBeCloseTo(2 * 2 * 0.005, 10);
    expect(price.expected.instances).toBeGreaterThan(((2 * 1802) / 3600) * 0.34);
    expect(price.expected.instances).toBeLessThan(price.upper.instances! / 2);
  });

  test('a type without a price makes the price unknown, not smaller', () => {
    const others = { 'c5.xlarge': LIST_PRICES.instanceUsdPerHour['c5.xlarge']! };
    const forecast = forecastOf(pairOf('c5.2xlarge', { serverType: 'c5.xlarge' }), {
      prices: { ...LIST_PRICES, instanceUsdPerHour: others },
    });
    expect(forecast).toMatchObject({ expectedUsd: null, upperUsd: null, typesWithoutPrice: ['c5.2xlarge'] });
    expect(forecast.price.upper.instances).toBeNull();
    expect(forecast.price.upper.stepFunctions).toBeGreaterThan(0);
    const priced = forecastOf(pairOf('c5.2xlarge', { serverType: 'c5.xlarge' }), {
      prices: pricesOf('us-east-1', { instanceUsdPerHour: { 'c5.2xlarge': 1 } }).prices,
    });
    expect(priced).toMatchObject({ typesWithoutPrice: [], upperUsd: expect.any(Number) as number });
  });

  test('run until a throttle is expected to end the measurement, and until their limit at most', () => {
    const forever = { durationSeconds: 7200, stopAfterThrottledSeconds: 120 };
    const [adaptive, fixed] = [forever, { durationSeconds: 7200 }].map((measurement) =>
      forecastOf(pairOf('c5.xlarge', { measurements: [throughput(measurement)] })),
    );
    // 4445 Gbit at 9.69 less 1.254 Gbit/s, and two minutes.
    const savedHours = (7200 - (4445 / 8.436 + 120)) / 3600;
    const ofHour = 2 * 0.17 + (2 * 10 * 0.08) / 730;
    const { expected, upper } = adaptive!.price;
    expect(fixed!.price.expected.instances! - expected.instances!).toBeCloseTo(savedHours * ofHour, 6);
    expect(fixed!.price.expected.s3).toBeGreaterThan(expected.s3!);
    expect(upper.instances).toBe(fixed!.price.upper.instances);
  });

  test('a price of 0 is a price', () => {
    const prices = pricesOf('us-east-1', { instanceUsdPerHour: { 'x9.large': 0 }, diskUsdPerGibibyteMonth: 0 }).prices;
    expect(forecastOf(pairOf('x9.large'), { prices }).price.upper.instances).toBe(0);
  });
});

test('a measurement that is not applicable costs nothing, and a pair of only such ones is not launched', () => {
  const nothing = throughput({ notApplicable: 'no ENA Express on t3.micro' });
  const forecast = forecastOf(acrossZones('t3.micro', nothing));
  expect(forecast.pairs[0]).toMatchObject({ isLaunched: false });
  expect(totalUsd(forecast.pairs[0]!.price.upper)).toBe(0);
  const half = pairOf('t3.micro', { measurements: [nothing, throughput({ measurementId: 'p0001-m01' })] });
  expect(forecastOf(half).pairs[0]).toMatchObject({
    isLaunched: true,
    measurements: [{ notApplicable: 'no ENA Express on t3.micro' }, { measurementId: 'p0001-m01' }],
  });
});

test('the parts of a run are the sum of its pairs and its report, and those of a pair the sum of its measurements and the rest', () => {
  const pair = pairOf('c5.xlarge', { zoneRelation: 'other_zone', path: 'nlb' });
  const one = forecastOf(pair);
  const three = forecastRun(inputOf([pair, { ...pair, pairId: 'p0002' }, { ...pair, pairId: 'p0003' }]));
  expect(three.pairs.map(({ pairId }) => pairId)).toEqual(['p0001', 'p0002', 'p0003']);
  const ofRun = one.upperUsd! - totalUsd(one.pairs[0]!.price.upper)!;
  expect(three.upperUsd).toBeCloseTo(3 * (one.upperUsd! - ofRun) + ofRun, 8);
  expect(one.price.upper.athena).toBeGreaterThan(0);
  expect(one.pairs[0]!.price.upper.athena).toBe(0);
});

/** A tool of this kind, between the hosts or not, whose commands take as long as it measures. */
const workOf = (kind: MetricKind, isBetweenHosts: boolean) => ({
  workOf: ({ durationSeconds }: PlannedMeasurement) => ({
    kind,
    isBetweenHosts,
    expectedSeconds: durationSeconds,
    limitSeconds: durationSeconds,
  }),
});

describe('volumes of messages', () => {
  const latency = workOf('latency', true);
  const bytesOf = (pair: PlannedPair, work = latency) => forecastOf(pair, work).pairs[0]!.measurements[0]!.bytes;

  test.each<[string, MetricKind, Partial<PlannedMeasurement>, number]>([
    ['packets of ping, by their number', 'latency', { packetCount: 30 }, 30],
    ['a rate beside a number of packets', 'latency', { packetCount: 30, messagesPerSecond: 10 }, 600],
    ['one a second of a tool that only looks', 'conditions', {}, 60],
  ])('%s', (_, kind, load, messages) => {
    const pair = acrossZones('c5.xlarge', { durationSeconds: 60, protocol: undefined, ...load });
    // 56 bytes and 78 of headers, there and back; at most, each is acknowledged.
    expect(bytesOf(pair, workOf(kind, true))).toEqual({ expected: 2 * messages * 134, upper: 2 * messages * 212 });
  });

  test('messages at a rate, with their replies and headers', () => {
    const pair = acrossZones('c5.xlarge', { durationSeconds: 60, messageBytes: 64, messagesPerSecond: 1000 });
    expect(bytesOf(pair)).toEqual({ expected: 2 * 60 * 1000 * 142, upper: 2 * 60 * 1000 * 220 });
    expect(forecastOf(pair, latency).pairs[0]!.measurements[0]!.bulk).toBeUndefined();
    expect(forecastOf(pair, latency).price.upper.crossZoneTraffic).toBeCloseTo(2 * 0.01 * 2 * 60e3 * 220e-9, 12);
  });

  test('at full rate the round trip limits them, and the link at most', () => {
    const far = acrossZones('c5.xlarge', { messageBytes: 64 });
    const near = { ...far, zoneRelation: 'same_zone' } as const;
    const roundTrips = [far, near, { ...near, placement: 'cluster' } as const].map((pair) => {
      const { expected, upper } = bytesOf(pair);
      expect(upper).toBe(2 * 1800 * 40_000 * 220);
      return Math.round(((2 * 1800 * 142) / expected!) * 1e6);
    });
    expect(roundTrips).toEqual([700, 150, 60]);
    const large = acrossZones('c5.xlarge', { messageBytes: 65_507, protocol: 'udp' });
    expect(bytesOf(large).upper).toBeCloseTo((2 * 5e9 * 1800) / 8, -3);
  });

  test('messages in fragments are no more than EC2 lets out, as expected', () => {
    const pair = pairOf('m5.large', { measurements: [throughput({ messageBytes: 16_384, protocol: 'udp' })] });
    const bytes = bytesOf(pair);
    expect(bytes.expected).toBeCloseTo(2 * 1800 * 512 * (16_384 + 12 * 78), 0);
    expect(bytes.upper).toBeGreaterThan(10 * bytes.expected!);
  });

  test('a probe beside the load adds its messages', () => {
    const latencyProbe = { messageBytes: 64, messagesPerSecond: 100 };
    const throughputOnly = workOf('throughput', true);
    const alone = bytesOf(acrossZones('c5.xlarge'), throughputOnly).expected!;
    const probed = bytesOf(acrossZones('c5.xlarge', { latencyProbe }), throughputOnly).expected!;
    expect(probed - alone).toBe(2 * 1800 * 100 * 142);
  });
});

describe('the object store', () => {
  const store = workOf('throughput', false);
  const objects = {
    durationSeconds: 60,
    objectBytes: 1e9,
    rangeBytes: 100e6,
    parallelStreams: 4,
    direction: undefined,
  };

  test('costs requests and storage, but no traffic', () => {
    const download = forecastOf(acrossZones('c5.2xlarge', { ...objects, mode: 'download' }), store).price.upper;
    const upload = forecastOf(acrossZones('c5.2xlarge', { ...objects, mode: 'upload' }), store).price.upper;
    expect(download.crossZoneTraffic).toBe(0);
    // 75 GB in ranges of 100 MB, and what is kept for two days: four objects, or all of it.
    const days = 2 / (730 / 24);
    const ranges = 750 + 4;
    expect(upload.s3! - download.s3!).toBeCloseTo(
      ((ranges - 4) * 0.005 - ranges * 0.0004) / 1000 + (75 - 4) * days * 0.023,
      10,
    );
  });

  test('is limited only by the client', () => {
    const pair = { ...acrossZones('c5.2xlarge', { ...objects, mode: 'download' }), serverType: 't3.micro' };
    expect(forecastOf(pair, store).pairs[0]!.measurements[0]!.bulk).toMatchObject({ peakBitsPerSecond: 10e9 });
  });
});

test('a thousand pairs are forecast, each by its own settings', () => {
  const dutyCycle = { onSeconds: 10, offSeconds: 30 };
  const pairs = Array.from({ length: 1000 }, (_, index) =>
    acrossZones('m5.2xlarge', { durationSeconds: 1800 + index, dutyCycle }),
  );
  expect(forecastRun(inputOf(pairs)).upperUsd).toBeGreaterThan(1000);
});

test('a pair with a bare-metal host is priced with the start that bare metal takes', () => {
  const metal = forecastOf(pairOf('c5.metal', { hostDeadlines: hostDeadlines(true) }));
  expect(metal.bareMetalTypes).toEqual(['c5.metal']);
  const virtual = forecastOf(pairOf('c5.metal'), {
    instanceTypes: { ...recordedTypes, 'c5.metal': { ...recordedTypes['c5.metal']!, isBareMetal: undefined } },
  });
  expect(virtual.bareMetalTypes).toEqual([]);
  const usdPerHour = 2 * LIST_PRICES.instanceUsdPerHour['c5.metal']!;
  const longerHours = (metal.price.expected.instances! - virtual.price.expected.instances!) / usdPerHour;
  expect(longerHours * 3600).toBeGreaterThan(900);
  expect(longerHours * 3600).toBeLessThan(1000);
});

test('what UDP is expected to send follows from the sender alone', () => {
  const udp = (clientType: string, serverType: string) =>
    forecastOf({ ...acrossZones(clientType, UDP), serverType }).pairs[0]!.measurements[0]!;
  expect(udp('c6in.32xlarge', 'c5.2xlarge').bytes).toEqual({ expected: 18e12, upper: 18e12 });
  expect(udp('c5.2xlarge', 'c6in.32xlarge').bytes).toEqual(udp('c5.2xlarge', 'c5.2xlarge').bytes);
});

test('UDP messages at a rate that the server can not take count in full', () => {
  const load = { tool: 'sockperf', protocol: 'udp', messageBytes: 1_400, messagesPerSecond: 1e6 } as const;
  const pair = { ...acrossZones('c5.18xlarge', load), serverType: 't2.medium' };
  const sent = forecastOf(pair, workOf('latency', true)).pairs[0]!.measurements[0]!;
  // 5 Gbit/s of one flow for half an hour, and as much in reply.
  expect(sent.bytes.upper! / 1e9).toBeCloseTo(2 * 1125, 0);
});

describe('surplus CPU credits', () => {
  const hostHours = (pair: PlannedPair) => {
    const { expected, upper } = forecastOf(pair).price;
    const perHour = 2 * LIST_PRICES.publicAddressUsdPerHour;
    return { expected: expected.publicAddresses! / perHour, upper: upper.publicAddresses! / perHour };
  };
  const unlimited = { clientCpuCredits: 'unlimited', serverCpuCredits: 'unlimited' } as const;

  test.each([
    ['t3.micro', 0.05, 2],
    ['t2.xlarge', 0.05, 4],
    ['t4g.2xlarge', 0.04, 8],
  ])('of %s cost %d USD per vCPU and hour, of all its %i vCPUs at most and of one as expected', (type, usd, vcpus) => {
    const pair = pairOf(type, unlimited);
    const hours = hostHours(pair);
    const { price } = forecastOf(pair);
    expect(price.expected.cpuCredits).toBeCloseTo(2 * usd * hours.expected, 10);
    expect(price.upper.cpuCredits).toBeCloseTo(2 * usd * vcpus * hours.upper, 10);
  });

  test('count for the hosts that are launched with unlimited ones, and for no other', () => {
    const upper = (pair: PlannedPair) => forecastOf(pair).price.upper.cpuCredits;
    expect(upper(pairOf('c5.large'))).toBe(0);
    expect(upper(pairOf('t3.micro', { clientCpuCredits: 'standard', serverCpuCredits: 'standard' }))).toBe(0);
    const one = upper(pairOf('t3.micro', { clientCpuCredits: 'standard', serverCpuCredits: 'unlimited' }));
    expect(one).toBeCloseTo(upper(pairOf('t3.micro', unlimited))! / 2, 10);
  });

  test('have a price that a plan can override', () => {
    const prices = pricesOf('us-east-1', { cpuCreditsUsdPerVcpuHour: 1 }).prices;
    const list = forecastOf(pairOf('t3.micro', unlimited)).price.upper.cpuCredits!;
    expect(forecastOf(pairOf('t3.micro', unlimited), { prices }).price.upper.cpuCredits).toBeCloseTo(20 * list, 8);
  });
});
