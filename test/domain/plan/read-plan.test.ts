import { describe, expect, test } from '@jest/globals';
import { checkPlan, checkRunId, MAX_PAIRS } from '../../../domain/plan/check-plan';
import { readPlan } from '../../../domain/plan/read-plan';
import { planJsonSchema } from '../../../domain/plan/allowed-values';
import { formInWords } from '../../../domain/plan/text-forms';
import { benchmarkPlan, pairPlan } from '../../../domain/plan/schema';
import { TOOL_MODULES } from '../../../domain/tools/catalogue';
import { formatPlanProblem, InvalidPlanError } from '../../../domain/workflow/error-names';
import { HOSTILE_STRINGS } from '../../support/hostile-strings';

const TOOLS = TOOL_MODULES.map(({ name }) => name).join(', ');
const PLAN_KEYS = Object.keys(benchmarkPlan.shape).filter((key) => key !== '$schema');

const good = {
  name: 'a plan',
  pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
  measurements: [{ tool: 'iperf3', durationSeconds: 60 }],
};

function linesOf(plan: unknown): string[] {
  const read = readPlan(plan);
  return [...read.problems, ...checkPlan(read, false)].map(formatPlanProblem);
}

describe('a plan is checked against its schema', () => {
  test('a valid plan has no problems, and its defaults are filled in', () => {
    const read = readPlan(good);

    expect(read.problems).toEqual([]);
    expect(read.plan).toMatchObject({ repetitions: 1, concurrency: 4, pairs: [{ zoneRelation: 'same_zone' }] });
  });

  test('all problems come at once, each with its path, the value and what is allowed', () => {
    expect(
      linesOf({
        name: 'a plan',
        pears: [],
        pairs: [
          { clientType: 'c5.xlarge; reboot', zoneRelation: 'far', extra: 1 },
          { clientType: 'c5.xlarge', serverType: 'c5.xlarge', placement: 'cluster', zoneRelation: 'other_zone' },
        ],
        measurements: [
          { tool: 'netperf', durationSeconds: 10 },
          { tool: 'iperf3', durationSeconds: '10', messageBytes: 64 },
          { tool: 'iperf3', durationSeconds: 10, protocol: 'udp' },
          {},
          7,
        ],
        repetitions: 1.5,
        concurrency: 99,
      }),
    ).toEqual([
      `plan.pairs[0].extra: must be left out, because no such key is allowed here (the allowed keys are ${Object.keys(pairPlan.in.shape).join(', ')}), got 1`,
      'plan.measurements[1].messageBytes: must be left out with tool iperf3, because this field belongs to sockperf, and to ' +
        '"latencyProbe", got 64',
      'plan.pears: must be left out, because no such key is allowed here (the allowed keys are ' +
        `${Object.keys(benchmarkPlan.shape).join(', ')}), got []`,
      'plan.pairs[0].clientType: must be an EC2 instance type, such as c5.xlarge, got "c5.xlarge; reboot"',
      'plan.pairs[0].serverType: must be an EC2 instance type, such as c5.xlarge, got nothing',
      'plan.pairs[0].zoneRelation: must be one of same_zone, other_zone, got "far"',
      `plan.measurements[0].tool: must be one of ${TOOLS}, got "netperf"`,
      'plan.measurements[1].durationSeconds: must be a whole number from 5 to 7200, got "10"; did you mean 10?',
      `plan.measurements[3].tool: must be one of ${TOOLS}, got nothing`,
      'plan.measurements[4]: must be an object with tool, got 7',
      'plan.repetitions: must be a whole number from 1 to 100, got 1.5',
      'plan.concurrency: must be a whole number from 1 to 40, got 99',
      'plan.measurements[2].targetBitsPerSecond: must be given with protocol udp (without it, iperf3 sends 1 Mbit/s), got nothing',
    ]);
  });

  test.each([
    ['maxCostUsd', 0, 'a number above 0 and at most 1000000'],
    ['dryRun', 'yes', 'true or false'],
    ['seed', -1, 'a whole number from 0 to 2147483647'],
    ['order', 'sorted', 'one of random, as_written'],
    ['maxInstances', 1, 'a whole number from 2 to 2000'],
    [
      'compareTo',
      'no such name!',
      '1 to 74 letters (A-Z, a-z), digits, _ and -, starting with a letter or a digit, so without " " and "!"',
    ],
  ])("%s can't be %j", (key, value, allowed) => {
    expect(linesOf({ ...good, [key]: value })).toEqual([
      `plan.${key}: must be ${allowed}, got ${JSON.stringify(value)}`,
    ]);
  });

  test('an object is said to be empty for the defaults only where it has some', () => {
    const pairs = [{ ...good.pairs[0], client: 'subnet-0123456789abcdef0' }];
    expect(linesOf({ ...good, pairs, prices: 5 }).map((line) => line.replace(/, .*/, ''))).toEqual([
      'plan.pairs[0].client: must be an object with subnetId',
      'plan.prices: must be an object with diskUsdPerGibibyteMonth',
    ]);
    const measurements = [{ ...good.measurements[0], dutyCycle: true }];
    expect(linesOf({ ...good, measurements })).toEqual([
      'plan.measurements[0].dutyCycle: must be an object with onSeconds (a whole number from 2 to 3600), ' +
        'offSeconds (a whole number from 1 to 3600), got true',
    ]);
  });

  test('an object whose keys may all be left out may be empty', () => {
    const measurements = [{ tool: 'iperf3', durationSeconds: 10, latencyProbe: true }];
    expect(linesOf({ ...good, measurements })).toEqual([
      'plan.measurements[0].latencyProbe: must be {} for the defaults, or an object with messageBytes, messagesPerSecond, got true',
    ]);
    expect(linesOf({ ...good, measurements: [{ ...measurements[0], latencyProbe: {} }] })).toEqual([]);
  });

  test('MTU is one of three numbers', () => {
    expect(linesOf({ ...good, pairs: [{ ...good.pairs[0], mtuBytes: 1499 }] })).toEqual([
      'plan.pairs[0].mtuBytes: must be one of 9001, 8900, 1500, got 1499',
    ]);
  });

  test('ENA Express carries no UDP in the largest frames', () => {
    const pairs = [{ ...good.pairs[0], enaExpress: 'both', mtuBytes: 9001 }];
    expect(linesOf({ ...good, pairs })).toEqual([
      'plan.pairs[0].mtuBytes: must be 8900 or 1500 with ENA Express, which carries no UDP packet above 8900 bytes, got 9001',
    ]);
  });

  test.each([
    ['no ENA Express', [{}, {}], [9001, 9001]],
    ['ENA Express on one pair', [{}, { enaExpress: 'both' }], [8900, 8900]],
    ['ENA Express at one host', [{ enaExpress: 'one_side' }, {}], [8900, 8900]],
    ['ENA Express, and an MTU in the plan', [{ mtuBytes: 9001 }, { enaExpress: 'both', mtuBytes: 1500 }], [9001, 1500]],
  ])('pairs that say no MTU have the same one, with %s', (_, pairs, mtus) => {
    const read = readPlan({ ...good, pairs: pairs.map((pair) => ({ ...good.pairs[0], ...pair })) });

    expect(read.plan?.pairs.map(({ mtuBytes }) => mtuBytes)).toEqual(mtus);
  });

  test.each([
    [3, '3'],
    [null, 'null'],
    ['plan', '"plan"'],
    [[], '[]'],
    [undefined, 'nothing'],
  ])('%j is no plan', (submitted, shown) => {
    expect(linesOf(submitted)).toEqual([`plan: must be an object with ${PLAN_KEYS.join(', ')}, got ${shown}`]);
  });

  test('empty lists are refused by their length', () => {
    expect(linesOf({ ...good, pairs: [], measurements: [] })).toEqual([
      'plan.pairs: must be a list of 1 to 1000 entries, got []',
      'plan.measurements: must be a list of 1 to 50 entries, got []',
    ]);
  });

  test.each([
    ['repetitions', 0, 100],
    ['repetitions', 101, 100],
    ['repetitions', null, 100],
    ['concurrency', 0, 40],
    ['concurrency', 41, 40],
  ])('%s: %j is refused', (key, value, most) => {
    const line = `plan.${key}: must be a whole number from 1 to ${most}, got ${JSON.stringify(value)}`;
    expect(linesOf({ ...good, [key]: value })).toEqual([line]);
  });

  test('more fresh pairs than a run can carry are refused with their number', () => {
    const pairs = Array.from({ length: 20 }, () => good.pairs[0]);

    expect(linesOf({ ...good, pairs, repetitions: 50 })).toEqual([]);
    expect(linesOf({ ...good, pairs, repetitions: 51 })).toEqual([
      `plan.repetitions: must be fewer, because a run has at most ${MAX_PAIRS} fresh pairs (this one would have 1020), got 51`,
    ]);
  });

  test('and where nothing is repeated, by what there is too much of', () => {
    const pairs = Array.from({ length: 400 }, () => good.pairs[0]);
    const measurements = Array.from({ length: 3 }, () => good.measurements[0]);

    expect(linesOf({ ...good, pairs, measurements })).toEqual([
      'plan.pairs: must be fewer, because a run has at most 1000 fresh pairs (this one would have 1200), ' +
        'got "400 pairs, launched 1200 times, because each measurement that spends network credits gets a fresh pair"',
    ]);
  });

  test('a pair whose history could reach the limit of Step Functions is refused', () => {
    const measurements = Array.from({ length: 40 }, () => ({ tool: 'sockperf', durationSeconds: 7200 }));
    expect(linesOf({ ...good, measurements })).toEqual([
      expect.stringMatching(
        /^plan\.measurements: must be fewer or shorter, because the execution of one pair has room for 15000 events/,
      ),
    ]);
    // The longest single measurement is far from that limit.
    expect(linesOf({ ...good, measurements: [{ tool: 'iperf3', durationSeconds: 7200 }] })).toEqual([]);
  });
});

