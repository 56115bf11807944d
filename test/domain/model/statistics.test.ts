import {
  conditionsOf,
  latencyOf,
  throughputOf,
  toolCpuOf,
  withSharedFigures,
  type MeasuredStatistics,
} from '../../../domain/model/statistics';

const oneWay = { kind: 'throughput', statistics: { retransmits: 1 } } as const;
const bothWays = {
  kind: 'throughput',
  statistics: { forward: { retransmits: 1 }, reverse: { retransmits: 2 } },
} as const;
const cpu = { clientCpu: { userPercent: 1, systemPercent: 2 } };

test('throughput of one direction is the main one, whichever direction that is', () => {
  expect(throughputOf(oneWay)).toEqual({ main: { retransmits: 1 } });
});

test('of both directions driven at once, forward is the main one', () => {
  expect(throughputOf(bothWays)).toEqual({ main: { retransmits: 1 }, reverse: { retransmits: 2 } });
});

test('the kind decides, even where nothing was measured', () => {
  const readers = { throughput: throughputOf, latency: latencyOf, conditions: conditionsOf };
  for (const kind of ['throughput', 'latency', 'conditions'] as const) {
    const measured: MeasuredStatistics = { kind, statistics: {} };
    const answering = Object.entries(readers).filter(([, read]) => read(measured) !== undefined);
    expect(answering.map(([name]) => name)).toEqual([kind]);
  }
});

test('figures that both directions share are stored with forward', () => {
  expect(withSharedFigures(bothWays.statistics, cpu)).toEqual({
    forward: { retransmits: 1, ...cpu },
    reverse: { retransmits: 2 },
  });
  expect(toolCpuOf({ statistics: withSharedFigures(bothWays.statistics, cpu) })).toMatchObject(cpu);
});

test('any kind can have the processor time of its tool', () => {
  expect(toolCpuOf({ statistics: withSharedFigures({ hopCount: 1 }, cpu) })).toEqual({ hopCount: 1, ...cpu });
});
