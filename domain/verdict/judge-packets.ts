/**
 * The verdict on a series of packets per second: its levels, and what limited it. The detector's answer does not depend
 * on the unit of a rate, so the same detector judges packets and bits.
 */
import { classifySeries } from '../detection/index';
import type { SeriesShape } from '../detection/series-shape';
import { intervalAround, type Interval } from '../maths/interval';
import { sum } from '../maths/statistics';
import { CPU_CONTENTION_WITNESS, type Cause, type PacketVerdict, type Witness } from '../model/verdict';
import type { DrivenDirection } from '../model/settings';
import { cleanSeries, type RateInterval } from '../series/rate-series';
import { formatPacketRate, formatSeconds, percent } from '../text/format';
import { fuseConfidence, witnessSeries } from './witnesses';
import { ENDPOINTS, type AllowanceGrowth, type Endpoint, type ThroughputEvidence } from './evidence';
import { estimateThrottle, levelInterval } from './throttle-model';
import type { Allowance } from './causes/cause';
import { cpuInWords, isSaturated, NO_CPU_USE, witnessContention } from './causes/cpu';
import { ALLOWANCE_WORDS, CLOCK_SLACK_SECONDS, growingShare, growthOf, SHAPED_SHARE } from './causes/allowances';

export interface PacketEvidence extends Pick<
  ThroughputEvidence,
  Endpoint | 'cpu' | 'cpuContention' | 'flowCount' | 'toolVersion' | 'truncated'
> {
  readonly direction: DrivenDirection;
  /** Packets per second, as the receiver's interface counted them. */
  readonly series: readonly PacketInterval[];
  /** The mean rate that the sender's interface counted. */
  readonly sentPacketsPerSecond?: number;
  /** The load that the plan offered; absent if the tool sent as fast as it could. */
  readonly targetPacketsPerSecond?: number;
  readonly allowance?: readonly AllowanceGrowth[];
}

export interface PacketInterval extends Omit<RateInterval, 'bitsPerSecond'> {
  readonly packetsPerSecond: number;
}

/** From this share on, packets count as all arrived; counters and clocks of two hosts differ by less than the rest. */
const ARRIVED_SHARE = 0.95;
/** An allowance is the limit only if it held back this share of the missing packets; else most were lost elsewhere. */
const EXPLAINED_SHARE = 0.8;

/** The allowances that can limit packets, by the cause that each is. */
const ALLOWANCE_CAUSES = {
  packet_rate: { name: 'packet_allowance', allowance: 'packetRate' },
  connection_tracking: { name: 'conntrack_allowance', allowance: 'connectionTracking' },
  published_bandwidth: { name: 'bandwidth_allowance', allowance: 'bandwidth' },
} as const satisfies Partial<Record<Cause, { name: string; allowance: Allowance }>>;
type AllowanceCause = keyof typeof ALLOWANCE_CAUSES;
const NAMES_OF_CAUSES = Object.keys(ALLOWANCE_CAUSES) as AllowanceCause[];

/** How far an allowance of one host was exceeded: from the onset on or, without one, all the time. */
interface Exceeded {
  readonly cause: AllowanceCause;
  readonly end: Endpoint;
  readonly packets: number;
  /** The mean over the seconds from the onset on. */
  readonly packetsPerSecond: number;
  /** Whether the allowance was exceeded second after second, and not only by bursts now and then. */
  readonly isLasting: boolean;
}

interface Limit {
  readonly cause: Cause | null;
  readonly limitedBy: Endpoint | null;
  readonly reason: string;
}

