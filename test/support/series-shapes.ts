/**
 * Every kind of series by name: half an hour as in the detection benchmark, and the one to three minutes that the lab
 * measures.
 */
import type { Random } from './random';
import {
  LOOSE,
  cubic,
  decline,
  dwells,
  excursion,
  level,
  multiStep,
  periodic,
  ramp,
  scaled,
  settling,
  step,
  wander,
  withDips,
  type Maker,
  type Shape,
} from './series-parts';

const long = 1800;
export const LONG_KINDS: Record<string, Maker> = {
  burst: (r) => step(r, long, r.uniform(200, 1400)),
  burst_heavy: (r) => ({ ...step(r, long, r.uniform(250, 1100)), quietRates: r.pick([0.5, 1]) }),
  burst_hard: (r) => {
    const made = { ...step(r, long, r.uniform(600, 1400), r.uniform(0.3, 0.72)), quietRates: r.uniform(0.3, 1) };
    return withDips(r, made, 6, 10);
  },
  burst_longdips: (r) => withDips(r, step(r, long, r.uniform(350, 1300)), 5, 40),
  burst_dippy: (r) => withDips(r, step(r, long, r.uniform(250, 1100)), 30, 8),
  burst_small: (r) => step(r, long, r.uniform(700, 1600), r.uniform(0.55, 0.82)),
  burst_early: (r) => step(r, long, r.uniform(20, 90)),
  burst_late: (r) => step(r, long, r.uniform(1660, 1770)),
  burst_gap: (r) => {
    const made = step(r, long, r.uniform(300, 1400));
    const from = made.onset! - r.uniform(1, 40);
    return { ...made, gap: { from, to: made.onset! + r.uniform(1, 40) } };
  },
  burst_drift: (r) => {
    const made = step(r, long, r.uniform(200, 900));
    const drift = r.uniform(-0.1, 0.1);
    return scaled(made, (second) => (second < made.onset! ? 1 + drift * (second / made.onset! - 0.5) : 1));
  },
  burst_edge: (r) => {
    const made = step(r, long, r.uniform(450, 900));
    const length = r.uniform(2, 12);
    const depth = r.uniform(0.2, 0.95);
    const from = made.onset! - (r.chance(0.5) ? length : -2);
    return scaled(made, (second) => (second >= from && second < from + length ? 1 - depth : 1));
  },
  burst_soft: (r) => settling(step(r, long, r.uniform(250, 1100)), r.uniform(2, 10), 1),
  burst_sawtooth: (r) => {
    const made = step(r, long, r.uniform(900, 1400));
    const period = r.uniform(8, 40);
    return scaled(made, (second) => (second > made.onset! ? 0.85 + 0.3 * ((second / period) % 1) : 1));
  },
  burst_100ms: (r) => step(r, long / 2, r.uniform(100, 700)),
  dips_100ms: (r) => withDips(r, level(r, long / 2, 'transient_dips', ['transient_dips']), r.integer(15, 25), 9),
  steady_noisy_100ms: (r) => level(r, long / 2, 'noisy', LOOSE),
  multi_step: (r) => multiStep(r, long, 100),
  periodic: (r) => periodic(r, long, r.uniform(40, 220), r.uniform(0.1, 0.6), r.uniform(120, 650)),
  steady: (r) => level(r, long, 'steady', ['steady', 'noisy']),
  steady_noisy: (r) => level(r, long, 'noisy', LOOSE),
  ramp: (r) => ramp(r, long),
  slow_decline: decline,
  dips: (r) => withDips(r, level(r, long, 'transient_dips', ['transient_dips']), r.integer(20, 36), 9),
  contention: (r) => excursion(r, long, r.integer(1, 2), 60, 300),
  telegraph: (r) => {
    const base = level(r, long, 'noisy', [...LOOSE, 'level_shift', 'multi_step']);
    const low = base.burst * r.uniform(0.35, 0.8);
    const [highMean, lowMean] = [r.uniform(60, 220), r.uniform(25, 110)];
    return dwells(base, (isHigh) => [1 + r.exponential(isHigh ? highMean : lowMean), isHigh ? base.burst : low]);
  },
  flapping: (r) => {
    const base = level(r, long, 'noisy', LOOSE);
    const low = r.uniform(0.5, 0.75);
    return dwells(base, (isHigh) => [
      1 + r.exponential(isHigh ? 35 : 18),
      base.burst * (isHigh ? 1 : low * r.uniform(0.95, 1.15)),
    ]);
  },
  cubic,
  small_shift: (r) => {
    const base = level(r, long, 'level_shift', ['level_shift', 'multi_step', 'steady', 'noisy', 'ramp']);
    const at = r.uniform(300, 1500);
    const shift = r.uniform(0.02, 0.09) * r.pick([1, -1]);
    return scaled(base, (second) => (second < at ? 1 : 1 - shift));
  },
  step_up: (r) => {
    const base = level(r, long, 'level_shift', ['level_shift', 'multi_step', 'steady', 'noisy', 'ramp']);
    const at = r.uniform(150, 1700);
    const before = r.uniform(0.35, 0.9);
    return scaled(base, (second) => (second < at ? before : 1));
  },
  wander: (r) => wander(r, long),
  aborted: (r) => {
    const base = level(r, long, 'steady', ['steady', 'insufficient', 'transient_dips', 'noisy']);
    const from = r.uniform(300, 1500);
    return {
      ...base,
      meanRate: (start, end) => (end <= from ? base.burst : start >= from ? 0 : base.burst * (from - start)),
    };
  },
  late_dip: (r) => {
    const base = level(r, long, 'steady', ['steady', 'transient_dips', 'insufficient', 'noisy']);
    const from = long - r.uniform(3, 12);
    const depth = r.uniform(0.2, 0.9);
    return scaled(base, (second) => (second > from ? 1 - depth : 1));
  },
  insufficient: (r) => {
    const seconds = r.integer(8, 44);
    const made = r.chance(0.25) ? step(r, seconds, r.uniform(0.7, 0.95) * seconds) : level(r, seconds, '', []);
    return { ...made, onset: undefined, verdict: 'insufficient', accept: ['insufficient'] };
  },
};

