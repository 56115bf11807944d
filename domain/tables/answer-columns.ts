/**
 * The columns of the view `answers`: a row of a run's answer, with the figures that the report, `summary.json`, the mail
 * and the terminal show. They are stored in the run's row, as the column `answers` of `runs`, so that they are closed,
 * expire and are deleted with it.
 */
import type { AnsweredHold, AnsweredRoundTrips, AnswerFigure, AnswerRow, RunAnswer } from '../model/answer';
import { column, fieldColumns, rowOf, type ColumnOf, type Row } from './column';

interface AnswerSource {
  readonly answer: RunAnswer;
  readonly row: AnswerRow;
}

/** `burst_bits_per_second` with the ends of its range, `burst_low_bits_per_second` and `burst_high_bits_per_second`. */
function rangeColumns<Source>(
  name: string,
  unit: string,
  comment: string,
  figureOf: (source: Source) => AnswerFigure | null,
): ColumnOf<Source>[] {
  const end = (which: 'low' | 'high', comment: string) =>
    column<Source>(`${name}_${which}_${unit}`, 'double', comment, (source) => figureOf(source)?.[which]);
  return [
    column(`${name}_${unit}`, 'double', comment, (source) => figureOf(source)?.value),
    end('low', 'Low end of the range that the report shows; NULL: no end'),
    end('high', 'High end of the range that the report shows; NULL: no end'),
  ];
}

const HOLD_FIELDS = fieldColumns((hold: AnsweredHold) => hold, {
  bitsPerSecond: ['double', 'The rate'],
  kind: ['string', 'always, for, at_least or never'],
  seconds: ['double', 'NULL for always and never'],
  lowSeconds: ['double', 'Low end of the range in which another pair has to be expected'],
  highSeconds: ['double', 'High end of it'],
  reachedPairCount: ['bigint', 'Pairs that reached the rate'],
  pairCount: ['bigint', 'Pairs of which it is known'],
  setting: ['string', 'Setting that holds it best; NULL if there is only one'],
});

const ROUND_TRIP_FIELDS: readonly ColumnOf<AnsweredRoundTrips>[] = [
  column('name', 'string', 'Tool, protocol and size', ({ name }) => name),
  ...rangeColumns('p50', 'micros', 'Median', ({ p50Micros }: AnsweredRoundTrips) => p50Micros),
  ...rangeColumns('p99', 'micros', '99th percentile', ({ p99Micros }: AnsweredRoundTrips) => p99Micros),
];

export const ANSWER_COLUMNS: readonly ColumnOf<AnswerSource>[] = [
  column('question', 'string', 'What the rows of the run differ in', ({ answer }) => answer.question),
  ...fieldColumns(({ row }: AnswerSource) => row, {
    label: ['string', 'What the row differs from the others in: c5.xlarge, VPC peering, 8 streams'],
    clientType: ['string', 'Instance type of the client'],
    serverType: ['string', 'Instance type of the server'],
    pairCount: ['bigint', 'Pairs behind the row'],
    setting: ['string', 'Of the figures: the setting that sustains the most; NULL if there is only one'],
  }),
  ...rangeColumns('sustained', 'bits_per_second', 'Rate that lasts', ({ row }: AnswerSource) => row.sustained),
  column('sustained_bound', 'string', 'What shows the rate that lasts', ({ row }) => row.sustained?.bound),
  ...rangeColumns('burst', 'bits_per_second', 'Rate until the throttle onset', ({ row }: AnswerSource) => row.burst),
  ...rangeColumns(
    'burst',
    'seconds',
    'Time until the throttle onset, from full credits',
    ({ row }: AnswerSource) => row.burstSeconds,
  ),
  column('bucket_bits', 'double', 'Size of the token bucket', ({ row }) => row.bucketBits?.value),
  ...fieldColumns(({ row }: AnswerSource) => row, {
    bucketBitsAtLeast: ['double', 'Its least size, where no drop was seen'],
  }),
  column('mean_bits_per_second', 'double', 'Mean throughput', ({ row }) => row.meanBitsPerSecond?.value),
  ...fieldColumns(({ row }: AnswerSource) => row, {
    pairHourlyUsd: ['double', 'Price of both hosts for an hour, of EC2'],
    sustainedBitsPerSecondPerUsd: ['double', 'Measured rate that lasts, at the scale of EC2, per USD an hour'],
    confidence: ['double', 'Median confidence of the verdicts, 0 to 1'],
  }),
  column('contended_count', 'bigint', 'Measurements on busy processors', ({ row }) => row.contended.contendedCount),
  column(
    'holds',
    arrayType(HOLD_FIELDS),
    'How long each rate is held from full credits. kind is always, for, at_least or never; seconds is NULL for always and never',
    ({ row }) => row.holds.map((hold) => rowOf(HOLD_FIELDS, hold)),
  ),
  column('round_trips', arrayType(ROUND_TRIP_FIELDS), 'Round trips by each tool, protocol and size', ({ row }) =>
    row.roundTrips.map((each) => rowOf(ROUND_TRIP_FIELDS, each)),
  ),
  column(
    'scaled_model',
    'string',
    'Name of the scaled model of EC2 that was measured, whose divisors `measurements` has; NULL on EC2 itself',
    ({ answer }) => answer.scaledModel?.name,
  ),
];

function arrayType(fields: readonly { readonly name: string; readonly type: string }[]) {
  return `array<struct<${fields.map(({ name, type }) => `${name}:${type}`).join(',')}>>` as const;
}

export const ANSWERS_TYPE = arrayType(ANSWER_COLUMNS);

/** @returns undefined for a run without an answer: the view has no row of it */
export function answerRows(answer: RunAnswer | undefined): Row[] | undefined {
  return answer?.rows.map((row) => rowOf(ANSWER_COLUMNS, { answer, row }));
}
