/** Says what the rows are compared for: who sustains the most, or with which condition or setting a pair is fastest. */
import { groupBy } from '../maths/elements';
import { largest, smallest } from '../maths/statistics';
import type { MeasurementResult } from '../model/result';
import type { ScaledModel } from '../model/scaled-model';
import { gigabits, micros, percent, threeDigits, upperFirst } from '../text/format';
import { meanThroughput } from '../tables/figures';
import type { AnswerFigure, AnswerRow, RunAnswer } from '../model/answer';
import { phrase, phrasesListed, wordsIn } from './phrases';
import { firstOf, isMore, ratioOf, type Ranked, type RankedValues } from './ranking';
import { sustainedValues } from './row-figures';
import { figureText, listed, rangeText } from './words';

/** A row with the measurements of its own setting; none for a row of round trips. */
export interface BuiltRow {
  readonly row: AnswerRow;
  readonly own: readonly MeasurementResult[];
}

type Asked = Pick<RunAnswer, 'question' | 'scaledModel'>;

export function leadSentences({ question, scaledModel }: Asked, built: readonly BuiltRow[]): string[] {
  const roundTrips = roundTripSentences(
    built.map(({ row }) => row),
    question === 'types' ? (label) => `with ${label}` : phrase,
  );
  if (question === 'types') return [...sustainedSentence(built, scaledModel), ...roundTrips];
  const groups = question === 'settings' ? groupBy(built, withoutStreams) : new Map([['', built]]);
  const told = [...groups.values()].filter(({ length }) => length > 1);
  const fastest = (told.length === 0 ? [built] : told).flatMap((group) => fastestSentence(group, question));
  return [...fastest, ...roundTrips];
}

/** Settings that differ in the number of streams alone are compared with each other. */
const withoutStreams = ({ row: { label } }: BuiltRow) =>
  wordsIn(label)
    .filter((word) => !/^\d+ streams?$/.test(word))
    .join(', ');

const measuredOf = ({ row: { sustained } }: BuiltRow) => (sustained?.bound === 'measured' ? sustained : null);
const sustainedOf = { valuesOf: ({ own }: BuiltRow) => sustainedValues(own) };

/** `c5.4xlarge and c6gd.4xlarge sustain the most: 5.02 and 4.97 Gbit/s.` */
function sustainedSentence(built: readonly BuiltRow[], scaledModel?: ScaledModel): string[] {
  const rated = built.filter(({ row: { sustained } }) => sustained !== null);
  if (rated.length < 2) return [];
  const most = firstOf(rated, measuredOf, sustainedOf);
  const [first] = most;
  if (first === undefined) return [boundsSentence(rated.map(({ row }) => row))];
  const measured = rated.filter((each) => measuredOf(each) !== null);
  const bounds = rated.filter((each) => measuredOf(each) === null);
  // Bounds are not ranked, but what was carried for certain contradicts that a lower rate is the most.
  const more = bounds.filter(
    ({ row: { sustained } }) => sustained?.bound === 'at_least' && isMore(sustained.value, first.figure.value),
  );
  const unknown = bounds.filter((each) => !more.includes(each));
  const what = most.length === rated.length ? ' about the same' : measured.length === 1 ? '' : ' the most';
  return [
    [
      more.length > 0 &&
        `${listed(namesIn(more))} carried all of the offered load (${boundsRange(more.map(({ row }) => row))} Gbit/s), which is more than the other pairs were seen to sustain.`,
      `${more.length > 0 && measured.length > 1 ? 'Otherwise, ' : ''}${rankedWords(most, 'sustain', what)}.`,
      unknown.length > 0 && `This run does not show what ${listed(namesIn(unknown))} can sustain.`,
      perUsdSentence(measured, scaledModel),
    ]
      .filter((part) => typeof part === 'string')
      .join(' '),
  ];
}

const namesIn = (built: readonly BuiltRow[]) => built.map(({ row: { label } }) => label);

function perUsdSentence(built: readonly BuiltRow[], scaledModel?: ScaledModel): string | undefined {
  const best = firstOf(built, ({ row: { sustained, sustainedBitsPerSecondPerUsd: perUsd } }) => {
    if (sustained === null || perUsd === null) return null;
    const share = perUsd / sustained.value;
    const scaled = (end: number | null) => (end === null ? null : end * share);
    return { value: perUsd, low: scaled(sustained.low), high: scaled(sustained.high), count: sustained.count };
  });
  if (best.length === 0 || built.length < 2) return undefined;
  const scale = scaledModel === undefined ? '' : ', at the scale of EC2';
  return `${rankedWords(best, 'give', ' the most for the price')} per USD/hour${scale}.`;
}

/** Where no row shows what it sustains. Bounds are not ranked. */
function boundsSentence(rows: readonly AnswerRow[]): string {
  const range = boundsRange(rows);
  return rows.every(({ sustained }) => sustained?.bound === 'at_least')
    ? `Each pair carried all of the offered load (${range} Gbit/s), so this run does not show which pair sustains more.`
    : `No clear drop was seen at ${range} Gbit/s, so this run does not show what the pairs can sustain.`;
}

function boundsRange(rows: readonly AnswerRow[]): string {
  const values = rows.flatMap(({ sustained }) => sustained?.value ?? []);
  return rangeText({ low: smallest(values), high: largest(values) }, gigabits) ?? gigabits(values[0] ?? 0);
}

