/**
 * Says the answer in plain text. The first sentence is the answer in brief; the others say how long each rate is held,
 * and what is not certain.
 */
import { groupBy } from '../maths/elements';
import { smallest } from '../maths/statistics';
import { percent, upperFirst } from '../text/format';
import {
  heldSeconds,
  holdAt,
  isReached,
  type AnsweredHold,
  type AnswerFigure,
  type AnswerRow,
  type RunAnswer,
} from '../model/answer';
import { leadSentences, type BuiltRow } from './lead-sentences';
import { phrase } from './phrases';
import { firstOf, type Ranked } from './ranking';
import { rowSentence } from './row-sentence';
import { alikeRates, hourlyPrice, inUnit, listed, rangeText, timeUnitOf, timeWords, type TimeUnit } from './words';

type Unsaid = Omit<RunAnswer, 'sentences'>;

/** More sentences of the same form would read like a table. */
const MOST_TOLD = 3;

export function answerSentences(whole: Unsaid, wholeRows: readonly BuiltRow[]): string[] {
  const built = briefly(wholeRows, whole.question);
  const answer = { ...whole, rows: built.map(({ row }) => row) };
  const { question, rows, askedBitsPerSecond } = answer;
  const unit = timeUnitOf(rows);
  const subjectOf = (label: string) =>
    question === 'types' || question === 'none' ? label : `${upperFirst(phrase(label))}, a pair`;
  const each =
    rows.length <= MOST_TOLD
      ? built.map((one) => rowSentence({ ...one, row: { ...one.row, label: subjectOf(one.row.label) } }, unit))
      : [];
  const named = (row: AnswerRow) =>
    question === 'conditions' ? { ...row, label: `a pair ${phrase(row.label)}` } : row;
  const compared = question === 'none' ? [] : leadSentences(answer, built);
  const holds = question === 'settings' ? [] : holdSentences(rows.map(named), askedBitsPerSecond, unit);
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
      ({ row, hold }) =>
        `only ${hold.reachedPairCount} of ${hold.pairCount} ${row.label.startsWith('a pair ') ? row.label.replace(/^a pair/, 'pairs') : `pairs of ${row.label}`} reached it`,
    ),
  ];
  return parts.filter((part) => part !== false).join('; ');
}

function alwaysWords(rows: readonly AnswerRow[]): string {
  const held = `${listed(labels(rows))} ${rows.length === 1 ? 'holds' : 'hold'} it indefinitely`;
  const priced = rows.flatMap(({ label, pairHourlyUsd: usd }) => (usd === null ? [] : [{ label, usd }]));
  if (rows.length === 1 || priced.length === 0) return held;
  const least = smallest(priced.map(({ usd }) => usd));
  const cheapest = priced.filter(({ usd }) => usd === least).map(({ label }) => label);
  return `${held}, and ${listed(cheapest)} ${cheapest.length === 1 ? 'costs' : 'cost'} least (${hourlyPrice(least)})`;
}

function unendedWords(holding: readonly Holding[], unit: TimeUnit): string {
  const least = smallest(holding.map(({ hold }) => heldSeconds(hold)));
  const each = holding.length > 1 ? ' each' : '';
  return `${listed(labels(holding.map(({ row }) => row)))}${each} ${holding.length === 1 ? 'holds' : 'hold'} it for at least ${timeWords(least, unit)}, and no drop was seen`;
}

/** `c6gd.2xlarge and c5.2xlarge hold it longest: 53.2 and 50.7 min` */
function endedWords(holding: readonly Holding[], isAfterOthers: boolean, unit: TimeUnit): string {
  const longest = firstOf(holding, ({ hold }) => secondsOf(hold));
  const perUsd = firstOf(holding, ({ row: { pairHourlyUsd: usd }, hold }) => secondsOf(hold, usd));
  const others = isAfterOthers ? 'otherwise, ' : '';
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
  const names = listed(labels(perUsd.map(({ item }) => item.row)));
  return isNamed ? '' : `, and ${names} ${perUsd.length === 1 ? 'holds' : 'hold'} it longest for the price`;
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
      (singles.length === rows.length
        ? `${rows.length === 1 ? 'Only one pair was measured' : 'Each row was measured on one pair only'}, and another pair may differ.`
        : areNames(singles)
          ? `Measured on one pair only, so another pair may differ: ${listed(labels(singles))}.`
          : `${singles.length} of ${rows.length} rows ${singles.length === 1 ? 'was' : 'were'} measured on one pair only, and another pair may differ.`),
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Labels with commas of their own would run into each other in a list. */
const areNames = (rows: readonly AnswerRow[]) => labels(rows).every((label) => !label.includes(', '));

const labels = (rows: readonly AnswerRow[]) => rows.map(({ label }) => label);