/** A rate that leaves the two levels right at the drop, as `burst_edge` does at some distance or on one side only. */
export const EDGE_KINDS: Record<string, Maker> = {
  /** A block of seconds below the baseline, and then the baseline. */
  edge_undershoot: (r) => dippedBetween(r, step(r, long, r.uniform(450, 900)), 0, r.uniform(1, 12)),
  /** The rate recovers from below the baseline little by little, as congestion control does. */
  edge_recovery: (r) => settling(step(r, long, r.uniform(450, 900)), r.logUniform(0.7, 10), r.uniform(-0.95, -0.2)),
  edge_dip_before: (r) => dippedBetween(r, step(r, long, r.uniform(450, 900)), -r.uniform(2, 12), 0),
};

/** A dip between two seconds that count from the drop. */
function dippedBetween(random: Random, shape: Shape, fromSeconds: number, toSeconds: number): Shape {
  const { meanRate, onset = NaN } = shape;
  const [from, to] = [onset + fromSeconds, onset + toSeconds];
  const depth = random.uniform(0.2, 0.95);
  const lost = (start: number, end: number) => {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    return first < last ? depth * meanRate(first, last) * ((last - first) / (end - start)) : 0;
  };
  return { ...shape, meanRate: (start, end) => meanRate(start, end) - lost(start, end) };
}

const shortLength = (r: Random) => r.integer(60, 180);

export const SHORT_KINDS: Record<string, Maker> = {
  short_burst: (r) => {
    const seconds = shortLength(r);
    return step(r, seconds, r.uniform(6, Math.min(80, seconds - 15)), r.uniform(0.05, 0.6));
  },
  short_settling: (r) => {
    const seconds = shortLength(r);
    return settling(
      step(r, seconds, r.uniform(8, Math.min(80, seconds - 20)), r.uniform(0.1, 0.5)),
      r.uniform(0.7, 3),
      r.pick([0.4, 1]),
    );
  },
  short_undershoot: (r) => {
    const seconds = shortLength(r);
    return settling(
      step(r, seconds, r.uniform(8, Math.min(80, seconds - 20)), r.uniform(0.1, 0.5)),
      r.uniform(0.7, 3),
      -0.6,
    );
  },
  /** Another flow takes part of the rate for a while before the credits run out. */
  short_shared: (r) => {
    const seconds = r.integer(90, 180);
    const made = step(r, seconds, r.uniform(35, 70), r.uniform(0.1, 0.35));
    const from = r.uniform(6, 14);
    const to = from + r.uniform(3, 10);
    return scaled(made, (second) => (second >= from && second < to ? 0.55 : 1));
  },
  short_multi_step: (r) => multiStep(r, shortLength(r), 15),
  short_periodic: (r) => periodic(r, r.integer(100, 180), r.uniform(18, 30), r.uniform(0.18, 0.5), r.uniform(5, 25)),
  short_steady: (r) => level(r, shortLength(r), 'steady', ['steady', 'noisy']),
  short_ramp: (r) => ramp(r, shortLength(r)),
  short_dips: (r) =>
    withDips(r, level(r, shortLength(r), 'transient_dips', ['transient_dips', 'noisy', 'steady']), r.integer(2, 5), 4),
  short_excursion: (r) => {
    const seconds = r.integer(80, 180);
    return excursion(r, seconds, 1, 8, seconds / 4);
  },
};