/** Compares conditions or settings: `Throughput is highest with 8 streams (4.96 Gbit/s) and lowest with 1 stream …` */
function fastestSentence(built: readonly BuiltRow[], question: RunAnswer['question']): string[] {
  const areSustained = built.every((each) => measuredOf(each) !== null);
  if (!areSustained && !areMeansComparable(built, question)) {
    const withNames = built.map(({ row, own }) => ({
      own,
      row: { ...row, label: `a pair ${phrase(row.label)}` },
    }));
    return sustainedSentence(withNames).map((text) => text.replace(/(?<=^|\. )a pair/g, 'A pair'));
  }
  const figureOf = areSustained ? measuredOf : ({ row }: BuiltRow) => row.meanBitsPerSecond;
  const order = areSustained ? sustainedOf : { valuesOf: meansOf };
  const [common, nameOf] = namesOf(built.map(({ row }) => row.label));
  const words = (ranked: Ranked<BuiltRow>) => `${phrase(nameOf(ranked.item.row.label))} (${rateOf(ranked.figure)})`;
  const highest = firstOf(built, figureOf, order);
  const lowest = firstOf(built, figureOf, { ...order, isSmallestFirst: true });
  const [top, bottom] = [highest[0], lowest[0]];
  if (top === undefined || bottom === undefined || top.item === bottom.item || built.length < 2) return [];
  const what = areSustained ? 'sustained throughput' : 'mean throughput';
  const subject = common === '' ? upperFirst(what) : `${upperFirst(phrase(common))}, ${what}`;
  if (highest.some(({ item }) => item === bottom.item)) {
    const range =
      rangeText({ low: bottom.figure.value, high: top.figure.value }, gigabits) ?? gigabits(top.figure.value);
    return [`${subject} is about the same in every case: ${range} Gbit/s.`];
  }
  const more = moreWords(order.valuesOf(top.item), order.valuesOf(bottom.item));
  return [`${subject} is highest ${phrasesListed(highest.map(words))} and lowest ${words(bottom)}${more}.`];
}

/**
 * The mean of a whole measurement depends on how long it was and what was offered. Conditions are therefore compared in
 * one setting alone; settings differ by what is asked.
 */
function areMeansComparable(built: readonly BuiltRow[], question: RunAnswer['question']): boolean {
  const durations = ({ own }: BuiltRow) =>
    [...new Set(own.map(({ durationSeconds }) => durationSeconds))].sort().join();
  const alike = (textOf: (each: BuiltRow) => string | undefined) => new Set(built.map(textOf)).size === 1;
  const isOffered = built.some(({ row: { sustained } }) => sustained?.bound === 'at_least');
  return !isOffered && alike(durations) && (question === 'settings' || alike(({ row }) => row.setting));
}

function meansOf({ own }: BuiltRow): RankedValues {
  return { values: own.flatMap((result) => meanThroughput.of(result) ?? []), figure: meanThroughput };
}

/** A ratio of 2 or more is easier to read as a multiple. */
function moreWords(greater: RankedValues | undefined, smaller: RankedValues | undefined): string {
  const ratio = ratioOf(greater, smaller);
  if (ratio === undefined || ratio.low < 1) return '';
  const { value, low, high } = ratio;
  if (value >= 2) return `: ${threeDigits(value)} times as much (${threeDigits(low)} to ${threeDigits(high)} times)`;
  return `: ${percent(value - 1)} more (${percent(low - 1)} to ${percent(high - 1)})`;
}

/** Returns the words that all labels share, and a function that takes them out of a label. */
function namesOf(all: readonly string[]): [common: string, nameOf: (label: string) => string] {
  const parts = all.map(wordsIn);
  const common = (parts[0] ?? []).filter((word) => parts.every((words) => words.includes(word)));
  const nameOf = (label: string) =>
    wordsIn(label)
      .filter((word) => !common.includes(word))
      .join(', ') || label;
  return [common.join(', '), nameOf];
}

/** One sentence for each tool, protocol and size, because their round trips are no figures of one kind. */
function roundTripSentences(rows: readonly AnswerRow[], nameOf: (label: string) => string): string[] {
  const names = [...new Set(rows.flatMap(({ roundTrips }) => roundTrips.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const p50Of = ({ roundTrips }: AnswerRow) => roundTrips.find((each) => each.name === name)?.p50Micros ?? null;
    const measured = rows.filter((row) => p50Of(row) !== null);
    const shortest = firstOf(measured, p50Of, { isSmallestFirst: true });
    const longest = firstOf(measured, p50Of);
    const [best, worst] = [shortest[0], longest[0]];
    if (measured.length < 2 || best === undefined || worst === undefined) return [];
    const subject = `The median round trip (${name})`;
    if (shortest.some(({ item }) => item === worst.item)) {
      const range =
        rangeText({ low: best.figure.value, high: worst.figure.value }, micros) ?? micros(best.figure.value);
      return [`${subject} is about the same in every case: ${range} µs.`];
    }
    const words = ({ item, figure }: Ranked<AnswerRow>) => `${nameOf(item.label)} (${figureText(figure, micros)} µs)`;
    return [`${subject} is shortest ${phrasesListed(shortest.map(words))} and longest ${words(worst)}.`];
  });
}

/** `A and B sustain the most: 5.02 and 4.97 Gbit/s` */
function rankedWords(ranked: readonly Ranked<BuiltRow>[], verb: string, what: string): string {
  const values = ranked.map(({ figure }) => figureText(figure, gigabits));
  const said = `${ranked.length > 3 ? `${values.at(-1)} to ${values[0]}` : listed(values)} Gbit/s`;
  const verbs = `${verb}${ranked.length === 1 ? 's' : ''}${what}`;
  return `${listed(namesIn(ranked.map(({ item }) => item)))} ${verbs}${what === '' ? '' : ':'} ${said}`;
}

const rateOf = (figure: AnswerFigure) => `${figureText(figure, gigabits)} Gbit/s`;
