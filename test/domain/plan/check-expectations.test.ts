import { describe, expect, test } from '@jest/globals';
import { EXPECTABLE_FIGURE_NAMES, EXPECTABLE_FIGURES, expectationsText } from '../../../domain/model/expectation';
import { checkApplicableExpectations } from '../../../domain/plan/check-expectations';
import { checkPlan } from '../../../domain/plan/check-plan';
import { expandPlan } from '../../../domain/plan/expand-plan';
import { readPlan } from '../../../domain/plan/read-plan';
import { benchmarkPlan } from '../../../domain/plan/schema';
import { measuredFigures, TOOL_MODULES } from '../../../domain/tools/catalogue';
import { formatPlanProblem } from '../../../domain/workflow/error-names';

const good = {
  name: 'a plan',
  pairs: [
    { clientType: 'c5.xlarge', serverType: 'c5.xlarge' },
    { clientType: 'm5.large', serverType: 'c5.9xlarge' },
  ],
  measurements: [
    { tool: 'iperf3', durationSeconds: 60 },
    { tool: 'sockperf', durationSeconds: 10 },
    { tool: 'ping', count: 500 },
  ],
};

function linesOf(changes: Record<string, unknown>): string[] {
  const read = readPlan({ ...good, ...changes });
  return [...read.problems, ...checkPlan(read, false)].map(formatPlanProblem);
}

const THROUGHPUT =
  'throughputBitsPerSecond.mean, throughputBitsPerSecond.p5, throughputBitsPerSecond.p50, throughputBitsPerSecond.p95, ' +
  'burstBitsPerSecond, baselineBitsPerSecond, onsetSeconds, refillSeconds, bucketBits, ' +
  'held1GbitSeconds, held2GbitSeconds, held5GbitSeconds, held10GbitSeconds, retransmits';
const PACKETS =
  'packetsPerSecond.mean, packetsPerSecond.p5, packetsPerSecond.p50, packetsPerSecond.p95, burstPacketsPerSecond, ' +
  'baselinePacketsPerSecond';

test('expectations of what is measured have no problems', () => {
  const entries = [
    { type: 'c5.xlarge', baselineBitsPerSecond: { min: 1.2e9 }, retransmits: { max: 0 } },
    { 'rttMicros.p99': { max: 500 } },
    { type: 'c5.9xlarge', pair: 1, measurement: 0, bucketBits: { min: 1, max: 1 } },
    { measurement: 2, 'rttMicros.p99': { max: 500 } },
    // Of the three measurements, one can have that many round trips.
    { 'rttMicros.p99.99': { max: 5000 } },
    { burstBitsPerSecond: { maxPercentBelow: 10 }, 'rttMicros.p50': { maxPercentAbove: 10 } },
    { costUsd: { max: 2.5 } },
  ];
  expect(linesOf({ expect: entries, compareTo: 'previous', failOn: 'expectations' })).toEqual([]);
});

