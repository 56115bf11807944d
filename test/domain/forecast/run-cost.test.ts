/**
 * What a run cost, against figures by hand. The prices are round: 0.001 USD per host and second, 0.0001 USD for its
 * address, 0.01 USD per gigabyte and side, 0.5 USD per hour of a load balancer and 0.1 USD per gigabyte through it.
 */
import { describe, expect, test } from '@jest/globals';
import { plannedResult } from '../../../domain/analysis/measurement-result';
import { forecastRun } from '../../../domain/forecast/forecast-run';
import type { PairLife } from '../../../domain/forecast/pair-life-cost';
import { runCost, type CostInput } from '../../../domain/forecast/run-cost';
import { MONTH_SECONDS, pricesOf, SERVICE_PRICES } from '../../../domain/forecast/prices/price-table';
import { sum } from '../../../domain/maths/statistics';
import { HOST_ROLES } from '../../../domain/model/host-role';
import { ROOT_DISK } from '../../../domain/model/service-facts';
import { totalUsd } from '../../../domain/model/cost';
import { isLaunched, type PlannedPair, type PlannedRun } from '../../../domain/model/planned-run';
import type { MeasuredHost, MeasurementResult } from '../../../domain/model/result';
import { workOf } from '../../../domain/plan/prepare-plan';
import { recordedTypes } from '../../support/forecast';
import { plannedRun } from '../../support/planned-run';

const FREE = Object.fromEntries(Object.keys(SERVICE_PRICES).map((name) => [name, 0]));
const ROUND_PRICES = {
  ...FREE,
  instanceUsdPerHour: { 'c5.xlarge': 3.6 },
  publicAddressUsdPerHour: 0.36,
  crossZoneUsdPerGigabyteEachWay: 0.01,
  publicTrafficUsdPerGigabyteEachWay: 0.01,
  loadBalancerUsdPerHour: 0.5,
  loadBalancerUsdPerGigabyte: 0.1,
};

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString();

/** Both hosts, launched at 0. */
function lived(goneAfterSeconds?: number, instanceType = 'c5.xlarge'): PairLife {
  const goneAt = goneAfterSeconds === undefined ? undefined : at(goneAfterSeconds);
  const hosts = HOST_ROLES.map((role) => ({ role, instanceType, launchedAt: at(0), goneAt }));
  return { hosts, isTried: true, areAllKnown: true, warnings: [] };
}

const host = (interfaceBytes?: MeasuredHost['interfaceBytes']): MeasuredHost => ({
  instanceId: 'i-1',
  zone: 'eu-test-1a',
  imageId: 'ami-1',
  privateIp: '10.0.0.1',
  interfaceBytes,
});

/** 10 GB from client to server and 1 GB back; of datagrams, a fifth is lost on the way. */
const CARRIED = {
  client: host({ sent: 10e9, received: 1e9 }),
  server: host({ sent: 1e9, received: 8e9 }),
};
const IDLE = { client: host({ sent: 0, received: 0 }), server: host({ sent: 0, received: 0 }) };

function setUp(pair: Record<string, unknown> = {}, plan: Record<string, unknown> = {}) {
  const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
  const facts = recordedTypes['c5.xlarge']!;
  const run = plannedRun({ prices: ROUND_PRICES, pairs: [{ ...types, ...pair }], ...plan }, [facts]);
  const results = new Map<string, MeasurementResult>();
  const lives = new Map<string, PairLife>();
  /** Measures for so many seconds. */
  const measure = (index: number, seconds: number, more: Partial<MeasurementResult> = {}, pairIndex = 0) => {
    const planned = run.pairs[pairIndex]!;
    const measurement = planned.measurements[index]!;
    results.set(measurement.measurementId, {
      ...plannedResult(run, planned, measurement),
      status: 'complete',
      startedAt: at(100),
      endedAt: at(100 + seconds),
      statistics: {},
      verdict: null,
      warnings: [],
      ...IDLE,
      ...more,
    });
  };
  return {
    run,
    results,
    lives,
    measure,
    cost: (more: Partial<CostInput> = {}) => runCost({ run, results, lives, workOf, ...more }),
  };
}

