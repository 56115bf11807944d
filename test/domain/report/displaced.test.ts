/** What was measured between other zones than the rest of its repetition is nowhere grouped or compared with it. */
import { describe, expect, test } from '@jest/globals';
import { cellInWords, cellOf } from '../../../domain/model/cell';
import type { MeasurementResult } from '../../../domain/model/result';
import { cellsOf, comparable, repetitionSummaries } from '../../../domain/repetitions/cells';
import { compareRuns, runComparison, compareCells } from '../../../domain/run/comparison';
import { earlierRunsCells, earlierRunsQuery } from '../../../domain/run/earlier-runs';
import { judgeExpectations } from '../../../domain/run/expectations';
import { verdictLine } from '../../../domain/terminal/verdict-line';
import { measurementRow } from '../../../domain/tables/columns';
import { numbered, roundTrips, transferLadder } from '../../support/compared-results';
import { host } from '../../support/measurement-results';
import { textOf } from '../../support/page-markup';
import { pageOf } from '../../support/report-input';

const DISPLACED = { isDisplaced: true } as const;

const rtt = (mean: number, changes: Partial<MeasurementResult> = {}) => roundTrips(mean, changes);
/** Repetitions of one measurement, on fresh pairs. */
const repeated = (...results: readonly MeasurementResult[]) => numbered([results]);
const lengths = (results: readonly MeasurementResult[]) => cellsOf(results).map((cell) => cell.results.length);

describe('the identity', () => {
  test('of what was not displaced, or is from before, is what it was', () => {
    expect(cellOf(rtt(100, { isDisplaced: false }))).toBe(cellOf(rtt(100)));
    expect(cellOf(rtt(100))).not.toContain('displaced');
    expect(cellInWords(rtt(100, { isDisplaced: false }))).toBe(cellInWords(rtt(100)));
  });

  test('of what was displaced is another one, with the word in its setting', () => {
    expect(cellOf(rtt(100, DISPLACED))).toBe(`${cellOf(rtt(100))}is_displaced=true `);
    expect(cellInWords(rtt(100, DISPLACED))).toBe(`${cellInWords(rtt(100))}, displaced`);
  });

  test('is in the row, with the ids of the zones', () => {
    const [client, server] = [host('i-1', 'eu-central-1a', 1), host('i-2', 'eu-central-1a', 2)];
    const zoneId = 'euc1-az2';
    const row = measurementRow(
      rtt(100, { ...DISPLACED, client: { ...client, zoneId }, server: { ...server, zoneId } }),
    );

    expect(row).toMatchObject({ client_zone: 'eu-central-1a', client_zone_id: zoneId, server_zone_id: zoneId });
    expect(row).toMatchObject({ is_displaced: true, cell: cellOf(rtt(100, DISPLACED)) });
    expect(measurementRow(rtt(100))).not.toHaveProperty('is_displaced');
  });
});

describe('the repetitions of a run', () => {
  const results = repeated(rtt(100), rtt(101), rtt(900, DISPLACED), rtt(910, DISPLACED));

  test('are two groups, which the summary tells apart', () => {
    expect(lengths(results)).toEqual([2, 2]);
    const means = repetitionSummaries(cellsOf(results)).filter(({ figure }) => figure === 'rttMeanMicros');
    expect(means.map(({ mean, isDisplaced }) => [mean, isDisplaced])).toEqual([
      [100.5, undefined],
      [905, true],
    ]);
  });

  test('in the report have a sentence, and each group its label', () => {
    const shown = results.map((result) => ({
      ...result,
      client: { ...host('i-1', 'eu-central-1b', 1), zoneId: 'euc1-az3' },
      server: { ...host('i-2', 'eu-central-1b', 2), zoneId: 'euc1-az3' },
    }));
    const text = textOf(pageOf(shown));

    expect(text).toContain(
      '2 pairs displaced to other subnets The subnets of the other pairs of the repetition had no room',
    );
    expect(text).toContain('p0003 c5.xlarge ⇄ c5.xlarge, repetition 3: same zone (eu-central-1b euc1-az3)');
    expect(text).toMatch(/displaced p0003-m01, p0004-m01/);
    expect(text).toMatch(/eu-central-1b euc1-az3, \d+ hosts?/);
  });

  test('without any displaced have no such sentence', () => {
    expect(pageOf(results.slice(0, 2))).not.toContain('displaced');
  });

  test('have the word in the lines of the output', () => {
    expect(verdictLine(results[2]!)).toContain(', same_zone, displaced: round trip');
    expect(verdictLine(results[0]!)).not.toContain('displaced');
  });
});

