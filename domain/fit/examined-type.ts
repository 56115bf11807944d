/** The types that are examined: those that are large enough, with what is known of their network, size and price. */
import { knownCredits, type CreditSource, type KnownBucket } from '../forecast/credits';
import type { PublishedType } from '../forecast/known-figures';
import { HOUR_SECONDS, MONTH_SECONDS, type PriceTable } from '../forecast/prices/price-table';
import type { Interval } from '../maths/interval';
import { ofAnotherPair } from '../model/token-bucket';
import type { Rates } from './credits';
import { refuse } from './traces/trace';

/** @throws Error if none is large enough */
export function largeEnough(
  types: readonly PublishedType[],
  leastVcpus = 0,
  leastMemoryGibibytes = 0,
): readonly PublishedType[] {
  const enough = types.filter(
    ({ vcpuCount, memoryMebibytes }) => vcpuCount >= leastVcpus && memoryMebibytes >= leastMemoryGibibytes * 1024,
  );
  if (enough.length > 0) return enough;
  const got = `${leastVcpus} vCPUs and ${leastMemoryGibibytes} GiB`;
  return refuse('--vcpus, --memory', 'no more than a type has that is asked about', got);
}

export interface ExaminedType extends Rates {
  readonly instanceType: string;
  readonly vcpuCount: number;
  readonly memoryGibibytes: number;
  /** null without a known price. */
  readonly usdPerMonth: number | null;
  readonly source: CreditSource;
  /** 0 where the baseline is the peak; null where nobody has measured it. */
  readonly bucketBits: Interval | null;
  /** How many measurements the bucket is from. */
  readonly measurementCount?: number;
}

/** @returns the cheapest first, those without a known price last, and the names of those without a published baseline */
export function examinedTypes(
  types: readonly PublishedType[],
  { instanceUsdPerHour }: Pick<PriceTable, 'instanceUsdPerHour'>,
  measured: readonly KnownBucket[] = [],
): { readonly examined: readonly ExaminedType[]; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const examined = types.flatMap((type): ExaminedType[] => {
    const { instanceType, vcpuCount, memoryMebibytes } = type;
    const credits = knownCredits(type, instanceType, measured);
    if (credits === undefined) {
      unknown.push(instanceType);
      return [];
    }
    const { source, measurementCount, baselineBitsPerSecond, burstBitsPerSecond, bucketBits } = credits;
    const isFlat = bucketBits.high === 0;
    const usdPerHour = instanceUsdPerHour[instanceType];
    return [
      {
        ...{ instanceType, vcpuCount, source, measurementCount, baselineBitsPerSecond },
        peakBitsPerSecond: isFlat ? burstBitsPerSecond : Math.max(burstBitsPerSecond, type.peakBitsPerSecond ?? 0),
        bucketBits: isFlat || source !== 'published_figures' ? ofOthers(bucketBits) : null,
        memoryGibibytes: memoryMebibytes / 1024,
        usdPerMonth: usdPerHour === undefined ? null : (usdPerHour * MONTH_SECONDS) / HOUR_SECONDS,
      },
    ];
  });
  const price = ({ usdPerMonth }: ExaminedType) => usdPerMonth ?? Number.MAX_VALUE;
  return { examined: examined.sort((one, other) => price(one) - price(other)), unknown };
}

/** At least as wide as the scatter between pairs, which few recordings may not show. */
function ofOthers({ low, expected: value, high }: { low: number; expected: number; high: number }): Interval {
  const others = ofAnotherPair({ value, low: value, high: value });
  return { value, low: Math.min(low, others.low), high: Math.max(high, others.high) };
}
