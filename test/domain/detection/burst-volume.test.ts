import { classifySeries } from '../../../domain/detection/index';
import { emptiedBits, loadUntil } from '../../../domain/detection/series-shape';
import { cleanSeries, type RateInterval, type TimeSpan } from '../../../domain/series/rate-series';
import { stretches } from '../../support/rates';

const GIGA = 1e9;

interface Burst {
  readonly levels: readonly { readonly startSeconds: number; readonly bitsPerSecond: number }[];
  readonly series: readonly RateInterval[];
  readonly baseline: number;
  readonly onsetSeconds: number;
  readonly rests?: readonly TimeSpan[];
}

function volume({ levels, series, baseline, onsetSeconds, rests = [] }: Burst): number | null {
  return emptiedBits(loadUntil(onsetSeconds, levels, rests, cleanSeries(series)!), baseline);
}

describe('the volume of a burst', () => {
  test('is the traffic above the baseline until the onset, to the fraction of a second', () => {
    const levels = [{ startSeconds: 0, bitsPerSecond: 2 * GIGA }];
    const series = stretches([30.4, 2 * GIGA], [30, 0.5 * GIGA]);
    expect(volume({ levels, series, baseline: 0.5 * GIGA, onsetSeconds: 30.4 })).toBe(45.6 * GIGA);
  });

  test('counts a lower first level at its own rate', () => {
    const levels = [
      { startSeconds: 0, bitsPerSecond: GIGA },
      { startSeconds: 20, bitsPerSecond: 2 * GIGA },
    ];
    const series = stretches([20, GIGA], [20, 2 * GIGA], [30, 0.5 * GIGA]);
    const spent = (20 * 0.5 + 20 * 1.5) * GIGA;
    expect(volume({ levels, series, baseline: 0.5 * GIGA, onsetSeconds: 40 })).toBe(spent);
  });

  test('does not change under the baseline, because the credits are full', () => {
    const levels = [
      { startSeconds: 0, bitsPerSecond: 0.2 * GIGA },
      { startSeconds: 20, bitsPerSecond: 2 * GIGA },
    ];
    const series = stretches([20, 0.2 * GIGA], [20, 2 * GIGA], [30, 0.5 * GIGA]);
    expect(volume({ levels, series, baseline: 0.5 * GIGA, onsetSeconds: 40 })).toBe(20 * 1.5 * GIGA);
  });

  test('begins with the load, even if the first second is missing', () => {
    const levels = [{ startSeconds: 3, bitsPerSecond: 2 * GIGA }];
    const series = stretches([10, 2 * GIGA], [30, GIGA]).slice(3);
    expect(volume({ levels, series, baseline: GIGA, onsetSeconds: 10 })).toBe(10 * GIGA);
  });

  //  2 ┤      ▔▔▔▔▔▔▔╮
  //  1 ┤▔▔▔▔▔▔       ╰▁▁▁▁▁▁     the path is shared for the first minute
  test('of a series that shared its path at first is less than (burst − baseline) · onset', () => {
    const shape = classifySeries(stretches([60, GIGA], [90, 2 * GIGA], [150, 0.4 * GIGA]));
    expect(shape.throttle).not.toBeNull();
    expect(shape.throttle!.bucketBits! / GIGA).toBeCloseTo(60 * 0.6 + 90 * 1.6, 0);
  });
});
