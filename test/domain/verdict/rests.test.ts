import { facts, GIGA, judge } from '../../support/evidence';
import { stretches } from '../../support/rates';

const UNKNOWN = 'of unknown volume, because the pauses before the fall earned back what the load had spent';

describe('a load with a rest before its fall', () => {
  //  2 ┤▔▔▔▔▔╮        ╭▔▔▔▔▔▔╮
  //  0 ┤     ╰▁▁▁▁▁▁▁▁╯      ╰▁▁▁▁▁▁
  test('has the volume of the bucket, and says how long it rested', () => {
    const series = stretches([300, 2 * GIGA], [400, 0], [400, 2 * GIGA], [300, 0.5 * GIGA]);
    const verdict = judge({ series });
    const { bucket, refill } = verdict.ifNetworkCredits!;
    expect(verdict.onset!.value).toBeCloseTo(1100, 0);
    expect(bucket!.value / GIGA).toBeCloseTo(700 * 1.5 - 400 * 0.5, -1);
    // The rest may have earned up to 1.64 times as much.
    expect(bucket!.low / GIGA).toBeLessThan(700 * 1.5 - 390 * 0.5 * 1.64);
    expect(bucket!.high / bucket!.value).toBeLessThan(1.01);
    expect(refill!.value).toBeCloseTo(bucket!.value / (0.5 * GIGA), -1);
    expect(verdict.explanation).toContain(
      '2.0 Gbit/s for 1100 s (1099.9 to 1100.1 s, including 400.0 s without load), then',
    );
  });

  test('has no volume where the rest earned back more than the last burst spent, and says so', () => {
    const series = stretches([300, 2 * GIGA], [3600, 0], [200, 2 * GIGA], [300, 0.5 * GIGA]);
    const verdict = judge({ series });
    expect(verdict.onset!.value).toBeCloseTo(4100, 0);
    expect(verdict).toMatchObject({ bucket: null, refill: null, holdTimes: [] });
    expect(verdict.explanation).toContain(UNKNOWN);
  });
});

describe('a duty cycle whose pauses earn more than its runs spend', () => {
  test('has no volume where a later run falls, and says so', () => {
    const dutyCycle = { onSeconds: 60, offSeconds: 60 };
    const run = (fell: boolean) =>
      stretches(...(fell ? ([[20, 0.4 * GIGA], [40, 0.25 * GIGA]] as const) : ([[60, 0.4 * GIGA]] as const))); // prettier-ignore
    const series = Array.from({ length: 12 }, (_, index) =>
      run(index >= 4).map((interval) => ({ ...interval, startSeconds: interval.startSeconds + 120 * index })),
    ).flat();
    const verdict = judge({ series, dutyCycle });
    expect(verdict.kind).toBe('cycle');
    expect(verdict.onset!.value).toBeCloseTo(4 * 120 + 20, 0);
    expect(verdict).toMatchObject({ bucket: null, refill: null, holdTimes: [] });
    expect(verdict.explanation).toContain(UNKNOWN);
  });
});

describe('a load without a fall that lost three minutes of its samples', () => {
  const sender = facts('m5.large', 0.5, 10);

  test('had credits for all of its time, because no sample shows that it rested', () => {
    const burst = stretches([1000, 2 * GIGA]);
    const series = burst.filter(({ startSeconds }) => startSeconds < 300 || startSeconds >= 500);
    const verdict = judge({ series, sender });
    expect(verdict.kind).toBe('steady');
    expect(verdict.bucketBitsAtLeast! / GIGA).toBeCloseTo(1000 * 1.5, -1);
  });
});
