/**
 * What the history keeps of a run's answer (`answer` of `summary.json`): for each row the figures that the digest's own
 * values don't give. They are kept with the cell of the row's first measurement, which is that of its own setting.
 */
import * as z from 'zod';
import { HOLD_KINDS, RATE_BOUNDS } from '../model/carried-rate';

export const answerDigest = z
  .strictObject({
    sustained: z
      .strictObject({ value: z.number(), bound: z.enum(RATE_BOUNDS) })
      .readonly()
      .optional(),
    /** The price of both hosts. */
    pairHourlyUsd: z.number().optional(),
    sustainedBitsPerSecondPerUsd: z.number().optional(),
    /** How long each asked rate is held; without `seconds` it is held always or never. */
    holds: z
      .array(
        z
          .strictObject({ bitsPerSecond: z.number(), kind: z.enum(HOLD_KINDS), seconds: z.number().optional() })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();

export type AnswerDigest = z.infer<typeof answerDigest>;

/** The part of the answer that a digest reads. Summaries of 0.3.0 have no answer. */
export interface DigestedAnswer {
  readonly rows: readonly {
    readonly measurementIds: readonly string[];
    readonly sustained: NonNullable<AnswerDigest['sustained']> | null;
    readonly pairHourlyUsd: number | null;
    readonly sustainedBitsPerSecondPerUsd: number | null;
    readonly holds: readonly {
      readonly bitsPerSecond: number;
      readonly kind: AnswerDigest['holds'][number]['kind'];
      readonly seconds: number | null;
    }[];
  }[];
}

/** @returns undefined where no row of the answer begins with one of these measurements */
export function answerOf(
  answer: DigestedAnswer | undefined,
  measurementIds: readonly string[],
): AnswerDigest | undefined {
  const row = answer?.rows.find(({ measurementIds: [first = ''] }) => measurementIds.includes(first));
  if (row === undefined) return undefined;
  const { sustained, pairHourlyUsd, sustainedBitsPerSecondPerUsd, holds } = row;
  return {
    sustained: sustained === null ? undefined : { value: sustained.value, bound: sustained.bound },
    pairHourlyUsd: pairHourlyUsd ?? undefined,
    sustainedBitsPerSecondPerUsd: sustainedBitsPerSecondPerUsd ?? undefined,
    holds: holds.map(({ bitsPerSecond, kind, seconds }) => ({ bitsPerSecond, kind, seconds: seconds ?? undefined })),
  };
}
