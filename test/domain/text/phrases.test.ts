import { formatBits, formatRate, formatSeconds } from '../../../domain/text/phrases';

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
