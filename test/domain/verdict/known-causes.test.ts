/**
 * Falls whose cause is known, of five types, at depths and with scatters drawn from seeds: what may be called network
 * credits, and what may not. Each is judged without counters, with ideal ones, and with counters that grow at the peak
 * rate as well, as EC2's do.
 */
import { judgeThroughput } from '../../../domain/verdict/judge';
import { isAtBaseline, type AllowanceGrowth, type ThroughputEvidence } from '../../../domain/verdict/evidence';
import type { Cause, Standing } from '../../../domain/model/verdict';
import { bursting, facts, GIGA, growth, judge, sustained, throttledSeries } from '../../support/evidence';
import { seededRandom, type Random } from '../../support/random';
import { stretches, stretchesWith } from '../../support/rates';

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

interface Drop {
  readonly burst: number;
  readonly after: number;
  /** Relative scatter of the seconds after the drop. */
  readonly scatter: number;
  /** Of the segments, the share that is sent again after the drop. */
  readonly repeated: number;
  /** The counter that grows with the drop, at the sender. */
  readonly counter?: 'bwOutAllowanceExceeded' | 'ppsAllowanceExceeded' | 'conntrackAllowanceExceeded';
}

type Case = readonly [what: string, cause: Cause, drop: (random: Random, baseline: number) => Drop];

/** A level that is no published baseline of the type. */
const elsewhere = (random: Random, baseline: number) =>
  baseline * (random.chance(0.5) ? random.uniform(0.3, 0.93) : random.uniform(1.06, 1.7));

const heldBack =
  (counter: Drop['counter']): Case[2] =>
  (random, baseline) => ({ burst: 9.5 * GIGA, after: elsewhere(random, baseline), scatter: 0.01, repeated: 0.01, counter }); // prettier-ignore

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
  ['the packet rate', 'packet_rate', heldBack('ppsAllowanceExceeded')],
  ['tracked connections', 'connection_tracking', heldBack('conntrackAllowanceExceeded')],
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

const ALL = CASES.flatMap(([what, cause, dropOf]) =>
  COUNTERS.map((counters) => ({ what, cause, dropOf, counters, name: `${what}, counters ${counters}` })),
);

