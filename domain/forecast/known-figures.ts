/** What is known of an instance type without measuring it: each figure with who says so and since when. */
import {
  BANDWIDTH_PAGE,
  ENA_EXPRESS_PAGE,
  internetGatewayBitsPerSecond,
  SINGLE_FLOW_BITS_PER_SECOND,
} from '../model/ec2-facts';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { Source } from '../model/source';
import { EARNED_AT_REST, refillSeconds } from '../model/token-bucket';
import { creditsSource, knownCredits, type Credits, type KnownBucket } from './credits';
import { onsetOf } from './forecast-bulk';
import type { PriceTable } from './prices/price-table';

export interface PublishedType extends InstanceTypeFacts {
  readonly networkCardCount?: number;
  readonly memoryMebibytes: number;
  /** The type whose figures these are, if the table has another one with the same network. */
  readonly recordedAs?: string;
}

export interface KnownFigure {
  /** null where there is none, or where only bounds are known. */
  readonly value: number | null;
  readonly low?: number;
  readonly high?: number;
  /** How many measurements the figure is from. */
  readonly measurementCount?: number;
  /** Whether the type has no such figure, or nobody has said what it is. */
  readonly absent?: 'none' | 'unknown';
  /** What the figure rests on, or why it is absent. */
  readonly note?: string;
  /** Of an absent figure, where it was looked for. */
  readonly source: Source;
}

/** What earlier runs of a deployment measured, which goes before what others published. */
export interface EarlierResults {
  readonly buckets: readonly KnownBucket[];
  readonly source: Source;
}

export interface FigureSources {
  readonly published: Source;
  readonly prices: Source;
  readonly earlier?: EarlierResults;
}

export function knownFigures(
  type: PublishedType,
  { instanceUsdPerHour }: Pick<PriceTable, 'instanceUsdPerHour'>,
  sources: FigureSources,
) {
  const published = (value: number | undefined): KnownFigure =>
    value === undefined
      ? absent('unknown', `EC2 publishes no such figure for ${type.instanceType}.`, sources.published)
      : { value, source: sources.published };
  const ofFeature = (feature: string, value: number, source: Source, isSupported: boolean): KnownFigure =>
    isSupported
      ? known(value, source)
      : absent('none', `EC2 does not offer ${feature} for ${type.instanceType}.`, sources.published);
  const usd = instanceUsdPerHour[type.instanceType];
  const gateway = internetGatewayBitsPerSecond(type);
  return {
    baselineBitsPerSecond: published(type.baselineBitsPerSecond),
    peakBitsPerSecond: published(type.peakBitsPerSecond),
    ...creditFigures(type, sources),
    packetsPerSecond: absent(
      'unknown',
      'EC2 limits the packet rate by instance type but publishes no figure. ' +
        measuredBy('packets-per-second.json', type.instanceType),
      sources.published,
    ),
    flowBitsPerSecond: known(SINGLE_FLOW_BITS_PER_SECOND.ordinary, BANDWIDTH_PAGE),
    clusterFlowBitsPerSecond: ofFeature(
      'cluster placement groups',
      SINGLE_FLOW_BITS_PER_SECOND.cluster,
      BANDWIDTH_PAGE,
      type.supportsClusterPlacement,
    ),
    enaExpressFlowBitsPerSecond: ofFeature(
      'ENA Express',
      SINGLE_FLOW_BITS_PER_SECOND.enaExpress,
      ENA_EXPRESS_PAGE,
      type.supportsEnaExpress,
    ),
    internetGatewayBitsPerSecond: gateway === undefined ? published(undefined) : known(gateway, BANDWIDTH_PAGE),
    networkCardCount: published(type.networkCardCount),
    usdPerHour:
      usd === undefined
        ? absent('unknown', `The price list has no ${type.instanceType}.`, sources.prices)
        : { value: usd, source: sources.prices },
  } satisfies Readonly<Record<string, KnownFigure>>;
}

export type KnownFigures = ReturnType<typeof knownFigures>;

