import { classifySeries } from '../../../domain/detection/index';
import { burstVolumeBits } from '../../../domain/detection/burst-volume';
import { stretches } from '../../support/rates';

const GIGA = 1e9;

describe('the volume of a burst', () => {
  test('is the traffic above the baseline until the onset, to the fraction of a second', () => {
    expect(burstVolumeBits([{ startSeconds: 0, bitsPerSecond: 2 * GIGA }], 0.5 * GIGA, 0, 30.4)).toBe(45.6 * GIGA);
  });

  test('counts a lower first level at its own rate', () => {
    const levels = [
      { startSeconds: 0, bitsPerSecond: GIGA },
      { startSeconds: 20, bitsPerSecond: 2 * GIGA },
    ];
    expect(burstVolumeBits(levels, 0.5 * GIGA, 0, 40)).toBe((20 * 0.5 + 20 * 1.5) * GIGA);
  });

  test('does not change under the baseline, because the credits are full', () => {
    const levels = [
      { startSeconds: 0, bitsPerSecond: 0.2 * GIGA },
      { startSeconds: 20, bitsPerSecond: 2 * GIGA },
    ];
    expect(burstVolumeBits(levels, 0.5 * GIGA, 0, 40)).toBe(20 * 1.5 * GIGA);
  });

  test('begins with the load, even if the first second is missing', () => {
    expect(burstVolumeBits([{ startSeconds: 3, bitsPerSecond: 2 * GIGA }], GIGA, 0, 10)).toBe(10 * GIGA);
  });

  //  2 ┤      ▔▔▔▔▔▔▔╮
  //  1 ┤▔▔▔▔▔▔       ╰▁▁▁▁▁▁     the path is shared for the first minute
  test('of a series that shared its path at first is less than (burst − baseline) · onset', () => {
    const shape = classifySeries(stretches([60, GIGA], [90, 2 * GIGA], [150, 0.4 * GIGA]));
    expect(shape.throttle).not.toBeNull();
    expect(shape.throttle!.bucketBits / GIGA).toBeCloseTo(60 * 0.6 + 90 * 1.6, 0);
  });
});
