import type { MeasurementResult } from '../../../domain/model/result';
import { cellOf } from '../../../domain/model/cell';
import { cellsOf, comparable, labelledCells } from '../../../domain/repetitions/cells';
import { addressMatrix, placementMatrix, roundTrips } from '../../support/compared-results';
import { steadyResult } from '../../support/measurement-results';

describe('cells', () => {
  test('hold the repetitions of one measurement, in the order of the plan whatever the order of measuring', () => {
    const results = [
      roundTrips(100, { measurementId: 'p0001-m01', planPairIndex: 1, repetition: 2, path: 'public' }),
      roundTrips(200, { measurementId: 'p0002-m01', planPairIndex: 0, repetition: 1 }),
      roundTrips(300, { measurementId: 'p0003-m01', planPairIndex: 1, repetition: 1, path: 'public' }),
    ];
    const ids = cellsOf(results).map((cell) => cell.results.map(({ measurementId }) => measurementId));
    expect(ids).toEqual([['p0002-m01'], ['p0003-m01', 'p0001-m01']]);
  });

  test.each(['failed', 'truncated', 'not_applicable'] as const)('a result that is %s is no repetition', (status) => {
    expect(cellsOf([roundTrips(100), roundTrips(100, { status })]).map(({ results }) => results.length)).toEqual([1]);
  });

  test('differ by every condition and every setting, but not by anything that belongs to the run', () => {
    const key = cellOf(roundTrips(100));
    expect(cellOf(roundTrips(900, { runId: 'other', pairId: 'p0009', repetition: 7, planPairIndex: 3 }))).toBe(key);
    const others = [
      { mtuBytes: 1500 },
      { enaExpress: 'both' },
      { enaExpressUdp: true },
      { messagesPerSecond: 10 },
      { dutyCycle: { onSeconds: 10, offSeconds: 30 } },
      { stopAfterThrottledSeconds: 120 },
      { serverType: 'm5.large' },
    ] as const;
    expect(new Set([key, ...others.map((change) => cellOf(roundTrips(100, change)))]).size).toBe(others.length + 1);
  });
});

describe('labels', () => {
  const distinguish = (...results: readonly MeasurementResult[]) => {
    const { rows, shared } = labelledCells(results.map((result) => ({ results: [result] as const })));
    return { labels: rows.map(({ label }) => label), shared };
  };

  test('name what differs; the shared part is named once', () => {
    const { labels, shared } = distinguish(
      roundTrips(100),
      roundTrips(100, { path: 'nlb', protocol: 'udp' }),
      roundTrips(100, { zoneRelation: 'other_zone' }),
    );
    expect(labels).toEqual([
      'same zone, private address, TCP',
      'same zone, load balancer, UDP',
      'other zone, private address, TCP',
    ]);
    expect(shared).toBe(
      'c5.xlarge, no placement group, ENA Express off, MTU 9001, sockperf, ping pong, messages of 64 bytes, 10 s',
    );
  });

  test('of a single measurement are its instance types', () => {
    expect(distinguish(steadyResult({ serverType: 'm5.large', direction: 'reverse' })).labels).toEqual([
      'c5.9xlarge ← m5.large',
    ]);
  });
});

describe('comparable cells', () => {
  const cells = cellsOf([...addressMatrix(), ...placementMatrix()]);

  test('differ in the facts asked for', () => {
    expect(comparable(cells, ['path'])).toHaveLength(12);
    expect(comparable(cells, ['placement', 'enaExpress'], ['zoneRelation'])).toHaveLength(12);
    expect(comparable(cells, ['clientType'])).toEqual([]);
  });

  test('cells that differ only in the zone are not a comparison of placements', () => {
    const zones = cellsOf(addressMatrix());
    expect(comparable(zones, ['placement', 'enaExpress'], ['zoneRelation'])).toEqual([]);
  });
});