test.each(ALL)('$name', ({ cause, dropOf, counters }) => {
  for (const seed of SEEDS) {
    for (const type of TYPES) {
      const random = seededRandom(1000 * seed + TYPES.indexOf(type));
      const drop = dropOf(random, type.baselineBitsPerSecond ?? NaN);
      const verdict = judgeThroughput(evidenceOf(drop, type, random, counters));
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
  drop: Drop,
  type: ThroughputEvidence['sender'],
  random: Random,
  counters: (typeof COUNTERS)[number],
): ThroughputEvidence {
  const onset = random.integer(30, 80) + 0.4;
  const series = stretches([onset, drop.burst], [90, drop.after]).map((each) =>
    each.startSeconds < onset
      ? each
      : { ...each, bitsPerSecond: each.bitsPerSecond * Math.exp(drop.scatter * random.normal()) },
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
      const share = isAfter(startSeconds) ? drop.repeated : 0.002;
      return { startSeconds, retransmits: (segments(bitsPerSecond) * share) / (1 - share) };
    }),
    allowance:
      counters === 'not read' ? undefined : series.flatMap((each) => allowanceAt(each, drop, isAfter, counters)),
    truncated: false,
  };
}

/** As on EC2, the bandwidth counter of a host at its peak grows too, and nearly every packet of a shaped rate is counted. */
function allowanceAt(
  { startSeconds, bitsPerSecond }: { readonly startSeconds: number; readonly bitsPerSecond: number },
  { counter, burst }: Drop,
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

const isLater = (seconds: number) => seconds >= 30.4;
/** TCP segments that are sent again, as shares of all. */
const again = (before: number, after: number) => ({
  retransmits: throttledSeries.map(({ startSeconds, bitsPerSecond }) => {
    const share = isLater(startSeconds) ? after : before;
    return { startSeconds, retransmits: ((bitsPerSecond / 8 / 1448) * share) / (1 - share) };
  }),
});
const lost = (before: number, after: number) => ({
  lostPackets: throttledSeries.map(({ startSeconds }) => {
    return { startSeconds, sentPackets: 1000, lostPackets: 1000 * (isLater(startSeconds) ? after : before) };
  }),
});
/** The drop of `throttledSeries` to a rate that scatters. */
const scattering = (deviation: number, random = seededRandom(7)) => ({
  series: throttledSeries.map(({ bitsPerSecond, ...each }) => {
    const factor = isLater(each.startSeconds) ? Math.exp(deviation * random.normal()) : 1;
    return { ...each, bitsPerSecond: factor * bitsPerSecond };
  }),
});
const out = (from: number, packets = 120) => growth('bwOutAllowanceExceeded', 'client', from, packets);
const pps = (from: number, packets = 120) => growth('ppsAllowanceExceeded', 'client', from, packets);
const inSilent = growth('bwInAllowanceExceeded', 'server', Infinity);
const silent = [...out(Infinity), ...inSilent];
const before = ({ startSeconds }: AllowanceGrowth) => !isLater(startSeconds);
/** A counter that grows in one of so many seconds. */
const inEvery = (seconds: number, from: number, counter: 'bwOutAllowanceExceeded' | 'ppsAllowanceExceeded') =>
  growth(counter, 'client', from).map((each) => (each.startSeconds % seconds === 0 ? each : { ...each, [counter]: 0 }));
const sustaining = { sender: facts('c5.2xlarge', 0.25, 10), receiver: sustained };
const using = (receiverPercent: number) => ({ cpu: { senderPercent: 30, receiverPercent }, flowCount: 1 });
const types = ['a', 'b', 'c', 'd'].map((name) => facts(name, 0.5, 2));
/** Around the rates of `throttledSeries`, of which `again` makes the segments. */
const noisy = stretchesWith(0.35, [90, 1 * GIGA]);
const oneLevel = { series: stretches([90, 2 * GIGA]) };

type Known = Partial<ThroughputEvidence>;
type Decision = readonly [when: string, cause: Cause, standing: Standing | 'not_examined', known: Known, why?: string];

/** A fall from 2 to 0.5 Gbit/s, or one level: one line for each condition that decides about a cause. */
const DECISIONS: readonly Decision[] = [
  ['the burst was 3 % above the baseline', 'network_credits', 'ruled_out', { sender: facts('a', 1.94, 10), receiver: sustained, allowance: out(30) }, 'no credits were spent'],
  ['the burst was 11 % above the baseline', 'network_credits', 'shown', { sender: facts('a', 1.8, 10), receiver: sustained, allowance: out(30) }],
  ['no type has any', 'network_credits', 'ruled_out', { sender: sustained, receiver: sustained }, 'neither type has burst credits'],
  ['more packets were held back for their number', 'network_credits', 'ruled_out', { allowance: [...out(30), ...pps(30, 200)] }, 'packet-rate counter of the sender grew more'],
  ['fewer packets were held back for their number', 'network_credits', 'shown', { allowance: [...out(30), ...pps(30, 60)] }],
  ['more packets were held back for their number all along', 'network_credits', 'shown', { allowance: [...out(30), ...pps(0, 200)] }],
  ['the baseline is held by dropping a fifth', 'network_credits', 'ruled_out', { sender: bursting, receiver: sustained, ...again(0.002, 0.2) }, 'were sent again'],
  ['the end whose baseline it is was silent', 'network_credits', 'ruled_out', { sender: bursting, receiver: facts('b', 1, 2), allowance: out(Infinity) }, 'is not a published baseline'],
  ['the rate scatters at the baseline', 'network_credits', 'possible', { sender: bursting, receiver: sustained, ...scattering(0.25) }, 'scatters more than a limited rate'],
  ['the other end has no published baseline', 'network_credits', 'possible', { sender: sustaining.sender, receiver: facts('m4.xlarge') }, 'publishes no baseline for the receiver'],
  ['no type is known', 'network_credits', 'not_read', {}],
  ['no type is known, and four fit', 'network_credits', 'not_read', { publishedTypes: [facts('e', 0.5, 0.5), facts('f', 1, 2), ...types] }, 'baseline of a, b, c and 1 other types'],
  ['no type is known, and none fits', 'network_credits', 'not_read', { publishedTypes: [facts('e', 0.5, 0.5)] }, 'no type has a published baseline near that rate'],
  ['a counter grew three times as much', 'network_credits', 'shown', { allowance: [...out(0, 40).filter(before), ...out(31).slice(31)] }],
  ['a counter grew by half more', 'network_credits', 'not_read', { allowance: [...out(0, 80).filter(before), ...out(31).slice(31)] }],
  ['a counter grew in every other second', 'network_credits', 'shown', { allowance: inEvery(2, 30, 'bwOutAllowanceExceeded') }],
  ['a counter grew in every sixth second', 'network_credits', 'not_read', { allowance: inEvery(6, 30, 'bwOutAllowanceExceeded') }],
  ['the last growth was within the difference of clocks', 'network_credits', 'not_read', { allowance: [...silent, { hostRole: 'client', startSeconds: 29, bwOutAllowanceExceeded: 9 }] }],
  ['the last growth was ten seconds before', 'network_credits', 'ruled_out', { allowance: [...silent, { hostRole: 'client', startSeconds: 20, bwOutAllowanceExceeded: 9 }] }],

  ['3 % are sent again', 'packet_loss', 'ruled_out', { ...scattering(0.25), ...again(0.002, 0.03) }],
  ['no more are sent again than before', 'packet_loss', 'ruled_out', { ...scattering(0.25), ...again(0.08, 0.08) }],
  ['twice as many are sent again as before', 'packet_loss', 'shown', { ...scattering(0.25), ...again(0.08, 0.2) }],
  ['a fifth is sent again at a rate that is held', 'packet_loss', 'possible', again(0.002, 0.2)],
  ['two fifths are sent again, and hardly anything arrives', 'packet_loss', 'shown', { ...again(0.002, 0.4), series: stretches([30, 2 * GIGA], ...Array.from({ length: 12 }, () => [[3, 0], [1, 0.011 * GIGA]] as const).flat()) }],
  ['a tenth of the datagrams is lost', 'packet_loss', 'possible', { allowance: silent, ...lost(0, 0.1) }],
  ['3 % of the datagrams are lost', 'packet_loss', 'ruled_out', { allowance: silent, ...lost(0, 0.03) }],
  ['datagrams are lost, and one end was read', 'packet_loss', 'ruled_out', { allowance: inSilent, ...lost(0, 0.1) }],
  ['datagrams are lost, and a counter grows', 'packet_loss', 'ruled_out', { allowance: [...out(30), ...inSilent], ...lost(0, 0.1) }],
  ['datagrams were counted after the fall alone', 'packet_loss', 'possible', { allowance: silent, lostPackets: lost(0, 0.1).lostPackets.filter(({ startSeconds }) => isLater(startSeconds)) }],
  ['the rate is high again and again', 'network_credits', 'shown', { sender: bursting, receiver: sustained, series: stretches([40, 2 * GIGA], ...Array.from({ length: 6 }, () => [[20, 0.5 * GIGA], [15, 2 * GIGA]] as const).flat()) }],
  ['nothing arrived for a while after the fall', 'network_credits', 'shown', { sender: bursting, receiver: sustained, isLoadDriven: true, series: stretches([40, 2 * GIGA], [40, 0.5 * GIGA], [8, 0], [40, 0.5 * GIGA]) }],
  ['nothing was counted', 'packet_loss', 'not_read', { retransmits: [], lostPackets: [] }],

  ['the rate scatters by 25 %', 'path_limit', 'ruled_out', scattering(0.25)],
  ['the rate scatters by 14 %', 'path_limit', 'ruled_out', scattering(0.14)],
  ['the rate scatters by 8 %', 'path_limit', 'possible', scattering(0.08)],
  ['counters and processors show no limit', 'path_limit', 'shown', { allowance: silent, ...using(30) }],
  ['the use of processors is not known', 'path_limit', 'possible', { allowance: silent }],
  ['a counter was not read', 'path_limit', 'possible', { allowance: inSilent, ...using(30) }],
  ['the receiver has no processor left', 'path_limit', 'possible', { allowance: silent, ...using(100) }],
  ['credits are ruled out, and a fifth is dropped', 'path_limit', 'shown', { ...sustaining, ...again(0.002, 0.2) }, 'by dropping packets'],
  ['credits are ruled out, and nothing is dropped', 'path_limit', 'possible', { ...sustaining, ...again(0.002, 0.004) }],
  ['a fifth is dropped, and credits are shown', 'path_limit', 'not_examined', { allowance: out(30), ...again(0.002, 0.2) }],

  ['three times as many packets as for bandwidth', 'packet_rate', 'shown', { allowance: [...out(30, 100), ...pps(30, 300)] }],
  ['half more packets than for bandwidth', 'packet_rate', 'possible', { allowance: [...out(30, 100), ...pps(30, 150)] }],
  ['packets in every sixth second', 'packet_rate', 'ruled_out', { allowance: inEvery(6, 30, 'ppsAllowanceExceeded') }],
  ['the counter was not read', 'packet_rate', 'not_read', { allowance: silent }],
  ['no fragments were sent', 'fragment_rate', 'ruled_out', { allowance: pps(30) }, 'no fragments'],
  ['fragments were sent and held back', 'fragment_rate', 'shown', { allowance: pps(30), fragmentsPerDatagram: 2 }],
  ['fragments were sent and not held back', 'fragment_rate', 'ruled_out', { allowance: pps(Infinity), fragmentsPerDatagram: 2 }],
  ['a tenth is sent again at a noisy rate', 'packet_loss', 'shown', { series: noisy, ...again(0.1, 0.1) }, '10 % of the segments were sent again'],
  ['a fiftieth is sent again at a noisy rate', 'packet_loss', 'not_examined', { series: noisy, ...again(0.02, 0.02) }],
  ['a tenth is sent again at one level', 'packet_loss', 'not_examined', { ...oneLevel, ...again(0.1, 0.1) }],
  ['at one level, nothing was asked for', 'tool_target', 'ruled_out', oneLevel, 'as fast as it could'],
  ['at one level, more was asked for than was reached', 'tool_target', 'ruled_out', { ...oneLevel, targetBitsPerSecond: 2.4 * GIGA }, 'did not reach'],
  ['at one level, a little more was asked for', 'tool_target', 'shown', { ...oneLevel, targetBitsPerSecond: 2.1 * GIGA }],
  ['at one level, the number of flows is not known', 'single_flow_cap', 'not_read', oneLevel],
  ['at one level, there are two flows', 'single_flow_cap', 'ruled_out', { ...oneLevel, flowCount: 2 }, '2 flows'],
  ['at one level, one flow lacks it', 'ena_express', 'shown', { ...oneLevel, flowCount: 1, enaExpressShortfall: 'it was off' }],
  ['at one level, several flows lack it', 'ena_express', 'possible', { ...oneLevel, flowCount: 4, enaExpressShortfall: 'it was off' }],
  ['at one level, it carried what it was asked to', 'ena_express', 'ruled_out', { ...oneLevel, flowCount: 1 }],
  ['at one level, packets in every other second', 'packet_rate', 'shown', { ...oneLevel, allowance: inEvery(2, 0, 'ppsAllowanceExceeded') }],
  ['at one level, packets in every tenth second', 'packet_rate', 'ruled_out', { ...oneLevel, allowance: inEvery(10, 0, 'ppsAllowanceExceeded') }],
  ['at one level, fewer packets than for bandwidth', 'packet_rate', 'ruled_out', { ...oneLevel, allowance: [...pps(0), ...out(0, 200)] }],
  ['at one level, the counter was not read', 'packet_rate', 'not_read', oneLevel],
]; // prettier-ignore

test.each(DECISIONS.map(([when, cause, standing, known, why = '']) => ({ when, cause, standing, known, why })))(
  '$when: $cause is $standing',
  ({ cause, standing, known, why }) => {
    const found = judge(known).causes.find((each) => each.cause === cause);
    expect(found?.standing ?? 'not_examined').toBe(standing);
    expect(found?.reason ?? '').toContain(why);
  },
);

test.each([
  ['are possible', { sender: sustaining.sender, receiver: facts('m4.xlarge') }, true],
  ['were not read', {}, true],
  ['are ruled out', sustaining, false],
  ['were not read, where another cause is shown', { allowance: pps(30).map(({ ppsAllowanceExceeded, ...each }) => ({ ...each, conntrackAllowanceExceeded: ppsAllowanceExceeded })) }, false],
])('a bucket of credits that %s has figures: %s', (_, known: Known, hasFigures) => {
  expect(judge(known).ifNetworkCredits !== null).toBe(hasFigures);
}); // prettier-ignore

test.each([
  ['whose level is a published baseline', facts('a', 0.8, 10), 'drop', 'network_credits'],
  ['whose level is none', facts('a', 0.3, 10), 'insufficient', null],
])('a fall in doubt, %s', (_, sender, kind, cause) => {
  const series = stretchesWith(0.03, [12, GIGA], [28, 0.8 * GIGA]);
  expect(judge({ series, sender, receiver: sustained })).toMatchObject({ kind, cause });
});

test.each([
  [0.98, 0.001, undefined, true],
  [0.965, 0.001, undefined, false],
  [1.012, 0.001, undefined, true],
  [1.025, 0.001, undefined, false],
  [1.03, 0.02, undefined, true],
  [1.06, 0.2, undefined, false],
  // At an MTU of 1,500, the headers are a larger part of the rate.
  [0.95, 0.001, 1448, true],
  [0.93, 0.001, 1448, false],
])('%d of a published baseline, ±%d, in segments of %s bytes: %s', (value, half, segmentBytes, isBaseline) => {
  const level = { value: value * GIGA, low: (value - half) * GIGA, high: (value + half) * GIGA };
  expect(isAtBaseline(level, GIGA, { segmentBytes })).toBe(isBaseline);
});

type Parts = readonly (readonly [number, number])[];
const [FAST, TRICKLE] = [2 * GIGA, 0.02 * GIGA];
const trickling: Parts = [[40, FAST], [8, TRICKLE], [40, FAST]]; // prettier-ignore
/** So many segments in each of the seconds from the 40th to the 47th, in which 1,667 of 1,500 bytes arrive. */
const againDuring = (retransmits: number, from = 40) =>
  Array.from({ length: 8 }, (_, index) => ({ startSeconds: from + index, retransmits }));

const OUTAGES: readonly (readonly [when: string, Parts, Cause | null, words: string, Known?])[] = [
  ['eight seconds', [[40, FAST], [8, 0], [40, FAST]], 'outage', 'no traffic arrived for 8.0 s from 40.0 s on'],
  ['eight seconds without a known load', [[40, FAST], [8, 0], [40, FAST]], null, '', { isLoadDriven: false }],
  ['four seconds', [[40, FAST], [4, 0], [40, FAST]], null, ''],
  ['twelve seconds at the end', [[60, FAST], [12, 0]], 'outage', 'no traffic arrived for 12.0 s from 60.0 s on, to the end'],
  ['twelve seconds before an early end', [[60, FAST], [12, 0]], null, '', { truncated: true }],
  ['nine seconds at the end', [[60, FAST], [9, 0]], null, ''],
  ['most of the time', [[30, FAST], [90, 0]], 'outage', '90.0 s from 30.0 s on, to the end'],
  ['twice', [[40, FAST], [8, 0], [20, FAST], [7, 0], [9, FAST]], 'outage', 'for 15.0 s in all, in 2 outages, the first from 40.0 s on'],
  ['a hundredth', trickling, 'outage', 'hardly any traffic arrived for 8.0 s from 40.0 s on'],
  ['a fiftieth, which types are published to sustain', [[40, FAST], [8, 2 * TRICKLE], [40, FAST]], null, ''],
  ['seconds in another order', trickling, 'outage', '8.0 s from 40.0 s on', { series: stretches(...trickling).reverse() }],
  ['seconds with a lost sample in their midst', trickling, null, '', { series: stretches(...trickling).filter(({ startSeconds }) => startSeconds !== 44) }],
  ['segments that are sent again', trickling, 'packet_loss', '11 % of the segments were sent again', { segmentBytes: 1500, retransmits: againDuring(200) }],
  ['few segments that are sent again', trickling, 'outage', '', { segmentBytes: 1500, retransmits: againDuring(60) }],
  ['segments that are sent again later', trickling, 'outage', '', { segmentBytes: 1500, retransmits: againDuring(200, 60) }],
  ['segments of unknown length', trickling, 'outage', '', { retransmits: againDuring(200) }],
  ['segments of which none arrives', [[40, FAST], [8, 0], [40, FAST]], 'outage', '', { segmentBytes: 1500, retransmits: againDuring(2) }],
  ['fragments', trickling, 'fragment_rate', 'each datagram was sent in 2 IP fragments', { fragmentsPerDatagram: 2, allowance: pps(0) }],
  ['no sample', [], null, '', { series: [] }],
]; // prettier-ignore

test.each(OUTAGES.map(([when, parts, cause, words, known]) => ({ when, parts, cause, words, known })))(
  'hardly any traffic, $when: $cause',
  ({ parts, cause, words, known }) => {
    const hosts = { isLoadDriven: true, sender: bursting, receiver: sustained };
    const verdict = judge({ ...hosts, series: stretches(...parts), ...known });
    expect([verdict.kind === 'outage', verdict.cause]).toEqual([cause !== null, cause]);
    expect(verdict.explanation).toContain(words);
    if (cause !== null) expect(verdict.bucketBitsAtLeast).toBeNull();
  },
);
