/** How fast a load goes, how long its burst lasts, whether it is long enough to show that, and how much it carries. */
import { flowCap, peakLimits, trafficCap } from './bandwidth';
import { creditModel, type CreditModel, type Credits, type CreditSource } from './credits';
import { drain, loadedSeconds, type Load } from './drain';
import type { ForecastInput, ForecastPair } from './inputs';
import type { BulkTraffic } from './traffic';

/** So much of the baseline is wanted after the drop. */
export const MARGIN_SECONDS = 60;

/**
 * When the throttle is expected: `at` in an interval with its source, `none` where the rate never exceeds what is earned,
 * `unknown` where nobody published or measured what that would take.
 */
export type OnsetForecast =
  | {
      readonly kind: 'at';
      readonly lowSeconds: number;
      /** null: credits last for as long as anybody measures. */
      readonly expectedSeconds: number | null;
      readonly highSeconds: number | null;
      readonly source: CreditSource;
      /** Whose credits are the first to be spent. */
      readonly instanceType: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Whether the duration reaches past the onset; `nothing_to_show` where no throttle is expected. */
export type CanShow = 'yes' | 'no' | 'unknown' | 'nothing_to_show';

/** Rates are of one direction; null is unknown. */
export interface BulkForecast {
  /** Published, of the slower end and of the way between them: what a gateway holds down has no higher baseline. */
  readonly baselineBitsPerSecond: number | null;
  readonly peakBitsPerSecond: number | null;
  readonly flowCapBitsPerSecond: number;
  readonly flowCount: number;
  readonly directionCount: 1 | 2;
  /** What the load reaches with credits, and after them. */
  readonly burstBitsPerSecond: number | null;
  readonly sustainedBitsPerSecond: number | null;
  readonly onset: OnsetForecast;
  readonly canShow: CanShow;
  /** How long the load is expected to go on, pauses included: a throttle may end it. */
  readonly expectedSeconds: number;
  /** Over all driven directions. */
  readonly expectedBytes: number | null;
  readonly upperBytes: number;
}

type Facts = Pick<ForecastInput, 'instanceTypes' | 'earlierBuckets'>;

export function forecastBulk(traffic: BulkTraffic, pair: ForecastPair, facts: Facts): BulkForecast {
  const names = traffic.isBetweenHosts ? [pair.clientType, pair.serverType] : [pair.clientType];
  const types = names.map((name) => facts.instanceTypes[name]);
  const counterpart = traffic.isBetweenHosts ? pair : undefined;
  const cap = trafficCap(traffic, counterpart);
  const peaks = peakLimits(types, counterpart?.path);
  const upperRate = Math.min(cap, ...peaks.filter((peak) => peak !== undefined));
  const [baseline, peak] = [lowest(types.map((type) => type?.baselineBitsPerSecond)), lowest(peaks)];
  const models = names.map((name, index) => creditModel(types[index], name, facts.earlierBuckets ?? []));
  const published = {
    baselineBitsPerSecond: baseline === null || peak === null ? baseline : Math.min(baseline, peak),
    peakBitsPerSecond: peak,
    flowCapBitsPerSecond: flowCap(traffic, counterpart),
    flowCount: traffic.flowCount,
    directionCount: traffic.directionCount,
    upperBytes: bytes(upperRate * loadedSeconds({ ...traffic, bitsPerSecond: upperRate }), traffic),
  };

  const unknown = models.indexOf('unknown');
  if (unknown >= 0 || published.peakBitsPerSecond === null) {
    const name =
      names[
        Math.max(
          unknown,
          types.findIndex((type) => type?.peakBitsPerSecond === undefined),
        )
      ]!;
    return {
      ...published,
      burstBitsPerSecond: null,
      sustainedBitsPerSecond: null,
      onset: { kind: 'unknown', reason: `no bandwidth of ${name} is published` },
      canShow: 'unknown',
      expectedSeconds: traffic.durationSeconds,
      expectedBytes: null,
    };
  }

  const credits = models.filter(hasCredits);
  const burst = Math.min(upperRate, ...credits.map(({ burstBitsPerSecond }) => burstBitsPerSecond));
  const load = { ...traffic, bitsPerSecond: burst };
  const onset = onsetOf(load, credits);
  const expected = drain(load, buckets(credits, 'expected'));
  return {
    ...published,
    burstBitsPerSecond: burst,
    sustainedBitsPerSecond: Math.min(burst, ...credits.map(({ baselineBitsPerSecond }) => baselineBitsPerSecond)),
    onset,
    canShow: canShow(onset, traffic.durationSeconds),
    expectedSeconds: secondsUntilStopped(traffic, expected.onsetSeconds),
    expectedBytes: bytes(expected.bits, traffic),
  };
}

function secondsUntilStopped(traffic: BulkTraffic, onsetSeconds: number | null): number {
  const { durationSeconds, stopAfterThrottledSeconds } = traffic;
  if (stopAfterThrottledSeconds === undefined || onsetSeconds === null) return durationSeconds;
  return Math.min(durationSeconds, onsetSeconds + stopAfterThrottledSeconds);
}

/** So far ahead an onset is looked for; what lasts longer is none to wait for. Twice the longest measurement, in cycles. */
const HORIZON_SECONDS = { steady: 30 * 86_400, dutyCycle: 14_400 } as const;

/** When it would be, however short the measurement: a warning wants to say so. */
function onsetOf(load: Load, credits: readonly Credits[]): OnsetForecast {
  const durationSeconds = HORIZON_SECONDS[load.dutyCycle === undefined ? 'steady' : 'dutyCycle'];
  const open = { ...load, durationSeconds, stopAfterThrottledSeconds: 0 };
  const low = drain(open, buckets(credits, 'low'));
  if (low.onsetSeconds === null) return { kind: 'none' };
  const expected = drain(open, buckets(credits, 'expected'));
  const first = credits[expected.emptiedIndex ?? low.emptiedIndex!]!;
  return {
    kind: 'at',
    lowSeconds: low.onsetSeconds,
    expectedSeconds: expected.onsetSeconds,
    highSeconds: drain(open, buckets(credits, 'high')).onsetSeconds,
    source: first.source,
    instanceType: first.instanceType,
  };
}

function canShow(onset: OnsetForecast, durationSeconds: number): CanShow {
  if (onset.kind === 'none') return 'nothing_to_show';
  if (onset.kind === 'unknown') return 'unknown';
  if (onset.highSeconds !== null && durationSeconds >= onset.highSeconds + MARGIN_SECONDS) return 'yes';
  return durationSeconds < onset.lowSeconds + MARGIN_SECONDS ? 'no' : 'unknown';
}

function hasCredits(model: CreditModel): model is Credits {
  return typeof model === 'object';
}

function buckets(credits: readonly Credits[], which: keyof Credits['bucketBits']) {
  return credits.map(({ baselineBitsPerSecond, bucketBits }) => ({
    baselineBitsPerSecond,
    bucketBits: bucketBits[which],
  }));
}

function lowest(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? null : Math.min(...known);
}

function bytes(bits: number, { directionCount }: BulkTraffic): number {
  return (bits * directionCount) / 8;
}
