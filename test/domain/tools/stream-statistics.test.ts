import { describe, expect, test } from '@jest/globals';
import { streamStatistics } from '../../../domain/tools/curl/streams';

/** Megabytes per second of each stream, as they are published. */
const stragglers = (rates: readonly number[]) =>
  streamStatistics(new Map(rates.map((rate, index) => [index + 1, rate * 8e6])))
    .filter((stream) => stream.isStraggler)
    .map((stream) => Number(stream.stream));

describe('streams that share a link', () => {
  // The RightScale article's: between two hosts, then S3 by HTTPS and by HTTP.
  test.each([
    [[44, 44]],
    [[33, 35, 28]],
    [[10.2, 10.0, 11.1]],
    [[9.0, 9.1, 9.8, 9.6]],
    [[8.0, 7.8, 7.6, 7.9, 7.8, 7.5]],
    [[6.0, 6.3, 7.0, 6.1, 6.0, 5.9, 6.2, 6.3]],
    [[6.6, 6.4, 6.6, 6.3, 6.2, 6.2, 6.7, 6.3]],
  ])('have no straggler in %j', (rates) => {
    expect(stragglers(rates)).toEqual([]);
  });

  test.each([
    // "the average varies by about 2×"
    [[8, 8, 4, 8], [3]],
    [
      [7.8, 3.9, 8.0, 7.6, 4.1, 7.9],
      [2, 5],
    ],
    // With half of them slow, each slow stream sees more fast streams than slow ones.
    [
      [8, 4, 8, 4],
      [2, 4],
    ],
    [[10, 5], [2]],
    [[10, 0, 10], [2]],
    // One fast stream does not make stragglers of the others.
    [[6, 6, 6, 30], []],
    [[9], []],
    [[0, 0], []],
  ])('%j: %j', (rates, slow) => {
    expect(stragglers(rates)).toEqual(slow);
  });

  test('the limit is two thirds of the median of the others', () => {
    expect(stragglers([9, 9, 6])).toEqual([]);
    expect(stragglers([9, 9, 5.99])).toEqual([3]);
  });

  test('streams are in the order of their numbers', () => {
    const streams = streamStatistics(new Map([10, 2, 1].map((stream) => [stream, stream * 1e6])));
    expect(streams.map((stream) => stream.stream)).toEqual(['1', '2', '10']);
    expect(streams[2]).toEqual({ stream: '10', throughputBitsPerSecond: 10e6, isStraggler: false });
  });
});
