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
    const pairs = Math.min(concurrency, pairCount);
    const allowed = `at least ${2 * pairs}, because ${pairs} pairs of two hosts run at the same time (a lower plan.concurrency needs fewer)`;
    if (!isAllowed) expect(found).toEqual([{ path: 'plan.maxInstances', value: maxInstances, allowed }]);
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
    [standard, 'a1 c7gn d3 h1 i4i im4gn is4gen m5 r5 t2 z1d'],
    ['L-6E869C2A', 'dl1'],
    ['L-74FC7D96', 'f1'],
    ['L-DB2E81BA', 'g5 gr6 vt1'],
    ['L-F7808C92', 'hpc7g'],
    ['L-1945791B', 'inf2'],
    ['L-417A185B', 'p5'],
    ['L-2C3B7624', 'trn1'],
    ['L-43DA4232', 'u7i-12tb'],
    ['L-7295265B', 'x2iedn'],
    [undefined, 'constructor mac2'],
  ])('%s is of %s', (code, families) => {
    for (const family of families.split(' '))
      expect([family, vcpuQuota(`${family}.large`)?.code]).toEqual([family, code]);
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
