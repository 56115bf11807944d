/** The sentence of one row, for answers with few of them. */
import { isPlainlyScaled, type ScaledModel } from '../model/scaled-model';
import type { MeasurementResult } from '../model/result';
import type { Cause, Verdict, VerdictKind } from '../model/verdict';
import { counted, gigabits, micros } from '../text/format';
import type { AnswerFigure, AnswerRow } from '../model/answer';
import { figureText, inUnit, lastsText, rangeText, timeWords, type TimeUnit } from './words';

/**
 * Says what the row came to, for example `c5.xlarge carries 0.99 Gbit/s for 25.4 s, then 0.12 Gbit/s.`
 * @param own the measurements of its own setting; none for a row of round trips
 * @returns undefined where nothing can be said
 */
export function rowSentence(
  { row, own }: { readonly row: AnswerRow; readonly own: readonly MeasurementResult[] },
  unit: TimeUnit,
): string | undefined {
  const [first] = own;
  const loaded = loadWords(row);
  if (first === undefined) return roundTripWords(row);
  const { verdict } = first;
  // The setting comes before the subject in `Over VPC peering, a pair`.
  const [condition, subject] = row.label.endsWith(', a pair')
    ? [row.label.replace(/, a pair$/, ''), ', a pair']
    : [row.label, ''];
  const name = row.setting === undefined ? row.label : `${condition} (${row.setting})${subject}`;
  if (verdict === null) {
    return row.meanBitsPerSecond === null
      ? undefined
      : `${name} carried ${rateWords(row.meanBitsPerSecond)} on average.`;
  }
  // For a series that is too short to judge, only the verdict knows whether it drops at the end. Only a drop by network
  // credits ends a burst that is a property of the instance type.
  const isOtherDrop = verdict.onset !== null && verdict.cause !== 'network_credits';
  if (row.sustained === null || isTooShort(verdict) || isOtherDrop) {
    const which = own.length > 1 ? `, the first of ${counted(own.length, 'measurement')}` : '';
    return `${name.replace(/, a pair$/, '')}${which}: ${verdict.explanation}.${loaded}`;
  }
  return `${name} ${carriedWords(row, first, unit)}${loaded}`;
}

function carriedWords(row: AnswerRow, first: MeasurementResult, unit: TimeUnit): string {
  const { sustained, burst, burstSeconds } = row;
  if (sustained === null) return '';
  const onEc2 = (wordsOn: (model: ScaledModel) => string) => ec2Words(first, wordsOn);
  if (burst !== null && burstSeconds !== null) {
    const words = ({ rateDivisor, timeDivisor }: Pick<ScaledModel, 'rateDivisor' | 'timeDivisor'>) =>
      `${rateWords(burst, rateDivisor)} for ${lastsText(row, { ...unit, seconds: unit.seconds / timeDivisor })} ${unit.name}, then ${rateWords(sustained, rateDivisor)}`;
    const range = burst.modes === undefined && rangeText(burstSeconds, (seconds) => inUnit(seconds, unit));
    const another = typeof range !== 'string' ? '' : ` Another pair's burst may last ${range} ${unit.name}.`;
    return `carries ${words({ rateDivisor: 1, timeDivisor: 1 })}.${onEc2(words)}${another}`;
  }
  const rate = rateWords(sustained);
  const rateOnEc2 = onEc2(({ rateDivisor }) => rateWords(sustained, rateDivisor));
  if (sustained.bound === 'at_most') {
    const measured = timeWords(first.durationSeconds, unit);
    return `carried ${rate} for all of ${measured} without a drop. AWS publishes a lower sustained rate, so it is not known how long this lasts.${rateOnEc2}`;
  }
  if (sustained.bound === 'at_least') {
    const offered = gigabits(first.targetBitsPerSecond ?? sustained.value);
    return `carried ${rate}, which is all of the offered load of ${offered} Gbit/s.`;
  }
  return `carries ${rate}${limitWords(first)}.${rateOnEc2}`;
}

/** ` On EC2 that would be …`; nothing on EC2 itself, and where figures do not scale. */
function ec2Words({ scaledModel, verdict }: MeasurementResult, wordsOn: (model: ScaledModel) => string): string {
  if (scaledModel === undefined || verdict === null || !isPlainlyScaled(verdict)) return '';
  return ` On EC2 that would be ${wordsOn(scaledModel)}.`;
}

const loadWords = ({ roundTrips }: AnswerRow): string => {
  const p99 = roundTrips.find(({ name }) => name === 'under load')?.p99Micros ?? null;
  return p99 === null ? '' : ` Under load, 99 of 100 round trips took at most ${figureText(p99, micros)} µs.`;
};

function roundTripWords({ label, roundTrips: [first] }: AnswerRow): string | undefined {
  if (first === undefined || first.p50Micros === null) return undefined;
  const tail = first.p99Micros === null ? '' : `, and 99 of 100 at most ${figureText(first.p99Micros, micros)} µs`;
  return `${label.replace(/, a pair$/, '')}: half of the round trips took at most ${figureText(first.p50Micros, micros)} µs${tail} (${first.name}).`;
}

/** Whether the series alone is too short for a verdict, so that only published figures support it. */
function isTooShort({ witnesses }: Verdict): boolean {
  return witnesses.some(({ name, agrees }) => name === 'series' && agrees === null);
}

const LIMITS: Readonly<Partial<Record<Cause | VerdictKind, string>>> = {
  single_flow_cap: ', the limit of a single flow',
  cpu: ', limited by the CPU',
  cpu_credits: ', limited by the CPU, which is out of credits',
  published_bandwidth: ', limited by the receiver',
  packet_rate: ', limited by the packet rate',
  connection_tracking: ', limited by the number of tracked connections',
  fragment_rate: ', limited by how many IP fragments EC2 forwards',
  ena_express: ', without ENA Express, although it was requested',
  noisy: ' on average, with much noise',
  dips: ' on average, with short dips',
};

function limitWords({ verdict }: MeasurementResult): string {
  const words = verdict && (LIMITS[verdict.cause ?? verdict.kind] ?? LIMITS[verdict.kind]);
  return words ?? ' from beginning to end';
}

function rateWords({ value, modes }: AnswerFigure, factor = 1): string {
  return `${figureText({ value, modes }, (bits) => gigabits(bits * factor))} Gbit/s`;
}