describe('beside parts that can not be read', () => {
  const [pair] = good.pairs;
  const [measurement] = good.measurements;
  const pathsOf = (changes: Record<string, unknown>) => linesOf(changes).map((line) => line.split(': ')[0]);

  test('an expectation is checked as in a plan that can be read', () => {
    const entries = [
      { type: 'c5.large', burstBitsPerSecond: { min: 1 } },
      { pair: 2, burstBitsPerSecond: { min: 1 } },
      { measurement: 3, burstBitsPerSecond: { min: 1 } },
      { measurement: 0, 'rttMicros.p99': { max: 500 } },
      { burstBitsPerSecond: { maxPercentBelow: 10 } },
      { pair: 'first' },
    ];
    const problems = pathsOf({ expect: entries });
    expect(problems).toHaveLength(6);
    expect(pathsOf({ expect: entries, tags: { 'aws:owner': 'me' }, concurrency: 99 }).sort()).toEqual(
      ['plan.concurrency', 'plan.tags["aws:owner"]', ...problems].sort(),
    );
  });

  test('an index is checked against the whole list, and a figure against what can be read of it', () => {
    const pairs = [{ clientType: 'c5.xlarge' }, pair];
    const entries = [
      { pair: 2, burstBitsPerSecond: { min: 1 } },
      { pair: 0, measurement: 0, 'rttMicros.p99': { max: 500 } },
    ];
    expect(pathsOf({ pairs, expect: entries })).toEqual([
      'plan.pairs[0].serverType',
      'plan.expect[0].pair',
      'plan.expect[1]["rttMicros.p99"]',
    ]);
  });

  test('a type is checked against those of pairs of which other fields are wrong', () => {
    const pairs = [{ ...pair, mtuBytes: 'all', placment: 'cluster' }, pair];
    const entries = ['c5.large', 'c5.xlarge'].map((type) => ({ type, burstBitsPerSecond: { min: 1 } }));
    expect(pathsOf({ pairs, expect: entries })).toEqual([
      'plan.pairs[0].placment',
      'plan.pairs[0].mtuBytes',
      'plan.expect[0].type',
    ]);
  });

  test('a figure is checked against a measurement of which only other fields are wrong', () => {
    const measurements = [{ tool: 'iperf3', durationSeconds: 'long' }];
    const entries = [{ 'rttMicros.p99': { max: 500 } }, { measurement: 0, lossPercent: { max: 1 } }];
    expect(pathsOf({ measurements, expect: entries })).toEqual([
      'plan.measurements[0].durationSeconds',
      'plan.expect[0]["rttMicros.p99"]',
      'plan.expect[1].lossPercent',
    ]);
  });

  test.each([
    ['mode', { mode: 'packet' }, { 'packetsPerSecond.mean': { min: 1 } }],
    ['protocol', { protocol: 'upd' }, { lossPercent: { max: 1 } }],
  ])('a figure is not refused that may come with another %s', (field, wrong, entry) => {
    const measurements = [{ tool: 'iperf3', durationSeconds: 60, ...wrong }];
    expect(pathsOf({ measurements, expect: [entry] })).toEqual([`plan.measurements[0].${field}`]);
  });

  test('how many round trips there will be is not judged by a wrong duration', () => {
    const measurements = [{ tool: 'sockperf', mode: 'under_load', messagesPerSecond: 100, durationSeconds: 'long' }];
    expect(pathsOf({ measurements, expect: [{ 'rttMicros.p99.99': { max: 500 } }] })).toEqual([
      'plan.measurements[0].durationSeconds',
    ]);
  });

  test.each([
    [
      'a type that is missing',
      { pairs: [{ clientType: 'c5.large' }, pair], expect: [{ type: 'm5.large', costUsd: {} }] },
    ],
    ['a type of a pair', { pairs: [{ clientType: 'c5.large' }, pair], expect: [{ type: 'c5.large', costUsd: {} }] }],
    ['a figure', { measurements: [measurement, {}], expect: [{ 'rttMicros.p99': { max: 500 } }] }],
    ['a figure of the measurement', { measurements: [{}], expect: [{ measurement: 0, 'rttMicros.p99': { max: 5 } }] }],
    ['a pair', { pairs: 'two', expect: [{ pair: 0, type: 'c5.large', burstBitsPerSecond: { min: 1 } }] }],
    ['a measurement', { measurements: {}, expect: [{ measurement: 4, burstBitsPerSecond: { min: 1 } }] }],
    ['the other run', { compareTo: 'no run', expect: [{ burstBitsPerSecond: { maxPercentBelow: 10 } }] }],
    ['the expectations', { expect: {}, failOn: 'expectations' }],
  ])('%s is not refused that may be in such a part', (_, changes) => {
    const others = pathsOf(changes).filter((path) => path?.startsWith('plan.expect[') && !path.endsWith('costUsd'));
    expect(others).toEqual([]);
    expect(pathsOf(changes)).not.toContain('plan.failOn');
  });
});

