/** What was measured while other work kept processors busy is marked wherever it is compared or judged. */
import { describe, expect, test } from '@jest/globals';
import { contendedShare, contentionInWords, contentionOf, onBusyProcessors } from '../../../domain/model/contended';
import type { MeasurementResult } from '../../../domain/model/result';
import type { Witness } from '../../../domain/model/verdict';
import { resultToJson } from '../../../domain/model/verdict-json';
import { cellOf } from '../../../domain/model/cell';
import { comparisonText } from '../../../domain/terminal/change-lines';
import { compareCells, compareRuns, runComparison } from '../../../domain/run/comparison';
import { earlierRunsCells, earlierRunsQuery } from '../../../domain/run/earlier-runs';
import { expectationLines } from '../../../domain/terminal/expectation-lines';
import { judgeExpectations } from '../../../domain/run/expectations';
import { witnessKey, witnessList } from '../../../domain/report/cards/throughput-card';
import { cellsOf, repetitionSummaries } from '../../../domain/repetitions/cells';
import { numbered, roundTrips } from '../../support/compared-results';
import {
  latencyResult,
  steadyResult,
  steadyVerdict,
  throttledResult,
  throttledVerdict,
} from '../../support/measurement-results';
import { sectionOf } from '../../support/page-markup';
import { pageOf } from '../../support/report-input';

const BUSY = {
  cpuContention:
    'other work kept the processors of the client busy, and the figures may show that instead of the network (99 %)',
} as const;
const IN_BRIEF = 'other work kept the processors of the client busy';

const rtt = (mean: number, changes: Partial<MeasurementResult> = {}) => roundTrips(mean, changes);
/** Repetitions of one measurement, on fresh pairs. */
const repeated = (...results: readonly MeasurementResult[]) => numbered([results]);
const quiet = repeated(rtt(100), rtt(101), rtt(102));
const slower = (...changes: readonly object[]) => repeated(...changes.map((each, index) => rtt(200 + index, each)));

describe('in words', () => {
  test('is a share of the measurements', () => {
    const shares = [[], [{}], [BUSY], [BUSY, {}, {}], [BUSY, BUSY], [BUSY, BUSY, BUSY]].map(contendedShare);
    expect(shares.map(onBusyProcessors)).toEqual([
      undefined,
      undefined,
      'on busy processors',
      '1 of 3 on busy processors',
      'all 2 on busy processors',
      'all 3 on busy processors',
    ]);
    const sides = (...some: typeof shares) => contentionInWords(some.map((share) => ({ ...share, which: 'of it' })));
    expect(shares.map((share) => sides(share))).toEqual([
      undefined,
      undefined,
      `other work kept processors busy in the measurement of it`,
      `other work kept processors busy in 1 of 3 repetitions of it`,
      `other work kept processors busy in both repetitions of it`,
      `other work kept processors busy in all 3 repetitions of it`,
    ]);
    expect(sides(shares[3]!, shares[1]!, shares[2]!)).toBe(
      `other work kept processors busy in 1 of 3 repetitions of it and in the measurement of it`,
    );
  });

  test('of a single measurement are its own, without their figures', () => {
    expect(contentionOf([BUSY])).toEqual([IN_BRIEF]);
    expect(contentionOf([{}])).toEqual([]);
    expect(contentionOf([BUSY], 'of run a')).toEqual([`other work kept processors busy in the measurement of run a`]);
  });
});

