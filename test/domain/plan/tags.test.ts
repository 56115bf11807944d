/** The tags that a plan may name, and those that it may not. */
import { describe, expect, test } from '@jest/globals';
import { checkTags } from '../../../domain/plan/check-plan';
import { readPlan } from '../../../domain/plan/read-plan';
import { formatPlanProblem } from '../../../domain/workflow/error-names';
import { MAX_USER_TAGS, mergedTags } from '../../../domain/workflow/user-tags';

const problemsOf = (tags: unknown) =>
  readPlan({
    name: 'a plan',
    pairs: [{ clientType: 'c5.xlarge', serverType: 'c5.xlarge' }],
    measurements: [{ tool: 'ping' }],
    tags,
  }).problems.map(formatPlanProblem);

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
      'plan.tags: must be fewer, because there may be 44 (there are 45; EC2 allows 50, and the rest are the service\'s own), got "45 tags"',
    ]);
    expect(checkTags({ Team: 'net' }, many(44)).map(formatPlanProblem)).toEqual([
      expect.stringContaining('there may be 44 with the 44 of the deployment (there are 45;'),
    ]);
  });

  test('count where the deployment has the same key', () => {
    expect(mergedTags({ Team: 'net', CostCenter: '1' }, { CostCenter: '2' })).toEqual({ Team: 'net', CostCenter: '2' });
  });
});
