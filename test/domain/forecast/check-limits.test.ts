import { allowedConcurrency, checkLimits, vcpuQuota, type Limits } from '../../../domain/forecast/check-limits';
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
        allowed: expect.stringMatching(/^at least 4[67]\.\d\d, because the run can cost that much/) as string,
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
        allowed:
          "a price for b1.large, c99.large, because without one the run's highest cost is unknown and can't be " +
          'compared with plan.maxCostUsd',
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
    const allowed = `at least ${2 * pairs}, because ${pairs} pairs of two hosts run at the same time (with a lower plan.concurrency, fewer hosts run)`;
    if (!isAllowed) expect(found).toEqual([{ path: 'plan.maxInstances', value: maxInstances, allowed }]);
  });

  test('does not count pairs that are not launched', () => {
    expect(problems({ concurrency: 4, maxInstances: 2 }, [across, nothing, nothing])).toEqual([]);
  });
});

describe('vCPU quotas', () => {
  const standard = 'L-1216C47A';

  test('let so many of the largest pairs run at the same time as fit beside what runs, and refuse if none fits', () => {
    const pairs = [pairOf('c5.large'), pairOf('c5.4xlarge'), pairOf('c5.2xlarge', { serverType: 'c5.large' })];
    // 32 and 10 vCPUs.
    const quotaText = "the account's quota for Standard (A, C, D, H, I, M, R, T, Z) instances (L-1216C47A) is ";
    const outcome = (vcpus: number, inUse = 0, concurrency = 3) => {
      const limits = { concurrency, vcpuQuotas: { [standard]: { vcpus, inUse } } };
      return [problems(limits, pairs).map(({ allowed }) => allowed), allowedConcurrency(limits, pairs, recordedTypes)];
    };
    // 32, 10 and 4 vCPUs.
    const narrowed = (concurrency: number, wanted: number, text: string) => [
      [],
      {
        concurrency,
        warnings: [`plan.concurrency: lowered from ${wanted} to ${concurrency}, because ${quotaText}${text}`],
      },
    ];
    const whole = (concurrency: number) => [[], { concurrency, warnings: [] }];
    expect(outcome(46)).toEqual(whole(3));
    expect(outcome(46, 0, 40)).toEqual(whole(40));
    expect(outcome(45)).toEqual(narrowed(2, 3, '45 vCPUs'));
    expect(outcome(46, 1, 40)).toEqual(narrowed(2, 40, '46 vCPUs, of which 1 are in use'));
    expect(outcome(46, 4, 2)).toEqual(whole(2));
    expect(outcome(46, 5, 2)).toEqual(narrowed(1, 2, '46 vCPUs, of which 5 are in use'));
    expect(outcome(46, 14)[0]).toEqual([]);
    expect(outcome(46, 15)[0]).toEqual([
      `1 with smaller types, because ${quotaText}46 vCPUs, of which 15 are in use, and the largest pair needs 32 vCPUs`,
    ]);
  });

  test('are not checked where they are unknown, or for pairs that are not launched', () => {
    expect(problems({ concurrency: 2 }, [across])).toEqual([]);
    expect(problems({ concurrency: 2, vcpuQuotas: { 'L-417A185B': { vcpus: 0, inUse: 0 } } }, [across])).toEqual([]);
    expect(
      problems({ concurrency: 2, vcpuQuotas: { [standard]: { vcpus: 16, inUse: 0 } } }, [across, nothing]),
    ).toEqual([]);
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
  const limits = {
    concurrency: 2,
    maxCostUsd: 1,
    maxInstances: 2,
    vcpuQuotas: { 'L-1216C47A': { vcpus: 8, inUse: 1 } },
  };
  expect(problems(limits, [across, across]).map(({ path }) => path)).toEqual([
    'plan.maxCostUsd',
    'plan.maxInstances',
    'plan.concurrency',
  ]);
});
