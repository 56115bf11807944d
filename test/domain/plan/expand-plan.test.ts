import {
  measurementLimitSeconds,
  PREPARE_DEADLINE_SECONDS,
  PROBE_DEADLINE_SECONDS,
} from '../../../domain/tools/commands';
import { describe, expect, test } from '@jest/globals';
import { expandPlan, pairCount } from '../../../domain/plan/expand-plan';
import { isLaunched } from '../../../domain/model/planned-run';
import { seedOf } from '../../../domain/maths/random-order';
import { sum } from '../../../domain/maths/statistics';
import { benchmarkPlan, type PairPlan } from '../../../domain/plan/schema';
import { CONNECT_DEADLINE_SECONDS } from '../../../domain/workflow/polling';
import { THREE_ZONES } from '../../support/planned-run';

const iperf3 = (durationSeconds: number) => ({ tool: 'iperf3', durationSeconds });
const sockperf = (durationSeconds: number) => ({ tool: 'sockperf', durationSeconds });

const TYPES = new Map([
  ['m5.large', { vcpuCount: 2, baselineBitsPerSecond: 750e6, peakBitsPerSecond: 10e9 }],
  ['c5.xlarge', { vcpuCount: 4, baselineBitsPerSecond: 1.25e9, peakBitsPerSecond: 10e9 }],
  ['c5n.18xlarge', { vcpuCount: 72, baselineBitsPerSecond: 100e9, peakBitsPerSecond: 100e9 }],
]);

function expand(overrides: Record<string, unknown>) {
  const plan = benchmarkPlan.parse({
    name: 'test',
    order: 'as_written',
    pairs: [{ clientType: 'c5.xlarge', serverType: 'm5.large' }],
    measurements: [iperf3(60)],
    ...overrides,
  });
  return { plan, pairs: expandPlan(plan, known, 7, TYPES) };
}

const known = (_: number, { zoneRelation = 'same_zone' }: Pick<PairPlan, 'zoneRelation'>) =>
  ({ candidateSubnets: THREE_ZONES, zoneRelation, hasBareMetal: false }) as const;