export function judgePackets(evidence: PacketEvidence): PacketVerdict {
  const series = evidence.series.map(({ packetsPerSecond, ...interval }) => ({
    ...interval,
    bitsPerSecond: packetsPerSecond,
  }));
  const shape = classifySeries(series);
  const model = estimateThrottle(shape, series);
  const baseline = model?.baseline ?? onlyLevel(shape, series);
  const exceeded = exceededAllowances(shape, evidence);
  const limit =
    baseline === null
      ? limitBy(null, null, 'too few seconds were counted')
      : limitOf(baseline.value, exceeded, evidence);
  const kind = kindOf(shape, baseline);
  const contention = evidence.cpuContention === undefined ? [] : [evidence.cpuContention];
  const witnesses = [
    witnessSeries(shape),
    ...contention.map((detail) => witnessContention(detail, shape.kind)),
    ...NAMES_OF_CAUSES.map((cause) => witnessAllowance(cause, exceeded, limit, evidence)),
    witnessArrival(baseline, evidence),
    witnessCpu(limit, evidence),
  ];
  const onset = shape.throttle?.onset ?? null;
  const burst = model?.burst ?? null;
  return {
    kind,
    cause: limit.cause,
    direction: evidence.direction,
    onset,
    burst,
    baseline,
    limitedBy: limit.limitedBy,
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: [...contention, explain({ shape, onset, burst, baseline, limit, witnesses })].join('; '),
  };
}

/** A short series with one level is called steady, because the limit that it is at was found by other evidence. */
function kindOf({ kind }: SeriesShape, level: Interval | null): PacketVerdict['kind'] {
  if (level === null) return 'insufficient';
  return kind === 'insufficient' ? 'steady' : kind;
}

/** The level of a series that has one; null if there are too few samples to judge. */
function onlyLevel(shape: SeriesShape, series: readonly RateInterval[]): Interval | null {
  const clean = cleanSeries(series);
  if (clean === null || shape.typicalBitsPerSecond === null || shape.noise === null) return null;
  return intervalAround(shape.typicalBitsPerSecond, levelInterval(clean, 0, clean.bitsPerSecond.length));
}

function exceededAllowances(shape: SeriesShape, evidence: PacketEvidence): Exceeded[] {
  const fromSeconds = (shape.throttle?.onset.value ?? shape.loadStartSeconds) - CLOCK_SLACK_SECONDS;
  return NAMES_OF_CAUSES.flatMap((cause) =>
    ENDPOINTS.flatMap((end): Exceeded[] => {
      const all = growthOf(evidence, end, ALLOWANCE_CAUSES[cause].allowance);
      const growth = all.filter(({ startSeconds }) => startSeconds >= fromSeconds);
      if (growth.length === 0) return [];
      const packets = sum(growth.map((each) => each.packets));
      const packetsPerSecond = packets / growth.length;
      return [{ cause, end, packets, packetsPerSecond, isLasting: growingShare(growth) >= SHAPED_SHARE }];
    }),
  );
}

/**
 * What limited the packets. The first row that applies decides.
 *
 * | evidence                                                          | cause                                     |
 * | ----------------------------------------------------------------- | ----------------------------------------- |
 * | an allowance was exceeded second after second, and most of what   | `not_known`                               |
 * | is missing was lost elsewhere                                     |                                           |
 * | an allowance was exceeded second after second                     | that one, or of several the most exceeded |
 * | what the plan offered has arrived                                 | `tool_target`                             |
 * | what was sent has arrived, and the sender had no processor left   | `cpu`, the sender                         |
 * | not all of it has arrived, and the receiver had no processor left | `cpu`, the receiver                       |
 * | any other                                                         | `not_known`                               |
 *
 * A tool that sends as fast as it can keeps its processor busy whatever limits it, so the processor comes last.
 */
function limitOf(rate: number, exceeded: readonly Exceeded[], evidence: PacketEvidence): Limit {
  const [most] = exceeded.filter(({ isLasting }) => isLasting).sort((left, right) => right.packets - left.packets);
  const { targetPacketsPerSecond: target, sentPacketsPerSecond: sent = 0 } = evidence;
  const hasArrived = rate >= ARRIVED_SHARE * sent;
  if (most !== undefined) {
    const missing = sent - rate;
    const heldBack = sum(exceeded.map(({ packetsPerSecond }) => packetsPerSecond));
    if (!hasArrived && heldBack < EXPLAINED_SHARE * missing) {
      const explained = `allowances held back only ${percent(heldBack / missing)} of those`;
      return limitBy('not_known', null, `${percent(missing / sent)} of the packets did not arrive, and ${explained}`);
    }
    const words = ALLOWANCE_WORDS[ALLOWANCE_CAUSES[most.cause].allowance];
    return limitBy(most.cause, most.end, `the ${most.end}'s ${words} was exceeded by ${most.packets} packets`);
  }
  if (target !== undefined && rate >= ARRIVED_SHARE * target) {
    return limitBy('tool_target', null, 'all offered packets arrived');
  }
  const busy: Endpoint = hasArrived ? 'sender' : 'receiver';
  if (isSaturated(busy, evidence)) return limitBy('cpu', busy, `the ${busy} had no CPU left for more packets`);
  const counters = evidence.allowance === undefined ? 'no allowance counters were read' : 'no allowance was exceeded';
  const lost = hasArrived ? '' : `${percent(1 - rate / sent)} of the packets did not arrive, and `;
  return limitBy('not_known', null, `${lost}${counters}`);
}

