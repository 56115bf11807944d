import { describe, expect, test } from '@jest/globals';
import { creditModel } from '../../../domain/forecast/credits';
import { typeFacts } from '../../support/planned-run';

const type = (peakBitsPerSecond?: number) =>
  typeFacts('c5.xlarge', { baselineBitsPerSecond: 0.125e9, peakBitsPerSecond });

describe('what is known of the credits of a type', () => {
  test('public recordings stand where the published peak is of their network', () => {
    expect(creditModel(type(10e9), 'c5.xlarge', [])).toMatchObject({ source: 'public_recordings' });
    expect(creditModel(type(), 'c5.xlarge', [])).toMatchObject({ source: 'public_recordings' });
  });

  test('a network whose peak they exceed is another one: the published figures stand', () => {
    expect(creditModel(type(1e9), 'c5.xlarge', [])).toMatchObject({
      source: 'published_figures',
      burstBitsPerSecond: 1e9,
    });
  });

  test('nothing published and nothing recorded is unknown', () => {
    expect(creditModel(undefined, 'x9.large', [])).toBe('unknown');
  });
});