/** Measured for 100 s and 300 s, on hosts that lived for 600 s. */
function measuredPair(
  pair: Record<string, unknown>,
  plan?: Record<string, unknown>,
  more: Partial<MeasurementResult> = CARRIED,
) {
  const all = setUp(pair, plan);
  all.lives.set('p0001', lived(600));
  all.measure(0, 100);
  all.measure(1, 300, more);
  return all;
}

describe('surplus CPU credits', () => {
  const pairOf = (credits?: 'standard') => {
    const pairs = [{ clientType: 't3.micro', serverType: 'c5.xlarge', clientCpuCredits: credits }];
    const instanceUsdPerHour = { 't3.micro': 0, 'c5.xlarge': 0 };
    const prices = { ...ROUND_PRICES, instanceUsdPerHour, cpuCreditsUsdPerVcpuHour: 3.6 };
    const all = setUp({}, { pairs, prices });
    const types = ['t3.micro', 'c5.xlarge'].map((name) => recordedTypes[name]!);
    const run = plannedRun({ ...all.run.plan }, types);
    const [client, server] = [lived(600, 't3.micro').hosts[0]!, lived(600).hosts[0]!];
    const costOf = (changes: Partial<PairLife> = {}) => {
      const life = { ...lived(600), hosts: [client, server], ...changes };
      return all.cost({ run, lives: new Map([['p0001', life]]) }).pairs[0]!;
    };
    return { client, server, costOf };
  };

  test('count at the most that they can cost, with a warning: two vCPUs for 600 s', () => {
    const { cost, warnings } = pairOf().costOf();
    expect(cost.cpuCredits).toBeCloseTo(2 * 600 * 0.001, 10);
    expect(warnings).toEqual([
      "the price of the pair's CPU credits is the most that they can cost, because nobody measured what the hosts spent",
    ]);
  });

  test('cost nothing where the credits are standard', () => {
    const { cost, warnings } = pairOf('standard').costOf();
    expect([cost.cpuCredits, warnings]).toEqual([0, []]);
  });

  test('have no price where it is not known how long the host lived, or whether it is the only one', () => {
    const { client, server, costOf } = pairOf();
    expect(costOf({ hosts: [{ ...client, goneAt: undefined }, server] }).cost.cpuCredits).toBeNull();
    expect(costOf({ areAllKnown: false }).cost.cpuCredits).toBeNull();
  });
});

