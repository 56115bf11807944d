import { describe, expect, test } from '@jest/globals';
import type { Expectation } from '../../../domain/model/expectation';
import type { MeasurementResult } from '../../../domain/model/result';
import { countsInWords, foundInWords } from '../../../domain/run/expectation-words';
import { expectationLines, expectationsText } from '../../../domain/terminal/expectation-lines';
import { EXPECTED_FIGURES } from '../../../domain/run/expected-figures';
import {
  judgeExpectations,
  statusCounts,
  type ExpectationsInput,
  type JudgedExpectation,
} from '../../../domain/run/expectations';
import { numbered, roundTrips } from '../../support/compared-results';
import {
  bidirectionalResult,
  failedResult,
  latencyResult,
  packetResult,
  packetVerdict,
  steadyResult,
  throttledResult,
  throttledVerdict,
} from '../../support/measurement-results';

const MEAN = 'throughputBitsPerSecond.mean';

/** Repetitions on fresh pairs. */
const rates = (...gigabits: readonly number[]): MeasurementResult[] =>
  numbered([gigabits.map((rate) => steadyResult({ statistics: { throughputBitsPerSecond: { mean: rate * 1e9 } } }))]);

function judge(
  expectation: Expectation,
  results: readonly MeasurementResult[],
  input: Partial<ExpectationsInput> = {},
) {
  const judged = judgeExpectations({ plan: { expect: [expectation] }, results, costUsd: 1.5, ...input })?.judged;
  if (judged === undefined) throw new Error('a plan with expectations must be judged');
  return judged;
}

function judgeOne(...args: Parameters<typeof judge>): JudgedExpectation {
  const [only, ...others] = judge(...args);
  if (only === undefined || others.length > 0) throw new Error(`must be judged once, got ${others.length + 1} times`);
  return only;
}

test('a plan that expects nothing is not judged', () => {
  expect(judgeExpectations({ plan: {}, results: rates(9.5), costUsd: 1 })).toBeUndefined();
});

describe('a limit', () => {
  // Mean 9.50, Student's interval 9.252 to 9.748.
  const results = rates(9.4, 9.5, 9.6);

  test.each([
    [{ min: 9.2e9 }, 'met'],
    [{ min: 9.3e9 }, 'undecided'],
    [{ min: 9.7e9 }, 'undecided'],
    [{ min: 9.8e9 }, 'not_met'],
    [{ max: 9.8e9 }, 'met'],
    [{ max: 9.7e9 }, 'undecided'],
    [{ max: 9.2e9 }, 'not_met'],
  ])('of %j is judged by the interval of the repetitions: %s', (limits, status) => {
    const judged = judgeOne({ [MEAN]: limits }, results);
    expect(judged).toMatchObject({ status, note: null, earlier: null, changePercent: null });
    expect(judged.measurementIds).toHaveLength(3);
    expect(judged.now?.value).toBeCloseTo(9.5e9, -3);
    expect(judged.now?.interval?.low).toBeCloseTo(9.252e9, -7);
    expect(judged.now?.interval?.high).toBeCloseTo(9.748e9, -7);
  });

  test.each([
    [1.2e9, 'met'],
    [1.23e9, 'met'],
    [1.235e9, 'undecided'],
    [1.251e9, 'not_met'],
  ])('of at least %d is judged by the own interval of a verdict that stands alone: %s', (min, status) => {
    expect(judgeOne({ baselineBitsPerSecond: { min } }, [throttledResult()])).toMatchObject({
      status,
      now: { value: 1.24e9, interval: { low: 1.23e9, high: 1.25e9 } },
      note: "the measurement's own interval; another pair may differ by more",
    });
  });

  test.each([
    [201.3, 'met'],
    [201.2, 'not_met'],
  ])('of at most %d is judged by a value without an interval, and says so: %s', (max, status) => {
    expect(judgeOne({ 'rttMicros.p99': { max } }, [latencyResult()])).toMatchObject({
      status,
      now: { value: 201.3, interval: null },
      note: 'judged by values that have no interval',
    });
  });

  test.each([
    [4.9e9, 'met'],
    [8e9, 'undecided'],
    [9.6e9, 'not_met'],
  ])('of at least %d is judged by the whole range of several modes: %s', (min, status) => {
    expect(judgeOne({ [MEAN]: { min } }, rates(9.5, 5, 9.4, 5.1))).toMatchObject({
      status,
      now: { value: null, interval: { low: 5e9, high: 9.5e9 } },
      note: 'the values stand in several modes, so that their whole range is judged',
    });
  });

  test('of repetitions on one pair has a reservation', () => {
    const onOnePair = rates(9.4, 9.5, 9.6).map((result) => ({ ...result, pairId: 'p0001' }));
    expect(judgeOne({ [MEAN]: { min: 9e9 } }, onOnePair).note).toBe(
      'repeated on the same pair; another pair may differ by more',
    );
  });

  test('of the price of the run', () => {
    expect(judgeOne({ costUsd: { max: 1.5 } }, results)).toMatchObject({ status: 'met', now: { value: 1.5 } });
    expect(judgeOne({ costUsd: { max: 1.4 } }, results)).toMatchObject({ status: 'not_met', planPairIndex: null });
    expect(judgeOne({ costUsd: { max: 9 } }, results, { costUsd: null })).toMatchObject({
      status: 'not_measured',
      note: 'the price of the run is not known',
    });
  });
});

