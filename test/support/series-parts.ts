/**
 * The true rate over time of every kind of series, as a function of the second: what a perfect tool on a quiet path
 * would see. Kinds and proportions follow the detection benchmark; the short kinds follow what a lab of real token
 * buckets gives.
 */
import type { Random } from './random';

export interface Shape {
  readonly seconds: number;
  /** Mean rate over [from, to). */
  readonly meanRate: (from: number, to: number) => number;
  readonly verdict: string;
  readonly accept: readonly string[];
  readonly burst: number;
  readonly baseline?: number;
  readonly onset?: number;
  /** Noise of the lower level relative to that of the burst. */
  readonly quietRates?: number;
  readonly gap?: { readonly from: number; readonly to: number };
}

/** Piecewise-linear knots [second, rate], integrated exactly; two knots at one second are a step. */
function knots(points: readonly (readonly [number, number])[]): (from: number, to: number) => number {
  const at: { second: number; rate: number; area: number }[] = [];
  for (const [second, rate] of points) {
    const last = at[at.length - 1];
    at.push({ second, rate, area: last ? last.area + ((last.rate + rate) / 2) * (second - last.second) : 0 });
  }
  const areaUntil = (second: number) => {
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (at[middle]!.second <= second) low = middle;
      else high = middle - 1;
    }
    const left = at[low]!;
    const right = at[low + 1];
    const slope = right && right.second > left.second ? (right.rate - left.rate) / (right.second - left.second) : 0;
    const ahead = second - left.second;
    return left.area + left.rate * ahead + (slope * ahead * ahead) / 2;
  };
  return (from, to) => (areaUntil(to) - areaUntil(from)) / (to - from);
}

const THROTTLED = ['burst_then_throttle'];
export const LOOSE = ['noisy', 'transient_dips', 'steady'];

function profile(random: Random): { burst: number; ratio: number } {
  const [burst, ratio] = random.pick([
    [9.6e9, 0.078], [9.6e9, 0.13], [5.0e9, 0.25], [9.6e9, 0.27], [9.6e9, 0.52], [5.0e9, 0.026], [5.0e9, 0.1],
    [4.2e9, 0.015], [4.9e9, 0.05], [12.2e9, 0.13], [12.2e9, 0.064], [24.7e9, 0.125], [29e9, 0.21],
  ] as const); // prettier-ignore
  return { burst: burst * random.uniform(0.97, 1.02), ratio };
}

export function step(random: Random, seconds: number, onset: number, ratio?: number): Shape {
  const made = profile(random);
  const baseline = made.burst * (ratio ?? made.ratio);
  return {
    seconds,
    burst: made.burst,
    baseline,
    onset,
    verdict: 'burst_then_throttle',
    accept: THROTTLED,
    quietRates: random.pick([0.1, 0.5, 1]),
    meanRate: knots([
      [0, made.burst],
      [onset, made.burst],
      [onset, baseline],
    ]),
  };
}

export function level(random: Random, seconds: number, verdict: string, accept: readonly string[]): Shape {
  const { burst } = profile(random);
  return { seconds, burst, verdict, accept, meanRate: () => burst };
}

/** Dwells at alternating rates until the end. */
export function dwells(shape: Shape, next: (isHigh: boolean) => readonly [number, number]): Shape {
  const points: [number, number][] = [];
  let second = 0;
  let isHigh = true;
  while (second < shape.seconds) {
    const [length, rate] = next(isHigh);
    points.push([second, rate], [second + length, rate]);
    second += length;
    isHigh = !isHigh;
  }
  return { ...shape, meanRate: knots(points) };
}

export function scaled(shape: Shape, factor: (second: number) => number): Shape {
  return { ...shape, meanRate: (from, to) => shape.meanRate(from, to) * factor((from + to) / 2) };
}

export function withDips(random: Random, shape: Shape, count: number, longest: number): Shape {
  const dips = Array.from({ length: count }, () => {
    const from = random.uniform(0, shape.seconds - 5);
    return { from, to: from + random.logUniform(1, longest), depth: random.uniform(0.2, 0.95) };
  }).filter((dip) => shape.onset === undefined || dip.to < shape.onset - 3 || dip.from > shape.onset + 3);
  return scaled(shape, (second) => {
    const hit = dips.find((dip) => second >= dip.from && second < dip.to);
    return hit ? 1 - hit.depth : 1;
  });
}

