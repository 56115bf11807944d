/**
 * Generated runs whose truth is known before anything is measured: types, paths or placements with a token bucket or
 * without one, in several settings, on several pairs. Rates are in Gbit/s, volumes in Gbit. The truth is computed from
 * the bucket of each subject alone, and knows nothing of how the answer is made.
 */
import type { PairCost } from '../../domain/model/cost';
import type { MeasurementResult } from '../../domain/model/result';
import { pairCost } from './costs';
import {
  latencyResult,
  published,
  steadyResult,
  steadyVerdict,
  throttledResult,
  throttledVerdict,
} from './measurement-results';
import { seededRandom, type Random } from './random';

export interface Subject {
  readonly name: string;
  readonly facts: Partial<MeasurementResult>;
  /** null: a type without credits, which carries its `baseline` for ever. */
  readonly volume: number | null;
  readonly baseline: number;
  /** The burst of each pair, of which there may be two modes. */
  readonly bursts: readonly number[];
  /** What one stream carries at most. */
  readonly streamCap: number;
  readonly usd: number | null;
  /** Whether its bandwidth is published, without which a steady rate is not known to last, nor to be a burst. */
  readonly isPublished: boolean;
  /** Of a type without credits: whether its seconds scatter down to 60 % of the mean. */
  readonly isNoisy: boolean;
  /** The standard deviation of the rates between pairs, as a share. */
  readonly noise: number;
  readonly p50: number;
}

export interface Setting {
  readonly words: string;
  readonly facts: Partial<MeasurementResult>;
  readonly streams: number;
  readonly offered?: number;
  readonly durations: readonly number[];
}

/** Round trips of one tool, protocol and size, and how much longer they are than the shortest ones. */
export interface Probe {
  readonly words: string;
  readonly facts: Partial<MeasurementResult>;
  readonly factor: number;
}

export interface GeneratedRun {
  readonly question: 'types' | 'conditions' | 'settings';
  readonly subjects: readonly Subject[];
  readonly settings: readonly Setting[];
  readonly probes: readonly Probe[];
  // Measured on the first subject alone.
  readonly unshared?: Setting;
  readonly results: readonly MeasurementResult[];
  readonly costs: readonly PairCost[];
}

/** Each at least 1.9 times the one before, and none near to where a rate of 1, 2, 5 or 10 counts as reached. */
const LEVELS = [0.13, 0.25, 0.6, 1.25, 2.5, 5.5, 12] as const;
const TYPES = ['c5.large', 'c5.xlarge', 'c6gd.large', 'c7g.large', 'm5.large', 'm7i.large', 'r5.large', 't3.small'];
const PATHS = [
  ['private address', 'private'],
  ['public address', 'public'],
  ['load balancer', 'nlb'],
  ['VPC peering', 'peering'],
] as const;
const PLACEMENTS = { 'no placement group': 'none', 'cluster group': 'cluster', 'spread group': 'spread' } as const;

const tcp = (streams: number, durations: readonly number[], direction = 'forward'): Setting => ({
  words: `iperf3, TCP, ${streams} stream${streams === 1 ? '' : 's'}, ${direction}`,
  facts: { parallelStreams: streams, direction: direction as 'forward' },
  streams,
  durations,
});

const udp = (offered: number, durations: readonly number[]): Setting => ({
  words: `iperf3, UDP, 8 streams, ${offered.toPrecision(3)} Gbit/s offered, forward`,
  facts: { protocol: 'udp', parallelStreams: 8, direction: 'forward', targetBitsPerSecond: offered * 1e9 },
  streams: 8,
  offered,
  durations,
});

const PROBES: readonly Probe[] = [
  { words: 'sockperf, TCP, messages of 64 bytes', facts: { tool: 'sockperf', messageBytes: 64 }, factor: 1 },
  { words: 'sockperf, TCP, messages of 1 KiB', facts: { tool: 'sockperf', messageBytes: 1024 }, factor: 1.6 },
  {
    words: 'sockperf, UDP, messages of 64 bytes',
    facts: { tool: 'sockperf', messageBytes: 64, protocol: 'udp' },
    factor: 0.7,
  },
  { words: 'ping, TCP, messages of 64 bytes', facts: { tool: 'ping', messageBytes: 64 }, factor: 2.6 },
];

