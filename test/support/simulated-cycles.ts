/**
 * Duty cycles over a token bucket, and over networks without one: the series as the tool would print it, one sample per
 * second of load, with what is true of it. The same seed gives the same series.
 */
import type { DutyCycle } from '../../domain/model/settings';
import type { RateInterval } from '../../domain/series/rate-series';
import type { AllowanceGrowth } from '../../domain/verdict/evidence';
import { seededRandom, type Random } from './random';

export interface TokenBucket {
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  readonly bucketBits: number;
}

/** Relative standard deviations, and the correlation of neighbouring samples. */
export interface CycleNoise {
  readonly burst: number;
  readonly baseline: number;
  readonly autocorrelation: number;
  /** The chance of a sample to lose 10 to 60 % of its traffic. */
  readonly dipChance: number;
  /** What the first second of each run carries, as a share. */
  readonly firstSecondShare: number;
}

export interface SimulatedCycles {
  readonly name: string;
  readonly dutyCycle: DutyCycle;
  readonly series: readonly RateInterval[];
  /** What the sender's card counts: packets in the seconds in which the bucket was empty. */
  readonly allowance: readonly AllowanceGrowth[];
  readonly runCount: number;
  readonly noise: CycleNoise;
  /** null where the bucket never ran empty. */
  readonly truth: CycleTruth | null;
}

export interface CycleTruth extends TokenBucket {
  /** On the axis of the measurement, with the pauses. */
  readonly onsetSeconds: number;
  /** Whole seconds before the onset. */
  readonly burstSampleCount: number;
  /** Whole seconds at the baseline, of all runs. */
  readonly lowSampleCount: number;
  /** Of the run after the one that runs empty that has the fewest; Infinity where there is none. */
  readonly fewestLowInLaterRun: number;
}

interface CarriedSecond {
  readonly run: number;
  readonly second: number;
  readonly bits: number;
  /** What the load offered beyond the bucket. */
  readonly shapedBits: number;
}

const TICKS_PER_SECOND = 1000;
const BITS_PER_PACKET = 12_000;
/** The share of the load beyond the bucket that the sender offers before it slows down. */
const QUEUED_SHARE = 0.05;

/**
 * A bucket that starts full, tick by tick, and a load that the network itself may slow: what gets through in each second
 * of each run. What a dip does not carry does not spend credits.
 *
 * @param carriedShare of the burst, for every second of load
 */
export function throughBucket(
  { onSeconds, offSeconds }: DutyCycle,
  runCount: number,
  { burstBitsPerSecond, baselineBitsPerSecond, bucketBits }: TokenBucket,
  carriedShare: (second: number) => number,
) {
  const earned = baselineBitsPerSecond / TICKS_PER_SECOND;
  let credits = bucketBits;
  let onsetSeconds: number | null = null;
  const seconds: CarriedSecond[] = [];
  for (let run = 0; run < runCount; run += 1) {
    for (let second = 0; second < onSeconds; second += 1) {
      const wanted = (burstBitsPerSecond * carriedShare(run * onSeconds + second)) / TICKS_PER_SECOND;
      let bits = 0;
      let shapedBits = 0;
      for (let tick = 0; tick < TICKS_PER_SECOND; tick += 1) {
        const sent = Math.min(wanted, earned + credits);
        if (sent < wanted) onsetSeconds ??= run * (onSeconds + offSeconds) + second + tick / TICKS_PER_SECOND;
        credits = Math.min(bucketBits, credits + earned - sent);
        bits += sent;
        shapedBits += wanted - sent;
      }
      seconds.push({ run, second, bits, shapedBits });
    }
    credits = Math.min(bucketBits, credits + baselineBitsPerSecond * offSeconds);
  }
  return { seconds, onsetSeconds };
}