const known = (value: number, source: Source): KnownFigure => ({ value, source });

const absent = (kind: 'none' | 'unknown', note: string, source: Source): KnownFigure => ({
  value: null,
  absent: kind,
  note,
  source,
});

const measuredBy = (plan: string, instanceType: string) =>
  `To measure it, put ${instanceType} into examples/plans/${plan} and run that plan; npm run plan shows its price.`;

/** The figures of the burst, by what its credits are known from. */
function creditFigures(type: PublishedType, { published, earlier }: FigureSources) {
  const { instanceType } = type;
  const credits = knownCredits(type, instanceType, earlier?.buckets ?? []);
  const names = ['burstBitsPerSecond', 'burstSeconds', 'bucketBits', 'refillSeconds'] as const;
  const all = (figure: KnownFigure) => Object.fromEntries(names.map((name) => [name, figure])) as CreditFigures;
  if (credits === undefined)
    return all(absent('unknown', `EC2 publishes no bandwidth for ${instanceType}.`, published));
  const { source: kind, burstBitsPerSecond, baselineBitsPerSecond, bucketBits, measurementCount } = credits;
  const source = creditsSource(credits, earlier?.source);
  const isFlat = burstBitsPerSecond <= baselineBitsPerSecond;
  if (isFlat) {
    const isPublished = kind === 'published_figures';
    const why = isPublished
      ? `The baseline of ${instanceType} is its peak`
      : `${instanceType} was seen to keep one rate`;
    return all(absent('none', `${why}, so it has no credits to run out.`, isPublished ? published : source));
  }
  const burst = burstSeconds(credits);
  if (kind === 'published_figures') {
    const note =
      `EC2 publishes no such figure, and no public recording of ${instanceType} is known. ` +
      measuredBy('choose-instance-type.json', instanceType);
    return {
      burstBitsPerSecond: { value: burstBitsPerSecond, source: published },
      burstSeconds: {
        ...burst,
        value: null,
        note: 'EC2 publishes this range for all types alike: the full rate typically lasts that long.',
        source,
      },
      bucketBits: absent('unknown', note, source),
      refillSeconds: absent('unknown', note, source),
    };
  }
  const { low, expected: value, high } = bucketBits;
  const idle = (bits: number, earnedAtRest: number) =>
    refillSeconds({ baselineBitsPerSecond, bucketBits: bits }) / earnedAtRest;
  return {
    burstBitsPerSecond: { value: burstBitsPerSecond, measurementCount, source },
    burstSeconds: {
      ...burst,
      measurementCount,
      note: 'Full credits last bucket / (burst - baseline). A range covers all measurements.',
      source,
    },
    bucketBits: {
      value,
      low,
      high,
      measurementCount,
      note: 'The traffic above the baseline that full credits allow.',
      source,
    },
    refillSeconds: {
      value: idle(value, EARNED_AT_REST.value),
      low: idle(low, EARNED_AT_REST.high),
      high: idle(high, EARNED_AT_REST.low),
      measurementCount,
      note:
        'Empty credits are full again after bucket / baseline if nothing is sent. Recorded C6gd instances refilled up to ' +
        `${EARNED_AT_REST.high} times as fast (hpides/skyrise, 2024).`,
      source,
    },
  };
}

type CreditFigures = Readonly<
  Record<'burstBitsPerSecond' | 'burstSeconds' | 'bucketBits' | 'refillSeconds', KnownFigure>
>;

/** As the forecast of a plan expects it of a pair of this type that sends at the burst rate. */
function burstSeconds(credits: Credits): Pick<KnownFigure, 'value' | 'low' | 'high'> {
  const onset = onsetOf({ bitsPerSecond: credits.burstBitsPerSecond }, [credits]);
  if (onset.kind !== 'at') throw new Error(`${credits.instanceType}: must have credits that run out`);
  return { value: onset.expectedSeconds, low: onset.lowSeconds, high: onset.highSeconds ?? undefined };
}
