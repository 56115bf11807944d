/**
 * The cost of an assumed drop time: how badly it explains the samples around it. The sample that spans the drop mixes
 * both levels in proportion to the time at each, which locates the onset within that sample. After the drop the rate
 * may settle from above, or recover from an undershoot, exponentially. Losses are bounded, so that dips don't move the
 * onset.
 */
import { LOSS_BOUND } from './observe';
import { endOf, type RateInterval } from '../series/rate-series';
import { clamp } from '../maths/statistics';

export interface Side {
  readonly level: number;
  readonly deviation: number;
}

/** `amplitude` is the excess over the baseline right after the drop, negative for an undershoot; null fits it. */
export interface Settling {
  readonly amplitude: number | null;
  readonly timeConstantSeconds: number;
}

const BOUND = LOSS_BOUND ** 2;
/** After this many time constants the rate has settled. */
const SETTLED = 6;
/** Samples that fit neither level are a sign of settling only within this distance of the drop. */
const UNSETTLED_SAMPLES = 12;
/** Tolerances, because the settling is not exactly exponential and the host's clock may differ from the tool's. */
const SHAPE_ERROR = 0.07;
const TIMING_ERROR = 0.01;
/** The share of the drop that traffic from the burst, still queued, may add to the first sample after it. */
const QUEUED_SHARE = 0.01;

export class DropLikelihood {
  private readonly before: Float64Array;
  private readonly after: Float64Array;
  private readonly unit: number;
  private readonly bound: number;
  private readonly drop: number;

  constructor(
    private readonly window: readonly RateInterval[],
    private readonly burst: Side,
    private readonly baseline: Side,
  ) {
    this.unit = Math.min(burst.deviation, baseline.deviation);
    this.bound = BOUND + 2 * Math.log(Math.max(burst.deviation, baseline.deviation) / this.unit);
    this.drop = Math.max(this.unit, burst.level - baseline.level);
    const count = window.length;
    this.before = new Float64Array(count + 1);
    this.after = new Float64Array(count + 1);
    for (let i = 0; i < count; i += 1) {
      this.before[i + 1] = this.before[i]! + this.loss(window[i]!.bitsPerSecond - burst.level, burst.deviation);
    }
    for (let i = count - 1; i >= 0; i -= 1) {
      this.after[i] = this.after[i + 1]! + this.loss(window[i]!.bitsPerSecond - baseline.level, baseline.deviation);
    }
  }

  /** Costs of drops at first, first + step, …; a cost above `limit` may be returned as Infinity. */
  profile(first: number, step: number, count: number, settling: Settling | null, limit = Infinity): Float64Array {
    const costs = new Float64Array(count);
    let spanning = 0;
    for (let k = 0; k < count; k += 1) {
      const onsetSeconds = first + k * step;
      while (spanning < this.window.length && endOf(this.window[spanning]!) <= onsetSeconds) spanning += 1;
      const before = this.before[spanning]!;
      if (before > limit) costs[k] = Infinity;
      else if (settling) costs[k] = before + this.settlingCost(spanning, onsetSeconds, settling, limit - before);
      else costs[k] = before + this.stepCost(spanning, onsetSeconds);
    }
    return costs;
  }

  /** Whether several samples around the drop fit neither level, more than the one that spans it and its neighbour. */
  looksUnsettled(onsetSeconds: number): boolean {
    const { burst, baseline, window } = this;
    const reach = UNSETTLED_SAMPLES * (window[0]?.lengthSeconds ?? 0);
    const strays = window.filter(({ startSeconds, bitsPerSecond }) => {
      if (Math.abs(startSeconds - onsetSeconds) > reach) return false;
      const isBurst = Math.abs(bitsPerSecond - burst.level) <= LOSS_BOUND * burst.deviation;
      return !isBurst && Math.abs(bitsPerSecond - baseline.level) > LOSS_BOUND * baseline.deviation;
    });
    return strays.length >= 3;
  }