export function multiStep(random: Random, seconds: number, shortestDwell: number): Shape {
  const { burst, ratio } = profile(random);
  const stepCount = random.integer(2, 3);
  const points: [number, number][] = [[0, burst]];
  let rate = burst;
  let onset: number | undefined;
  let second = random.uniform(shortestDwell, seconds * 0.5);
  for (let i = 0; i < stepCount; i += 1) {
    points.push([second, rate]);
    onset ??= second;
    rate =
      i === stepCount - 1
        ? Math.min(rate * 0.8, Math.max(burst * ratio, burst * 0.03))
        : rate * random.uniform(0.4, 0.8);
    points.push([second, rate]);
    second += random.uniform(shortestDwell, (seconds - second) * (i === 0 ? 0.6 : 0.8));
    if (second > seconds - shortestDwell) break;
  }
  return {
    seconds,
    burst,
    baseline: rate,
    onset,
    verdict: 'multi_step',
    accept: ['multi_step'],
    meanRate: knots(points),
  };
}

export function periodic(random: Random, seconds: number, period: number, duty: number, first: number): Shape {
  const { burst } = profile(random);
  const floor = burst * random.uniform(0.005, 0.4);
  let isFirst = true;
  const made = dwells(
    {
      seconds,
      burst,
      baseline: floor,
      onset: first,
      verdict: 'periodic_recharge',
      accept: ['periodic_recharge'],
      meanRate: () => 0,
    },
    (isHigh) => {
      const length = period * (isHigh ? duty : 1 - duty) * random.uniform(0.85, 1.15);
      const dwell = isHigh && isFirst ? first : length;
      isFirst = false;
      return [dwell, isHigh ? burst : floor];
    },
  );
  return made;
}

export function ramp(random: Random, seconds: number): Shape {
  const { burst } = profile(random);
  const total = random.uniform(0.16, 0.42) * random.pick([-1, 1]);
  const [start, end] = total < 0 ? [burst, burst * (1 + total)] : [burst * (1 - total), burst];
  return {
    seconds,
    burst,
    verdict: 'ramp',
    accept: ['ramp'],
    meanRate: knots([
      [0, start],
      [seconds, end],
    ]),
  };
}

export function excursion(random: Random, seconds: number, count: number, shortest: number, longest: number): Shape {
  const base = level(random, seconds, 'transient_dips', [...LOOSE.slice(0, 2), 'level_shift', 'multi_step']);
  const depth = random.uniform(0.18, 0.8);
  const spans = Array.from({ length: count }, (_, index) => {
    const length = random.uniform(shortest, longest);
    const from = seconds * (0.1 + (0.75 * index) / count) + random.uniform(0, 0.1 * seconds);
    return { from, to: Math.min(from + length, seconds * 0.86) };
  });
  return scaled(base, (second) => (spans.some((span) => second >= span.from && second < span.to) ? 1 - depth : 1));
}

export function cubic(random: Random): Shape {
  const base = level(random, 1800, 'noisy', [...LOOSE, 'ramp', 'level_shift']);
  const events = Array.from({ length: random.integer(3, 9) }, () => random.uniform(20, 1780)).sort((a, b) => a - b);
  const depth = random.uniform(0.3, 0.7);
  const recovery = random.uniform(60, 260);
  return scaled(base, (second) => {
    const last = events.filter((event) => event <= second).at(-1);
    if (last === undefined || second - last > recovery) return 1;
    return 1 - depth * (1 - (second - last) / recovery) ** 1.3;
  });
}

export function decline(random: Random): Shape {
  const { burst } = profile(random);
  const from = random.uniform(250, 900);
  const to = from + random.uniform(90, 700);
  const end = burst * random.uniform(0.4, 0.75);
  const accept = ['ramp', 'level_shift', 'multi_step', 'noisy'];
  return {
    seconds: 1800,
    burst,
    verdict: 'ramp',
    accept,
    meanRate: knots([
      [0, burst],
      [from, burst],
      [to, end],
    ]),
  };
}

export function settling(shape: Shape, timeConstant: number, share: number): Shape {
  const drop = shape.burst - shape.baseline!;
  const onset = shape.onset!;
  const amplitude = share >= 0 ? drop * share : shape.baseline! * share;
  return {
    ...shape,
    meanRate: (from, to) => {
      const since = Math.max(0, from - onset);
      const until = Math.max(0, to - onset);
      const tail = timeConstant * (Math.exp(-since / timeConstant) - Math.exp(-until / timeConstant));
      return shape.meanRate(from, to) + (amplitude * tail) / (to - from);
    },
  };
}

export function wander(random: Random, seconds: number): Shape {
  const base = level(random, seconds, 'noisy', [...LOOSE, 'ramp']);
  const waves = Array.from({ length: 3 }, () => ({
    period: random.uniform(300, 1500),
    phase: random.uniform(0, 6.28),
    size: random.uniform(0.01, 0.04),
  }));
  return scaled(base, (second) =>
    waves.reduce(
      (product, wave) => product * (1 + wave.size * Math.sin((6.28 * second) / wave.period + wave.phase)),
      1,
    ),
  );
}

export type Maker = (random: Random) => Shape;
