/**
 * Falls whose cause is known, of five types, at depths and with scatters drawn from seeds: what may be called network
 * credits, and what may not. Each is judged without counters, with ideal ones, and with counters that grow at the peak
 * rate as well, as EC2's do.
 */
import { judgeThroughput } from '../../../domain/verdict/judge';
import type { AllowanceGrowth, ThroughputEvidence } from '../../../domain/verdict/evidence';
import type { Cause } from '../../../domain/model/verdict';
import { facts, GIGA } from '../../support/evidence';
import { seededRandom, type Random } from '../../support/random';
import { stretches } from '../../support/rates';

const TYPES = [
  facts('c5.large', 0.75, 10),
  facts('c5.xlarge', 1.25, 10),
  facts('c5.2xlarge', 2.5, 10),
  facts('c6g.medium', 0.5, 10),
  facts('m5.4xlarge', 5, 10),
];
const SEEDS = [1, 2, 3, 4];
const COUNTERS = ['not read', 'ideal', 'as on EC2'] as const;
const SEGMENT_BYTES = 8948;

interface Fall {
  readonly burst: number;
  readonly after: number;
  /** Relative scatter of the seconds after the fall. */
  readonly scatter: number;
  /** Of the segments, the share that is sent again after the fall. */
  readonly repeated: number;
  /** The counter that grows with the fall, at the sender. */
  readonly counter?: 'bwOutAllowanceExceeded' | 'ppsAllowanceExceeded' | 'conntrackAllowanceExceeded';
}

type Case = readonly [what: string, cause: Cause, fall: (random: Random, baseline: number) => Fall];

/** A level that is no published baseline of the type. */
const elsewhere = (random: Random, baseline: number) =>
  baseline * (random.chance(0.5) ? random.uniform(0.3, 0.93) : random.uniform(1.06, 1.7));

const CASES: readonly Case[] = [
  [
    'credits that ran out',
    'network_credits',
    (random, baseline) => ({
      burst: random.uniform(9.3, 9.7) * GIGA,
      after: baseline * random.uniform(0.984, 1.008),
      scatter: 0.005,
      repeated: 0.005,
      counter: 'bwOutAllowanceExceeded',
    }),
  ],
  [
    'lost packets',
    'packet_loss',
    (random, baseline) => ({
      burst: 9.5 * GIGA,
      // Also to near the baseline.
      after: Math.min(3 * GIGA, baseline * random.uniform(0.5, 1.1)),
      scatter: random.uniform(0.2, 0.35),
      repeated: random.uniform(0.08, 0.3),
    }),
  ],
  [
    'the packet rate',
    'packet_rate',
    (random, baseline) => ({
      burst: 9.5 * GIGA,
      after: elsewhere(random, baseline),
      scatter: 0.01,
      repeated: 0.01,
      counter: 'ppsAllowanceExceeded',
    }),
  ],
  [
    'tracked connections',
    'connection_tracking',
    (random, baseline) => ({
      burst: 9.5 * GIGA,
      after: elsewhere(random, baseline),
      scatter: 0.01,
      repeated: 0.01,
      counter: 'conntrackAllowanceExceeded',
    }),
  ],
  [
    'a policer on the way',
    'path_limit',
    (random, baseline) => ({ burst: 9.5 * GIGA, after: elsewhere(random, baseline), scatter: 0.01, repeated: 0.2 }),
  ],
  [
    'a rate that was never above the baseline',
    'path_limit',
    (random, baseline) => ({
      burst: baseline * random.uniform(0.6, 0.98),
      after: baseline * random.uniform(0.2, 0.5),
      scatter: 0.01,
      repeated: 0.2,
    }),
  ],
];

const ALL = CASES.flatMap(([what, cause, fallOf]) =>
  COUNTERS.map((counters) => ({ what, cause, fallOf, counters, name: `${what}, counters ${counters}` })),
);

test.each(ALL)('$name', ({ cause, fallOf, counters }) => {
  for (const seed of SEEDS) {
    for (const type of TYPES) {
      const random = seededRandom(1000 * seed + TYPES.indexOf(type));
      const fall = fallOf(random, type.baselineBitsPerSecond ?? NaN);
      const verdict = judgeThroughput(evidenceOf(fall, type, random, counters));
      const said = [seed, type.instanceType, verdict.explanation];
      // What only a counter shows is not known without it.
      const isShown = counters !== 'not read' || !['packet_rate', 'connection_tracking'].includes(cause);
      expect([verdict.cause, ...said]).toEqual([isShown ? cause : 'not_known', ...said]);
      const hasBucket = verdict.bucket !== null || verdict.holdTimes.length > 0 || verdict.refill !== null;
      expect([hasBucket, ...said]).toEqual([cause === 'network_credits', ...said]);
    }
  }
});

function evidenceOf(
  fall: Fall,
  type: ThroughputEvidence['sender'],
  random: Random,
  counters: (typeof COUNTERS)[number],
): ThroughputEvidence {
  const onset = random.integer(30, 80) + 0.4;
  const series = stretches([onset, fall.burst], [90, fall.after]).map((each) =>
    each.startSeconds < onset
      ? each
      : { ...each, bitsPerSecond: each.bitsPerSecond * Math.exp(fall.scatter * random.normal()) },
  );
  const isAfter = (seconds: number) => seconds >= onset;
  const segments = (bitsPerSecond: number) => bitsPerSecond / 8 / SEGMENT_BYTES;
  return {
    direction: 'forward',
    series,
    isLoadDriven: true,
    sender: type,
    receiver: facts('c5n.18xlarge', 100, 100),
    segmentBytes: SEGMENT_BYTES,
    cpu: { senderPercent: 30, receiverPercent: 40 },
    flowCount: 8,
    retransmits: series.map(({ startSeconds, bitsPerSecond }) => {
      const share = isAfter(startSeconds) ? fall.repeated : 0.002;
      return { startSeconds, retransmits: (segments(bitsPerSecond) * share) / (1 - share) };
    }),
    allowance:
      counters === 'not read' ? undefined : series.flatMap((each) => allowanceAt(each, fall, isAfter, counters)),
    truncated: false,
  };
}

/** As on EC2, the bandwidth counter of a host at its peak grows too, and nearly every packet of a shaped rate is counted. */
function allowanceAt(
  { startSeconds, bitsPerSecond }: { readonly startSeconds: number; readonly bitsPerSecond: number },
  { counter, burst }: Fall,
  isAfter: (seconds: number) => boolean,
  counters: (typeof COUNTERS)[number],
): AllowanceGrowth[] {
  const packets = Math.round(bitsPerSecond / 8 / SEGMENT_BYTES);
  const atPeak = counters === 'as on EC2' && burst > 9 * GIGA && !isAfter(startSeconds) ? Math.round(0.7 * packets) : 0;
  const sent = { bwOutAllowanceExceeded: atPeak, ppsAllowanceExceeded: 0, conntrackAllowanceExceeded: 0 };
  if (counter && isAfter(startSeconds)) sent[counter] = 2 * packets;
  return [
    { hostRole: 'client', startSeconds, ...sent },
    {
      hostRole: 'server',
      startSeconds,
      bwInAllowanceExceeded: 0,
      ppsAllowanceExceeded: 0,
      conntrackAllowanceExceeded: 0,
    },
  ];
}