/** The same as the tool would print it, and what the sender's card counts. */
function recorded(
  name: string,
  random: Random,
  dutyCycle: DutyCycle,
  runCount: number,
  bucket: TokenBucket,
  noise: CycleNoise,
  disturbance: (second: number) => number = () => 1,
): SimulatedCycles {
  const { onSeconds, offSeconds } = dutyCycle;
  const total = runCount * onSeconds;
  const waves = new Float64Array(total);
  for (let second = 0; second < total; second += 1) {
    const before = second === 0 ? random.normal() : waves[second - 1]!;
    waves[second] = noise.autocorrelation * before + Math.sqrt(1 - noise.autocorrelation ** 2) * random.normal();
  }
  const carried = Float64Array.from(waves, (wave, second) => {
    const dip = random.chance(noise.dipChance) ? random.uniform(0.4, 0.9) : 1;
    const start = second % onSeconds === 0 ? noise.firstSecondShare : 1;
    return Math.exp(noise.burst * wave) * dip * start * disturbance(second);
  });
  const { seconds, onsetSeconds } = throughBucket(dutyCycle, runCount, bucket, (second) => carried[second]!);
  const lateSeconds = Array.from({ length: runCount }, () => random.uniform(0, 0.2));
  return {
    name,
    dutyCycle,
    runCount,
    noise,
    series: seconds.map(({ run, second, bits, shapedBits }, index) => ({
      startSeconds: run * (onSeconds + offSeconds) + second + lateSeconds[run]!,
      lengthSeconds: 1,
      // What is queued in one second is counted in the next: a shaped rate scatters, though the bucket does not.
      bitsPerSecond: shapedBits > 0 ? bits * Math.exp(noise.baseline * waves[index]!) : bits,
    })),
    allowance: seconds.map(({ run, second, shapedBits }) => ({
      hostRole: 'client',
      startSeconds: run * (onSeconds + offSeconds) + second,
      bwInAllowanceExceeded: 0,
      bwOutAllowanceExceeded: Math.ceil((QUEUED_SHARE * shapedBits) / BITS_PER_PACKET),
      ppsAllowanceExceeded: 0,
    })),
    truth: onsetSeconds === null ? null : { ...bucket, onsetSeconds, ...countsOf(seconds, bucket, runCount) },
  };
}

function countsOf(seconds: readonly CarriedSecond[], { baselineBitsPerSecond }: TokenBucket, runCount: number) {
  const isLow = ({ bits, shapedBits }: CarriedSecond) => shapedBits > 0 && bits < 1.001 * baselineBitsPerSecond;
  const burstSampleCount = seconds.findIndex(({ shapedBits }) => shapedBits > 0);
  const emptyRun = seconds[burstSampleCount]?.run ?? runCount;
  const lowInRuns = Array.from(
    { length: runCount },
    (_, run) => seconds.filter((each) => each.run === run && isLow(each)).length,
  );
  return {
    burstSampleCount,
    lowSampleCount: seconds.filter(isLow).length,
    fewestLowInLaterRun: Math.min(...lowInRuns.slice(emptyRun + 1)),
  };
}

const MOST_SAMPLES = 2400;

/** Cycles that run empty in any of their runs, early or late in it, down to its last tenths of a second. */
export function cyclesThatRunEmpty(seed: number, runs?: number): SimulatedCycles {
  const random = seededRandom(seed);
  const runCount = runs ?? random.integer(2, 30);
  const onSeconds = Math.round(random.logUniform(10, Math.min(900, MOST_SAMPLES / runCount)));
  const burstBitsPerSecond = random.logUniform(0.1e9, 25e9);
  const baselineBitsPerSecond = burstBitsPerSecond * random.logUniform(0.03, 0.75);
  const spentBitsPerSecond = burstBitsPerSecond - baselineBitsPerSecond;
  // So long that a run spends more than the pause before it earns, in half of the series by little.
  const longestOff = (onSeconds * spentBitsPerSecond) / baselineBitsPerSecond;
  const offSeconds = Math.max(1, Math.min(3600, Math.round(longestOff * random.uniform(0.05, random.chance(0.5) ? 0.97 : 0.5)))); // prettier-ignore
  const earnedBits = baselineBitsPerSecond * offSeconds;
  const emptyRun = random.integer(0, runCount - 1);
  const first = emptyRun === 0 ? 1 : Math.min(onSeconds - 0.1, earnedBits / spentBitsPerSecond);
  const within = random.pick([
    random.uniform(first, onSeconds - 0.05),
    random.uniform(first, onSeconds - 0.05),
    onSeconds - random.uniform(0.05, 1),
    first + random.uniform(0, 0.05) * (onSeconds - first),
  ]);
  const netBits = Math.max(0, spentBitsPerSecond * onSeconds - earnedBits);
  const bucketBits = emptyRun * netBits + Math.max(within, first) * spentBitsPerSecond;
  const burst = random.logUniform(0.002, 0.04);
  return recorded(
    `seed ${seed}: ${runCount} × ${onSeconds} s on, ${offSeconds} s off, empty in run ${emptyRun + 1} after ${within.toFixed(1)} s`,
    random,
    { onSeconds, offSeconds },
    runCount,
    { burstBitsPerSecond, baselineBitsPerSecond, bucketBits },
    {
      burst,
      baseline: random.chance(0.2) ? random.uniform(0.04, 0.2) : burst * random.uniform(0.1, 1),
      autocorrelation: random.pick([0, 0, 0.3, 0.6]),
      dipChance: random.pick([0, 0, 0.003, 0.01]),
      firstSecondShare: random.pick([1, random.uniform(0.7, 1)]),
    },
  );
}