export function generatedRun(seed: number): GeneratedRun {
  const random = seededRandom(seed);
  const question = random.pick(['types', 'types', 'types', 'types', 'conditions', 'conditions', 'settings'] as const);
  const subjects = subjectsOf(random, question);
  const settings = settingsOf(random, question);
  const probes = PROBES.filter(() => question !== 'settings' && random.chance(0.35));
  const unshared = question === 'types' && random.chance(0.3) ? tcp(16, [3600]) : undefined;
  const results: MeasurementResult[] = [];
  const costs: PairCost[] = [];
  for (const [index, subject] of subjects.entries()) {
    for (const [pair, burst] of subject.bursts.entries()) {
      const pairId = `p${String(costs.length + 1).padStart(4, '0')}`;
      costs.push(
        pairCost({
          pairId,
          clientHourlyUsd: subject.usd && subject.usd / 2,
          serverHourlyUsd: subject.usd && subject.usd / 2,
          warnings: [],
        }),
      );
      const own = [...settings, ...(index === 0 && unshared ? [unshared] : [])];
      const next = (planMeasurementIndex: number): Partial<MeasurementResult> => ({
        ...subject.facts,
        pairId,
        measurementId: `${pairId}-m${String(planMeasurementIndex + 1).padStart(2, '0')}`,
        planPairIndex: index,
        planMeasurementIndex,
        repetition: pair + 1,
        warnings: [],
        client: undefined,
        server: undefined,
      });
      const planned = own.flatMap((setting) => setting.durations.map((duration) => ({ setting, duration })));
      planned.forEach(({ setting, duration }, at) =>
        results.push(
          transfer(random, subject, burst, setting, duration, {
            ...next(at),
            ...setting.facts,
            durationSeconds: duration,
          }),
        ),
      );
      probes.forEach(({ facts, factor }, at) =>
        results.push(roundTrips(random, subject, factor, { ...next(planned.length + at), ...facts })),
      );
    }
  }
  return { question, subjects, settings, probes, unshared, results, costs };
}

function subjectsOf(random: Random, question: GeneratedRun['question']): Subject[] {
  const named =
    question === 'types'
      ? TYPES.slice(0, random.integer(2, 8)).map((name) => [name, { clientType: name, serverType: name }] as const)
      : question === 'settings'
        ? ([['c5.large', { clientType: 'c5.large', serverType: 'c5.large' }]] as const)
        : random.chance(0.5)
          ? PATHS.slice(0, random.integer(2, 4)).map(
              ([name, path]) => [name, { clientType: 'c5.large', serverType: 'c5.large', path }] as const,
            )
          : Object.entries(PLACEMENTS)
              .slice(0, random.integer(2, 3))
              .map(
                ([name, placement]) => [name, { clientType: 'c5.large', serverType: 'c5.large', placement }] as const,
              );
  const isPriced = random.chance(0.85);
  const isFlatRun = random.chance(0.2);
  const subjects: Subject[] = [];
  for (const [name, facts] of named) {
    const twin = subjects.at(-1);
    // A twin differs from the subject before it by less than the noise.
    const isTwin = twin !== undefined && random.chance(0.3);
    const hasCredits = isTwin ? twin.volume !== null : !isFlatRun && random.chance(0.75);
    const pairs = random.pick([1, 2, 2, 3, 5, 7, 10]);
    const baseline = isTwin
      ? twin.baseline * (1 + random.uniform(-0.01, 0.01))
      : random.pick(hasCredits ? LEVELS.slice(0, 5) : LEVELS);
    const peaks = [5.02, 9.69, 24].filter((peak) => peak > 1.9 * baseline);
    const [slow = 24, fast = 24] = peaks;
    const slowPairs = random.pick([0, 0, 1, Math.ceil(pairs / 2), pairs]);
    const bursts = Array.from({ length: pairs }, (_, pair) =>
      hasCredits ? (pair < slowPairs ? slow : fast) : baseline,
    );
    subjects.push({
      name,
      facts,
      volume: hasCredits ? (isTwin ? twin.volume! : random.pick([40, 400, 1500, 7500])) : null,
      baseline,
      bursts,
      streamCap: isTwin ? twin.streamCap : random.pick([Infinity, 5.02, 2.5, 0.6]),
      usd: !isPriced ? null : random.pick([0.17, 0.17, 0.34, 0.68, 1.36]),
      isPublished: isTwin ? twin.isPublished : random.chance(0.8),
      isNoisy: isTwin ? twin.isNoisy : !hasCredits && random.chance(0.2),
      // A single pair does not show how far pairs scatter.
      noise: pairs === 1 ? 0.003 : random.pick(hasCredits ? [0.003, 0.01, 0.03] : [0.003, 0.01, 0.03, 0.05]),
      p50: isTwin ? twin.p50 * random.uniform(0.99, 1.01) : random.pick([50, 110, 240, 520]),
    });
  }
  return subjects;
}