describe('a change against the other run', () => {
  const against = (earlier: readonly MeasurementResult[], now: readonly MeasurementResult[], limits = {}) =>
    judgeOne({ [MEAN]: { maxPercentBelow: 10, ...limits } }, now, { otherRun: { runId: 'earlier', results: earlier } });

  test('that is not there is met', () => {
    const judged = against(rates(9.4, 9.5, 9.6), rates(9.35, 9.45, 9.55));
    expect(judged).toMatchObject({ status: 'met', note: null });
    expect(judged.changePercent?.value).toBeCloseTo(-0.526, 2);
  });

  test('that is there is not met, and has its interval in percent', () => {
    const judged = against(rates(9.4, 9.5, 9.6), rates(7.5, 7.6, 7.7));
    expect(judged.status).toBe('not_met');
    expect(judged.changePercent?.value).toBeCloseTo(-20, 1);
    expect(judged.changePercent?.interval?.low).toBeLessThan(-20);
    expect(judged.changePercent?.interval?.high).toBeLessThan(-10);
    expect(judged.earlier?.value).toBeCloseTo(9.5e9, -3);
  });

  test('whose interval contains the limit is undecided', () => {
    const judged = against(rates(9, 9.5, 10), rates(8.2, 8.7, 9.2));
    expect(judged.status).toBe('undecided');
    expect(judged.changePercent?.interval?.low).toBeLessThan(-10);
    expect(judged.changePercent?.interval?.high).toBeGreaterThan(-10);
  });

  test('counts the noise of both runs', () => {
    // The same means: noise in either run alone is enough to leave it undecided.
    const [quiet, noisy] = [rates(8.9, 8.95, 9), rates(8.2, 8.95, 9.7)];
    const [before, noisyBefore] = [rates(9.45, 9.5, 9.55), rates(8.7, 9.5, 10.3)];
    expect(against(before, quiet).status).toBe('met');
    expect(against(before, noisy).status).toBe('undecided');
    expect(against(noisyBefore, quiet).status).toBe('undecided');
  });

  test('upwards is another limit', () => {
    const judge = (maxPercentAbove: number) =>
      judgeOne({ onsetSeconds: { maxPercentAbove } }, [throttledResult()], {
        otherRun: {
          runId: 'earlier',
          results: [throttledResult({ verdict: { ...throttledVerdict, onset: { value: 50, low: 49.8, high: 50.2 } } })],
        },
      });
    // The onset is 60.4 s now, which is 20.8 % later; that of another pair may come 2.9 times as late.
    expect(judge(30).changePercent?.value).toBeCloseTo(20.8, 6);
    expect(judge(260).status).toBe('met');
    expect(judge(30).status).toBe('undecided');
    expect(judge(10).status).toBe('undecided');
  });

  test('of judged by values that have no interval is judged by the values', () => {
    expect(against(rates(9.5), rates(9))).toMatchObject({ status: 'met', changePercent: { interval: null } });
    expect(against(rates(9.5), rates(8))).toMatchObject({
      status: 'not_met',
      note: 'judged by values that have no interval',
    });
  });

  test('of several modes is undecided', () => {
    expect(against(rates(9.5, 5, 9.4, 5.1), rates(9.4, 9.5)).status).toBe('undecided');
  });

  test('from nothing has no percentage, and is judged all the same', () => {
    const counted = (retransmits: number) => [steadyResult({ statistics: { retransmits } })];
    const judge = (retransmits: number) =>
      judgeOne({ retransmits: { maxPercentAbove: 10 } }, counted(retransmits), {
        otherRun: { runId: 'earlier', results: counted(0) },
      });
    expect(judge(0)).toMatchObject({ status: 'met', changePercent: null });
    expect(judge(1)).toMatchObject({ status: 'not_met', changePercent: null });
  });

  test('without another run is not measured, which is not met', () => {
    const expectations = judgeExpectations({
      plan: { expect: [{ [MEAN]: { min: 9e9, maxPercentBelow: 10 } }], failOn: 'expectations' },
      results: rates(9.5),
      costUsd: 1,
      otherRun: { runId: null, reason: 'no earlier complete run of plan weekly in 180 days' },
    });
    expect(expectations).toMatchObject({
      outcome: 'not_met',
      failsRun: true,
      comparedRunId: null,
      judged: [
        { status: 'met' },
        { status: 'not_measured', now: { value: 9.5e9 }, note: 'no earlier complete run of plan weekly in 180 days' },
      ],
    });
  });

  test('with a run that measured in another way is not measured', () => {
    const other = rates(9.5).map((result) => ({ ...result, targetBitsPerSecond: 5e9 }));
    expect(against(other, rates(9.5))).toMatchObject({
      status: 'not_measured',
      note: 'run earlier did not measure it',
    });
  });
});

