/**
 * What the history keeps of a run's answer (`answer` of `summary.json`): for each row the figures that the digest's own
 * values don't give. They are kept with the cell of the row's first measurement, which is that of its own setting.
 */
import * as z from 'zod';
import type { AnswerFigure, AnswerRow } from '../model/answer';
import { HOLD_KINDS, RATE_BOUNDS } from '../model/carried-rate';

const hold = z
  .strictObject({
    bitsPerSecond: z.number(),
    kind: z.enum(HOLD_KINDS),
    /** Absent for a rate that is always or never held. */
    seconds: z.number().optional(),
    /** How many of how many pairs reached the rate; absent where all did, or none. */
    reached: z.strictObject({ count: z.int(), of: z.int() }).readonly().optional(),
  })
  .readonly();

const figureFields = {
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  modes: z.array(z.number()).readonly().optional(),
};
const figure = z.strictObject(figureFields).readonly();

export const answerDigest = z
  .strictObject({
    sustained: z
      .strictObject({ ...figureFields, bound: z.enum(RATE_BOUNDS) })
      .readonly()
      .optional(),
    burst: figure.optional(),
    burstSeconds: figure.optional(),
    /** The price of both hosts. */
    pairHourlyUsd: z.number().optional(),
    sustainedBitsPerSecondPerUsd: z.number().optional(),
    holds: z.array(hold).readonly(),
  })
  .readonly();

export type AnswerDigest = z.infer<typeof answerDigest>;

/** The part of a run's answer that a digest reads. Summaries of 0.3.0 have no answer. */
export interface DigestedAnswer {
  readonly rows: readonly Pick<
    AnswerRow,
    | 'measurementIds'
    | 'sustained'
    | 'burst'
    | 'burstSeconds'
    | 'pairHourlyUsd'
    | 'sustainedBitsPerSecondPerUsd'
    | 'holds'
  >[];
}

/** @returns undefined where no row of the answer begins with one of these measurements */
export function answerOf(
  answer: DigestedAnswer | undefined,
  measurementIds: readonly string[],
): AnswerDigest | undefined {
  const row = answer?.rows.find(({ measurementIds: [first = ''] }) => measurementIds.includes(first));
  if (row === undefined) return undefined;
  const { sustained, burst, burstSeconds, pairHourlyUsd, sustainedBitsPerSecondPerUsd, holds } = row;
  const figureOf = ({ value, low, high, modes }: AnswerFigure) => ({ value, low, high, modes });
  return {
    sustained: sustained ? { ...figureOf(sustained), bound: sustained.bound } : undefined,
    burst: burst ? figureOf(burst) : undefined,
    burstSeconds: burstSeconds ? figureOf(burstSeconds) : undefined,
    pairHourlyUsd: pairHourlyUsd ?? undefined,
    sustainedBitsPerSecondPerUsd: sustainedBitsPerSecondPerUsd ?? undefined,
    holds: holds.map(({ bitsPerSecond, kind, seconds, reachedPairCount: count, pairCount: of }) => ({
      bitsPerSecond,
      kind,
      seconds: seconds ?? undefined,
      reached: count > 0 && count < of ? { count, of } : undefined,
    })),
  };
}