/** Whether the samples can show the drop at all. */
export function isDecidable(cycles: SimulatedCycles, truth: CycleTruth): boolean {
  const depth = Math.log(truth.burstBitsPerSecond / truth.baselineBitsPerSecond);
  return (
    truth.burstSampleCount >= 3 &&
    truth.lowSampleCount >= 5 &&
    truth.fewestLowInLaterRun >= 2 &&
    depth >= 6 * Math.max(cycles.noise.burst, cycles.noise.baseline)
  );
}

/** What a network without a bucket, or with one that lasts, does to the rate: a factor per second of load. */
type Disturbance = (random: Random, total: number, onSeconds: number) => (index: number) => number;

const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  'nothing but scatter': () => () => 1,
  'dips of some seconds': (random, total) => {
    const factors = new Float64Array(total).fill(1);
    const meanSeconds = random.uniform(30, 300);
    for (let at = random.exponential(meanSeconds); at < total; at += random.exponential(meanSeconds)) {
      const depth = random.uniform(0.3, 0.85);
      factors.fill(depth, Math.floor(at), Math.floor(at) + random.integer(1, 8));
    }
    return (index) => factors[index] ?? 1;
  },
  'slow waves': (random) => {
    const [period, size] = [random.uniform(60, 900), random.uniform(0.02, 0.15)];
    return (index) => 1 + size * Math.sin((2 * Math.PI * index) / period);
  },
  'a slow last second of every run': (random, _, onSeconds) => {
    const share = random.uniform(0.3, 0.95);
    return (index) => (index % onSeconds === onSeconds - 1 ? share : 1);
  },
  'a slow start of every run': (random, _, onSeconds) => {
    const [share, seconds] = [random.uniform(0.3, 0.95), random.integer(1, 4)];
    return (index) => (index % onSeconds < seconds ? share : 1);
  },
  'a competitor that comes and leaves': (random, total, onSeconds) => {
    const share = random.uniform(0.4, 0.85);
    const from = random.uniform(0.05, 0.5) * total;
    // It leaves before the last run begins: until then nobody can know that it will.
    const to = Math.min(from + random.uniform(0.1, 0.4) * total, total - onSeconds);
    return (index) => (index >= from && index < to ? share : 1);
  },
};

/** Cycles whose credits last, over a network that does one of the above. */
export function cyclesThatLast(seed: number, runs?: number): SimulatedCycles {
  const random = seededRandom(seed);
  const runCount = runs ?? random.integer(2, 30);
  const onSeconds = Math.round(random.logUniform(10, Math.min(900, MOST_SAMPLES / runCount)));
  const offSeconds = Math.round(random.logUniform(5, 1800));
  const burstBitsPerSecond = random.logUniform(0.1e9, 25e9);
  const baselineBitsPerSecond = burstBitsPerSecond * random.logUniform(0.03, 0.75);
  const burst = random.logUniform(0.002, 0.06);
  const names = Object.keys(DISTURBANCES);
  const name = names[seed % names.length]!;
  const total = runCount * onSeconds;
  return recorded(
    `seed ${seed}: ${runCount} × ${onSeconds} s on, ${offSeconds} s off, ${name}`,
    random,
    { onSeconds, offSeconds },
    runCount,
    { burstBitsPerSecond, baselineBitsPerSecond, bucketBits: 1.3 * total * burstBitsPerSecond },
    {
      burst,
      baseline: burst,
      autocorrelation: random.pick([0, 0, 0.3, 0.6, 0.9]),
      dipChance: random.pick([0, 0, 0.003, 0.01]),
      firstSecondShare: random.pick([1, random.uniform(0.7, 1)]),
    },
    DISTURBANCES[name]!(random, total, onSeconds),
  );
}
