/** The network credits of a type: from earlier runs, from public recordings, or from what AWS publishes. */
import { BANDWIDTH_PAGE, PUBLISHED_BURST_SECONDS } from '../model/ec2-facts';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { ScaledModel } from '../model/scaled-model';
import type { Source } from '../model/source';
import { isWithinLookBack, MOST_REPETITIONS, quotedList } from '../tables/query-text';

/** The burst of an instance type as measured by earlier runs of this account, or by others in public. */
export interface KnownBucket {
  readonly instanceType: string;
  /** The fastest burst that was measured. */
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow: the median, and the extremes where they are known. */
  readonly bucketBits: number;
  readonly bucketLowBits?: number;
  readonly bucketHighBits?: number;
  readonly measurementCount: number;
}

export type CreditSource = 'earlier_results' | 'public_recordings' | 'published_figures';

export interface Credits {
  readonly instanceType: string;
  readonly source: CreditSource;
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow: 0 where the baseline is the peak. */
  readonly bucketBits: { readonly low: number; readonly expected: number; readonly high: number };
  /** How many measurements a measured bucket is from. */
  readonly measurementCount?: number;
}

/**
 * @param type as published, of the scaled model where there is one
 * @param earlierBuckets as they were measured, in the model too
 * @returns undefined where AWS publishes no figures for the type, and no measurement of it is known
 */
export function knownCredits(
  type: InstanceTypeFacts | undefined,
  instanceType: string,
  earlierBuckets: readonly KnownBucket[],
  model: Pick<ScaledModel, 'rateDivisor' | 'timeDivisor'> = { rateDivisor: 1, timeDivisor: 1 },
): Credits | undefined {
  const isOfType = (bucket: KnownBucket) => bucket.instanceType === instanceType;
  const earlier = earlierBuckets.find(isOfType);
  if (earlier !== undefined) return measured(earlier, 'earlier_results');
  const onEc2 = RECORDED_BUCKETS.find(isOfType);
  const recorded = onEc2 && scaled(onEc2, model);
  if (recorded !== undefined && fitsPublishedPeak(recorded, type)) return measured(recorded, 'public_recordings');

  const { baselineBitsPerSecond, peakBitsPerSecond } = type ?? {};
  if (baselineBitsPerSecond === undefined || peakBitsPerSecond === undefined) return undefined;
  const isFlat = FLAT_FAMILIES.test(instanceType);
  const burstBitsPerSecond = isFlat ? baselineBitsPerSecond : peakBitsPerSecond;
  const { low, expected, high } = PUBLISHED_BURST_SECONDS;
  const spending = (burstBitsPerSecond - baselineBitsPerSecond) / model.timeDivisor;
  const bucketBits = { low: spending * low, expected: spending * expected, high: spending * high };
  const source = isFlat ? 'public_recordings' : 'published_figures';
  return { instanceType, source, burstBitsPerSecond, baselineBitsPerSecond, bucketBits };
}

/** AWS publishes a peak above the baseline for these families. */
const FLAT_FAMILIES = /^[cm]4\./;
const FLAT_RECORDINGS: Source = {
  name: 'article',
  date: '2018',
  text:
    'the source article of 2018 (its plan is in docs/measurements.md): every size of M4 and C4 kept one rate for half an ' +
    'hour, for example m4.large 0.5 Gbit/s and m4.4xlarge 2 Gbit/s',
};

/** Who says what a type's credits are. @param earlier of the earlier results, where there are any */
export function creditsSource(
  { source, measurementCount }: Pick<Credits, 'source' | 'measurementCount'>,
  earlier?: Source,
): Source {
  if (source === 'earlier_results' && earlier !== undefined) return earlier;
  if (source === 'published_figures') return BANDWIDTH_PAGE;
  return measurementCount === undefined ? FLAT_RECORDINGS : BUCKET_RECORDINGS;
}

function scaled(bucket: KnownBucket, { rateDivisor, timeDivisor }: Pick<ScaledModel, 'rateDivisor' | 'timeDivisor'>) {
  const { bucketLowBits = bucket.bucketBits, bucketHighBits = bucket.bucketBits } = bucket;
  const volumeDivisor = rateDivisor * timeDivisor;
  return {
    ...bucket,
    burstBitsPerSecond: bucket.burstBitsPerSecond / rateDivisor,
    baselineBitsPerSecond: bucket.baselineBitsPerSecond / rateDivisor,
    bucketBits: bucket.bucketBits / volumeDivisor,
    bucketLowBits: bucketLowBits / volumeDivisor,
    bucketHighBits: bucketHighBits / volumeDivisor,
  };
}

/** A recording whose burst is well above the published peak was made on another network. */
const PEAK_TOLERANCE = 1.1;

