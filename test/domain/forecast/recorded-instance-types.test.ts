/** The recorded answer of DescribeInstanceTypes, read as the real one is. */
import recorded from '../../../domain/forecast/recorded-instance-types.json';
import { RECORDED_BUCKETS } from '../../../domain/forecast/credits';
import { pricesOf } from '../../../domain/forecast/prices/price-table';
import { offeredTypes, recordedTypes } from '../../support/forecast';

test('it has a date and a source', () => {
  expect(recorded.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(recorded.source).toContain('DescribeInstanceTypes');
});

test.each([
  ['c5.2xlarge', 8, 2.5e9, 10e9, 'Up to 10 Gigabit'],
  ['m5.large', 2, 0.75e9, 10e9, 'Up to 10 Gigabit'],
  ['c5n.18xlarge', 72, 100e9, 100e9, '100 Gigabit'],
  ['t2.medium', 2, 0.256e9, 1.024e9, 'Low to Moderate'],
  ['m7g.large', 2, 0.937e9, 12.5e9, 'Up to 12.5 Gigabit'],
  ['c7gn.large', 2, 6.25e9, 30e9, 'Up to 30 Gigabit'],
])('%s', (instanceType, vcpuCount, baselineBitsPerSecond, peakBitsPerSecond, networkPerformance) => {
  expect(recordedTypes[instanceType]).toMatchObject({
    vcpuCount,
    baselineBitsPerSecond,
    peakBitsPerSecond,
    networkPerformance,
  });
});

test('burstable types and types for a cluster placement group are marked', () => {
  expect(recordedTypes['t3.micro']).toMatchObject({ isBurstableCpu: true, supportsClusterPlacement: false });
  expect(recordedTypes['c5.large']).toMatchObject({ isBurstableCpu: false, supportsClusterPlacement: true });
  expect(recordedTypes['m7g.large']!.architecture).toBe('arm64');
});

test('bare metal is marked, and only that', () => {
  for (const { instanceType, isBareMetal } of offeredTypes) {
    expect({ instanceType, isBareMetal: isBareMetal === true }).toEqual({
      instanceType,
      isBareMetal: instanceType.includes('.metal'),
    });
  }
});

test('every type is usable: sizes, an architecture, a peak that is no less than the baseline', () => {
  for (const type of offeredTypes) {
    expect(type.vcpuCount).toBeGreaterThan(0);
    expect(type.architectures.length).toBeGreaterThan(0);
    expect(type.peakBitsPerSecond).toBeGreaterThanOrEqual(type.baselineBitsPerSecond!);
  }
});

test('nearly every type has a price, and the others are listed here', () => {
  const families = Object.keys(recordedTypes)
    .filter((type) => !(type in pricesOf('us-east-1').prices.instanceUsdPerHour))
    .map((type) => type.split('.')[0]);
  expect([...new Set(families)]).toEqual(['r9g', 't8i']);
});

test('recorded buckets belong to known types, and are near their published figures', () => {
  for (const bucket of RECORDED_BUCKETS) {
    const type = recordedTypes[bucket.instanceType]!;
    expect(bucket.baselineBitsPerSecond / type.baselineBitsPerSecond!).toBeCloseTo(1, 2);
    expect(bucket.burstBitsPerSecond).toBeLessThanOrEqual(type.peakBitsPerSecond!);
    expect(bucket.bucketLowBits).toBeLessThanOrEqual(bucket.bucketBits);
    expect(bucket.bucketHighBits).toBeGreaterThanOrEqual(bucket.bucketBits);
  }
});