describe('what is judged', () => {
  test('is each cell that has the figure, in the order of the plan', () => {
    const results = numbered([
      [roundTrips(100), roundTrips(101)],
      [steadyResult()],
      [roundTrips(300, { path: 'public' })],
    ]).toReversed();
    expect(judge({ 'rttMicros.p50': { max: 200 } }, results)).toMatchObject([
      { planPairIndex: 0, status: 'met', measurementIds: ['p0001-m01', 'p0002-m01'] },
      { planPairIndex: 2, status: 'not_met', measurementIds: ['p0004-m01'] },
    ]);
  });

  test('can be narrowed to a type, a pair and a measurement', () => {
    const results = numbered([
      [steadyResult({ clientType: 'c5.large', serverType: 'm5.large' })],
      [steadyResult({ clientType: 'm5.large', serverType: 'm5.large', planMeasurementIndex: 0 })],
      [steadyResult({ clientType: 'm5.large', serverType: 'c5.large' })],
    ]);
    const pairsOf = (subject: Expectation) =>
      judge({ ...subject, [MEAN]: { min: 1 } }, results).map(({ planPairIndex }) => planPairIndex);
    expect(pairsOf({})).toEqual([0, 1, 2]);
    expect(pairsOf({ type: 'c5.large' })).toEqual([0, 2]);
    expect(pairsOf({ pair: 1 })).toEqual([1]);
    expect(pairsOf({ measurement: 1 })).toEqual([0, 2]);
    expect(pairsOf({ type: 'c5.large', pair: 2, measurement: 1 })).toEqual([2]);
  });

  test('is not what an offered load limits together with what none does', () => {
    const results = [...rates(9.5), ...rates(2).map((result) => ({ ...result, targetBitsPerSecond: 2e9 }))];
    expect(judge({ [MEAN]: { min: 9e9 } }, results).map(({ status }) => status)).toEqual(['met', 'not_met']);
  });

  test('says how many repetitions have the figure', () => {
    const results = numbered([[throttledResult(), throttledResult(), steadyResult({ clientType: 'c5.xlarge' })]]);
    const judged = judgeOne({ onsetSeconds: { min: 1 } }, results);
    expect(judged).toMatchObject({ status: 'met', note: '2 of 3 repetitions have it' });
    expect(judged.measurementIds).toEqual(['p0001-m01', 'p0002-m01']);
  });

  test('is not measured where every measurement failed, with the reason', () => {
    expect(judgeOne({ onsetSeconds: { min: 1 } }, [failedResult()])).toMatchObject({
      status: 'not_measured',
      now: null,
      note: 'no measurement is complete: p0003-m02 iperf3: error - unable to connect to server: Connection refused',
    });
  });

  test('is not measured where the verdict has no such figure', () => {
    expect(judgeOne({ baselineBitsPerSecond: { min: 1 } }, [steadyResult()])).toMatchObject({
      status: 'not_measured',
      note: 'the verdict is steady, which has no such figure',
    });
  });

  test('is not measured where too few round trips support the percentile', () => {
    const few = latencyResult({ statistics: { ...latencyResult().statistics, observations: 99 } });
    expect(judgeOne({ 'rttMicros.p99': { max: 500 } }, [few])).toMatchObject({
      status: 'not_measured',
      note: 'too few round trips: it needs 100',
    });
  });

  test('leaves out what is not applicable', () => {
    const notApplicable = failedResult({ status: 'not_applicable', clientType: 't3.micro', planPairIndex: 1 });
    expect(judge({ onsetSeconds: { min: 1 } }, [throttledResult(), notApplicable])).toHaveLength(1);
  });
});