function fitsPublishedPeak({ burstBitsPerSecond }: KnownBucket, type: InstanceTypeFacts | undefined): boolean {
  return type?.peakBitsPerSecond === undefined || burstBitsPerSecond <= type.peakBitsPerSecond * PEAK_TOLERANCE;
}

function measured(bucket: KnownBucket, source: CreditSource): Credits {
  const { bucketBits, bucketLowBits = bucketBits, bucketHighBits = bucketBits, ...known } = bucket;
  return { ...known, source, bucketBits: { low: bucketLowBits, expected: bucketBits, high: bucketHighBits } };
}

const BUCKET_RECORDINGS: Source = {
  name: 'NSDI',
  date: '2020-02',
  text:
    'public recordings of half an hour or more, one sample per second: A. Uta et al., "Is Big Data Performance Reproducible ' +
    'in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0',
};

/**
 * Token buckets of the types in `BUCKET_RECORDINGS`. Each size is the traffic above the baseline until the drop, in
 * Gbit: the least, median and most of the recordings at 10 and 5 Gbit/s.
 */
export const RECORDED_BUCKETS: readonly KnownBucket[] = (
  [
    ['c5.large', 0.75e9, [2445, 2483, 2537], 14],
    ['c5.xlarge', 1.254e9, [4325, 4445, 4742], 10],
    ['c5.2xlarge', 2.508e9, [7509, 7606, 7795], 8],
    ['c5.4xlarge', 5.016e9, [10_405, 10_717, 10_776], 5],
  ] as const
).map(([instanceType, baselineBitsPerSecond, [low, median, high], measurementCount]) => ({
  instanceType,
  // The throughput measured at the nominal 10 Gbit/s.
  burstBitsPerSecond: 9.69e9,
  baselineBitsPerSecond,
  bucketBits: median * 1e9,
  bucketLowBits: low * 1e9,
  bucketHighBits: high * 1e9,
  measurementCount,
}));

/**
 * Finds the buckets that earlier runs of this account measured. Only throttles whose owner is known count, for the type
 * of the host whose credits ran out. The burst is the fastest one, because slower ones were limited by a flow cap, an
 * offered load or the other host. Of each type the newest measurements count.
 *
 * @param day UTC day of the run, YYYY-MM-DD
 * @param instanceTypes at least one
 */
export function earlierBucketsQuery(day: string, instanceTypes: readonly string[]): string {
  // The median is exact, because approx_percentile of Athena and of the lab's engine differ on few values.
  const median = (column: string) =>
    `element_at(array_sort(array_agg(${column})), CAST(ceil(COUNT(*) * 0.5) AS bigint))`;
  return `WITH throttled AS (
  SELECT CASE WHEN (throttled_by = 'sender') = (verdict_direction = 'forward') THEN client_type ELSE server_type END
      AS instance_type,
    burst_bits_per_second, baseline_bits_per_second, bucket_bits, day, run_id, measurement_id
  FROM measurements
  WHERE ${isWithinLookBack(day)}
    AND status = 'complete'
    AND verdict_cause = 'network_credits'
    AND throttled_by IS NOT NULL
    AND bucket_bits IS NOT NULL
), placed AS (
  SELECT *,
    row_number() OVER (PARTITION BY instance_type ORDER BY day DESC, run_id DESC, measurement_id DESC) AS place
  FROM throttled
  WHERE instance_type IN (${quotedList(instanceTypes)})
)
SELECT instance_type,
  COUNT(*) AS measurement_count,
  MAX(burst_bits_per_second) AS burst_bits_per_second,
  ${median('baseline_bits_per_second')} AS baseline_bits_per_second,
  ${median('bucket_bits')} AS bucket_bits,
  MIN(bucket_bits) AS bucket_low_bits,
  MAX(bucket_bits) AS bucket_high_bits
FROM placed
WHERE place <= ${MOST_REPETITIONS}
GROUP BY instance_type
ORDER BY instance_type`;
}

/** @param rows by column name, as Athena returns them: values are text, and NULL is absent */
export function earlierBucketsOf(rows: readonly Readonly<Record<string, string | undefined>>[]): KnownBucket[] {
  return rows.map((row) => {
    const text = (column: string) => {
      const value = row[column];
      if (value === undefined) throw new Error(`${column}: must have a value, got NULL`);
      return value;
    };
    const number = (column: string) => {
      const value = Number(text(column));
      if (!Number.isFinite(value)) throw new Error(`${column}: must be a number, got ${JSON.stringify(row[column])}`);
      return value;
    };
    return {
      instanceType: text('instance_type'),
      measurementCount: number('measurement_count'),
      burstBitsPerSecond: number('burst_bits_per_second'),
      baselineBitsPerSecond: number('baseline_bits_per_second'),
      bucketBits: number('bucket_bits'),
      bucketLowBits: number('bucket_low_bits'),
      bucketHighBits: number('bucket_high_bits'),
    };
  });
}