describe('a misspelt word', () => {
  test.each([
    [{ ...good, repetition: 3 }, 'plan.repetition', 'repetitions'],
    [{ ...good, pairs: [{ ...good.pairs[0], placment: 'spread' }] }, 'plan.pairs[0].placment', 'placement'],
    [{ ...good, pairs: [{ ...good.pairs[0], placement: 'spred' }] }, 'plan.pairs[0].placement', 'spread'],
    [{ ...good, measurements: [{ tool: 'iperf', durationSeconds: 60 }] }, 'plan.measurements[0].tool', 'iperf3'],
    [
      { ...good, measurements: [{ tool: 'iperf3', durationSecond: 9 }] },
      'plan.measurements[0].durationSecond',
      'durationSeconds',
    ],
    [{ ...good, measurements: [{ ...good.measurements[0], mode: 'packet' }] }, 'plan.measurements[0].mode', 'packets'],
    [
      { ...good, expect: [{ baselineBitPerSecond: { min: 1 } }] },
      'plan.expect[0].baselineBitPerSecond',
      'baselineBitsPerSecond',
    ],
    [{ ...good, expect: [{ bucketBits: { mim: 1 } }] }, 'plan.expect[0].bucketBits.mim', 'min'],
  ])('%j is one problem, with the word that was meant', (plan, path, nearest) => {
    const { problems } = readPlan(plan);
    expect(problems).toMatchObject([{ path, nearest }]);
    expect(problems.map(formatPlanProblem)[0]).toMatch(new RegExp(`; did you mean "${nearest}"\\?$`));
  });

  test('hides nothing of what it names', () => {
    const measurement = { tool: 'iperf3', durationSecond: 60, protocl: 'udp' };
    expect(
      linesOf({ name: 'a plan', pair: good.pairs, measurement: [measurement] }).map((line) => line.split(':')[0]),
    ).toEqual([
      'plan.pair',
      'plan.measurement',
      'plan.measurements[0].durationSecond',
      'plan.measurements[0].protocl',
      'plan.measurements[0].targetBitsPerSecond',
    ]);
  });

  test.each([
    ['the name of a tool', { tool: 'iprf3' }, [['tool', 'iperf3']]],
    ['the key of the tool', { tol: 'iperf3' }, [['tol', 'tool']]],
    [
      'both',
      { tol: 'iprf3' },
      [
        ['tol', 'tool'],
        ['tool', 'iperf3'],
      ],
    ],
    ['another key with a tool', { program: 'iperf3' }, [['program', 'tool']]],
  ])('that is %s hides nothing of its measurement', (_, tool, found) => {
    const measurement = { ...tool, durationSeconds: 3, paralelStreams: 2, direction: 'sideways' };
    const { problems } = readPlan({ ...good, measurements: [measurement] });
    expect(problems.map(({ path, nearest }) => [path.replace('plan.measurements[0].', ''), nearest])).toEqual([
      ...found,
      ['paralelStreams', 'parallelStreams'],
      ['direction', undefined],
      ['durationSeconds', undefined],
    ]);
  });

  test('that is like no tool is one problem, and is no tool', () => {
    const { problems, mended } = readPlan({ ...good, measurements: [{ tool: 'netperf', durationSeconds: 3 }] });
    expect(problems).toMatchObject([{ path: 'plan.measurements[0].tool', value: 'netperf', nearest: undefined }]);
    expect(mended.measurements).toEqual([undefined]);
  });

  test('of a field whose value is wrong too leaves the field missing', () => {
    const lines = linesOf({ ...good, measurements: [{ tool: 'iperf3', durationSecond: 'long' }] });
    expect(lines).toEqual([
      expect.stringMatching(/^plan\.measurements\[0\]\.durationSecond: .* did you mean "durationSeconds"\?$/),
      'plan.measurements[0].durationSeconds: must be a whole number from 5 to 7200, got nothing',
    ]);
  });

  test('beside the right one is only reported', () => {
    expect(readPlan({ ...good, nam: 'x' })).toMatchObject({
      fields: { name: 'a plan' },
      problems: [{ path: 'plan.nam' }],
    });
  });
});

