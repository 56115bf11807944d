/** The tags and prices that a plan may name, those that it may not, and the order in which a reader meets what is wrong. */
import { describe, expect, test } from '@jest/globals';
import { checkTags, inPlanOrder } from '../../../domain/plan/check-plan';
import { readPlan } from '../../../domain/plan/read-plan';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { MAX_USER_TAGS, mergedTags } from '../../../domain/workflow/user-tags';

const PLAN = {
  name: 'a plan',
  pairs: [{ clientType: 'c5.large', serverType: 'c5.large' }],
  measurements: [{ tool: 'ping' }],
};

const problemsOf = (tags: unknown) => readPlan({ ...PLAN, tags }).problems.map(formatPlanProblem);

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`Key${index}`, 'v']));

describe('the tags of a plan', () => {
  test.each([
    [{ CostCenter: '42' }],
    [{ 'corp:cost.center=1_@-+': 'Forschung & Entwicklung'.replace('&', 'und') }],
    [{ ['k'.repeat(128)]: 'ü'.repeat(256) }],
    [{ aws: 'x', names: 'x', Names: 'x' }],
    [{}],
  ])('may be %j', (tags) => {
    expect(problemsOf(tags)).toEqual([]);
  });

  test.each([
    [
      { 'aws:owner': 'me' },
      'plan.tags["aws:owner"]: must be left out, because each key must be 1 to 128 letters (A-Z, a-z), digits and + = . _ : @ - ',
    ],
    [{ 'AWS:owner': 'me' }, 'plan.tags["AWS:owner"]: must be left out'],
    [{ 'network-benchmark:stack': 'other' }, 'plan.tags["network-benchmark:stack"]: must be left out'],
    [{ Name: 'mine' }, 'plan.tags.Name: must be left out'],
    [{ 'cost center': '42' }, 'plan.tags["cost center"]: must be left out'],
    [
      { 'corp/cost': '42' },
      '(no space or slash, because hosts read their tags from the instance metadata), other than Name and what',
    ],
    [{ _index: '42' }, 'plan.tags._index: must be left out'],
    [{ '': '42' }, 'plan.tags[""]: must be left out'],
    [{ ['k'.repeat(129)]: 'v' }, 'must be left out'],
    [{ CostCenter: '' }, 'plan.tags.CostCenter: must be 1 to 256 letters, digits, spaces and + = . _ : / @ -, got '],
    [{ CostCenter: 'v'.repeat(257) }, 'plan.tags.CostCenter: must be 1 to 256 letters'],
    [{ CostCenter: 'a;b' }, 'digits, spaces and + = . _ : / @ -, so without ";", got "a;b"'],
    [{ CostCenter: 42 }, 'plan.tags.CostCenter: must be 1 to 256 letters, digits, spaces and + = . _ : / @ -, got '],
    ['CostCenter=42', 'plan.tags: must be an object in which each key is 1 to 128 letters (A-Z, a-z), digits '],
  ])('are refused as %j, by their path', (tags, problem) => {
    const problems = problemsOf(tags);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
    expect(problems[0]).not.toContain('^');
  });

  test('find room beside the 50 tags that a resource may have, those of the deployment included', () => {
    expect(MAX_USER_TAGS).toBe(44);
    expect(checkTags(many(44), {})).toEqual([]);
    expect(checkTags(undefined, many(44))).toEqual([]);
    expect(checkTags({ Key1: 'other' }, many(44))).toEqual([]);
    expect(checkTags(many(45), {}).map(formatPlanProblem)).toEqual([
      'plan.tags: must be fewer, because 44 tags are allowed (this run would have 45; EC2 allows 50 per resource, and this service needs the others itself), got "45 tags"',
    ]);
    expect(checkTags({ Team: 'net' }, many(44)).map(formatPlanProblem)).toEqual([
      expect.stringContaining('44 tags are allowed, including the 44 of the deployment (this run would have 45;'),
    ]);
  });

  test('count where the deployment has the same key', () => {
    expect(mergedTags({ Team: 'net', CostCenter: '1' }, { CostCenter: '2' })).toEqual({ Team: 'net', CostCenter: '2' });
  });
});

test('a plan may bring prices of its own', () => {
  const prices = { crossZoneUsdPerGigabyteEachWay: 0.02, instanceUsdPerHour: { 'c5.large': 0.05 } };
  expect(readPlan({ ...PLAN, prices }).plan).toMatchObject({ prices });
  expect(readPlan(PLAN).plan).not.toHaveProperty('prices');
});

const NUMBER = 'a number from 0 to 10000';
const OF_TYPE = 'plan.prices.instanceUsdPerHour["c5.large"]';

test.each([
  [{ athenaUsdPerTerabyte: -5 }, 'plan.prices.athenaUsdPerTerabyte', NUMBER],
  [{ athenaUsdPerTerabyte: 'five' }, 'plan.prices.athenaUsdPerTerabyte', NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': '0.05' } }, OF_TYPE, NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': 10_001 } }, OF_TYPE, NUMBER],
  [{ instanceUsdPerHour: { 'c5.large': null } }, OF_TYPE, NUMBER],
  [
    { instanceUsdPerHour: { 'c5 large': 1 } },
    'plan.prices.instanceUsdPerHour["c5 large"]',
    'left out, because each key must be an EC2 instance type, such as c5.xlarge',
  ],
  [
    { instanceUsdPerHour: 1 },
    'plan.prices.instanceUsdPerHour',
    `an object in which each key is an EC2 instance type, such as c5.xlarge, and each value ${NUMBER}`,
  ],
])('fails on %j, with its path', (prices, path, allowed) => {
  expect(readPlan({ ...PLAN, prices }).problems).toEqual([expect.objectContaining({ path, allowed })]);
});

test('fails on a price of nothing known', () => {
  const refusal = {
    path: 'plan.prices.crossZoneUsd',
    value: 1,
    allowed: 'left out, because no such key is allowed here',
  };
  expect(readPlan({ ...PLAN, prices: { crossZoneUsd: 1 } }).problems).toMatchObject([refusal]);
});

const orderOf = (...paths: string[]) =>
  inPlanOrder(paths.map((path) => ({ path, value: 1, allowed: 'x' }))).map(({ path }) => path);

test('problems come by pair and measurement, in the order of the plan', () => {
  expect(
    orderOf(
      'plan.pares',
      'plan.maxCostUsd',
      'plan.measurements[10].tool',
      'plan.pairs[10].placement',
      'plan.measurements[2].tool',
      'plan.pairs[2].serverType',
      'plan.pairs[2].client.zoneId',
      'plan.name',
    ),
  ).toEqual([
    'plan.name',
    'plan.pairs[2].client.zoneId',
    'plan.pairs[2].serverType',
    'plan.pairs[10].placement',
    'plan.measurements[2].tool',
    'plan.measurements[10].tool',
    'plan.maxCostUsd',
    'plan.pares',
  ]);
});

test('several problems of one place keep their order', () => {
  const problems = [
    { path: 'plan.name', value: 1, allowed: 'b' },
    { path: 'plan.name', value: 1, allowed: 'a' },
  ];
  expect(inPlanOrder(problems)).toEqual(problems);
});
