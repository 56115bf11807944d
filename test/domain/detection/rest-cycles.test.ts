import { facts } from '../../support/evidence';
import { classifySeries } from '../../../domain/detection/index';
import { rateIntervals, type RateSeries } from '../../../domain/detection/prediction';
import type { RateInterval } from '../../../domain/series/rate-series';
import { judgeThroughput } from '../../../domain/verdict/judge';
import { fixturePath, readLines } from '../../support/fixtures';
import { stretches } from '../../support/rates';

const GIGA = 1e9;
const REST_SECONDS = 1800;

function moved(series: readonly RateInterval[], bySeconds: number): RateInterval[] {
  return series.map((interval) => ({ ...interval, startSeconds: interval.startSeconds + bySeconds }));
}

//  2 ┤▔▔▔▔▔╮         ╭▔▔▔╮
//  1 ┤     ╰▁▁       │   ╰▁▁     the second burst spends what the rest has earned
//  0 ┤       ╰▁▁▁▁▁▁▁╯
describe('two bursts until empty with a rest between them', () => {
  const recordings = new Map(
    readLines<RateSeries & { id: string }>(fixturePath('real-world/series.jsonl.gz')).map((one) => [one.id, one]),
  );
  const recorded = (id: string) => rateIntervals(recordings.get(id)!);

  test.each(['c6gd.medium-sleep1800-rep1', 'c6gd.medium-sleep1800-rep2'])(
    'of %s are cycles of one bucket: that of the first burst',
    (id) => {
      const [first, second] = [recorded(`${id}-part0`), recorded(`${id}-part1`)];
      const alone = classifySeries(first).throttle!;
      const end = first.at(-1)!.startSeconds + 4;
      const idle = Array.from({ length: REST_SECONDS / 4 }, (_, index) => ({
        startSeconds: end + 4 * index,
        lengthSeconds: 4,
        bitsPerSecond: 0,
      }));
      for (const rest of [[], idle]) {
        const series = [...first, ...rest, ...moved(second, end + REST_SECONDS)];
        const shape = classifySeries(series);
        expect(shape.kind).toBe('cycle');
        expect(shape.throttle!.onset).toEqual(alone.onset);
        expect(shape.throttle!.bucketBits! / alone.bucketBits!).toBeCloseTo(1, 3);
        expect(shape.endSeconds).toBeCloseTo(end + REST_SECONDS + second.at(-1)!.startSeconds + 4, 6);
        const [sender, receiver] = [facts('c6gd.medium', 0.5, 10), facts('c5n.18xlarge', 100, 100)];
        const verdict = judgeThroughput({ direction: 'forward', series, sender, receiver, truncated: false });
        expect(verdict).toMatchObject({ kind: 'cycle', cause: 'network_credits' });
        expect(verdict.refill!.value).toBeCloseTo(verdict.bucket!.value / verdict.baseline!.value, 6);
        expect(verdict.holdTimes.length).toBeGreaterThan(0);
        expect(verdict.explanation).toMatch(/with repeated bursts: .* burst credits recharge and run out again/);
      }
    },
  );

  const burst = (seconds: number, after: number) => stretches([seconds, 2 * GIGA], [60, after]);

  test.each([
    [120, 'cycle'],
    [40, 'cycle'],
    // A path that is broken for a quarter of a minute looks the same.
    [15, 'dips'],
  ])('after %s s of samples without traffic are %s', (restSeconds, kind) => {
    const low = [60, 0.5 * GIGA] as const;
    const series = stretches([100, 2 * GIGA], low, [restSeconds, 0], [60, 2 * GIGA], low);
    const shape = classifySeries(series);
    expect(shape.kind).toBe(kind);
    if (kind === 'cycle') {
      expect(Math.abs(shape.throttle!.onset.value - 100)).toBeLessThan(0.1);
      expect(shape.throttle!.bucketBits! / 150e9).toBeCloseTo(1, 2);
    }
  });

  test('need a second fall to the same rate', () => {
    const second = (after: number) => classifySeries([...burst(300, 0.5 * GIGA), ...moved(burst(200, after), 960)]);
    expect(second(0.5 * GIGA).kind).toBe('cycle');
    expect(second(0.8 * GIGA).kind).not.toBe('cycle');
    const returned = [...burst(300, 0.5 * GIGA), ...moved(stretches([260, 2 * GIGA]), 960)];
    expect(classifySeries(returned).kind).not.toBe('cycle');
  });

  test('may come after a burst that did not empty the bucket: its rest earned as well', () => {
    // 450 Gbit spent, 300 earned back, 600 spent.
    const series = [
      ...stretches([300, 2 * GIGA]),
      ...moved(burst(400, 0.5 * GIGA), 900),
      ...moved(burst(200, 0.5 * GIGA), 1960),
    ];
    const { throttle } = classifySeries(series);
    expect(throttle!.onset.value).toBeCloseTo(1300, 0);
    expect(throttle!.bucketBits! / GIGA).toBeCloseTo(450 - 300 + 600, -1);
  });

  test('are located in tenths of a second where the samples are as fine', () => {
    const fine = (seconds: number, from: number) =>
      Array.from({ length: 10 * (seconds + 60) }, (_, index) => ({
        startSeconds: from + index / 10,
        lengthSeconds: 0.1,
        bitsPerSecond: (index < 10 * seconds + 4 ? 2 : 0.5) * GIGA * (1 + 0.003 * Math.sin(12.9898 * index ** 2)),
      }));
    const { kind, throttle } = classifySeries([...fine(300, 0), ...fine(200, 960)]);
    expect(kind).toBe('cycle');
    expect(throttle!.onset.value).toBeCloseTo(300.4, 1);
  });
});