  private stepCost(spanning: number, onsetSeconds: number): number {
    const interval = this.window[spanning];
    if (!interval) return 0;
    if (interval.startSeconds >= onsetSeconds) return this.firstAfter(spanning);
    return this.mixedLoss(interval, onsetSeconds, 0) + this.firstAfter(spanning + 1);
  }

  /** Cost of the samples from `index` on, of which the first may still carry traffic that was queued in the burst. */
  private firstAfter(index: number): number {
    const interval = this.window[index];
    if (!interval) return 0;
    const { burst, baseline } = this;
    const tolerance = Math.hypot(baseline.deviation, QUEUED_SHARE * (burst.level - baseline.level));
    return this.loss(interval.bitsPerSecond - baseline.level, tolerance, baseline.deviation) + this.after[index + 1]!;
  }

  private settlingCost(
    spanning: number,
    onsetSeconds: number,
    { amplitude, timeConstantSeconds }: Settling,
    limit: number,
  ): number {
    const excess = amplitude ?? this.fittedAmplitude(spanning, onsetSeconds, timeConstantSeconds);
    let cost = 0;
    let index = spanning;
    for (; index < this.window.length; index += 1) {
      const interval = this.window[index]!;
      if (interval.startSeconds - onsetSeconds > SETTLED * timeConstantSeconds) break;
      if (cost > limit) return Infinity;
      cost += this.mixedLoss(interval, onsetSeconds, excess * meanDecay(interval, onsetSeconds, timeConstantSeconds));
    }
    return cost + this.after[index]!;
  }

  /**
   * −2 ln of the normal density up to a constant, bounded. The logarithm keeps a burst that scatters from claiming the
   * samples of a quiet baseline. It takes the `scatter` alone, without the tolerances of the model.
   */
  private loss(residual: number, deviation: number, scatter = deviation): number {
    const scaled = residual / deviation;
    const loss = scaled * scaled + 2 * Math.log(scatter / this.unit);
    if (loss < this.bound) return loss;
    // A sample that fits neither level is more likely to belong to the nearer one.
    return this.bound + Math.min(1, Math.abs(residual) / this.drop);
  }

  private mixedLoss(interval: RateInterval, onsetSeconds: number, excess: number): number {
    const { burst, baseline } = this;
    const share = clamp((onsetSeconds - interval.startSeconds) / interval.lengthSeconds, 0, 1);
    const expected = share * burst.level + (1 - share) * baseline.level + excess;
    const timing = share > 0 ? TIMING_ERROR * (burst.level - baseline.level) : 0;
    const own = share * burst.deviation + (1 - share) * baseline.deviation;
    const deviation = Math.sqrt(own * own + timing * timing + (SHAPE_ERROR * excess) ** 2);
    return this.loss(interval.bitsPerSecond - expected, deviation, Math.sqrt(own * own + timing * timing));
  }

  /** Fits the amplitude by least squares to the samples within three time constants. */
  private fittedAmplitude(spanning: number, onsetSeconds: number, timeConstant: number): number {
    let products = 0;
    let squares = 0;
    for (let index = spanning; index < this.window.length; index += 1) {
      const interval = this.window[index]!;
      if (interval.startSeconds < onsetSeconds) continue;
      if (interval.startSeconds - onsetSeconds > 3 * timeConstant) break;
      const decay = meanDecay(interval, onsetSeconds, timeConstant);
      products += (interval.bitsPerSecond - this.baseline.level) * decay;
      squares += decay * decay;
    }
    const drop = this.burst.level - this.baseline.level;
    return squares > 0 ? clamp(products / squares, -0.9 * this.baseline.level, drop) : 0;
  }
}

/** The mean over an interval of exp(−(t − onset) / timeConstant) where t is after the drop, else 0. */
function meanDecay(interval: RateInterval, onsetSeconds: number, timeConstant: number): number {
  const atStart = Math.exp(-Math.max(0, interval.startSeconds - onsetSeconds) / timeConstant);
  const atEnd = Math.exp(-Math.max(0, endOf(interval) - onsetSeconds) / timeConstant);
  return (timeConstant * (atStart - atEnd)) / interval.lengthSeconds;
}
