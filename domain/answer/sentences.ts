/**
 * Says the answer in plain text. The first sentence is the answer in brief; the others say how long each rate is held,
 * and what is not certain.
 */
import { groupBy } from '../maths/elements';
import { largest, smallest } from '../maths/statistics';
import type { ScaledModel } from '../model/scaled-model';
import { gigabits, micros, percent } from '../text/format';
import { figureByKey, meanThroughput, type Figure } from '../tables/figures';
import type { MeasurementResult } from '../model/result';
import {
  heldSeconds,
  holdAt,
  isReached,
  type AnsweredHold,
  type AnswerFigure,
  type AnswerRow,
  type RunAnswer,
} from './model';
import { firstOf, ratioOf, type Ranked } from './ranking';
import { rowSentence } from './row-sentence';
import {
  alikeRates,
  figureText,
  hourlyPrice,
  inUnit,
  listed,
  rangeText,
  timeUnitOf,
  timeWords,
  type TimeUnit,
} from './words';

/** A row with the measurements of its own setting; none for a row of round trips. */
export interface BuiltRow {
  readonly row: AnswerRow;
  readonly own: readonly MeasurementResult[];
}

type Unsaid = Omit<RunAnswer, 'sentences'>;

/** More sentences of the same form would read like a table. */
const MOST_TOLD = 3;

export function answerSentences(whole: Unsaid, wholeRows: readonly BuiltRow[]): string[] {
  const built = briefly(wholeRows, whole.question);
  const answer = { ...whole, rows: built.map(({ row }) => row) };
  const { question, rows, askedBitsPerSecond } = answer;
  const unit = timeUnitOf(rows);
  const each = rows.length <= MOST_TOLD ? built.map((one) => rowSentence(one, unit)) : [];
  const compared = question === 'none' ? [] : leadSentences(answer, built);
  const holds = question === 'settings' ? [] : holdSentences(rows, askedBitsPerSecond, unit);
  return [...compared, ...each, ...holds, doubtSentence(rows)].filter((sentence) => sentence !== undefined);
}

/** Shortens labels to the types where these are unique; the table has the whole labels. */
function briefly(built: readonly BuiltRow[], question: Unsaid['question']): readonly BuiltRow[] {
  if (question !== 'types') return built;
  const firstOf = ({ row: { label } }: BuiltRow) => label.split(', ', 1).join('');
  const alike = groupBy(built, firstOf);
  return built.map((each) =>
    alike.get(firstOf(each))?.length === 1 ? { ...each, row: { ...each.row, label: firstOf(each) } } : each,
  );
}

function leadSentences({ question, rows, scaledModel }: Unsaid, built: readonly BuiltRow[]): string[] {
  if (question === 'types') {
    return [sustainedSentence(rows, scaledModel), ...roundTripSentences(rows)].filter((each) => each !== undefined);
  }
  const groups = question === 'settings' ? groupBy(built, withoutStreams) : new Map([['', built]]);
  const told = [...groups.values()].filter(({ length }) => length > 1);
  const fastest = (told.length === 0 ? [built] : told).flatMap((group) => fastestSentence(group) ?? []);
  return [...fastest, ...roundTripSentences(rows)];
}

/** Settings that differ in the number of streams alone are compared with each other. */
const withoutStreams = ({ row: { label } }: BuiltRow) =>
  label
    .split(', ')
    .filter((word) => !/^\d+ streams?$/.test(word))
    .join(', ');

/** `c5.4xlarge and c6gd.4xlarge sustain the most: 5.01 and 4.97 Gbit/s.` */
function sustainedSentence(rows: readonly AnswerRow[], scaledModel?: ScaledModel): string | undefined {
  const rated = rows.filter(({ sustained }) => sustained !== null);
  if (rated.length < 2) return undefined;
  const most = firstOf(rated, ({ sustained }) => (sustained?.bound === 'measured' ? sustained : null));
  const [first] = most;
  if (first === undefined) return boundsSentence(rated);
  const others = rated.filter(
    ({ sustained }) => sustained?.bound === 'at_least' && sustained.value > first.figure.value,
  );
  const also =
    others.length === 0 ? '' : ` ${listed(labels(others))} carried all that was offered, and may sustain more.`;
  const what = most.length === rated.length ? 'about the same' : 'the most';
  return `${rankedWords(most, 'sustain', what)}.${also}${perUsdSentence(rated, scaledModel)}`;
}

