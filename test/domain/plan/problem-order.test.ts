import { inPlanOrder } from '../../../domain/plan/check-plan';

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