describe('a pair whose measurements took 100 s and 300 s of 600 s', () => {
  test('private, in one zone: 2 × 600 s of hosts, shared 1 to 3, and free traffic', () => {
    const { pairs, measurements, costUsd } = measuredPair({}).cost();
    const hourly = { clientHourlyUsd: 3.6, serverHourlyUsd: 3.6 };
    const life = { launchedAt: at(0), goneAt: at(600), hostSeconds: 1200 };

    expect(pairs[0]).toMatchObject({ ...life, ...hourly, trafficBytes: 11e9, warnings: [] });
    expect(pairs[0]!.cost.instances).toBeCloseTo(1.2, 9);
    expect(pairs[0]!.cost.publicAddresses).toBeCloseTo(0.12, 9);
    expect(measurements.map((each) => each.hostSeconds)).toEqual([300, 900]);
    expect(measurements.map((each) => each.hostsUsd)).toEqual([expect.closeTo(0.33, 9), expect.closeTo(0.99, 9)]);
    expect(measurements[1]).toMatchObject({ trafficUsd: 0, trafficBytes: 11e9, ...hourly });
    expect(costUsd).toBeCloseTo(1.32, 9);
  });

  test.each([
    ['across zones: 11 GB on both sides', { zoneRelation: 'other_zone' }, 'crossZoneTraffic', 0.22, 0.33, 0.99 + 0.22],
    ['by public address: the same', { path: 'public' }, 'publicTraffic', 0.22, 0.33, 0.99 + 0.22],
    ['by load balancer: an hour, and 11 GB', { path: 'nlb' }, 'loadBalancer', 1.6, 0.33 + 0.125, 0.99 + 0.375 + 1.1],
  ] as const)('%s, charged to the measurement that sent them', (_, pair, part, usd, first, second) => {
    const { pairs, measurements, costUsd } = measuredPair(pair).cost();
    expect(pairs[0]!.cost[part]).toBeCloseTo(usd, 9);
    expect(measurements.map((each) => each.costUsd)).toEqual([expect.closeTo(first, 9), expect.closeTo(second, 9)]);
    expect(measurements.map((each) => each.trafficUsd)).toEqual([
      0,
      expect.closeTo(part === 'loadBalancer' ? 1.1 : 0.22, 9),
    ]);
    expect(costUsd).toBeCloseTo(1.32 + usd, 9);
  });

  const udp = { tool: 'iperf3', durationSeconds: 60, protocol: 'udp', targetBitsPerSecond: 1e9 };
  const ofUdp = (more: Partial<MeasurementResult>) => {
    const measurements = [{ tool: 'sockperf', durationSeconds: 10 }, udp];
    return measuredPair({ zoneRelation: 'other_zone' }, { measurements }, more).cost().measurements[1]!;
  };

  test('UDP: what was sent is charged, and not what arrived', () => {
    const sent = { client: host({ sent: 10e9, received: 0 }), server: host({ sent: 0, received: 8e9 }) };
    expect(ofUdp(sent)).toMatchObject({ trafficBytes: 10e9, trafficUsd: expect.closeTo(0.2, 9), warnings: [] });
  });

  test("UDP without counters: the tool's 8 GB that arrived were 10 GB before a fifth was lost, and a warning says so", () => {
    const statistics = { throughputBitsPerSecond: { mean: 0.64e9 }, lostPackets: 200, sentPackets: 1000 };
    expect(ofUdp({ client: host(), server: host(), sampleCount: 100, statistics })).toMatchObject({
      trafficBytes: 10e9,
      trafficUsd: expect.closeTo(0.2, 9),
      warnings: [
        "the price of the traffic is based on the tool's figures, which leave out packet headers, because no interface counters arrived",
      ],
    });
  });

  test('a host that streams nothing is counted by what the other one received', () => {
    const { measurements } = measuredPair({}, {}, { client: CARRIED.client, server: host() }).cost();
    expect(measurements[1]!.trafficBytes).toBe(11e9);
  });
});

