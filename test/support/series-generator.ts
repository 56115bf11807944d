/**
 * Labelled series from a seed: a true rate, averaged over the samples, with correlated noise, gaps and the tools'
 * rounding.
 */
import type { LabelledSeries } from './prediction';
import { seededRandom, type Random } from './random';
import type { Shape } from './series-parts';
import { EDGE_KINDS, LONG_KINDS, SHORT_KINDS } from './series-shapes';

const ALL_KINDS = { ...LONG_KINDS, ...SHORT_KINDS, ...EDGE_KINDS };

interface NoiseModel {
  readonly deviation: number;
  readonly autocorrelation: number;
  /** Degrees of freedom of Student's t, whose tails are heavier than the normal's. */
  readonly degreesOfFreedom: number;
  readonly form: 'symmetric' | 'capped' | 'lognormal';
}

const MOST_DEVIATION = 0.4;

/** `harshness` multiplies the scatter and lengthens its memory: 1 is what the benchmark shows, 2 is twice that. */
export function generateSeries(kind: string, seed: number, harshness = 1): LabelledSeries {
  const make = ALL_KINDS[kind];
  if (!make) throw new RangeError(`kind: must be one of ${Object.keys(ALL_KINDS).join(', ')}, got ${kind}`);
  const random = seededRandom(seed * 7919 + hashOf(kind));
  const shape = make(random);
  const dt = kind.endsWith('_100ms') ? 0.1 : 1;
  const usual = noiseFor(kind, random);
  const noise = {
    ...usual,
    deviation: Math.min(MOST_DEVIATION, usual.deviation * harshness),
    autocorrelation: 1 - (1 - usual.autocorrelation) / harshness,
  };
  const { t, bps } = sample(shape, noise, random, kind.startsWith('short_'), dt);
  const isThrottled = shape.onset !== undefined;
  return {
    id: `${kind}-${seed}`,
    kind,
    dt,
    t,
    bps,
    truth: {
      verdict: shape.verdict,
      accept: shape.accept,
      throttled: isThrottled,
      burst_bps: shape.burst,
      ...(isThrottled
        ? {
            onset_s: shape.onset,
            baseline_bps: shape.baseline!,
            capacity_bits: (shape.burst - shape.baseline!) * shape.onset,
            gap_at_onset_s: shape.gap ? shape.gap.to - shape.gap.from : 0,
          }
        : {}),
    },
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return hash;
}

function noiseFor(kind: string, random: Random): NoiseModel {
  const form = random.pick(['symmetric', 'capped', 'lognormal'] as const);
  const degreesOfFreedom = random.integer(4, 30);
  const { deviation, autocorrelation } = scatterOf(kind, random);
  return { deviation: deviation(), autocorrelation: random.uniform(...autocorrelation), degreesOfFreedom, form };
}

interface Scatter {
  readonly deviation: () => number;
  readonly autocorrelation: readonly [number, number];
}

/** As wide as the benchmark's own noise is where a kind is about noise, and log-uniform elsewhere. */
function scatterOf(kind: string, random: Random): Scatter {
  if (kind.startsWith('short_')) {
    return { deviation: () => random.logUniform(0.003, 0.03), autocorrelation: [0, 0.4] };
  }
  if (kind === 'burst_heavy') return { deviation: () => random.uniform(0.1, 0.25), autocorrelation: [0.6, 0.92] };
  if (kind === 'burst_hard') return { deviation: () => random.uniform(0.09, 0.38), autocorrelation: [0.3, 0.9] };
  if (kind.startsWith('steady_noisy')) {
    return { deviation: () => random.uniform(0.07, 0.25), autocorrelation: [0.6, 0.92] };
  }
  return { deviation: () => random.logUniform(0.0003, 0.1), autocorrelation: [0, 0.85] };
}

function sample(shape: Shape, noise: NoiseModel, random: Random, isShort: boolean, length: number) {
  const t: number[] = [];
  const bps: number[] = [];
  const gaps = isShort || random.chance(0.7) ? [] : randomGaps(random, shape);
  if (shape.gap) gaps.push(shape.gap);
  const missingShare = isShort ? 0 : random.pick([0, 0, 0.01, 0.03]);
  const slowStart = isShort ? random.uniform(0.97, 1.03) : random.uniform(0.4, 1);
  const { autocorrelation: phi, degreesOfFreedom } = noise;
  let state = random.studentT(degreesOfFreedom);
  const count = Math.round(shape.seconds / length);
  for (let index = 0; index < count; index += 1) {
    const second = index * length;
    state = phi * state + Math.sqrt(1 - phi * phi) * random.studentT(degreesOfFreedom);
    if (gaps.some((gap) => second + length > gap.from && second < gap.to) || random.chance(missingShare)) continue;
    const rate = shape.meanRate(second, second + length);
    const isLow = shape.baseline !== undefined && rate < 0.5 * (shape.burst + shape.baseline);
    const relative = noise.deviation * (isLow ? (shape.quietRates ?? 1) : 1) * state;
    const factor =
      noise.form === 'lognormal' ? Math.exp(relative) : noise.form === 'capped' ? 1 - Math.abs(relative) : 1 + relative;
    const value = rate * Math.max(0, factor) * (second === 0 ? slowStart : 1);
    t.push(Number(second.toFixed(3)));
    bps.push(value === 0 ? 0 : Number(value.toPrecision(4)));
  }
  return { t, bps };
}

function randomGaps(random: Random, shape: Shape): { from: number; to: number }[] {
  return Array.from({ length: random.integer(1, 2) }, () => {
    const from = random.uniform(0, shape.seconds);
    return { from, to: from + random.uniform(10, 100) };
  }).filter((gap) => shape.onset === undefined || gap.to < shape.onset - 5 || gap.from > shape.onset + 5);
}
