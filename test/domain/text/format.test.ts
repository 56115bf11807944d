import {
  bytes,
  comparedBits,
  duration,
  formatBits,
  formatRate,
  formatSeconds,
  gigabits,
  grouped,
  instant,
  micros,
  threeDigits,
} from '../../../domain/text/format';
import { axisEnd } from '../../../domain/report/charts/axis';

test.each([
  [0.0064, '0.00640'],
  [0.125, '0.125'],
  [1, '1.00'],
  [9.369, '9.37'],
  [22.24, '22.2'],
  [1234.4, '1\u202f234'],
  [1_234_567.8, '1\u202f234\u202f568'],
  [-1234, '-1\u202f234'],
  [-123, '-123'],
  [0, '0'],
  // Rounded, these have a digit more than before.
  [0.9996, '1.00'],
  [0.9994, '0.999'],
  [-0.09999, '-0.100'],
  [9.996, '10.0'],
  [99.96, '100'],
  [0.000_000_2, '0.000000'],
])('three digits of %d are %s', (value, text) => {
  expect(threeDigits(value)).toBe(text);
});

test.each([
  [1.9e6, '1.90 Mbit'],
  [999e6, '999 Mbit'],
  [9.41e9, '9.41 Gbit'],
  [18_000e9, '18\u202f000 Gbit'],
])('%d bits beside others are %s', (bits, text) => {
  expect(comparedBits(bits)).toBe(text);
});

test('rates are in units of 10⁹ bits, and a missing one stays missing', () => {
  expect(gigabits(1.25e9)).toBe('1.25');
  expect(gigabits(null)).toBeUndefined();
  expect(gigabits(undefined)).toBeUndefined();
  expect(gigabits(0)).toBe('0');
});

test.each([
  [45, '45 s'],
  [60, '1 min'],
  [150, '2 min 30 s'],
  [3600, '1 h'],
  [7500, '2 h 5 min'],
])('%d seconds are %s', (value, text) => {
  expect(duration(value)).toBe(text);
});

test('round trips keep a decimal only while it matters', () => {
  expect([micros(92.14), micros(114.6), micros(4023.8)]).toEqual(['92.1', '115', '4\u202f024']);
});

test('digits are grouped in threes', () => {
  expect([grouped(999), grouped(1000), grouped(1234567)]).toEqual(['999', '1\u202f000', '1\u202f234\u202f567']);
});

test('an instant is readable, and any other text stays as it is', () => {
  expect(instant('2026-11-20T21:02:03.250Z')).toBe('2026-11-20 21:02:03 UTC');
  expect(instant('yesterday')).toBe('yesterday');
});

test.each([
  [9.6, 12],
  [10, 12],
  [0.95, 1.2],
  [0.125, 0.15],
  [98, 120],
  [0, 0.0000012],
])('an axis for %d ends at %d, on a tick', (highest, end) => {
  const { max, interval } = axisEnd(highest);
  expect(max).toBeCloseTo(end, 9);
  expect(max / interval).toBeCloseTo(Math.round(max / interval), 9);
});

test('a size has the unit in which the plan gave it', () => {
  expect([64, 65_507, 16_384, 1_500, 64_000_000, 62_500 * 1024 + 1024, 2 ** 30, 5e9].map(bytes)).toEqual([
    '64 bytes',
    '65\u202f507 bytes',
    '16 KiB',
    '1\u202f500 bytes',
    '64 MB',
    '62\u202f501 KiB',
    '1 GiB',
    '5 GB',
  ]);
});

describe('numbers in sentences', () => {
  test.each([
    [1.947e9, '1.95 Gbit/s'],
    [2e9, '2.0 Gbit/s'],
    [0.4999e9, '0.50 Gbit/s'],
    [12.47e9, '12.5 Gbit/s'],
    [100e9, '100 Gbit/s'],
    [75e6, '75.0 Mbit/s'],
  ])('%d bit/s is %s', (rate, text) => expect(formatRate(rate)).toBe(text));

  test.each([
    [45e9, '45.0 Gbit'],
    [4445e9, '4.45 Tbit'],
    [25e6, '25.0 Mbit'],
  ])('%d bits are %s', (bits, text) => expect(formatBits(bits)).toBe(text));

  test.each([
    [30.13, '30.1 s'],
    [1800, '1800 s'],
  ])('%d seconds are %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));
});
