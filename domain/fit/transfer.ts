/** The other way round: which types carry a transfer of a size within a time, and at which pace without a throttle. */
import { transferAnswer, type TransferAnswer } from '../answer/transfer';
import type { ExaminedType } from './examined-type';
import { baselinesOf, type BoundedFigure } from './type-fit';

export const IN_TIME = ['yes', 'perhaps', 'no'] as const;

export interface TransferFit extends ExaminedType, Pick<TransferAnswer, 'throttled'> {
  readonly takesSeconds: BoundedFigure;
  readonly isWithin: (typeof IN_TIME)[number];
  /**
   * The steady rate that even the smallest bucket carries without a throttle; null if that is the peak, or not known. It
   * ends when the slowest pair does at full speed, because both use all credits and the baseline.
   */
  readonly paceBitsPerSecond: number | null;
}

/** @param withinSeconds Infinity if the time does not matter */
export function fitTransfer(bits: number, withinSeconds: number, types: readonly ExaminedType[]): TransferFit[] {
  return types.map((type): TransferFit => {
    const { peakBitsPerSecond: peak, bucketBits } = type;
    const baseline = baselinesOf(type);
    const answerFor = (sustained: number, bucket: number) => {
      const burstBits = peak > sustained ? (peak * bucket) / (peak - sustained) : Infinity;
      const burst = { slowestBurst: peak, fastestBurst: peak, leastBurstBits: burstBits, mostBurstBits: burstBits };
      return transferAnswer({ ...burst, sustained }, bits);
    };
    const worst = answerFor(baseline.low, bucketBits?.low ?? 0);
    const best = answerFor(baseline.high, bucketBits?.high ?? Infinity);
    const expected = bucketBits && answerFor(baseline.value, bucketBits.value).lowSeconds;
    const [low, high] = [best.lowSeconds, worst.highSeconds];
    return {
      ...type,
      throttled: best.throttled === worst.throttled ? best.throttled : 'perhaps',
      takesSeconds: { value: expected, low, high },
      isWithin: high <= withinSeconds ? 'yes' : low > withinSeconds ? 'no' : 'perhaps',
      paceBitsPerSecond: bucketBits && worst.throttled === 'yes' ? bits / high : null,
    };
  });
}
