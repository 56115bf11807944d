import { describe, expect, test } from '@jest/globals';
import { expandPlan, pairCount } from '../../../domain/plan/expand-plan';
import { benchmarkPlan } from '../../../domain/plan/schema';
import { THREE_ZONES } from '../../support/planned-run';

const iperf3 = (durationSeconds: number) => ({ tool: 'iperf3', durationSeconds });
const sockperf = (durationSeconds: number) => ({ tool: 'sockperf', durationSeconds });

function expand(overrides: Record<string, unknown>) {
  const plan = benchmarkPlan.parse({
    name: 'test',
    pairs: [{ clientType: 'c5.xlarge', serverType: 'm5.large' }],
    measurements: [iperf3(60)],
    ...overrides,
  });
  return { plan, pairs: expandPlan(plan, () => THREE_ZONES) };
}

describe('a plan becomes fresh pairs', () => {
  test('latency comes before throughput, whatever the order in the plan', () => {
    const { pairs } = expand({ measurements: [iperf3(60), sockperf(10), sockperf(20)] });

    expect(pairs).toHaveLength(1);
    expect(pairs[0]!.measurements.map(({ tool, durationSeconds }) => [tool, durationSeconds])).toEqual([
      ['sockperf', 10],
      ['sockperf', 20],
      ['iperf3', 60],
    ]);
  });

  test('each throughput measurement has a pair that nobody measured throughput on before', () => {
    const { pairs } = expand({ measurements: [sockperf(10), iperf3(60), iperf3(61), iperf3(62)] });

    expect(pairs.map((pair) => pair.measurements.map(({ tool }) => tool))).toEqual([
      ['sockperf', 'iperf3'],
      ['iperf3'],
      ['iperf3'],
    ]);
  });

  test('a repetition is a fresh pair too', () => {
    const { plan, pairs } = expand({ measurements: [iperf3(60), iperf3(61)], repetitions: 3 });

    expect(pairs.map((pair) => pair.repetition)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(pairCount(plan)).toBe(pairs.length);
  });

  test('ids are unique in the run and say which pair a measurement belongs to', () => {
    const { pairs } = expand({ measurements: [sockperf(10), iperf3(60), iperf3(61)], repetitions: 2 });
    const ids = pairs.flatMap((pair) => pair.measurements.map(({ measurementId }) => measurementId));

    expect(pairs.map((pair) => pair.pairId)).toEqual(['p0001', 'p0002', 'p0003', 'p0004']);
    expect(ids).toEqual(['p0001-m01', 'p0001-m02', 'p0002-m01', 'p0003-m01', 'p0003-m02', 'p0004-m01']);
  });

  test('consecutive pairs begin in different zones and keep all of them to fall back on', () => {
    const { pairs } = expand({ repetitions: 4 });

    expect(pairs.map((pair) => pair.candidateSubnets[0]!.client.zone)).toEqual([
      'eu-test-1a',
      'eu-test-1b',
      'eu-test-1c',
      'eu-test-1a',
    ]);
    expect(pairs[1]!.candidateSubnets).toHaveLength(3);
  });

  test('hosts may live as long as every wait of their pair can last, and no day longer', () => {
    const { pairs } = expand({ measurements: [sockperf(600), iperf3(7200)] });

    expect(pairs[0]!.lifetimeSeconds).toBeGreaterThan(600 + 600 + 600 + 7200);
    expect(pairs[0]!.lifetimeSeconds).toBeLessThan(4 * 3600);
  });

  test('measurements of one pair listen on different ports', () => {
    const { pairs } = expand({ measurements: [sockperf(10), sockperf(20), iperf3(60)] });
    const ports = pairs[0]!.measurements.map(({ port }) => port);

    expect(new Set(ports).size).toBe(3);
  });
});
