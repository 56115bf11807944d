import { describe, expect, test } from '@jest/globals';
import { costSection } from '../../../domain/report/sections/run-facts';
import { pairCost, SPLIT } from '../../support/costs';
import { rowsOf, textOf } from '../../support/page-markup';
import { renderReport, reportInput } from '../../support/report-input';

const sectionWith = (changes: Parameters<typeof pairCost>[0] = {}) =>
  costSection({ pairCosts: [pairCost(changes)] })?.html.text ?? '';

describe('what a run cost', () => {
  test('is in the head, beside the estimate', () => {
    const { run } = reportInput();
    const head = (costUsd: number | null) =>
      textOf(renderReport(reportInput({ run: { ...run, expectedUsd: 1.5, upperUsd: 3, costUsd } })));
    expect(head(1.25)).toContain('Estimated price 1.50 USD, at most 3.00 USD Actual price 1.25 USD');
    expect(head(null)).toContain('Actual price unknown');
  });

  test('is a row per pair, with its parts', () => {
    expect(rowsOf(sectionWith())).toEqual([
      'Pair | Total host time | Estimated, USD | Actual, USD | Hosts, USD | Traffic, USD | Load balancer, USD | Service, USD',
      // 1 + 2 + 10 for hosts and their CPU credits, 3 + 4 for traffic, 5 for the load balancer, 6 + 7 + 8 + 9 for the service.
      'p0001 | 20 min | 55.0000 | 55.0000 | 13.0000 | 7.0000 | 5.0000 | 30.0000',
    ]);
    expect(textOf(sectionWith())).toMatch(/ p0001 : a warning$/);
  });

  test('what is unknown says so, and is not 0', () => {
    const [, row] = rowsOf(sectionWith({ cost: { ...SPLIT, instances: null }, hostSeconds: null }));
    expect(row).toBe('p0001 | 55.0000 | unknown | unknown | 7.0000 | 5.0000 | 30.0000');
  });

  test('has no section without a launched pair', () => {
    const never = pairCost({ launchedAt: undefined, warnings: [] });
    expect(costSection({ pairCosts: [never] })).toBeUndefined();
    expect(costSection({})).toBeUndefined();
  });
});
