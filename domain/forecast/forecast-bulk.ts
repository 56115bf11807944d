/** Forecasts the rate of a load, how long its burst lasts, whether the measurement can show that, and its traffic. */
import { SHORT_SAMPLES } from '../detection/observe';
import { smallest, sum } from '../maths/statistics';
import { peakLimits, singleFlowCap } from '../model/flow-cap';
import { HOST_ROLES } from '../model/host-role';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedPair } from '../model/planned-run';
import { knownCredits, type Credits, type CreditSource } from './credits';
import { drain, loadedSeconds, type Load } from './drain';
import type { ForecastInput } from './inputs';
import type { BulkTraffic } from './traffic';

/**
 * A measurement shows a throttle if it has this much of the baseline after the drop, and the samples of a verdict. The
 * detector finds a drop to half of a rate that scatters by 3 % in so many samples (`forecast-bulk.test.ts`).
 */
const MARGIN_SECONDS = 20;

/**
 * When the throttle is expected: `at` with an interval and its source, `none` if the rate never exceeds the baseline,
 * `unknown` if the figures that it depends on are neither published nor measured.
 */
export type OnsetForecast =
  | {
      readonly kind: 'at';
      readonly lowSeconds: number;
      /** null if the credits last longer than any measurement. */
      readonly expectedSeconds: number | null;
      readonly highSeconds: number | null;
      readonly source: CreditSource;
      /** The type whose credits are the first to run out. */
      readonly instanceType: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Whether the measurement lasts past the onset; `nothing_to_show` if no throttle is expected. */
export type CanShow = 'yes' | 'no' | 'unknown' | 'nothing_to_show';

/** Rates are of one direction; null is unknown. */
export interface BulkForecast {
  /** The published rate: the lower of both hosts' rates, or the limit of the path if that is lower. */
  readonly baselineBitsPerSecond: number | null;
  readonly peakBitsPerSecond: number | null;
  readonly flowCapBitsPerSecond: number;
  readonly flowCount: number;
  readonly directionCount: number;
  /** The rate of the load while there are credits, and after them. */
  readonly burstBitsPerSecond: number | null;
  readonly sustainedBitsPerSecond: number | null;
  readonly onset: OnsetForecast;
  readonly canShow: CanShow;
  /** How long the measurement would have to last to show the throttle; null if that is not known, or none is expected. */
  readonly showsFromSeconds: number | null;
  /** How long the load is expected to run, pauses included; a throttle may end it early. */
  readonly expectedSeconds: number;
  /** UDP only: what all senders can send. All of it is charged, even if it is lost; TCP slows down for its receiver. */
  readonly sentBitsPerSecond?: number;
  /** Bytes over all driven directions. */
  readonly expectedBytes: number | null;
  readonly upperBytes: number;
}

type Facts = Pick<ForecastInput, 'instanceTypes' | 'earlierBuckets' | 'scaledModel'>;

export function forecastBulk(traffic: BulkTraffic, pair: PlannedPair, facts: Facts): BulkForecast {
  const { protocol, flowCount, senders, durationSeconds, dutyCycle } = traffic;
  const hosts = HOST_ROLES.filter((role) => traffic.isBetweenHosts || role === 'client').map((role) => {
    const name = pair[`${role}Type`];
    const type = facts.instanceTypes[name];
    return { role, name, type, credits: knownCredits(type, name, facts.earlierBuckets ?? [], facts.scaledModel) };
  });
  const types = hosts.map(({ type }) => type);
  const sending = hosts.filter(({ role }) => senders.includes(role));
  const pairBetween = traffic.isBetweenHosts ? pair : undefined;
  const ec2FlowCap = singleFlowCap(protocol, pairBetween ?? 'object_store').bitsPerSecond;
  const flowCap = ec2FlowCap / (facts.scaledModel?.rateDivisor ?? 1);
  const packetCap = packetLimit(
    traffic,
    sending.map(({ type }) => type),
  );
  const cap = Math.min(flowCount * flowCap, traffic.targetBitsPerSecond ?? Infinity, packetCap);
  const cappedBy = (limits: readonly (number | undefined)[]) =>
    smallest([cap, ...limits.filter((limit) => limit !== undefined)]);
  const peaks = peakLimits(types, pairBetween?.path);
  const upperRate = cappedBy(peaks);
  const loaded = loadedSeconds(traffic);
  const udpSenders =
    protocol === 'udp' && pairBetween !== undefined
      ? sending.map((host) => ({ ...host, upperRate: cappedBy(peakLimits([host.type], pairBetween.path)) }))
      : undefined;
  const sentBitsPerSecond = udpSenders && sum(udpSenders.map((sender) => sender.upperRate));
  const [baseline, peak] = [lowest(types.map((type) => type?.baselineBitsPerSecond)), lowest(peaks)];
  const directionCount = senders.length;
  const published = {
    baselineBitsPerSecond: baseline === null || peak === null ? baseline : Math.min(baseline, peak),
    peakBitsPerSecond: peak,
    flowCapBitsPerSecond: flowCap,
    flowCount,
    directionCount,
    sentBitsPerSecond,
    upperBytes: ((sentBitsPerSecond ?? upperRate * directionCount) * loaded) / 8,
  };

  const unpublished = hosts.find(({ type, credits }) => credits === undefined || type?.peakBitsPerSecond === undefined);
  if (unpublished !== undefined) {
    return {
      ...published,
      burstBitsPerSecond: null,
      sustainedBitsPerSecond: null,
      onset: { kind: 'unknown', reason: `no bandwidth is published for ${unpublished.name}` },
      canShow: 'unknown',
      showsFromSeconds: null,
      expectedSeconds: durationSeconds,
      expectedBytes: null,
    };
  }

  const credits = hosts.flatMap((host) => host.credits ?? []);
  const burst = burstOf(upperRate, credits);
  const load = { ...traffic, bitsPerSecond: burst };
  const onset = onsetOf(load, credits);
  const expected = drain(load, buckets(credits, 'expected'));
  const expectedSeconds = Math.min(
    durationSeconds,
    (expected.onsetSeconds ?? Infinity) + (traffic.stopAfterThrottledSeconds ?? Infinity),
  );
  const sentBits = udpSenders?.map((sender) => {
    const own = [sender.credits ?? []].flat();
    const bitsPerSecond = burstOf(sender.upperRate, own);
    return drain({ bitsPerSecond, durationSeconds: expectedSeconds, dutyCycle }, buckets(own, 'expected')).bits;
  });
  return {
    ...published,
    burstBitsPerSecond: burst,
    sustainedBitsPerSecond: smallest([burst, ...credits.map(({ baselineBitsPerSecond }) => baselineBitsPerSecond)]),
    onset,
    // A load of packets measures the packet rate, and not when the bandwidth drops.
    canShow: traffic.packetBytes === undefined ? canShow(onset, durationSeconds) : 'nothing_to_show',
    showsFromSeconds: onset.kind === 'at' && onset.highSeconds !== null ? showsFrom(onset.highSeconds) : null,
    expectedSeconds,
    expectedBytes: (sentBits === undefined ? expected.bits * directionCount : sum(sentBits)) / 8,
  };
}

const burstOf = (upperRate: number, credits: readonly Credits[]) =>
  smallest([upperRate, ...credits.map(({ burstBitsPerSecond }) => burstBitsPerSecond)]);

/** A processor sends at most about a million UDP datagrams a second, because each one is a system call. */
const MOST_DATAGRAMS_PER_PROCESSOR = 1e6;

function packetLimit(
  { packetBytes, protocol, flowCount }: BulkTraffic,
  senders: readonly (InstanceTypeFacts | undefined)[],
): number {
  if (packetBytes === undefined || protocol !== 'udp') return Infinity;
  const processors = smallest([flowCount, ...senders.map((type) => type?.vcpuCount ?? Infinity)]);
  return processors * MOST_DATAGRAMS_PER_PROCESSOR * 8 * packetBytes;
}

/** Seconds in which an onset is searched for: with a duty cycle only twice the longest measurement, to save time. */
const HORIZON_SECONDS = { steady: 30 * 86_400, dutyCycle: 14_400 } as const;

/** Ignores the measurement's end, because the warning about a short one says when the onset would come. */
export function onsetOf(load: Omit<Load, 'durationSeconds'>, credits: readonly Credits[]): OnsetForecast {
  const durationSeconds = HORIZON_SECONDS[load.dutyCycle === undefined ? 'steady' : 'dutyCycle'];
  const unbounded = { ...load, durationSeconds, stopAfterThrottledSeconds: 0 };
  const low = drain(unbounded, buckets(credits, 'low'));
  const expected = drain(unbounded, buckets(credits, 'expected'));
  const first = expected.emptied ?? low.emptied;
  if (low.onsetSeconds === null || first === null) return { kind: 'none' };
  return {
    kind: 'at',
    lowSeconds: low.onsetSeconds,
    expectedSeconds: expected.onsetSeconds,
    highSeconds: drain(unbounded, buckets(credits, 'high')).onsetSeconds,
    source: first.source,
    instanceType: first.instanceType,
  };
}

function canShow(onset: OnsetForecast, durationSeconds: number): CanShow {
  if (onset.kind === 'none') return 'nothing_to_show';
  if (onset.kind === 'unknown') return 'unknown';
  if (onset.highSeconds !== null && durationSeconds >= showsFrom(onset.highSeconds)) return 'yes';
  return durationSeconds < showsFrom(onset.lowSeconds) ? 'no' : 'unknown';
}

const showsFrom = (onsetSeconds: number) => Math.ceil(Math.max(onsetSeconds + MARGIN_SECONDS, SHORT_SAMPLES));

/** Returns the buckets with one of the three estimates of their size. */
function buckets(credits: readonly Credits[], estimate: keyof Credits['bucketBits']) {
  return credits.map((each) => ({ ...each, bucketBits: each.bucketBits[estimate] }));
}

function lowest(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? null : smallest(known);
}
