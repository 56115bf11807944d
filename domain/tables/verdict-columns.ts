/** The columns of a measurement's verdict, and of the evidence that it rests on. */
import type { ColumnType } from './column';
import { resultColumn, type MeasurementColumn } from './result-column';
import { verdictToJson, type VerdictJson } from '../model/verdict-json';

const verdictColumn = (name: string, type: ColumnType, comment: string, value: (verdict: VerdictJson) => unknown) =>
  resultColumn(name, type, comment, (result) => result.verdict && value(verdictToJson(result.verdict)));

const LOWER = 'Lower end of its 95 % interval';
const UPPER = 'Upper end of its 95 % interval';

export const verdictColumns: readonly MeasurementColumn[] = [
  verdictColumn('verdict_kind', 'string', 'What all witnesses together show', (verdict) => verdict.kind),
  verdictColumn('series_class', 'string', 'What the series alone shows', (verdict) => verdict.seriesClass),
  verdictColumn(
    'verdict_direction',
    'string',
    'Driven direction that the verdict is on',
    (verdict) => verdict.direction,
  ),
  verdictColumn(
    'onset_seconds',
    'double',
    'Throttle onset, from the start of the load',
    (verdict) => verdict.onsetSeconds,
  ),
  verdictColumn('onset_low_seconds', 'double', LOWER, (verdict) => verdict.onsetLowSeconds),
  verdictColumn('onset_high_seconds', 'double', UPPER, (verdict) => verdict.onsetHighSeconds),
  verdictColumn('burst_bits_per_second', 'double', 'Level before the onset', (verdict) => verdict.burstBitsPerSecond),
  verdictColumn('burst_low_bits_per_second', 'double', LOWER, (verdict) => verdict.burstLowBitsPerSecond),
  verdictColumn('burst_high_bits_per_second', 'double', UPPER, (verdict) => verdict.burstHighBitsPerSecond),
  verdictColumn(
    'baseline_bits_per_second',
    'double',
    'Level after the onset',
    (verdict) => verdict.baselineBitsPerSecond,
  ),
  verdictColumn('baseline_low_bits_per_second', 'double', LOWER, (verdict) => verdict.baselineLowBitsPerSecond),
  verdictColumn('baseline_high_bits_per_second', 'double', UPPER, (verdict) => verdict.baselineHighBitsPerSecond),
  verdictColumn(
    'bucket_bits',
    'double',
    'Traffic above the baseline that the credits allowed',
    (verdict) => verdict.bucketBits,
  ),
  verdictColumn('bucket_low_bits', 'double', LOWER, (verdict) => verdict.bucketLowBits),
  verdictColumn('bucket_high_bits', 'double', UPPER, (verdict) => verdict.bucketHighBits),
  verdictColumn('bucket_bits_at_least', 'double', 'The same where no drop was seen: a lower bound', (verdict) => {
    return verdict.bucketBitsAtLeast;
  }),
  verdictColumn(
    'refill_seconds',
    'double',
    'From empty credits to full ones while nothing is sent',
    (verdict) => verdict.refillSeconds,
  ),
  verdictColumn(
    'refill_low_seconds',
    'double',
    `${LOWER}; of bucket_bits_at_least where no drop was seen`,
    (verdict) => {
      return verdict.refillLowSeconds;
    },
  ),
  verdictColumn('refill_high_seconds', 'double', `${UPPER}; NULL without one`, (verdict) => verdict.refillHighSeconds),
  verdictColumn(
    'throttled_by',
    'string',
    'Whose credits ran out: sender or receiver; NULL if nobody can say',
    (verdict) => {
      return verdict.throttledBy;
    },
  ),
  verdictColumn(
    'throttled_bucket',
    'string',
    "Which of that host's credits: outbound or inbound",
    (verdict) => verdict.throttledBucket,
  ),
  verdictColumn('confidence', 'double', '0 to 1', (verdict) => verdict.confidence),
  verdictColumn('explanation', 'string', 'The verdict in one sentence', (verdict) => verdict.explanation),
];

/** Both directions driven at once: the direction that `verdict_direction` does not name, in short. */
const otherVerdictColumn = (
  name: string,
  type: ColumnType,
  comment: string,
  value: (verdict: VerdictJson) => unknown,
) =>
  resultColumn(`other_${name}`, type, `Other direction of both: ${comment}`, ({ otherDirection }) => {
    return otherDirection && value(verdictToJson(otherDirection));
  });

export const otherVerdictColumns: readonly MeasurementColumn[] = [
  otherVerdictColumn('verdict_kind', 'string', 'what all witnesses together show', (verdict) => verdict.kind),
  otherVerdictColumn('verdict_direction', 'string', 'forward or reverse', (verdict) => verdict.direction),
  otherVerdictColumn(
    'onset_seconds',
    'double',
    'throttle onset, from the start of the load',
    (verdict) => verdict.onsetSeconds,
  ),
  otherVerdictColumn(
    'burst_bits_per_second',
    'double',
    'level before the onset',
    (verdict) => verdict.burstBitsPerSecond,
  ),
  otherVerdictColumn(
    'baseline_bits_per_second',
    'double',
    'level after the onset',
    (verdict) => verdict.baselineBitsPerSecond,
  ),
  otherVerdictColumn(
    'bucket_bits',
    'double',
    'traffic above the baseline that the credits allowed',
    (verdict) => verdict.bucketBits,
  ),
  otherVerdictColumn(
    'throttled_by',
    'string',
    'whose credits ran out, sender or receiver',
    (verdict) => verdict.throttledBy,
  ),
  otherVerdictColumn('throttled_bucket', 'string', 'outbound or inbound', (verdict) => verdict.throttledBucket),
  otherVerdictColumn('explanation', 'string', 'the verdict in one sentence', (verdict) => verdict.explanation),
];

export const evidenceColumns: readonly MeasurementColumn[] = [
  resultColumn(
    'witnesses',
    'array<struct<name:string,agrees:boolean,detail:string>>',
    'Evidence; agrees is NULL if neutral',
    (result) => result.verdict?.witnesses.map(({ name, agrees, detail }) => ({ name, agrees, detail })),
  ),
  resultColumn('warnings', 'array<string>', 'What a reader of the figures should know', (result) => result.warnings),
];