describe('a hold time', () => {
  // The bucket has 500.1 Gbit above a baseline of 1.24 Gbit/s: 5 Gbit/s are held for 133 s.
  test.each([
    [{ held5GbitSeconds: { min: 130 } }, 'met'],
    [{ held5GbitSeconds: { min: 140 } }, 'not_met'],
    [{ held5GbitSeconds: { max: 140 } }, 'met'],
    // The tool counts no headers, so that the burst of 9.52 Gbit/s is one of 10: 500.1 / 8.28 s.
    [{ held10GbitSeconds: { min: 60 } }, 'met'],
    [{ held10GbitSeconds: { min: 61 } }, 'not_met'],
  ])('after a throttle is what full credits hold: %j is %s', (expectation, status) => {
    expect(judgeOne(expectation, [throttledResult()])).toMatchObject({
      status,
      note: 'judged by values that have no interval',
    });
  });

  test.each([
    [{ held1GbitSeconds: { min: 1e6 } }, 'met'],
    [{ held1GbitSeconds: { max: 1e6 } }, 'not_met'],
  ])('of a rate that the baseline carries has no end: %j is %s', (expectation, status) => {
    const note = 'that rate is sustained, so that it is held without end';
    expect(judgeOne(expectation, [throttledResult()])).toMatchObject({ status, now: null, note });
  });

  // A steady rate of 9.48 Gbit/s for 180 s.
  test.each([
    [{ held5GbitSeconds: { min: 180 } }, 'met'],
    [{ held5GbitSeconds: { min: 181 } }, 'undecided'],
    [{ held5GbitSeconds: { max: 180 } }, 'undecided'],
    [{ held5GbitSeconds: { max: 179 } }, 'not_met'],
  ])('without a throttle is at least the time that was measured: %j is %s', (expectation, status) => {
    // Without its published baseline, nobody knows whether it has credits left.
    const judged = judgeOne(expectation, [steadyResult({ publishedClient: undefined })]);
    const note = 'it is held for at least 180.0 s, and no fall from it was seen';
    expect(judged).toMatchObject({ status, now: null, measurementIds: ['p0002-m02'], note });
  });

  test.each([
    [
      'of a rate that more than a few seconds miss',
      { held5GbitSeconds: { min: 1 } },
      steadyResult({
        verdict: { ...steadyResult().verdict!, kind: 'noisy' },
        statistics: { throughputBitsPerSecond: { mean: 5e9, p5: 0.7e9, p50: 5e9, p95: 9e9 } },
      }),
    ],
    [
      'of a load with pauses',
      { held5GbitSeconds: { min: 1 } },
      steadyResult({ dutyCycle: { onSeconds: 9, offSeconds: 9 } }),
    ],
    ['whose change has no figure', { held5GbitSeconds: { maxPercentBelow: 1 } }, steadyResult()],
  ])('%s is not measured', (_, expectation, result) => {
    expect(judgeOne(expectation, [result]).status).toBe('not_measured');
  });
});

