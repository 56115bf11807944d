import { describe, expect, test } from '@jest/globals';
import { instanceTypeOf } from '../../../lambdas/adapters/ec2-instance-type';

describe('what EC2 reports about a type', () => {
  test('figures of several cards add up, in bits per second', () => {
    const cards = [
      { BaselineBandwidthInGbps: 0.781, PeakBandwidthInGbps: 12.5 },
      { BaselineBandwidthInGbps: 0.219, PeakBandwidthInGbps: 12.5 },
    ];

    expect(instanceTypeOf({ InstanceType: 'c8g.large', NetworkInfo: { NetworkCards: cards } })).toMatchObject({
      baselineBitsPerSecond: 1_000_000_000,
      peakBitsPerSecond: 25_000_000_000,
    });
  });

  test.each([
    ['no cards', { NetworkCards: [] }],
    ['cards without figures', { NetworkCards: [{ NetworkPerformance: 'Moderate' }] }],
    ['one card without figures', { NetworkCards: [{ BaselineBandwidthInGbps: 1, PeakBandwidthInGbps: 1 }, {}] }],
    ['nothing', undefined],
  ])('%s: absent, not 0', (_, NetworkInfo) => {
    const facts = instanceTypeOf({ InstanceType: 'm4.xlarge', NetworkInfo });

    expect(facts.baselineBitsPerSecond).toBeUndefined();
    expect(facts.peakBitsPerSecond).toBeUndefined();
  });

  test('burstable CPU and cluster placement are true only if EC2 says so', () => {
    expect(
      instanceTypeOf({
        BurstablePerformanceSupported: true,
        PlacementGroupInfo: { SupportedStrategies: ['partition', 'spread'] },
      }),
    ).toMatchObject({ isBurstableCpu: true, supportsClusterPlacement: false });
    expect(instanceTypeOf({ PlacementGroupInfo: { SupportedStrategies: ['cluster'] } })).toMatchObject({
      isBurstableCpu: false,
      supportsClusterPlacement: true,
    });
  });

  test.each([['xen'], ['nitro']] as const)('the hypervisor is %s if EC2 says so', (Hypervisor) => {
    expect(instanceTypeOf({ Hypervisor })).toMatchObject({ hypervisor: Hypervisor });
    expect(instanceTypeOf({ BareMetal: true }).hypervisor).toBeUndefined();
  });

  test.each([
    [true, true],
    [false, undefined],
    [undefined, undefined],
  ])('bare metal is what EC2 says is BareMetal: %s', (BareMetal, isBareMetal) => {
    expect(instanceTypeOf({ BareMetal }).isBareMetal).toBe(isBareMetal);
  });
});