describe('what went wrong', () => {
  /** Its second measurement left nothing. */
  function died(pair: Record<string, unknown> = {}) {
    const all = setUp(pair);
    all.lives.set('p0001', lived(200));
    all.measure(0, 50);
    const untimed = { startedAt: undefined, endedAt: undefined };
    all.measure(1, 0, { status: 'failed', reason: 'host gone', ...untimed, client: host(), server: host() });
    return all.cost();
  }

  test('a pair that died costs its hosts until they were terminated', () => {
    const { measurements, costUsd } = died();
    expect(costUsd).toBeCloseTo(0.44, 9);
    expect(measurements[0]!.costUsd).toBeCloseTo(0.44, 9);
    expect(measurements[1]).toMatchObject({ costUsd: 0, trafficUsd: 0, trafficBytes: null });
  });

  test('a pair that died across zones: what it sent is unknown, and a warning says so', () => {
    const { pairs, measurements, costUsd } = died({ zoneRelation: 'other_zone' });
    expect(costUsd).toBeNull();
    expect(pairs[0]).toMatchObject({
      hostSeconds: 400,
      trafficBytes: null,
      cost: { crossZoneTraffic: null, publicAddresses: expect.any(Number) },
      warnings: ['p0001-m02: the price of the traffic is unknown, because no interface counters arrived'],
    });
    expect(measurements.map((each) => each.costUsd)).toEqual([expect.closeTo(0.44, 9), null]);
  });

  test('a launch that failed costs the minute of the host that was launched and discarded', () => {
    const { lives, cost } = setUp();
    const discarded = { role: 'server', instanceType: 'c5.xlarge', launchedAt: at(0), goneAt: at(3) } as const;
    lives.set('p0001', { hosts: [discarded], isTried: true, areAllKnown: true, warnings: [] });

    const { pairs, measurements, costUsd } = cost();

    expect(pairs[0]!.hostSeconds).toBe(60);
    expect(costUsd).toBeCloseTo(0.066, 9);
    // Nothing began, so that both bear the same.
    expect(measurements.map((each) => each.costUsd)).toEqual([expect.closeTo(0.033, 9), expect.closeTo(0.033, 9)]);
  });

  test('a host without a public address has no price of one, and an image with a larger disk has its price', () => {
    const prices = { ...ROUND_PRICES, diskUsdPerGibibyteMonth: MONTH_SECONDS / 1000 };
    const { run, lives, cost } = setUp({}, { prices });
    const rootVolumeGibibytes = 2 * ROOT_DISK.gibibytes;
    const image = { imageId: 'ami-1', rootDeviceName: '/dev/xvda', rootVolumeGibibytes, name: '' };
    lives.set('p0001', lived(400));
    const costWith = (ends: PlannedPair['ends']) =>
      cost({ run: { ...run, pairs: run.pairs.map((pair) => ({ ...pair, ends })) } }).pairs[0]!.cost;
    const addressed = (client: boolean, server: boolean) =>
      costWith({ client: { publicAddress: client, image }, server: { publicAddress: server } });
    const asBefore = costWith(undefined);

    expect(asBefore.publicAddresses).toBeCloseTo(2 * 400 * 0.0001, 12);
    expect(addressed(true, true).publicAddresses).toBe(asBefore.publicAddresses);
    expect(addressed(true, false).publicAddresses).toBeCloseTo(400 * 0.0001, 12);
    expect(addressed(false, false).publicAddresses).toBe(0);
    // The client has as much disk again, at 0.001 USD per gibibyte and second.
    expect(addressed(true, true).instances! - asBefore.instances!).toBeCloseTo(400 * ROOT_DISK.gibibytes * 0.001, 9);
  });

  test('a launch that left no record has no price', () => {
    const { lives, cost } = setUp();
    lives.set('p0001', { hosts: [], isTried: true, areAllKnown: false, warnings: ['no record'] });
    expect(cost()).toMatchObject({ costUsd: null, pairs: [{ hostSeconds: null, warnings: ['no record'] }] });
  });

  test('hosts of which nobody knows when they ended have no price', () => {
    const { lives, measure, cost } = setUp({ path: 'nlb' });
    lives.set('p0001', { ...lived(), warnings: ['how long its hosts ran is unknown'] });
    measure(0, 10);
    const { pairs, measurements, costUsd } = cost();
    expect(costUsd).toBeNull();
    expect(pairs[0]).toMatchObject({
      hostSeconds: null,
      cost: { instances: null, publicAddresses: null, loadBalancer: null },
    });
    expect(pairs[0]!.goneAt).toBeUndefined();
    expect(measurements[0]).toMatchObject({
      costUsd: null,
      hostSeconds: null,
      trafficUsd: 0,
      warnings: ['how long its hosts ran is unknown'],
    });
  });

  test('a pair that measured something and has no record of hosts has no price', () => {
    const { measure, cost } = setUp();
    measure(0, 10);
    const warnings = ["the price of the pair's hosts is unknown, because there is no record of them"];
    expect(cost()).toMatchObject({ costUsd: null, pairs: [{ hostSeconds: null, warnings }] });
  });

  test('a load balancer is unknown where nothing was measured through it', () => {
    const { lives, cost } = setUp({ path: 'nlb' });
    lives.set('p0001', lived(600));
    expect(cost()).toMatchObject({
      costUsd: null,
      pairs: [{ cost: { loadBalancer: null }, warnings: [expect.stringContaining('load balancer')] }],
    });
  });

  test('a type without a price has none, and the warning names it', () => {
    const { lives, measure, cost } = setUp();
    lives.set('p0001', lived(600, 'x99.huge'));
    measure(0, 10);
    expect(cost()).toMatchObject({
      costUsd: null,
      pairs: [{ warnings: ['x99.huge has no price; plan.prices.instanceUsdPerHour can set one'] }],
    });
  });

  test('a stopped run: the pair that was never launched costs nothing', () => {
    const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
    const { lives, measure, cost } = setUp({}, { pairs: [types, types] });
    lives.set('p0001', { ...lived(600), warnings: ['up to when it was stopped'] });
    measure(0, 100);
    const { pairs, costUsd } = cost();
    expect(costUsd).toBeCloseTo(1.32, 9);
    expect(pairs[1]).toMatchObject({ hostSeconds: 0, trafficBytes: 0, warnings: [] });
    expect(totalUsd(pairs[1]!.cost)).toBe(0);
    expect(pairs[1]!.launchedAt).toBeUndefined();
  });
});