function perUsdSentence(rows: readonly AnswerRow[], scaledModel?: ScaledModel): string {
  const best = firstOf(rows, ({ sustained, sustainedBitsPerSecondPerUsd: perUsd }) => {
    if (sustained === null || perUsd === null) return null;
    const share = perUsd / sustained.value;
    const scaled = (end: number | null) => (end === null ? null : end * share);
    return { value: perUsd, low: scaled(sustained.low), high: scaled(sustained.high), count: sustained.count };
  });
  if (best.length === 0 || rows.length < 2) return '';
  const scale = scaledModel === undefined ? '' : ', at the scale of EC2';
  return ` ${rankedWords(best, 'give', 'the most for the price')} for each USD that the pair costs an hour${scale}.`;
}

/** Where no row shows what it sustains. Bounds are not ranked. */
function boundsSentence(rows: readonly AnswerRow[]): string {
  const values = rows.flatMap(({ sustained }) => sustained?.value ?? []);
  const range = rangeText({ low: smallest(values), high: largest(values) }, gigabits) ?? gigabits(values[0] ?? 0);
  return rows.every(({ sustained }) => sustained?.bound === 'at_least')
    ? `Each carried all that was offered (${range} Gbit/s), so this run does not show which sustains more.`
    : `No drop was seen beyond doubt at ${range} Gbit/s, so this run does not show what they sustain.`;
}

/** Compares conditions or settings: `Throughput is highest with 8 streams (4.96 Gbit/s) and lowest with 1 stream …` */
function fastestSentence(built: readonly BuiltRow[]): string | undefined {
  const areSustained = built.every(({ row: { sustained } }) => sustained?.bound === 'measured');
  const figureOf = ({ row }: BuiltRow) => (areSustained ? row.sustained : row.meanBitsPerSecond);
  const [common, nameOf] = namesOf(built.map(({ row }) => row.label));
  const words = (ranked: Ranked<BuiltRow>) => `${nameOf(ranked.item.row.label)} (${rateOf(ranked.figure)})`;
  const highest = firstOf(built, figureOf);
  const lowest = firstOf(built, figureOf, true);
  const [top, bottom] = [highest[0], lowest[0]];
  if (top === undefined || bottom === undefined || top === bottom || built.length < 2) return undefined;
  const subject = `${common === '' ? 'T' : `${common}: t`}hroughput`;
  if (highest.length === built.length) {
    return `${subject} is about the same with each: ${gigabits(bottom.figure.value)} to ${rateOf(top.figure)}.`;
  }
  const isDropped = areSustained && top.item.own.some(({ verdict }) => verdict?.baseline);
  const more = moreWords(
    top.item.own,
    bottom.item.own,
    isDropped ? figureByKey('baselineBitsPerSecond') : meanThroughput,
  );
  return `${subject} is highest with ${listed(highest.map(words))} and lowest with ${words(bottom)}${more}.`;
}

function moreWords(
  greater: readonly MeasurementResult[],
  smaller: readonly MeasurementResult[],
  figure: Figure,
): string {
  const ratio = ratioOf(greater, smaller, figure);
  if (ratio === undefined) return '';
  const more = (value: number) => percent(value - 1);
  return `: ${more(ratio.value)} more (${more(ratio.low)} to ${more(ratio.high)})`;
}

/** Returns the words that all labels share, and a function that takes them out of a label. */
function namesOf(all: readonly string[]): [common: string, nameOf: (label: string) => string] {
  const parts = all.map((label) => label.split(', '));
  const common = (parts[0] ?? []).filter((word) => parts.every((words) => words.includes(word)));
  const nameOf = (label: string) =>
    label
      .split(', ')
      .filter((word) => !common.includes(word))
      .join(', ') || label;
  return [common.join(', '), nameOf];
}

