/** Token buckets that run empty under a duty cycle, with what is true of them. */
import type { DutyCycle } from '../../domain/model/settings';
import type { RateInterval } from '../../domain/series/rate-series';
import { seededRandom, type Random } from './random';

export interface SimulatedCycles {
  readonly id: string;
  readonly dutyCycle: DutyCycle;
  readonly series: readonly RateInterval[];
  readonly truth: {
    readonly runCount: number;
    readonly burstBitsPerSecond: number;
    readonly baselineBitsPerSecond: number;
    /** On the time axis with the pauses. */
    readonly onsetSeconds: number;
    readonly bucketBits: number;
  };
}

const RUNS = { fewest: 2, most: 30 } as const;
/** Less of a run at the baseline, and nobody could tell that its bucket ran empty. */
const SHORTEST_LOW_SECONDS = 5;
/** The longest measurement that a plan may ask for. */
const LONGEST_SECONDS = 7200;

/** The bucket runs empty within one of the runs; before that, every run spends more than the next pause earns. */
export function simulateCycles(seed: number): SimulatedCycles {
  const random = seededRandom(seed);
  for (;;) {
    const plan = planOf(random);
    const { dutyCycle, runCount, burst, baseline, emptyRun, emptySeconds } = plan;
    const { onSeconds, offSeconds } = dutyCycle;
    const spent = ((emptyRun - 1) * onSeconds + emptySeconds) * (burst - baseline);
    const bucketBits = spent - (emptyRun - 1) * offSeconds * baseline;
    const { series, onsetSeconds } = underLoad(random, plan, bucketBits);
    // What TCP did not send while it was starting lasts for longer than planned.
    const lowSeconds = onsetSeconds === Infinity ? 0 : onSeconds - (onsetSeconds % (onSeconds + offSeconds));
    if (lowSeconds < SHORTEST_LOW_SECONDS) continue;
    return {
      id: `cycles-${seed}`,
      dutyCycle,
      series: withScatter(random, series),
      truth: { runCount, burstBitsPerSecond: burst, baselineBitsPerSecond: baseline, onsetSeconds, bucketBits },
    };
  }
}

interface CyclePlan {
  readonly dutyCycle: DutyCycle;
  readonly runCount: number;
  readonly burst: number;
  readonly baseline: number;
  /** The run in which the bucket runs empty, from 1, and the second of that run. */
  readonly emptyRun: number;
  readonly emptySeconds: number;
}

/** Draws again until a plan may have the cycles, and the credits that a pause earns last for a part of a run only. */
function planOf(random: Random): CyclePlan {
  const burst = random.logUniform(1e8, 2.5e10);
  const baseline = burst * random.logUniform(0.03, 0.6);
  const seconds = () => Math.round(random.logUniform(10, 1800));
  const dutyCycle = { onSeconds: seconds(), offSeconds: seconds() };
  const runCount = random.integer(RUNS.fewest, RUNS.most);
  const emptyRun = random.integer(1, runCount);
  const regainedSeconds = emptyRun === 1 ? 0 : (baseline * dutyCycle.offSeconds) / (burst - baseline);
  const [earliest, latest] = [regainedSeconds + 2, dutyCycle.onSeconds - SHORTEST_LOW_SECONDS];
  const isTooLong = runCount * (dutyCycle.onSeconds + dutyCycle.offSeconds) > LONGEST_SECONDS;
  if (isTooLong || earliest >= latest) return planOf(random);
  return { dutyCycle, runCount, burst, baseline, emptyRun, emptySeconds: random.uniform(earliest, latest) };
}

/**
 * What iperf3 would print, one interval per second of load, and when the credits ran out. In the first second of every
 * run TCP is still starting.
 *
 * @returns an onset of Infinity where the credits last until the end
 */
function underLoad(random: Random, { dutyCycle, runCount, burst, baseline }: CyclePlan, bucketBits: number) {
  const { onSeconds, offSeconds } = dutyCycle;
  const series: RateInterval[] = [];
  let credits = bucketBits;
  let onsetSeconds = Infinity;
  for (let run = 0; run < runCount; run += 1) {
    for (let second = 0; second < onSeconds; second += 1) {
      const startSeconds = run * (onSeconds + offSeconds) + second;
      const offered = burst * (second === 0 ? random.uniform(0.5, 1) : 1);
      const wanted = offered - baseline;
      const spent = Math.min(wanted, credits);
      if (spent < wanted) onsetSeconds = Math.min(onsetSeconds, startSeconds + spent / wanted);
      credits = Math.min(bucketBits, credits - spent);
      series.push({ startSeconds, lengthSeconds: 1, bitsPerSecond: baseline + spent });
    }
    credits = Math.min(bucketBits, credits + baseline * offSeconds);
  }
  return { series, onsetSeconds };
}

function withScatter(random: Random, series: readonly RateInterval[]): RateInterval[] {
  const deviation = random.logUniform(0.001, 0.06);
  const autocorrelation = random.uniform(0, 0.7);
  let state = random.normal();
  return series.map((sample) => {
    state = autocorrelation * state + Math.sqrt(1 - autocorrelation ** 2) * random.normal();
    return { ...sample, bitsPerSecond: sample.bitsPerSecond * Math.max(0, 1 + deviation * state) };
  });
}
