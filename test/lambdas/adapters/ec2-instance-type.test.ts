import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import recorded from '../../../domain/forecast/recorded-instance-types.json';
import { instanceTypeOf } from '../../../lambdas/adapters/ec2-answers';

describe('what EC2 reports about a type', () => {
  test.each([
    ['c6in.32xlarge', 200e9],
    ['m6in.metal', 200e9],
    ['c8gn.48xlarge', 300e9],
  ])('%s has two cards, of which a host with one interface uses one', (name, bits) => {
    const recordedType = recorded.InstanceTypes.find(({ InstanceType }) => InstanceType === name);

    expect(instanceTypeOf(recordedType as InstanceTypeInfo)).toMatchObject({
      baselineBitsPerSecond: bits,
      peakBitsPerSecond: bits,
    });
  });

  test('figures and words are those of the default card, in bits per second', () => {
    const NetworkInfo = {
      DefaultNetworkCardIndex: 1,
      NetworkPerformance: '2x 100 Gigabit',
      NetworkCards: [
        { NetworkCardIndex: 0, BaselineBandwidthInGbps: 50, PeakBandwidthInGbps: 60 },
        {
          NetworkCardIndex: 1,
          BaselineBandwidthInGbps: 0.781,
          PeakBandwidthInGbps: 12.5,
          NetworkPerformance: '100 Gigabit',
        },
      ],
    };

    expect(instanceTypeOf({ NetworkInfo })).toMatchObject({
      baselineBitsPerSecond: 781_000_000,
      peakBitsPerSecond: 12_500_000_000,
      networkPerformance: '100 Gigabit',
    });
  });

  test('a single card needs no index, and its words may stand beside it', () => {
    const cards = [{ BaselineBandwidthInGbps: 5, PeakBandwidthInGbps: 10 }];
    const facts = instanceTypeOf({ NetworkInfo: { NetworkPerformance: 'Up to 10 Gigabit', NetworkCards: cards } });
    expect(facts).toMatchObject({ baselineBitsPerSecond: 5e9, networkPerformance: 'Up to 10 Gigabit' });
  });

  test.each([
    ['no cards', { NetworkCards: [] }],
    ['cards without figures', { NetworkCards: [{ NetworkPerformance: 'Moderate' }] }],
    [
      'figures of another card alone',
      { NetworkCards: [{ NetworkCardIndex: 1, BaselineBandwidthInGbps: 1, PeakBandwidthInGbps: 1 }] },
    ],
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