/** One sentence for each tool, protocol and size, because their round trips are no figures of one kind. */
function roundTripSentences(rows: readonly AnswerRow[]): string[] {
  const names = [...new Set(rows.flatMap(({ roundTrips }) => roundTrips.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const p50Of = ({ roundTrips }: AnswerRow) => roundTrips.find((each) => each.name === name)?.p50Micros ?? null;
    const measured = rows.filter((row) => p50Of(row) !== null);
    const shortest = firstOf(measured, p50Of, true);
    const longest = firstOf(measured, p50Of);
    const [best, worst] = [shortest[0], longest[0]];
    if (measured.length < 2 || best === undefined || worst === undefined) return [];
    const subject = `The median round trip (${name})`;
    if (shortest.length === measured.length) {
      const range =
        rangeText({ low: best.figure.value, high: worst.figure.value }, micros) ?? micros(best.figure.value);
      return [`${subject} is about the same with each: ${range} µs.`];
    }
    const words = ({ item, figure }: Ranked<AnswerRow>) => `${item.label} (${figureText(figure, micros)} µs)`;
    return [`${subject} is shortest with ${listed(shortest.map(words))} and longest with ${words(worst)}.`];
  });
}

/** Returns a sentence for each rate that not all rows always hold; adjacent rates with the same text share one. */
function holdSentences(rows: readonly AnswerRow[], rates: readonly number[], unit: TimeUnit): string[] {
  if (rows.length < 2) return [];
  return alikeRates(rates, (rate) => holdersWords(rows, rate, unit)).flatMap(({ name, bitsPerSecond }) => {
    const holders = holdersWords(rows, bitsPerSecond, unit);
    return holders === undefined ? [] : [`${name}: ${holders}.`];
  });
}

interface Holding {
  readonly row: AnswerRow;
  readonly hold: AnsweredHold;
}

function holdersWords(rows: readonly AnswerRow[], bitsPerSecond: number, unit: TimeUnit): string | undefined {
  const known = rows.flatMap((row): Holding[] => {
    const hold = holdAt(row, bitsPerSecond);
    return hold === undefined ? [] : [{ row, hold }];
  });
  const holding = known.filter(({ hold }) => isReached(hold));
  const of = (kind: AnsweredHold['kind']) => holding.filter(({ hold }) => hold.kind === kind);
  const [always, unended, ended] = [of('always'), of('at_least'), of('for')];
  const partly = known.filter(({ hold }) => !isReached(hold) && hold.kind !== 'never');
  if (always.length === rows.length || (holding.length === 0 && partly.length === 0)) return undefined;
  const parts = [
    always.length > 0 && alwaysWords(always.map(({ row }) => row)),
    unended.length > 0 && unendedWords(unended, unit),
    ended.length > 0 && endedWords(ended, always.length + unended.length > 0, unit),
    ...partly.map(
      ({ row, hold }) => `only ${hold.reachedPairCount} of ${hold.pairCount} pairs of ${row.label} reached it`,
    ),
  ];
  return parts.filter((part) => part !== false).join('; ');
}

function alwaysWords(rows: readonly AnswerRow[]): string {
  const held = `${listed(labels(rows))} ${rows.length === 1 ? 'holds' : 'hold'} it for as long as you like`;
  const priced = rows.flatMap(({ label, pairHourlyUsd: usd }) => (usd === null ? [] : [{ label, usd }]));
  if (rows.length === 1 || priced.length === 0) return held;
  const least = smallest(priced.map(({ usd }) => usd));
  const cheapest = priced.filter(({ usd }) => usd === least).map(({ label }) => label);
  return `${held}, and ${listed(cheapest)} ${cheapest.length === 1 ? 'costs' : 'cost'} least (${hourlyPrice(least)})`;
}

function unendedWords(holding: readonly Holding[], unit: TimeUnit): string {
  const least = smallest(holding.map(({ hold }) => heldSeconds(hold)));
  const each = holding.length > 1 ? ' each' : '';
  return `${listed(labels(holding.map(({ row }) => row)))}${each} held it for at least ${timeWords(least, unit)}, when the measurement ended`;
}

/** `c6gd.2xlarge and c5.2xlarge hold it longest: 53.2 and 50.7 min` */
function endedWords(holding: readonly Holding[], isAfterOthers: boolean, unit: TimeUnit): string {
  const longest = firstOf(holding, ({ hold }) => secondsOf(hold));
  const perUsd = firstOf(holding, ({ row: { pairHourlyUsd: usd }, hold }) => secondsOf(hold, usd));
  const others = isAfterOthers ? 'of the others, ' : '';
  const names = listed(labels(longest.map(({ item }) => item.row)));
  const times = longest.map(({ figure }) => inUnit(figure.value, unit));
  const said = `${longest.length > 3 ? `${times.at(-1)} to ${times[0]}` : listed(times)} ${unit.name}`;
  if (longest.length > 1) {
    const what = longest.length === holding.length ? 'hold it about equally long' : 'hold it longest';
    return `${others}${names} ${what}: ${said}${perUsdWords(longest, perUsd)}`;
  }
  const range = longest.map(({ figure }) => rangeText(figure, (seconds) => inUnit(seconds, unit))).join('');
  const another = range === '' ? '' : ` (${range} ${unit.name} with another pair)`;
  return `${others}${names} holds it${holding.length > 1 ? ' longest,' : ''} for ${said}${another}${perUsdWords(longest, perUsd)}`;
}

/** The hold time as a figure, divided by the price if one is given; null where the price is not known. */
function secondsOf({ seconds, lowSeconds, highSeconds }: AnsweredHold, usd: number | null = 1): AnswerFigure | null {
  if (usd === null || usd === 0 || seconds === null) return null;
  const by = (end: number | null) => (end === null ? null : end / usd);
  return { value: seconds / usd, low: by(lowSeconds), high: by(highSeconds), count: 1 };
}

/** Names who holds the rate longest for the price, unless it is one of those who hold it longest. */
function perUsdWords(longest: readonly Ranked<Holding>[], perUsd: readonly Ranked<Holding>[]): string {
  const isNamed = perUsd.every((each) => longest.some(({ item }) => item === each.item));
  return isNamed ? '' : `, and for the price ${listed(labels(perUsd.map(({ item }) => item.row)))}`;
}

/** Verdicts below this confidence are named, so that a reader of only this section does not take them for certain. */
const LITTLE_CONFIDENCE = 0.6;

function doubtSentence(rows: readonly AnswerRow[]): string | undefined {
  const doubtful = rows.filter(({ confidence }) => confidence !== null && confidence < LITTLE_CONFIDENCE);
  const singles = rows.filter(({ pairCount, verdicts }) => pairCount === 1 && verdicts.length > 0);
  const parts = [
    doubtful.length > 0 &&
      `Not certain: ${listed(doubtful.map(({ label, confidence }) => `${label} (${percent(confidence ?? 0)} confidence)`))}.`,
    singles.length > 0 &&
      `${singles.length === rows.length ? 'Each was' : `${listed(labels(singles))} ${singles.length === 1 ? 'was' : 'were'}`} measured on one pair only, and another pair may differ.`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** `A and B sustain the most: 5.01 and 4.97 Gbit/s` */
function rankedWords(ranked: readonly Ranked<AnswerRow>[], verb: string, what: string): string {
  const values = ranked.map(({ figure }) => figureText(figure, gigabits));
  const said = `${ranked.length > 3 ? `${values.at(-1)} to ${values[0]}` : listed(values)} Gbit/s`;
  return `${listed(labels(ranked.map(({ item }) => item)))} ${verb}${ranked.length === 1 ? 's' : ''} ${what}: ${said}`;
}

const labels = (rows: readonly AnswerRow[]) => rows.map(({ label }) => label);

const rateOf = (figure: AnswerFigure) => `${figureText(figure, gigabits)} Gbit/s`;
