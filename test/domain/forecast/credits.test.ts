import { describe, expect, test } from '@jest/globals';
import { creditModel } from '../../../domain/forecast/credits';
import { typeFacts } from '../../support/planned-run';

const type = (peakBitsPerSecond?: number) =>
  typeFacts('c5.xlarge', { baselineBitsPerSecond: 0.125e9, peakBitsPerSecond });

describe('the known credits of a type', () => {
  test('public recordings are used where the published peak fits them', () => {
    expect(creditModel(type(10e9), 'c5.xlarge', [])).toMatchObject({ source: 'public_recordings' });
    expect(creditModel(type(), 'c5.xlarge', [])).toMatchObject({ source: 'public_recordings' });
  });

  test('the published figures are used where the recordings exceed the peak, because the network is another one', () => {
    expect(creditModel(type(1e9), 'c5.xlarge', [])).toMatchObject({
      source: 'published_figures',
      burstBitsPerSecond: 1e9,
    });
  });

  test('unknown without published figures and recordings', () => {
    expect(creditModel(undefined, 'x9.large', [])).toBe('unknown');
  });
});