function limitBy(cause: Cause | null, limitedBy: Endpoint | null, reason: string): Limit {
  return { cause, limitedBy, reason };
}

function witnessAllowance(
  cause: AllowanceCause,
  exceeded: readonly Exceeded[],
  limit: Limit,
  { allowance }: PacketEvidence,
): Witness {
  const { name, allowance: which } = ALLOWANCE_CAUSES[cause];
  const words = ALLOWANCE_WORDS[which];
  const ofKind = exceeded.filter((each) => each.cause === cause);
  if (allowance === undefined || ofKind.length === 0) {
    return { name, agrees: null, detail: `the counters of the ${words} were not read` };
  }
  const grown = ofKind.filter(({ packets }) => packets > 0);
  if (grown.length === 0) {
    // If the allowance held back nothing, that supports any other cause, but nothing if the cause is not known.
    return { name, agrees: limit.cause === 'not_known' ? null : true, detail: `the ${words} held back no packet` };
  }
  const held = grown
    .map(
      ({ end, packets, isLasting }) => `${packets} packets at the ${end}${isLasting ? '' : ', but only now and then'}`,
    )
    .join(' and ');
  const agrees = limit.cause === cause || (grown.some(({ isLasting }) => isLasting) ? false : null);
  return { name, agrees, detail: `the ${words} held back ${held}` };
}

function witnessArrival(rate: Interval | null, { sentPacketsPerSecond: sent }: PacketEvidence): Witness {
  const ofArrival = (detail: string): Witness => ({ name: 'arrival', agrees: null, detail });
  if (sent === undefined || rate === null) {
    return ofArrival("the sender's interface was not read, so it is not known how many packets were sent");
  }
  // A card that splits long segments itself is given fewer packets than it sends.
  const before = sent < ARRIVED_SHARE * rate.value ? ', before its network card split them' : '';
  return ofArrival(`the sender's interface counted ${formatPacketRate(sent)} on average${before}`);
}

function witnessCpu({ cause }: Limit, evidence: PacketEvidence): Witness {
  const detail = cpuInWords(evidence);
  return { name: 'cpu', agrees: detail !== undefined && cause === 'cpu' ? true : null, detail: detail ?? NO_CPU_USE };
}

interface Findings extends Pick<PacketVerdict, 'onset' | 'burst' | 'baseline' | 'witnesses'> {
  readonly shape: SeriesShape;
  readonly limit: Limit;
}

function explain({ shape, onset, burst, baseline, limit, witnesses }: Findings): string {
  if (baseline === null) return `${shape.sampleCount} seconds of packet counts are too few to judge`;
  const rate = formatPacketRate(baseline.value);
  // Only an exhausted packet allowance is the limit of a type; anything else leaves open how much more it carries.
  const carried = limit.cause === 'packet_rate' ? rate : `at least ${rate}`;
  const level =
    onset === null || burst === null
      ? `${carried} for ${formatSeconds(shape.endSeconds - shape.loadStartSeconds)}`
      : `${formatPacketRate(burst.value)} for ${formatSeconds(onset.value - shape.loadStartSeconds)}, then ${carried}`;
  const against = witnesses.filter(({ name, agrees }) => agrees === false && name !== CPU_CONTENTION_WITNESS);
  return `${level}: ${limit.reason}${against.map(({ detail }) => `; but ${detail}`).join('')}`;
}