// A card of 1 Gbit/s, and no drop.
test.each([
  [{ held5GbitSeconds: { min: 1 } }, 'not_met'],
  [{ held5GbitSeconds: { max: 1 } }, 'met'],
  [{ held5GbitSeconds: { maxPercentBelow: 1 } }, 'not_measured'],
])('a rate that was never reached is held for no time: %j is %s', (expectation, status) => {
  const slow = steadyResult();
  const throughputBitsPerSecond = { mean: 0.99e9, p5: 0.98e9, p50: 0.99e9, p95: 1e9 };
  const statistics = { ...slow.statistics, throughputBitsPerSecond } as typeof slow.statistics;
  expect(judgeOne(expectation, [{ ...slow, statistics }]).status).toBe(status);
});

// No drop was seen in 180 s.
test.each([
  [{ onsetSeconds: { min: 180 } }, 'met'],
  [{ onsetSeconds: { min: 181 } }, 'undecided'],
  [{ onsetSeconds: { max: 180 } }, 'undecided'],
  [{ onsetSeconds: { max: 179 } }, 'not_met'],
])('an onset that was not seen is later than what was measured: %j is %s', (expectation, status) => {
  const steady = steadyResult();
  if (steady.verdict === null) throw new Error('a steady result has a verdict');
  const result = steadyResult({ verdict: { ...steady.verdict, bucketBitsAtLeast: 1e12 } });
  const note = 'no fall was seen in the 180.0 s that were measured';
  expect(judgeOne(expectation, [result])).toMatchObject({ status, now: null, measurementIds: ['p0002-m02'], note });
  expect(judgeOne(expectation, [steady]).status).toBe('not_measured');
});

test('packets per second are judged in packets per second, with the interval of their verdict', () => {
  // 410,200 packets per second to the end, 409,800 to 410,700.
  const judge = (expectation: Expectation) => judgeOne(expectation, [packetResult()]);
  expect(judge({ baselinePacketsPerSecond: { min: 409e3 } })).toMatchObject({
    status: 'met',
    now: { value: 410_200, interval: { low: 409_800, high: 410_700 } },
  });
  expect(judge({ baselinePacketsPerSecond: { min: 410_000 } }).status).toBe('undecided');
  expect(judge({ burstPacketsPerSecond: { min: 1.3e6 } }).status).toBe('not_met');
  for (const [quantile, value] of Object.entries({ mean: 692e3, p5: 409e3, p50: 411e3, p95: 1_250e3 })) {
    const name = `packetsPerSecond.${quantile}` as 'packetsPerSecond.mean';
    expect(judge({ [name]: { min: value } })).toMatchObject({ status: 'met', now: { value } });
  }
  const steady = { ...packetVerdict, burst: null };
  expect(judgeOne({ burstPacketsPerSecond: { min: 1 } }, [packetResult({ packetVerdict: steady })]).note).toBe(
    'the verdict is drop, packet_rate, which has no such figure',
  );
  const lines = judgeExpectations({
    plan: { expect: [{ 'packetsPerSecond.mean': { min: 1e6 } }] },
    results: [packetResult()],
    costUsd: 1,
  });
  expect(lines && expectationLines(lines)[0]).toContain(': 692 k packets/s, expected at least 1.00 M packets/s (');
});

test('datagrams that were lost are a share of those that were sent, forward where both directions were driven', () => {
  expect(EXPECTED_FIGURES.lossPercent.of(bidirectionalResult())).toBeCloseTo((100 * 321) / 5_000_000, 9);
  expect(EXPECTED_FIGURES.lossPercent.of(steadyResult())).toBeUndefined();
});