describe('a plan becomes fresh pairs', () => {
  test('latency is measured before throughput, whatever the order in the plan', () => {
    const { pairs } = expand({ measurements: [iperf3(60), sockperf(10), sockperf(20)] });

    expect(pairs).toHaveLength(1);
    expect(pairs[0]!.measurements.map(({ tool, durationSeconds }) => [tool, durationSeconds])).toEqual([
      ['sockperf', 10],
      ['sockperf', 20],
      ['iperf3', 60],
    ]);
  });

  test('each throughput measurement has a pair on which no throughput was measured before', () => {
    const { pairs } = expand({ measurements: [sockperf(10), iperf3(60), iperf3(61), iperf3(62)] });

    expect(pairs.map((pair) => pair.measurements.map(({ tool }) => tool))).toEqual([
      ['sockperf', 'iperf3'],
      ['iperf3'],
      ['iperf3'],
    ]);
  });

  test('each repetition has a fresh pair', () => {
    const { plan, pairs } = expand({ measurements: [iperf3(60), iperf3(61)], repetitions: 3 });

    expect(pairs.map((pair) => pair.repetition)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(pairCount(plan, TYPES)).toBe(pairs.length);
  });

  test("ids are unique in the run, and a measurement's id has its pair's", () => {
    const { pairs } = expand({ measurements: [sockperf(10), iperf3(60), iperf3(61)], repetitions: 2 });
    const ids = pairs.flatMap((pair) => pair.measurements.map(({ measurementId }) => measurementId));

    expect(pairs.map((pair) => pair.pairId)).toEqual(['p0001', 'p0002', 'p0003', 'p0004']);
    expect(ids).toEqual(['p0001-m01', 'p0001-m02', 'p0002-m01', 'p0003-m01', 'p0003-m02', 'p0004-m01']);
  });

  test('each repetition starts in the next zone, with all of its fresh pairs, and keeps the others to fall back on', () => {
    const { pairs } = expand({ measurements: [iperf3(60), iperf3(61)], repetitions: 4 });
    const zones = pairs.map(({ candidateSubnets }) =>
      candidateSubnets.map(({ client }) => client.zone.at(-1)).join(''),
    );

    expect(zones).toEqual(['abc', 'abc', 'bca', 'bca', 'cab', 'cab', 'abc', 'abc']);
  });

  test("a host's lifetime covers every wait of its pair, and little more", () => {
    const { pairs } = expand({ measurements: [sockperf(600), iperf3(7200)] });
    const { lifetimeSeconds, measurements, hostDeadlines } = pairs[0]!;
    const measuring = sum(measurements.map(measurementLimitSeconds));

    // Five minutes for what is before and after them.
    expect(lifetimeSeconds).toBe(300 + hostDeadlines.onlineDeadlineSeconds + PREPARE_DEADLINE_SECONDS + measuring);
    expect(measuring).toBeGreaterThan(600 + 7200);
  });

  test("a host's lifetime also covers the start of a load balancer, and the probe of the account's own route", () => {
    const of = (path: string) =>
      expand({ pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge', path }] }).pairs[0]!.lifetimeSeconds;

    expect(of('nlb') - of('private')).toBe(CONNECT_DEADLINE_SECONDS);
    expect(of('public')).toBe(of('private'));
    expect(of('own') - of('private')).toBe(PROBE_DEADLINE_SECONDS);
  });

  test('measurements of one pair listen on different ports', () => {
    const { pairs } = expand({ measurements: [sockperf(10), sockperf(20), iperf3(60)] });
    expect(pairs[0]!.measurements.map(({ port }) => port)).toEqual([5201, 5202, 5203]);
  });

  test('measurements that spend no credits are repeated on the same pair', () => {
    const { pairs } = expand({ measurements: [{ ...sockperf(10), repetitions: 3 }, iperf3(60)] });

    expect(
      pairs.map((pair) => pair.measurements.map(({ tool, pairRepetition }) => `${tool} ${pairRepetition}`)),
    ).toEqual([['sockperf 1', 'sockperf 2', 'sockperf 3', 'iperf3 1']]);
  });
});

describe('round trips whose own load spends credits', () => {
  const large = { tool: 'sockperf', messageBytes: 16_384, durationSeconds: 10, repetitions: 3 };
  const toolsOf = (overrides: Record<string, unknown>) =>
    expand(overrides).pairs.map(({ measurements }) =>
      measurements.map(({ tool, pairRepetition }) => [tool, pairRepetition]),
    );
  const betweenTypes = (type: string, more: object = {}) => [{ clientType: type, serverType: type, ...more }];

  test('each repetition has a pair of its own, the first after what spends none', () => {
    expect(toolsOf({ measurements: [large, sockperf(10)], pairs: betweenTypes('m5.large') })).toEqual([
      [
        ['sockperf', 1],
        ['sockperf', 1],
      ],
      [['sockperf', 2]],
      [['sockperf', 3]],
    ]);
  });

  test.each([
    ['small messages', { messageBytes: 64 }, 'm5.large', {}],
    ['a baseline far above the load', {}, 'c5n.18xlarge', {}],
    ['round trips between zones', { messageBytes: 8_192 }, 'm5.large', { zoneRelation: 'other_zone' }],
    ['fragments, of which EC2 lets few out', { protocol: 'udp' }, 'm5.large', {}],
  ])('%s: all share a pair', (_, settings, type, conditions) => {
    expect(toolsOf({ measurements: [{ ...large, ...settings }], pairs: betweenTypes(type, conditions) })).toHaveLength(
      1,
    );
  });

  test('a type that nobody has looked up may have the lowest baseline of all', () => {
    const measurements = [{ ...large, messageBytes: 256 }];
    expect(toolsOf({ measurements, pairs: betweenTypes('m5.large') })).toHaveLength(1);
    expect(toolsOf({ measurements, pairs: betweenTypes('x9.large') })).toHaveLength(3);
  });

  test('a plan needs as many pairs as each of its pairs of types does', () => {
    const pairs = [...betweenTypes('m5.large'), ...betweenTypes('c5n.18xlarge')];
    const expanded = expand({ measurements: [large], pairs, repetitions: 2 });
    expect(expanded.pairs.map(({ clientType }) => clientType)).toHaveLength(2 * (3 + 1));
    expect(pairCount(expanded.plan, TYPES)).toBe(8);
  });
});

describe('the order of pairs', () => {
  const many = { order: 'random', repetitions: 20 };
  const repetitionsOf = (seed: number) =>
    expandPlan(expand(many).plan, known, seed, TYPES).map(({ repetition }) => repetition);

  test('follows from the seed: the same seed gives the same order, another seed another one', () => {
    expect(repetitionsOf(1)).toEqual(repetitionsOf(1));
    expect(repetitionsOf(1)).not.toEqual(repetitionsOf(2));
    expect([...repetitionsOf(1)].sort((left, right) => left - right)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('every place is equally likely for every pair: over 2,000 seeds each repetition comes first about equally often', () => {
    const firsts = Array.from({ length: 2_000 }, (_, seed) => repetitionsOf(seed)[0]!);
    const counts = Array.from({ length: 20 }, (_, index) => firsts.filter((first) => first === index + 1).length);

    // 100 expected, standard deviation 9.7.
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });

  test("without a seed in the plan, the seed follows from the run's name and is in the plan's range", () => {
    expect(seedOf('run-1')).not.toBe(seedOf('run-2'));
    expect(benchmarkPlan.safeParse({ ...expand({}).plan, seed: seedOf('run-1') }).success).toBe(true);
  });
});

describe("what can't be", () => {
  test('is planned with its reason, and a pair without an applicable measurement is not launched', () => {
    const { plan, pairs } = expand({ measurements: [sockperf(10), iperf3(60)] });
    const why = { candidateSubnets: [], notApplicable: 'no such thing' };
    const [refused] = expandPlan(plan, (index, pair) => ({ ...known(index, pair), ...why }), 1, TYPES);

    expect(refused!.measurements.map(({ notApplicable }) => notApplicable)).toEqual(['no such thing', 'no such thing']);
    expect(isLaunched(refused!)).toBe(false);
    expect(isLaunched(pairs[0]!)).toBe(true);
  });
});
