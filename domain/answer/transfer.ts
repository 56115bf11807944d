/** How long a transfer takes on a pair with full credits, and whether it is throttled. The page's script uses it, too. */
import { sum } from '../maths/statistics';
import type { AnswerRow } from '../model/answer';

/** The figures of a row from which the answer follows. Rates in bits per second. */
export interface TransferFigures {
  /** The burst: where there are several modes, the slowest and the fastest. Without a burst, the sustained rate. */
  readonly slowestBurst: number;
  readonly fastestBurst: number;
  /** null where no drop was seen, and the rate lasts as far as is known. */
  readonly sustained: number | null;
  /** How many bits pass at the burst rate before the throttle; the range for another pair. */
  readonly leastBurstBits: number;
  readonly mostBurstBits: number;
}

export interface TransferAnswer {
  /** For the best and the worst pair that has to be expected; Infinity if it never ends. */
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly throttled: 'no' | 'perhaps' | 'yes';
}

/** @returns undefined for a row that shows no rate, or only one that may not last */
export function transferFigures(row: AnswerRow): TransferFigures | undefined {
  const { burst, burstSeconds, sustained, meanBitsPerSecond } = row;
  if (burst !== null && burstSeconds !== null && sustained !== null) {
    const modes = burst.modes ?? [burst.value];
    // Pairs that kept the sustained rate from the beginning have no burst, and another pair may be like them.
    const measured = sum(row.verdicts.map(({ count }) => count));
    const slowestOfBursts = modes[0] ?? burst.value;
    const slowestBurst = burst.count < measured ? sustained.value : slowestOfBursts;
    const fastestBurst = modes.at(-1) ?? burst.value;
    // A slower burst lasts longer: of several modes, each has a duration of its own, and the volume is about the same.
    const times = burstSeconds.modes ?? [burstSeconds.value];
    const volume = slowestOfBursts * (times.at(-1) ?? burstSeconds.value);
    const [low, high] = [burstSeconds.low ?? burstSeconds.value, burstSeconds.high ?? burstSeconds.value];
    const isSingle = burst.modes === undefined && burstSeconds.modes === undefined;
    return {
      slowestBurst,
      fastestBurst,
      sustained: sustained.value,
      leastBurstBits: isSingle ? slowestOfBursts * low : Math.min(volume, fastestBurst * (times[0] ?? low)),
      mostBurstBits: isSingle ? fastestBurst * high : Math.max(volume, fastestBurst * (times[0] ?? high)),
    };
  }
  const rate = sustained ?? meanBitsPerSecond;
  if (rate === null) return undefined;
  const isLasting = sustained !== null && sustained.bound !== 'at_most';
  const spent = row.bucketBitsAtLeast === null ? 0 : rate.value;
  return {
    slowestBurst: rate.modes?.[0] ?? rate.value,
    fastestBurst: rate.modes?.at(-1) ?? rate.value,
    sustained: null,
    leastBurstBits: isLasting ? Infinity : spent,
    mostBurstBits: Infinity,
  };
}

export function transferAnswer(figures: TransferFigures, bits: number): TransferAnswer {
  const { slowestBurst, fastestBurst, sustained, leastBurstBits, mostBurstBits } = figures;
  const seconds = (burst: number, burstBits: number) => {
    if (bits <= burstBits) return bits / burst;
    return burstBits / burst + (bits - burstBits) / (sustained ?? 0);
  };
  return {
    lowSeconds: seconds(fastestBurst, mostBurstBits),
    highSeconds: seconds(slowestBurst, leastBurstBits),
    throttled: bits <= leastBurstBits ? 'no' : bits > mostBurstBits ? 'yes' : 'perhaps',
  };
}