function settingsOf(random: Random, question: GeneratedRun['question']): Setting[] {
  if (question === 'settings') return [1, 4, 16].map((streams) => tcp(streams, [3600]));
  const durations = random.pick([[60], [3600], [20, 3600], [600, 5400]]);
  return random.pick([
    [tcp(8, durations)],
    [tcp(1, durations), tcp(5, durations)],
    [tcp(1, durations), tcp(8, durations), tcp(8, durations, 'reverse')],
    [udp(2, durations), udp(4, durations)],
    [udp(0.5, durations), tcp(8, durations)],
    [tcp(1, durations), udp(4, durations)],
  ]);
}

export const rateOf = (
  { streamCap }: Pick<Subject, 'streamCap'>,
  { streams, offered = Infinity }: Setting,
  burst: number,
) => Math.min(burst, offered, streams === 1 ? streamCap : Infinity);

export const onsetOf = ({ volume, baseline }: Subject, rate: number) =>
  volume === null || rate <= baseline * 1.03 ? Infinity : volume / (rate - baseline);

/** As the service's verdict would. */
export const isSeen = (onset: number, duration: number) => onset < 0.8 * duration;

function transfer(
  random: Random,
  subject: Subject,
  burst: number,
  setting: Setting,
  duration: number,
  changes: Partial<MeasurementResult>,
): MeasurementResult {
  const trueRate = rateOf(subject, setting, burst);
  // Bursts and caps scatter less than 1 %, so that a pair surely reaches a rate or surely does not.
  const noise = trueRate === subject.baseline ? subject.noise : Math.min(subject.noise, 0.005);
  const rate = trueRate === setting.offered ? 0.99 * trueRate : trueRate * (1 + noise * random.normal());
  const payload = Math.min(rate, 0.99 * (setting.offered ?? Infinity));
  const baseline = subject.baseline * (1 + (subject.noise / 4) * random.normal());
  const facts = subject.isPublished
    ? published(subject.name, subject.baseline * 1e9, Math.max(...subject.bursts) * 1e9)
    : undefined;
  const onset = onsetOf(subject, trueRate);
  const around = (value: number, share: number) => ({ value, low: value * (1 - share), high: value * (1 + share) });
  const common = { ...changes, publishedClient: facts, publishedServer: facts, sampleCount: duration };
  const level = (mean: number, low: number) => ({
    throughputBitsPerSecond: {
      mean: mean * 1e9,
      p5: low * 1e9,
      p50: mean * 1e9,
      p95: payload * 1.01e9,
      min: low * 1e9,
      max: payload * 1.02e9,
    },
  });
  if (!isSeen(onset, duration)) {
    const above = onset === Infinity || !subject.isPublished ? null : (payload - subject.baseline) * duration;
    const held = { bitsPerSecond: payload * 1e9, seconds: null, atLeastSeconds: duration };
    const verdict = {
      ...steadyVerdict,
      bucketBitsAtLeast: above && above * 1e9,
      holdTimes: above === null ? [] : [held],
    };
    if (!subject.isNoisy) return steadyResult({ ...common, statistics: level(payload, payload * 0.99), verdict });
    const noisy = { ...verdict, kind: 'noisy' as const };
    return steadyResult({ ...common, statistics: level(payload, payload * 0.6), verdict: noisy });
  }
  const volume = subject.volume! * (1 + 0.02 * random.normal());
  const verdict = {
    ...throttledVerdict,
    onset: around(volume / (payload - baseline), 0.005),
    burst: around(payload * 1e9, 0.002),
    baseline: around(baseline * 1e9, 0.002),
    bucket: around(volume * 1e9, 0.01),
    holdTimes: [
      { bitsPerSecond: payload * 1e9, seconds: around(volume / (payload - baseline), 0.01), atLeastSeconds: null },
    ],
  };
  const mean = baseline + volume / duration;
  return throttledResult({ ...common, statistics: level(mean, baseline), verdict });
}

function roundTrips(
  random: Random,
  subject: Subject,
  factor: number,
  changes: Partial<MeasurementResult>,
): MeasurementResult {
  const p50 = subject.p50 * factor * (1 + 0.01 * random.normal());
  const whole = latencyResult(changes);
  return {
    ...whole,
    statistics: {
      ...whole.statistics,
      rttMicros: { p50, mean: p50 * 1.1, p99: p50 * 2, min: p50 / 2, max: p50 * 9 },
    },
  };
}
