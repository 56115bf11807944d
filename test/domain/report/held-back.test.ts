/** Round trips that an allowance of a host held back are named wherever they stand, and compared with nothing. */
import { describe, expect, test } from '@jest/globals';
import type { LatencyVerdict } from '../../../domain/model/verdict';
import type { MeasurementResult } from '../../../domain/model/result';
import { runDigest } from '../../../domain/history/run-digest';
import { resultToJson } from '../../../domain/model/verdict-json';
import { cellsOf, repetitionSummaries } from '../../../domain/repetitions/cells';
import { compareRuns } from '../../../domain/run/comparison';
import { judgeExpectations } from '../../../domain/run/expectations';
import { verdictLine } from '../../../domain/terminal/verdict-line';
import { verdictTable } from '../../../domain/terminal/verdict-table';
import { numbered, roundTrips } from '../../support/compared-results';
import { heldBackVerdict } from '../../support/measurement-results';
import { renderReport, reportInput } from '../../support/report-input';

const HELD_BACK = { latencyVerdict: heldBackVerdict, warnings: [heldBackVerdict.explanation] };

/** Three repetitions of the path, of which the last two ran without credits: the UDP cells of the article's plan. */
const repetitions = numbered([[roundTrips(198), roundTrips(1_751, HELD_BACK), roundTrips(1_750, HELD_BACK)]]);
const valuesOf = (results: readonly MeasurementResult[]) =>
  cellsOf(results).flatMap((cell) => cell.results.map(({ measurementId }) => measurementId));

describe('left out', () => {
  test('of repetitions, and of comparisons on either side', () => {
    expect(valuesOf(repetitions)).toEqual(['p0001-m01']);
    expect(repetitionSummaries(cellsOf(repetitions))).toEqual([]);
    const earlier = numbered([[roundTrips(200), roundTrips(201), roundTrips(1_900, HELD_BACK)]]);
    const [cell] = compareRuns('earlier', earlier, repetitions).compared;
    const mean = cell!.figures.find(({ figure }) => figure === 'rttMeanMicros')!;
    expect([mean.earlier.count, mean.earlier.max, mean.now.count, mean.now.max]).toEqual([2, 201, 1, 198]);
  });

  test('a cell that was held back every time is compared with nothing', () => {
    const [first, second, third] = repetitions as [MeasurementResult, MeasurementResult, MeasurementResult];
    const { compared, onlyEarlier } = compareRuns('earlier', [first], [second, third]);
    expect([compared.length, onlyEarlier.length]).toEqual([0, 1]);
  });

  test('of what a plan expects, which says why where nothing is left', () => {
    const judged = (results: readonly MeasurementResult[]) =>
      judgeExpectations({ plan: { expect: [{ 'rttMicros.p50': { max: 500 } }] }, results, costUsd: null })!.judged[0]!;
    expect(judged(repetitions)).toMatchObject({ status: 'met', measurementIds: ['p0001-m01'] });
    expect(judged(repetitions.slice(1)).note).toBe(
      'no measurement shows the path: p0002-m01 was held back by network_credits; and 1 more',
    );
  });

  test('of the history of runs', () => {
    const digest = runDigest(
      {
        runId: 'run-1',
        planName: 'plan',
        createdAt: '2026-11-20T10:00:00.000Z',
        endedAt: '2026-11-20T11:00:00.000Z',
        outcome: 'complete',
        interruptedReason: null,
        pairs: [],
        measurements: repetitions.map(resultToJson),
      },
      undefined,
    );
    expect(digest.cells[0]!.figures.find(({ key }) => key === 'rttMeanMicros')).toEqual({
      key: 'rttMeanMicros',
      values: [198],
    });
  });

  // Busy processors leave them in, with their mark.
  test.each([
    [3, ['cpu', null]],
    [0, ['network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking']],
  ] as const)('%d of three round trips are left by %j', (left, causes) => {
    for (const cause of causes) {
      const latencyVerdict: LatencyVerdict = { ...heldBackVerdict, cause };
      expect([cause, valuesOf(repetitions.map((each) => ({ ...each, latencyVerdict }))).length]).toEqual([cause, left]);
    }
  });
});

describe('named', () => {
  test("in the execution's line, before the figures", () => {
    expect(verdictLine(repetitions[1]!)).toMatch(
      /: held back by network_credits: round trip p50 1681, .*; the bandwidth/,
    );
    expect(verdictLine(repetitions[0]!)).toMatch(/: round trip p50 190, [^;]*$/);
  });

  test('at the terminal, by column and by sentence', () => {
    const table = verdictTable(repetitions);
    expect(table).toContain('held back by');
    expect(table).toContain(`p0002-m01 and p0003-m01: ${heldBackVerdict.explanation}`);
    expect(table).not.toContain('p0001-m01: ');
  });

  test('in the report: at its top, with a badge in table, card and repetition, and by a chart without them', () => {
    const page = renderReport({ ...reportInput(), results: repetitions });
    expect(page).toContain('2 measurements of round trips held back by a host');
    expect(page.match(/>held back: network credits</g)).toHaveLength(5);
    expect(page).toContain('Round trips that an allowance of a host held back are not shown');
    expect(page).toContain('Latency by percentile');
    const heldBack = renderReport({ ...reportInput(), results: repetitions.slice(1) });
    expect(heldBack).not.toContain('Latency by percentile');
    expect(page.match(/the bandwidth allowance of the client dropped/g)).toHaveLength(2);
  });
});