describe('a change against another run', () => {
  const textOf = (earlier: readonly MeasurementResult[], now: readonly MeasurementResult[]) => {
    const comparedRun = runComparison(compareRuns('lab-1', earlier, now));
    const measurements = now.map((result) => resultToJson({ ...result, reason: null }));
    return comparisonText({ comparedRun, measurements, warnings: [] });
  };
  const [busyNow, busyEarlier] = [slower(BUSY, {}, BUSY), quiet.map((result) => ({ ...result, ...BUSY }))];

  test('says on which side processors were busy, in the line and in each sentence', () => {
    const text = textOf(quiet, busyNow);
    expect(text).toMatch(
      /^compared with lab-1: (\d+) of \d+ figures changed beyond the noise \(\1 of them measured on busy/,
    );
    expect(text).toContain(`; but other work kept processors busy in 2 of 3 repetitions of this run. Measured by`);
    expect(textOf(busyEarlier, slower({}, {}, {}))).toContain(
      `; but other work kept processors busy in all 3 repetitions of the earlier run. Measured by`,
    );
    expect(textOf(quiet, slower({}, {}, {}))).toMatch(/changed beyond the noise(?!.*busy)/s);
  });

  test('of a cell that has not changed is not among those that are counted', () => {
    const steady = (changes: object) => [1, 2, 3].map((repetition) => throttledResult({ repetition, ...changes }));
    const text = textOf([...quiet, ...steady(BUSY)], [...slower({}, {}, {}), ...steady(BUSY)]);
    expect(text).toContain('changed beyond the noise');
    expect(text).not.toContain('busy');
  });

  test('counts them for programs', () => {
    const [cell] = runComparison(compareRuns('lab-1', busyEarlier, busyNow)).cells;
    expect(cell).toMatchObject({ contendedCount: 2, earlierContendedCount: 3 });
    const [without] = runComparison(compareRuns('lab-1', quiet, slower({}, {}))).cells;
    expect([without?.contendedCount, without?.earlierContendedCount]).toEqual([undefined, undefined]);
  });

  test('has a mark in the report', () => {
    const page = (earlier: readonly MeasurementResult[], now: readonly MeasurementResult[]) =>
      pageOf(now, { comparedRun: compareRuns('lab-1', earlier, now) });
    const busy = `processors busy</span> other work kept processors busy in all 3 repetitions of the earlier run`;
    expect(page(busyEarlier, quiet)).toContain(busy);
    expect(page(quiet, quiet)).not.toContain('processors busy');
  });

  test('of all earlier runs counts theirs by the same query', () => {
    const run = { runId: 'run-1', createdAt: '2026-11-20T10:00:00.000Z', day: '2026-11-20' };
    expect(earlierRunsQuery(run, quiet)).toContain('COUNT(cpu_contention) AS contended_count');
    const means = { rtt_mean_micros: '100 101 102' };
    const row = { cell: cellOf(rtt(100)), earlier_count: '3', pair_count: '3', contended_count: '2', ...means };
    const earlierRuns = compareCells(earlierRunsCells([row]), quiet).compared;
    expect(earlierRuns[0]?.earlier.contended).toEqual({ contendedCount: 2, count: 3 });
    expect(pageOf(quiet, { earlierRuns })).toContain('busy in 2 of 3 repetitions of the earlier runs');
  });
});

describe('an expectation', () => {
  const judge = (limits: object, results: readonly MeasurementResult[], earlier?: readonly MeasurementResult[]) =>
    judgeExpectations({
      plan: { expect: [{ 'rttMicros.mean': limits }] },
      results,
      costUsd: 1,
      otherRun: earlier && { runId: 'earlier', results: earlier },
    })!;

  test('that is not met on busy processors says so in a few words', () => {
    const expectations = judge({ max: 150 }, repeated(rtt(900, BUSY)));
    expect(expectations.judged[0]).toMatchObject({ status: 'not_met' });
    expect(expectations.judged[0]!.note).toMatch(new RegExp(`; ${IN_BRIEF}$`));
    expect(expectationLines(expectations)[0]).toContain(IN_BRIEF);
  });

  test('that is met on them says so, too, and of repetitions how many', () => {
    const [judged] = judge({ max: 150 }, repeated(rtt(100, BUSY), rtt(101), rtt(102))).judged;
    expect(judged).toMatchObject({
      status: 'met',
      note: `other work kept processors busy in 1 of 3 repetitions of this run`,
    });
    expect(judge({ max: 150 }, quiet).judged[0]!.note).toBeNull();
  });

  test('of no change says which run it was', () => {
    const busy = quiet.map((result) => ({ ...result, ...BUSY }));
    expect(judge({ maxPercentAbove: 10 }, quiet, busy).judged[0]).toMatchObject({
      status: 'met',
      note: `other work kept processors busy in all 3 repetitions of run earlier`,
    });
  });

  test('that is judged by a lower bound says so', () => {
    const { judged } = judgeExpectations({
      plan: { expect: [{ onsetSeconds: { min: 10 } }] },
      results: [steadyResult({ ...BUSY, verdict: { ...steadyVerdict, bucketBitsAtLeast: 1e12 } })],
      costUsd: 1,
    })!;
    expect(judged[0]).toMatchObject({ status: 'met', now: null });
    expect(judged[0]!.note).toMatch(/no fall was seen .*; other work kept the processors of the client busy/);
  });
});

describe('the report', () => {
  const repetitions = (...changes: readonly object[]) => numbered([changes.map((each) => throttledResult(each))]);

  test.each(['answer', 'repetitions'])('marks what rests on busy processors: %s', (id) => {
    const some = sectionOf(pageOf(repetitions(BUSY, {}, BUSY)), id);
    expect(some).toContain('>processors busy (2 of 3)<');
    expect(sectionOf(pageOf(repetitions(BUSY, BUSY)), id)).toContain('>processors busy<');
    const none = sectionOf(pageOf(repetitions({}, {}, {})), id);
    expect(none).not.toBe('');
    expect(none).not.toContain('rocessors busy');
  });

  test('explains the mark below the table of the answer', () => {
    expect(sectionOf(pageOf(repetitions(BUSY)), 'answer')).toContain(
      'Processors busy: other work kept a host’s processors',
    );
  });

  test('counts, in a row of the answer, the latency beside the throughput', () => {
    const { clientType, serverType } = throttledResult();
    const results = [throttledResult(), latencyResult({ ...BUSY, clientType, serverType })];
    expect(sectionOf(pageOf(results), 'answer')).toContain('>processors busy (1 of 2)<');
  });

  test('has one sign for busy processors among the witnesses, whatever the verdict, and a key of all signs', () => {
    const witnessOf = (agrees: boolean | null) => ({
      name: 'cpu_contention' as const,
      agrees,
      detail: BUSY.cpuContention,
    });
    for (const agrees of [false, null]) {
      const list = witnessList([{ name: 'series', agrees: true, detail: '' }, witnessOf(agrees)])?.text;
      expect(list).toMatch(/<li class="warns">\s*<span class="sign" title="warns" aria-label="warns">!<\/span/);
    }
    const { witnesses } = throttledVerdict;
    const key = (more: readonly Witness[]) =>
      witnessKey([
        latencyResult(),
        throttledResult({ verdict: { ...throttledVerdict, witnesses: [...witnesses, ...more] } }),
      ]);
    expect(key([witnessOf(null)])).toMatch(
      /^The sign of each witness: ✓ agrees with the verdict, .*! warns that the figures may show something other than the network\.$/,
    );
    expect(key([])).not.toContain('!');
    expect(witnessKey([latencyResult()])).toBeUndefined();
    expect(pageOf([throttledResult()])).toContain('The sign of each witness: ✓ agrees with the verdict');
  });
});

test('side by side, they are named below the chart, and have a badge in the table', () => {
  const small = { clientType: 'c5.large', serverType: 'c5.large' } as const;
  const measured = (changes: object) => [throttledResult(changes), throttledResult({ ...changes, ...small })];
  const chartsOf = (changes: object) => {
    const results = numbered([measured(changes), [rtt(100, changes)]]);
    return sectionOf(pageOf(results), 'charts');
  };
  expect(chartsOf(BUSY)).toMatch(
    /<\/svg>.*<p class="sub"><span class="badge warn">processors busy<\/span> [^<]* <span class="badge warn">processors busy<\/span> c5\.large/s,
  );
  expect(chartsOf(BUSY)).toMatch(/<td[^>]*>\s*<div><b>[^<]*<\/b> <span class="badge warn">processors busy<\/span>/);
  const repeated = numbered([[throttledResult(), throttledResult(BUSY)], [throttledResult(small)]]);
  expect(pageOf(repeated)).toMatch(
    /<\/svg>.*<p class="sub"><span class="badge warn">processors busy \(1 of 2\)<\/span> [^<]*<\/p>/s,
  );
  expect(chartsOf({})).toContain('Throughput by instance type');
  expect(chartsOf({})).not.toMatch(/processors busy|busy processors/);
});

test('the summary counts them among repetitions', () => {
  const [figure] = repetitionSummaries(cellsOf(slower(BUSY, {}, BUSY)));
  expect(figure).toMatchObject({ count: 3, contendedCount: 2 });
  expect(repetitionSummaries(cellsOf(quiet))[0]?.contendedCount).toBeUndefined();
});
