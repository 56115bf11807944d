import {
  isSupported,
  PERCENTILE_FIELDS,
  supportedPercentiles,
  unsupportedPercentiles,
} from '../../../domain/model/percentiles';

test.each([
  ['p25', 4],
  ['p50', 2],
  ['p75', 4],
  ['p90', 10],
  ['p95', 20],
  ['p99', 100],
  ['p99_5', 200],
  ['p99_9', 1_000],
  ['p99_99', 10_000],
  ['p99_999', 100_000],
] as const)('%s needs %i observations', (field, needed) => {
  expect(isSupported(field, needed)).toBe(true);
  expect(isSupported(field, needed - 1)).toBe(false);
});

test('percentiles that the observations do not support are omitted, and named where a tool printed them', () => {
  expect(supportedPercentiles([1, 2, 3, 4])).toEqual({ p25: 1, p50: 2, p75: 3 });
  const printed = Object.fromEntries(PERCENTILE_FIELDS.map((field) => [field, 1]));
  expect(unsupportedPercentiles(printed, 1_000)).toEqual(['p99.99', 'p99.999']);
});
