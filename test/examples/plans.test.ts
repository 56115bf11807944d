import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { planJsonSchema } from '../../domain/plan/allowed-values';
import { checkPlan } from '../../domain/plan/check-plan';
import { readPlan } from '../../domain/plan/read-plan';

const ROOT = join(__dirname, '../..');
const PLANS = readdirSync(join(ROOT, 'examples/plans'));

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

describe('every example plan can be run', () => {
  test.each(PLANS)('%s', (file) => {
    const read = readPlan(readJson(`examples/plans/${file}`));

    expect([...read.problems, ...checkPlan(read)]).toEqual([]);
  });

  test('among them the ones that the documentation names', () => {
    expect(PLANS).toEqual(
      expect.arrayContaining([
        'burst-30-minutes-m5.2xlarge.json',
        'compare-instance-types.json',
        'lab-default.json',
        'latency-zones.json',
        'mixed-t2.medium-m5.2xlarge.json',
        'smoke.json',
        'udp-loss.json',
      ]),
    );
  });

  test.each(PLANS)('%s points editors at the schema', (file) => {
    expect(readJson(`examples/plans/${file}`)).toHaveProperty('$schema', '../../schemas/benchmark-plan.schema.json');
  });
});

test("the schema for editors is the schema that plans are checked against: run 'npm run schema' after changing it", () => {
  expect(readJson('schemas/benchmark-plan.schema.json')).toEqual(JSON.parse(JSON.stringify(planJsonSchema())));
});
