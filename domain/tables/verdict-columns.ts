/** The columns of a measurement's verdict, and of the evidence that it rests on. */
import { column } from './column';
import type { ColumnOf, ColumnType } from './column';
import type { MeasurementResult } from '../model/result';
import { verdictToJson, type VerdictJson } from '../model/verdict-json';

type MeasurementColumn = ColumnOf<MeasurementResult>;

const of = (name: string, type: ColumnType, comment: string, value: (result: MeasurementResult) => unknown) =>
  column<MeasurementResult>(name, type, comment, value);

const verdict = (name: string, type: ColumnType, comment: string, value: (verdict: VerdictJson) => unknown) =>
  of(name, type, comment, (result) => result.verdict && value(verdictToJson(result.verdict)));

const LOWER = 'Lower end of its 95 % interval';
const UPPER = 'Upper end of its 95 % interval';

export const verdictColumns: readonly MeasurementColumn[] = [
  verdict('verdict_kind', 'string', 'What all witnesses together show', (it) => it.kind),
  verdict('series_class', 'string', 'What the series alone shows', (it) => it.seriesClass),
  verdict('verdict_direction', 'string', 'Driven direction that the verdict is on', (it) => it.direction),
  verdict('onset_seconds', 'double', 'Throttle onset, from the start of the load', (it) => it.onsetSeconds),
  verdict('onset_low_seconds', 'double', LOWER, (it) => it.onsetLowSeconds),
  verdict('onset_high_seconds', 'double', UPPER, (it) => it.onsetHighSeconds),
  verdict('burst_bits_per_second', 'double', 'Level before the onset', (it) => it.burstBitsPerSecond),
  verdict('burst_low_bits_per_second', 'double', LOWER, (it) => it.burstLowBitsPerSecond),
  verdict('burst_high_bits_per_second', 'double', UPPER, (it) => it.burstHighBitsPerSecond),
  verdict('baseline_bits_per_second', 'double', 'Level after the onset', (it) => it.baselineBitsPerSecond),
  verdict('baseline_low_bits_per_second', 'double', LOWER, (it) => it.baselineLowBitsPerSecond),
  verdict('baseline_high_bits_per_second', 'double', UPPER, (it) => it.baselineHighBitsPerSecond),
  verdict('bucket_bits', 'double', 'Traffic above the baseline that the credits allowed', (it) => it.bucketBits),
  verdict('bucket_low_bits', 'double', LOWER, (it) => it.bucketLowBits),
  verdict('bucket_high_bits', 'double', UPPER, (it) => it.bucketHighBits),
  verdict('bucket_bits_at_least', 'double', 'The same where no drop was seen: a lower bound', (it) => {
    return it.bucketBitsAtLeast;
  }),
  verdict(
    'refill_seconds',
    'double',
    'From empty credits to full ones while nothing is sent',
    (it) => it.refillSeconds,
  ),
  verdict('refill_low_seconds', 'double', `${LOWER}; of bucket_bits_at_least where no drop was seen`, (it) => {
    return it.refillLowSeconds;
  }),
  verdict('refill_high_seconds', 'double', `${UPPER}; NULL without one`, (it) => it.refillHighSeconds),
  verdict('throttled_by', 'string', 'Whose credits ran out: sender or receiver; NULL if nobody can say', (it) => {
    return it.throttledBy;
  }),
  verdict(
    'throttled_bucket',
    'string',
    "Which of that host's credits: outbound or inbound",
    (it) => it.throttledBucket,
  ),
  verdict('confidence', 'double', '0 to 1', (it) => it.confidence),
  verdict('explanation', 'string', 'The verdict in one sentence', (it) => it.explanation),
];

/** Both directions driven at once: the direction that `verdict_direction` does not name, in short. */
const otherVerdict = (name: string, type: ColumnType, comment: string, value: (verdict: VerdictJson) => unknown) =>
  of(`other_${name}`, type, `Other direction of both: ${comment}`, ({ otherDirection }) => {
    return otherDirection && value(verdictToJson(otherDirection));
  });

export const otherVerdictColumns: readonly MeasurementColumn[] = [
  otherVerdict('verdict_kind', 'string', 'what all witnesses together show', (it) => it.kind),
  otherVerdict('verdict_direction', 'string', 'forward or reverse', (it) => it.direction),
  otherVerdict('onset_seconds', 'double', 'throttle onset, from the start of the load', (it) => it.onsetSeconds),
  otherVerdict('burst_bits_per_second', 'double', 'level before the onset', (it) => it.burstBitsPerSecond),
  otherVerdict('baseline_bits_per_second', 'double', 'level after the onset', (it) => it.baselineBitsPerSecond),
  otherVerdict('bucket_bits', 'double', 'traffic above the baseline that the credits allowed', (it) => it.bucketBits),
  otherVerdict('throttled_by', 'string', 'whose credits ran out, sender or receiver', (it) => it.throttledBy),
  otherVerdict('throttled_bucket', 'string', 'outbound or inbound', (it) => it.throttledBucket),
  otherVerdict('explanation', 'string', 'the verdict in one sentence', (it) => it.explanation),
];

export const evidenceColumns: readonly MeasurementColumn[] = [
  of(
    'witnesses',
    'array<struct<name:string,agrees:boolean,detail:string>>',
    'Evidence; agrees is NULL if neutral',
    (it) => it.verdict?.witnesses.map(({ name, agrees, detail }) => ({ name, agrees, detail })),
  ),
  of('warnings', 'array<string>', 'What a reader of the figures should know', (result) => result.warnings),
];