describe('a text with characters that are not allowed', () => {
  const refusal = (plan: object) => linesOf({ ...good, ...plan })[0];

  test.each([
    ['a/b', 'so without "/", got "a/b"'],
    ['a/b:c/d', 'so without "/" and ":", got "a/b:c/d"'],
    ['a*b\nü', 'so without "*", "\\n" and "ü", got "a*b\\nü"'],
    ['!"#$%&', 'so without "!", "\\"", "#", "$", "%" and others, got "!\\"#$%&"'],
    ['a👍', 'so without "👍", got "a👍"'],
  ])('%j is refused with those characters', (name, end) => {
    expect(refusal({ name })).toBe(
      'plan.name: must be 1 to 64 letters (A-Z, a-z), digits, spaces and . _ -, starting with a letter or a digit, ' +
        end,
    );
  });

  test.each([['-a'], ['']])('%j is refused for its form, not for its characters', (name) => {
    expect(refusal({ name })).toMatch(/a letter or a digit, got /);
  });

  test('the name of a run and the value of a tag have characters of their own', () => {
    expect(refusal({ compareTo: 'run 1' })).toContain(', so without " ", got "run 1"');
    expect(refusal({ tags: { team: 'a,b' } })).toContain(', so without ",", got "a,b"');
  });
});