describe('an expectation is refused', () => {
  test.each<[entry: unknown, line: string]>([
    [
      { 'rttMicros.p98': { max: 1 } },
      '["rttMicros.p98"]: must be left out, because no such key is allowed here, got {"max":1}; ' +
        'did you mean "rttMicros.p90"?',
    ],
    [
      { burstBitsPerSecond: { least: 1 } },
      '.burstBitsPerSecond.least: must be left out, because no such key is allowed here (the allowed keys are min, max, maxPercentBelow, maxPercentAbove), got 1',
    ],
    [
      { burstBitsPerSecond: { min: '1G' } },
      '.burstBitsPerSecond.min: must be a number from 0 to 1000000000000000000, got "1G"',
    ],
    [
      { type: 'm5.large', measurement: 0 },
      `: must be an object with a figure and its limits: ${THROUGHPUT}, costUsd, got {"type":"m5.large","measurement":0}`,
    ],
    [
      { burstBitsPerSecond: {} },
      '.burstBitsPerSecond: must be an object with at least one of min, max, maxPercentBelow, maxPercentAbove, got {}',
    ],
    [
      { burstBitsPerSecond: { min: 2, max: 1 } },
      '.burstBitsPerSecond: must be limits with a min that is not above the max, got {"min":2,"max":1}',
    ],
    [
      { type: 'c5.large', burstBitsPerSecond: { min: 1 } },
      '.type: must be an instance type of the plan\'s pairs: c5.9xlarge, c5.xlarge, m5.large, got "c5.large"; did you mean "c5.xlarge"?',
    ],
    [{ pair: 2, burstBitsPerSecond: { min: 1 } }, ".pair: must be the index of one of the plan's pairs, 0 to 1, got 2"],
    [
      { pair: 1, type: 'c5.xlarge', burstBitsPerSecond: { min: 1 } },
      '.pair: must be a pair with a host of type c5.xlarge (the types of this pair are m5.large and c5.9xlarge), got 1',
    ],
    [
      { measurement: 3, burstBitsPerSecond: { min: 1 } },
      ".measurement: must be the index of one of the plan's measurements, 0 to 2, got 3",
    ],
    [
      { measurement: 0, 'rttMicros.p99': { max: 500 } },
      `["rttMicros.p99"]: must be a figure that the selected measurements have: ${THROUGHPUT}, got {"max":500}`,
    ],
    [
      { measurement: 0, baselinePacketsPerSecond: { min: 1e5 } },
      `.baselinePacketsPerSecond: must be a figure that the selected measurements have: ${THROUGHPUT}, got {"min":100000}`,
    ],
    [
      { measurement: 1, held5GbitSeconds: { min: 60 } },
      '.held5GbitSeconds: must be a figure that the selected measurements have: rttMicros.mean, rttMicros.p50, ' +
        'rttMicros.p90, rttMicros.p99, rttMicros.p99.9, rttMicros.p99.99, transactionsPerSecond, got {"min":60}',
    ],
    [
      { measurement: 2, 'rttMicros.p99.9': { max: 500 } },
      '["rttMicros.p99.9"]: must be a lower percentile, or the measurement must make more round trips (this percentile needs 1000, and at most 500 are made), got {"max":500}',
    ],
    [
      { burstBitsPerSecond: { maxPercentBelow: 10 } },
      '.burstBitsPerSecond.maxPercentBelow: must be left out, because the plan names no run to compare with (plan.compareTo), got 10',
    ],
    [
      { pair: 0, costUsd: { max: 1 } },
      '.costUsd: must be in an entry without type, pair or measurement, because this figure is of the whole run, got {"max":1}',
    ],
  ])('%j: %s', (entry, line) => {
    expect(linesOf({ expect: [entry] })).toEqual([`plan.expect[0]${line}`]);
  });

  test('as the price is, against another run', () => {
    expect(linesOf({ expect: [{ costUsd: { maxPercentAbove: 5 } }], compareTo: 'previous' })).toEqual([
      'plan.expect[0].costUsd: must be an object with min or max, because only figures of measurements are compared with other runs, got {"maxPercentAbove":5}',
    ]);
  });

  test('all at once', () => {
    const entries = [
      { pair: 2, costUsd: { max: 1 } },
      { type: 'x', measurement: 9, burstBitsPerSecond: {} },
    ];
    expect(linesOf({ expect: entries }).map((line) => line.split(':')[0])).toEqual([
      'plan.expect[0].pair',
      'plan.expect[0].costUsd',
      'plan.expect[1].type',
      'plan.expect[1].measurement',
      'plan.expect[1].burstBitsPerSecond',
    ]);
  });

  test('where nothing that it is about can be measured on its pairs', () => {
    const written = {
      ...good,
      order: 'as_written',
      expect: [{ pair: 0, 'rttMicros.p50': { max: 500 } }, { 'rttMicros.p50': { max: 500 } }],
    };
    const [read, plan] = [readPlan(written), benchmarkPlan.parse(written)];
    const reason = 'c5.xlarge has no ENA Express';
    const pairs = expandPlan(
      plan,
      (index) => ({
        candidateSubnets: [],
        zoneRelation: 'same_zone',
        hasBareMetal: false,
        notApplicable: index === 0 ? reason : undefined,
      }),
      1,
      new Map(),
    );
    const eligible = { candidateSubnets: [], zoneRelation: 'same_zone', problems: [] } as const;
    const eligibilities = plan.pairs.map(() => eligible);
    expect(checkApplicableExpectations(read, eligibilities, pairs).map(formatPlanProblem)).toEqual([
      `plan.expect[0]["rttMicros.p50"]: must be a figure that can be measured (this one can't: ${reason}), got {"max":500}`,
    ]);
    // Whether pair 0 can be measured is not known when something else is wrong with it.
    expect(checkApplicableExpectations(read, [undefined, ...eligibilities.slice(1)], pairs.slice(1))).toEqual([]);
  });
});

