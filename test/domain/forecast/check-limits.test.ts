import { checkLimits, vcpuQuota, type Limits } from '../../../domain/forecast/check-limits';
import { forecastRun } from '../../../domain/forecast/forecast-run';
import type { PlannedPair } from '../../../domain/model/planned-run';
import { inputOf, pairOf, recordedTypes, throughput } from '../../support/forecast';

function problems(limits: Limits, pairs: readonly PlannedPair[]) {
  return checkLimits(limits, forecastRun(inputOf(pairs)), pairs, recordedTypes);
}

const across = pairOf('c5.2xlarge', { zoneRelation: 'other_zone' });
const nothing = pairOf('c5.24xlarge', { measurements: [throughput({ notApplicable: 'reason' })] });

describe('maxCostUsd', () => {
  test('is compared with the most that the run can cost', () => {
    const { upperUsd, expectedUsd } = forecastRun(inputOf([across]));
    expect(expectedUsd).toBeLessThan(40);
    expect(problems({ concurrency: 1, maxCostUsd: 40 }, [across])).toEqual([
      {
        path: 'plan.maxCostUsd',
        value: 40,
        allowed: expect.stringMatching(/^at least 4[67]\.\d\d, because that is what the run can cost/) as string,
      },
    ]);
    expect(problems({ concurrency: 1, maxCostUsd: upperUsd! }, [across])).toEqual([]);
    expect(problems({ concurrency: 1, maxCostUsd: upperUsd! - 0.001 }, [across])).toHaveLength(1);
    expect(problems({ concurrency: 1 }, [across])).toEqual([]);
  });

  test('asks for a price where one is missing', () => {
    const pairs = [pairOf('c99.large', { serverType: 'c5.large' }), pairOf('b1.large')];
    expect(problems({ concurrency: 1, maxCostUsd: 1_000_000 }, pairs)).toEqual([
      {
        path: 'plan.prices.instanceUsdPerHour',
        value: undefined,
        allowed: 'a price for b1.large, c99.large: without it there is no upper bound to compare with plan.maxCostUsd',
      },
    ]);
    expect(problems({ concurrency: 1 }, pairs)).toEqual([]);
  });
});

describe('maxInstances', () => {
  test.each([
    [4, 8, 8, true],
    [4, 7, 8, false],
    [40, 6, 3, true],
    [40, 5, 3, false],
  ])('%d at a time, at most %d hosts, %d pairs: %s', (concurrency, maxInstances, pairCount, isAllowed) => {
    const found = problems({ concurrency, maxInstances }, Array<PlannedPair>(pairCount).fill(across));
    expect(found.length === 0).toBe(isAllowed);
    if (!isAllowed) expect(found[0]).toMatchObject({ path: 'plan.maxInstances', value: maxInstances });
  });

  test('does not count pairs that are not launched', () => {
    expect(problems({ concurrency: 4, maxInstances: 2 }, [across, nothing, nothing])).toEqual([]);
  });
});

describe('vCPU quotas', () => {
  const standard = 'L-1216C47A';

  test('are compared with the largest pairs that run at the same time', () => {
    const pairs = [pairOf('c5.large'), pairOf('c5.4xlarge'), pairOf('c5.2xlarge', { serverType: 'c5.large' })];
    // 32 and 10 vCPUs.
    expect(problems({ concurrency: 2, vcpuQuotas: { [standard]: 42 } }, pairs)).toEqual([]);
    expect(problems({ concurrency: 2, vcpuQuotas: { [standard]: 41 } }, pairs)).toEqual([
      {
        path: 'plan.concurrency',
        value: 2,
        allowed:
          "at most 1, because the account's quota for Standard (A, C, D, H, I, M, R, T, Z) instances (L-1216C47A) is " +
          '41 vCPUs, and 2 pairs at the same time take up to 42',
      },
    ]);
    expect(problems({ concurrency: 2, vcpuQuotas: { [standard]: 5 } }, pairs)[0]!.allowed).toMatch(
      /^1 with smaller types, because the account's quota .* is 5 vCPUs, and the largest pair takes 32 \(2 at the same time 42\)$/,
    );
  });

  test('are not checked where they are unknown, or for pairs that are not launched', () => {
    expect(problems({ concurrency: 2 }, [across])).toEqual([]);
    expect(problems({ concurrency: 2, vcpuQuotas: { 'L-417A185B': 0 } }, [across])).toEqual([]);
    expect(problems({ concurrency: 2, vcpuQuotas: { [standard]: 16 } }, [across, nothing])).toEqual([]);
  });

  test.each([
    ['c7gn.16xlarge', standard],
    ['t2.medium', standard],
    ['im4gn.large', standard],
    ['g5.xlarge', 'L-DB2E81BA'],
    ['gr6.4xlarge', 'L-DB2E81BA'],
    ['p5.48xlarge', 'L-417A185B'],
    ['x2iedn.xlarge', 'L-7295265B'],
    ['u7i-12tb.224xlarge', 'L-43DA4232'],
    ['hpc7g.4xlarge', 'L-F7808C92'],
    ['inf2.xlarge', 'L-1945791B'],
    ['trn1.2xlarge', 'L-2C3B7624'],
    ['constructor.large', undefined],
    ['mac2.metal', undefined],
  ])('%s counts against %s', (instanceType, code) => {
    expect(vcpuQuota(instanceType)?.code).toBe(code);
  });
});

test('all limits are reported at once', () => {
  const limits = { concurrency: 2, maxCostUsd: 1, maxInstances: 2, vcpuQuotas: { 'L-1216C47A': 8 } };
  expect(problems(limits, [across, across]).map(({ path }) => path)).toEqual([
    'plan.maxCostUsd',
    'plan.maxInstances',
    'plan.concurrency',
  ]);
});