describe('what is compared side by side', () => {
  const off = rtt(100, { enaExpress: 'off' });
  const both = rtt(80, { enaExpress: 'both' });

  test('has no displaced counterpart, not even another displaced one, which may be in still other zones', () => {
    const asked = ['enaExpress'] as const;

    expect(comparable(cellsOf(numbered([[off], [both]])), asked)).toHaveLength(2);
    expect(comparable(cellsOf(numbered([[off], [{ ...both, ...DISPLACED }]])), asked)).toEqual([]);
    const displaced = [off, both].map((result) => [{ ...result, ...DISPLACED }]);
    expect(comparable(cellsOf(numbered(displaced)), asked)).toEqual([]);
  });

  test('has no ladder of streams with displaced steps', () => {
    const [one, two] = transferLadder();
    expect(pageOf(numbered([one!, two!]))).toContain('more streams were not tried');
    const displaced = two!.map((result) => ({ ...result, ...DISPLACED }));
    expect(pageOf(numbered([one!, displaced]))).not.toContain('more streams were not tried');
  });
});

describe('another run', () => {
  const compare = (earlier: readonly MeasurementResult[], now: readonly MeasurementResult[]) => {
    const { cells, onlyNow, onlyEarlier } = runComparison(compareRuns('earlier', earlier, now));
    return { compared: cells.map(({ measurementIds }) => measurementIds), onlyNow, onlyEarlier };
  };

  test('is compared with the repetitions that were not displaced, on both sides', () => {
    const earlier = repeated(rtt(100), rtt(101), rtt(900, DISPLACED));
    const now = repeated(rtt(100), rtt(800, DISPLACED), rtt(102));

    expect(compare(earlier, now)).toEqual({
      compared: [['p0001-m01', 'p0003-m01']],
      onlyNow: ['p0002-m01'],
      onlyEarlier: ['p0003-m01'],
    });
  });

  test('from before the column is compared as it was', () => {
    expect(compare(repeated(rtt(100)), repeated(rtt(100, { isDisplaced: false }))).compared).toEqual([['p0001-m01']]);
  });

  test('of all earlier ones: the query leaves displaced ones out, and displaced ones now have no counterpart', () => {
    const run = { runId: 'run-1', createdAt: '2026-11-20T10:00:00.000Z', day: '2026-11-20' };
    expect(earlierRunsQuery(run, [rtt(100)])).toContain('AND NOT coalesce(is_displaced, FALSE)');
    const displaced = rtt(100, DISPLACED);
    const row = { cell: cellOf(displaced), earlier_count: '1', pair_count: '1', rtt_mean_micros: '100' };
    expect(compareCells(earlierRunsCells([row]), [displaced]).compared).toEqual([]);
  });
});

describe('an expectation', () => {
  const judge = (limits: object, results: readonly MeasurementResult[], earlier?: readonly MeasurementResult[]) =>
    judgeExpectations({
      plan: { expect: [{ 'rttMicros.mean': limits }] },
      results,
      costUsd: 1,
      otherRun: earlier && { runId: 'earlier', results: earlier },
    })!.judged;

  test('is judged by the others also where the first repetition was displaced', () => {
    const [judged] = judge({ max: 200 }, repeated(rtt(900, DISPLACED), rtt(100), rtt(101)));
    expect(judged).toMatchObject({ status: 'met', measurementIds: ['p0002-m01', 'p0003-m01'] });
  });

  test('is judged by the repetitions that were not displaced, and says that others were', () => {
    const judged = judge({ max: 200 }, repeated(rtt(100), rtt(101), rtt(900, DISPLACED), rtt(102)));

    expect(judged).toHaveLength(1);
    expect(judged[0]).toMatchObject({
      status: 'met',
      measurementIds: ['p0001-m01', 'p0002-m01', 'p0004-m01'],
      note: '3 of 4 repetitions have it; 1 displaced repetition left out',
    });
  });

  test('is judged by displaced ones where there are no others, and says so', () => {
    const [judged] = judge({ max: 200 }, repeated(rtt(900, DISPLACED), rtt(901, DISPLACED)));

    expect(judged).toMatchObject({ status: 'not_met', note: 'displaced: measured in other subnets than planned' });
  });

  test('of no change against another run is not judged by displaced ones', () => {
    const limit = { maxPercentAbove: 10 };
    const earlier = repeated(rtt(100), rtt(101));

    expect(judge(limit, repeated(rtt(100), rtt(101), rtt(900, DISPLACED)), earlier)[0]).toMatchObject({
      status: 'met',
    });
    expect(judge(limit, repeated(rtt(100, DISPLACED), rtt(101, DISPLACED)), earlier)[0]).toMatchObject({
      status: 'not_measured',
      note: 'displaced: measured in other subnets than planned; its zones are not those of the other run',
    });
  });
});