describe('the sums, at list prices and with everything that is charged', () => {
  const types = { clientType: 'c5.xlarge', serverType: 'c5.xlarge' };
  const pairs = [
    types,
    { ...types, zoneRelation: 'other_zone' },
    { ...types, path: 'nlb' },
    { ...types, path: 'public' },
  ];
  const measurements = [
    { tool: 'sockperf', durationSeconds: 10 },
    { tool: 'iperf3', durationSeconds: 60 },
    { tool: 's3', operation: 'upload', durationSeconds: 20 },
  ];

  function measuredRun() {
    const all = setUp({}, { prices: undefined, pairs, measurements });
    for (const [pairIndex, { pairId, measurements: planned }] of all.run.pairs.entries()) {
      if (!isLaunched({ measurements: planned })) continue;
      all.lives.set(pairId, lived(500 + pairIndex));
      for (const index of planned.keys()) all.measure(index, 10 * (index + 1), CARRIED, pairIndex);
    }
    return all;
  }

  function forecastOf({ pairs: planned, instanceTypes }: PlannedRun) {
    return forecastRun({ pairs: planned, instanceTypes, ...pricesOf('us-east-1'), workOf });
  }

  test('the measurements of a pair are the pair, and the pairs are the run', () => {
    const found = measuredRun().cost();
    expect(found.costUsd).toBeGreaterThan(0);
    for (const pair of found.pairs) {
      const own = found.measurements.filter(({ measurementId }) => measurementId.startsWith(pair.pairId));
      expect(own.length).toBeGreaterThan(0);
      expect(sum(own.map(({ costUsd }) => costUsd!))).toBeCloseTo(totalUsd(pair.cost)!, 12);
      expect(sum(own.map(({ hostSeconds }) => hostSeconds!))).toBeCloseTo(pair.hostSeconds!, 9);
    }
    expect(sum(found.pairs.map(({ cost: split }) => totalUsd(split)!))).toBeCloseTo(found.costUsd!, 12);
    // Objects, states, functions and queries are in it, as they are in the forecast.
    for (const part of ['s3', 'athena', 'stepFunctions', 'lambda', 'publicAddresses'] as const) {
      expect(found.pairs[0]!.cost[part]).toBeGreaterThan(0);
    }
  });

  test('so are the forecasts', () => {
    const { cost, run } = measuredRun();
    const forecast = forecastOf(run);
    const found = cost({ forecast });
    for (const pair of found.pairs) {
      const own = found.measurements.filter(({ measurementId }) => measurementId.startsWith(pair.pairId));
      expect(sum(own.map(({ expectedUsd }) => expectedUsd!))).toBeCloseTo(totalUsd(pair.expected!)!, 12);
    }
    expect(sum(found.pairs.map(({ expected }) => totalUsd(expected!)!))).toBeCloseTo(forecast.expectedUsd!, 12);
    expect(sum(found.pairs.map(({ upper }) => totalUsd(upper!)!))).toBeCloseTo(forecast.upperUsd!, 12);
  });

  test('without a forecast, what was expected is unknown', () => {
    const found = measuredRun().cost();
    expect(found.pairs[0]).toMatchObject({ expected: null, upper: null });
    expect(found.measurements[0]!.expectedUsd).toBeNull();
  });
});