test('no pattern of the plan has to be read by a person', () => {
  const patterns = JSON.stringify(planJsonSchema()).match(/(?<="pattern":)"(?:[^"\\]|\\.)*"/g) ?? [];
  expect(patterns.length).toBeGreaterThan(10);
  for (const pattern of patterns) expect(formInWords(JSON.parse(pattern) as string)).toMatch(/[a-z]/);
});

describe('hostile strings', () => {
  const places = [
    ...['name', 'repetitions', 'pairs 0 clientType', 'pairs 0 serverType', 'pairs 0 zoneRelation', 'pairs 0 placement'],
    ...['tool', 'protocol', 'direction', 'durationSeconds', 'parallelStreams'].map((key) => `measurements 0 ${key}`),
  ];
  const planWith = (place: readonly string[], value: unknown) => {
    const plan: unknown = structuredClone(good);
    const within = place.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], plan);
    // An assignment to `__proto__` would make no key.
    Object.defineProperty(within, place.at(-1)!, { value, enumerable: true, configurable: true });
    return plan;
  };

  test.each(places)('are refused as %s', (place) => {
    for (const text of HOSTILE_STRINGS) {
      expect([text, linesOf(planWith(place.split(' '), text)).length]).toEqual([text, 1]);
    }
  });

  test.each([[[]], [['pairs', '0']]])('are refused as a key in %j', (within) => {
    for (const text of HOSTILE_STRINGS) {
      expect([text, linesOf(planWith([...within, text], 1)).length]).toEqual([text, 1]);
    }
  });

  test.each(HOSTILE_STRINGS)('%j is no run id', (text) => {
    expect(checkRunId(text)).toHaveLength(1);
  });

  test('a run id of the greatest length passes, one more does not', () => {
    expect(checkRunId('r'.repeat(74))).toEqual([]);
    expect(checkRunId('r'.repeat(75)).map(formatPlanProblem)[0]).toMatch(
      /^execution\.name: must be 1 to 74 letters \(A-Z, a-z\), digits, _ and -/,
    );
  });
});

describe('the error', () => {
  test('names every problem on a line of its own', () => {
    const error = new InvalidPlanError(readPlan({}).problems);

    expect(error.name).toBe('InvalidPlanError');
    expect(error.message.split('\n')).toHaveLength(3);
  });

  test('fits into the cause of an execution however wrong the plan is', () => {
    const plan = { ...good, pairs: Array.from({ length: 1000 }, () => ({ clientType: 'x'.repeat(5000) })) };
    const { name, message, stack = '' } = new InvalidPlanError(readPlan(plan).problems);

    // This is what Lambda returns of a handler's error.
    const cause = JSON.stringify({ errorType: name, errorMessage: message, trace: stack.split('\n') });
    expect(cause.length).toBeLessThan(32_768);
    expect(message).toMatch(/and \d+ more$/);
  });
});