test('a plan that fails on expectations has some', () => {
  expect(linesOf({ failOn: 'expectations' })).toEqual([
    'plan.failOn: must be left out, because the plan has no expectations (plan.expect), got "expectations"',
  ]);
  expect(linesOf({ failOn: 'noise', expect: [{ costUsd: { max: 1 } }] })).toEqual([
    'plan.failOn: must be expectations, got "noise"',
  ]);
});

test('packets have figures in packets, and none in bits', () => {
  const measurements = [{ tool: 'iperf3', mode: 'packets', protocol: 'udp', datagramBytes: 64, durationSeconds: 60 }];
  const entry = { baselinePacketsPerSecond: { min: 4e5 }, 'packetsPerSecond.p50': { min: 4e5 } };
  expect(linesOf({ measurements, expect: [entry] })).toEqual([]);
  expect(linesOf({ measurements, expect: [{ held5GbitSeconds: { min: 60 } }] })).toEqual([
    `plan.expect[0].held5GbitSeconds: must be a figure that the selected measurements have: ${PACKETS}, got {"min":60}`,
  ]);
});

test('each figure belongs to some tool, or to the run', () => {
  const plans: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
    iperf3: [{}, { protocol: 'udp', targetBitsPerSecond: 1e6 }, { mode: 'packets', mssBytes: 536 }].map((fields) => ({
      durationSeconds: 60,
      ...fields,
    })),
    sockperf: [{ durationSeconds: 60 }],
  };
  const figures = TOOL_MODULES.flatMap((module) =>
    (plans[module.name] ?? [{ durationSeconds: 60 }, {}]).flatMap((fields) => {
      const parsed = module.plan.safeParse({ tool: module.name, ...fields }).data;
      return parsed === undefined ? [] : measuredFigures({ tool: module.name, ...module.settings(parsed) });
    }),
  );
  const ofRun = EXPECTABLE_FIGURE_NAMES.filter((name) => EXPECTABLE_FIGURES[name].owner === 'run');
  expect([...new Set<string>([...figures, ...ofRun])].sort()).toEqual([...EXPECTABLE_FIGURE_NAMES].sort());
});

test('the forecast ends with what the plan expects', () => {
  const plan = benchmarkPlan.parse({
    ...good,
    compareTo: 'previous',
    expect: [
      { type: 'c5.xlarge', measurement: 0, baselineBitsPerSecond: { min: 1.2e9, maxPercentBelow: 10 } },
      { 'rttMicros.p99': { max: 500 } },
    ],
  });
  const lines = [
    '  baseline of c5.xlarge, measurements[0]: at least 1.20 Gbit/s',
    "  baseline of c5.xlarge, measurements[0]: at most 10 % below the earlier run's",
    '  p99 of the round trips: at most 500 us',
    '',
  ];
  expect(expectationsText(plan).split('\n')).toEqual(['', 'The plan expects:', ...lines]);
  expect(expectationsText({ ...plan, failOn: 'expectations' })).toContain(
    'The plan expects, or else the execution fails:',
  );
  expect(expectationsText({})).toBe('');
});
