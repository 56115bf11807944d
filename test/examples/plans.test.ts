import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { offlinePlan } from '../../bin/offline-plan';
import { planJsonSchema } from '../../domain/plan/allowed-values';
import { checkPlan } from '../../domain/plan/check-plan';
import { readPlan } from '../../domain/plan/read-plan';

const ROOT = join(__dirname, '../..');
const PLANS = readdirSync(join(ROOT, 'examples/plans'));

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

describe('every example plan can be run', () => {
  test.each(PLANS)('%s', (file) => {
    const read = readPlan(readJson(`examples/plans/${file}`));

    expect([...read.problems, ...checkPlan(read, false)]).toEqual([]);
  });

  test('the documentation lists exactly these', () => {
    const [, list = ''] = readFileSync(join(ROOT, 'examples/README.md'), 'utf8').split('# Example plans\n');
    const listed = [...list.matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => `${name}.json`);

    expect(listed.sort()).toEqual([...PLANS].sort());
  });

  test.each(PLANS)('%s points editors at the schema', (file) => {
    expect(readJson(`examples/plans/${file}`)).toHaveProperty('$schema', '../../schemas/benchmark-plan.schema.json');
  });
});

test("the schema for editors is the schema that plans are checked against: run 'npm run schema' after changing it", () => {
  expect(readJson('schemas/benchmark-plan.schema.json')).toEqual(JSON.parse(JSON.stringify(planJsonSchema())));
});

test('the smoke test measures fresh T hosts with unlimited CPU credits, and its forecast has their price', () => {
  const smoke = readJson('examples/plans/smoke.json') as { pairs: object[] };
  const upperUsd = (choice: object) => {
    const { problems, forecast } = offlinePlan({
      ...smoke,
      pairs: smoke.pairs.map((pair) => ({ ...pair, ...choice })),
    });
    expect(problems).toEqual([]);
    return forecast?.pairs.map(({ price }) => price.upper.cpuCredits);
  };
  expect(upperUsd({})).toEqual(upperUsd({ clientCpuCredits: 'unlimited', serverCpuCredits: 'unlimited' }));
  expect(upperUsd({})?.[0]).toBeGreaterThan(0);
  expect(upperUsd({ clientCpuCredits: 'standard', serverCpuCredits: 'standard' })).toEqual([0]);
});

describe('a plan in lab time', () => {
  const inLabTime = PLANS.filter((file) => file.endsWith('-in-lab-time.json'));

  test('there is one for each article whose measurements are long', () => {
    expect(inLabTime).toEqual(['article-iperf3-by-type-in-lab-time.json', 'article-parallel-curl-in-lab-time.json']);
  });

  test.each(inLabTime)("%s is the article's plan except for its durations, and the size of its S3 objects", (file) => {
    interface Plan {
      name: string;
      measurements: { tool: string; durationSeconds?: number; objectBytes?: number }[];
    }
    const without = ({ name, measurements, ...plan }: Plan) => ({
      ...plan,
      measurements: measurements.map(({ durationSeconds, objectBytes, ...measurement }) =>
        // The lab keeps its objects in the memory and on the disk of one machine.
        measurement.tool === 's3' ? measurement : { ...measurement, objectBytes },
      ),
    });
    const whole = readJson(`examples/plans/${file.replace('-in-lab-time', '')}`) as Plan;
    const scaled = readJson(`examples/plans/${file}`) as Plan;

    expect(without(scaled)).toEqual(without(whole));
    expect(
      scaled.measurements.every(({ tool, durationSeconds = 0 }, index) =>
        tool === 'tracepath' ? durationSeconds === 0 : durationSeconds < whole.measurements[index]!.durationSeconds!,
      ),
    ).toBe(true);
  });
});
