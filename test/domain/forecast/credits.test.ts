import { knownCredits } from '../../../domain/forecast/credits';
import { typeFacts } from '../../support/planned-run';

const type = (peakBitsPerSecond?: number) =>
  typeFacts('c5.xlarge', { baselineBitsPerSecond: 0.125e9, peakBitsPerSecond });

test.each([
  ['public recordings where the published peak fits them', type(10e9), 'public_recordings', 9.69e9],
  [
    'public recordings where their burst is a tenth above the published peak',
    type(8.81e9),
    'public_recordings',
    9.69e9,
  ],
  ['public recordings without a published peak', type(), 'public_recordings', 9.69e9],
  [
    'the published figures where the recordings exceed the peak: another network',
    type(8.8e9),
    'published_figures',
    8.8e9,
  ],
])('the known credits of a type are %s', (_, facts, source, burstBitsPerSecond) => {
  expect(knownCredits(facts, 'c5.xlarge', [])).toMatchObject({ source, burstBitsPerSecond });
});

test('published figures last 300 to 3600 s at the peak', () => {
  expect(knownCredits(type(1e9), 'c5.xlarge', [])).toEqual({
    instanceType: 'c5.xlarge',
    source: 'published_figures',
    burstBitsPerSecond: 1e9,
    baselineBitsPerSecond: 0.125e9,
    bucketBits: { low: 300 * 0.875e9, expected: 1039 * 0.875e9, high: 3600 * 0.875e9 },
  });
});

test.each([
  ['m4.xlarge', 0.75e9],
  ['c4.large', 0.75e9],
  ['m5.large', 10e9],
])('%s bursts to %d bit/s: M4 and C4 stayed at their baseline', (instanceType, burstBitsPerSecond) => {
  const facts = typeFacts(instanceType, { baselineBitsPerSecond: 0.75e9, peakBitsPerSecond: 10e9 });
  expect(knownCredits(facts, instanceType, [])).toMatchObject({ burstBitsPerSecond });
});

describe('the credits of a scaled model', () => {
  const model = { rateDivisor: 10, timeDivisor: 20 };

  test('of a recorded type are the recorded ones on its scale', () => {
    const facts = typeFacts('c5.xlarge', { baselineBitsPerSecond: 0.125e9, peakBitsPerSecond: 1e9 });
    expect(knownCredits(facts, 'c5.xlarge', [], model)).toMatchObject({
      source: 'public_recordings',
      burstBitsPerSecond: 0.969e9,
      bucketBits: { expected: 4445e9 / 200 },
    });
  });

  test('of published figures run out so many times sooner', () => {
    const facts = typeFacts('m5.large', { baselineBitsPerSecond: 0.075e9, peakBitsPerSecond: 1e9 });
    expect(knownCredits(facts, 'm5.large', [], model)?.bucketBits).toMatchObject({
      low: 15 * 0.925e9,
      high: 180 * 0.925e9,
    });
  });

  test('that earlier runs measured are of that scale already', () => {
    const measured = { burstBitsPerSecond: 1e9, baselineBitsPerSecond: 0.1e9, bucketBits: 22e9, measurementCount: 3 };
    const earlier = [{ ...measured, instanceType: 'c5.xlarge' }];
    expect(knownCredits(undefined, 'c5.xlarge', earlier, model)?.bucketBits.expected).toBe(22e9);
  });
});

test('no credits are known without published figures and recordings', () => {
  expect(knownCredits(undefined, 'x9.large', [])).toBeUndefined();
  expect(knownCredits(typeFacts('x9.large', { peakBitsPerSecond: 1e9 }), 'x9.large', [])).toBeUndefined();
});