test('the lines have what is not met first, with figure, interval and limit', () => {
  const plan = {
    expect: [
      { type: 'c5.xlarge', baselineBitsPerSecond: { min: 1.2e9 }, onsetSeconds: { min: 60.5 } },
      { [MEAN]: { maxPercentBelow: 10 }, 'rttMicros.p99': { max: 200 } },
    ],
  };
  const earlier = throttledResult({ statistics: { throughputBitsPerSecond: { mean: 8.04e9 } } });
  const expectations = judgeExpectations({
    plan,
    results: [throttledResult(), latencyResult()],
    costUsd: 1,
    otherRun: { runId: 'earlier', results: [earlier] },
  });
  if (expectations === undefined) throw new Error('must be judged');
  const pair = 'c5.xlarge to c5.9xlarge (pairs[0])';
  const throughput = `${pair}, iperf3 (measurements[1])`;
  expect(expectationLines(expectations)).toEqual([
    `not met: mean throughput of ${throughput}: 4.02 Gbit/s, a change of -50.0 %, ` +
      "expected at most 10 % below the earlier run's (judged by values that have no interval)",
    `not met: p99 of the round trips of ${pair}, sockperf (measurements[1]): 201 us, expected at most 200 us ` +
      '(judged by values that have no interval)',
    `undecided: throttle onset of ${throughput}: 60.4 s (60.3 to 60.6 s), expected at least 60.5 s ` +
      "(the measurement's own interval; another pair may differ by more)",
    `met: baseline of ${throughput}: 1.24 Gbit/s (1.23 to 1.25 Gbit/s), expected at least 1.20 Gbit/s ` +
      "(the measurement's own interval; another pair may differ by more)",
  ]);
  expect(countsInWords(expectations)).toBe('1 met, 2 not met, 1 undecided');
  expect(statusCounts(expectations)).toEqual({ met: 1, not_met: 2, undecided: 1, not_measured: 0 });
});

test('a unit that both ends of an interval have stands once', () => {
  const baseline = (low: number, high: number) => ({ ...packetVerdict, baseline: { value: high, low, high } });
  const found = (low: number, high: number) =>
    foundInWords(
      judgeOne({ baselinePacketsPerSecond: { min: 1 } }, [packetResult({ packetVerdict: baseline(low, high) })]),
    );
  expect(found(409e3, 411e3)).toBe('411 k packets/s (409 to 411 k packets/s)');
  expect(found(990e3, 1.01e6)).toBe('1.01 M packets/s (990 k packets/s to 1.01 M packets/s)');
});

test('a terminal is shown the outcome and the lines, and obeys nothing in them', () => {
  const expectations = judgeExpectations({
    plan: { expect: [{ onsetSeconds: { min: 1 } }] },
    results: [failedResult({ reason: 'no \u001b[2J answer' })],
    costUsd: 1,
  });
  expect(expectationsText({ outcome: 'incomplete', expectations })).toBe(
    'expectations not met: 1 not measured\n' +
      '  not measured: throttle onset of c5.xlarge to c5.9xlarge (pairs[0]), iperf3 (measurements[1]): ' +
      'expected at least 1.0 s (no measurement is complete: p0003-m02 no \\u001b[2J answer)',
  );
});

test('a terminal is told why a run fails of which everything was measured', () => {
  const textOf = (min: number, failOn?: 'expectations', outcome: 'complete' | 'incomplete' = 'complete') =>
    expectationsText({
      outcome,
      expectations: judgeExpectations({
        plan: { expect: [{ [MEAN]: { min } }], failOn },
        results: [steadyResult()],
        costUsd: 1,
      }),
    });
  expect(textOf(99e9, 'expectations').split('\n').at(-1)).toBe(
    'The run is complete. The run counts as failed, because its plan says that unmet expectations fail the run.',
  );
  for (const text of [textOf(1, 'expectations'), textOf(99e9), textOf(99e9, 'expectations', 'incomplete')]) {
    expect(text).toMatch(/^expectations /);
    expect(text).not.toContain('counts as failed');
  }
  expect(expectationsText({ outcome: 'complete', expectations: undefined })).toBe('');
});
