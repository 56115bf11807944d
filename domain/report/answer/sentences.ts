/** Writes the results as sentences: one for each pair of types if there are few, and which of several is best. */
import { groupBy } from '../../maths/elements';
import { median } from '../../maths/statistics';
import { holdSecondsOf } from '../../model/carried-rate';
import { isPlainlyScaled, type ScaledModel } from '../../model/scaled-model';
import type { Cause, Verdict, VerdictKind } from '../../model/verdict';
import { gigabits, micros, percent, threeDigits } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import { alikeRates, hourlyPrice, sustainedPerUsd, type Repeated, type TypeRow } from '../../run/type-rows';

/** More sentences of the same form would read like a table. */
const MOST_TOLD = 3;

export function answerSentences(labelled: readonly TypeRow[], rates: readonly number[], unit: TimeUnit): Html[] {
  const rows = briefly(labelled);
  const each = rows.length <= MOST_TOLD ? rows.map((row) => rowSentence(row, unit)) : [];
  const best = rows.length > 1 ? [rankSentence(rows), ...rateSentences(rows, rates, unit)] : [];
  return [...each, ...best, doubtSentence(rows)].filter((sentence) => sentence !== undefined);
}

/** Shortens labels to their first part where it is unique; the table beside the sentences has the whole label. */
function briefly(rows: readonly TypeRow[]): TypeRow[] {
  const firstOf = ({ label }: TypeRow) => label.split(', ', 1).join('');
  const alike = groupBy(rows, firstOf);
  return rows.map((row) => (alike.get(firstOf(row))?.length === 1 ? { ...row, label: firstOf(row) } : row));
}

/** `c5.xlarge carries 0.99 Gbit/s for 25.4 s, then 0.12 Gbit/s.` */
function rowSentence(row: TypeRow, unit: TimeUnit): Html | undefined {
  const { label, sustained, burst, onsetSeconds, loadedP99Micros: p99 } = row;
  const [{ verdict, durationSeconds, targetBitsPerSecond }] = row.results;
  const name = html`<b>${label}</b>`;
  const load = p99 === undefined ? '' : ` Beside the load, 99 of 100 round trips took at most ${microsWords(p99)}.`;
  if (sustained === undefined && row.idleP99Micros !== undefined) {
    return html`${name}: 99 of 100 round trips took at most ${microsWords(row.idleP99Micros)}.`;
  }
  // For a series that is too short to judge, only the verdict knows whether it drops at the end.
  if (sustained === undefined || verdict === null || isTooShort(verdict)) {
    const which = row.results.length > 1 && `, the first of ${row.results.length} repetitions`;
    return verdict === null ? undefined : html`${name}${which}: ${verdict.explanation}.${load}`;
  }
  // Only a drop by network credits ends a burst that is a property of the instance type.
  if (verdict.onset !== null && verdict.cause !== 'network_credits') {
    return html`${name}: ${verdict.explanation}.${load}`;
  }
  const rate = rateWords(sustained);
  const levelOnEc2 = ofScaled(row, ({ rateDivisor }) => rateWords(scaledBy(rateDivisor, sustained)));
  if (burst !== undefined && onsetSeconds !== undefined) {
    const onEc2 = ofScaled(row, ({ rateDivisor, timeDivisor }) => {
      const time = timeWords(onsetSeconds.value * timeDivisor, unit);
      return `${rateWords(scaledBy(rateDivisor, burst))} for ${time}, then ${rateWords(scaledBy(rateDivisor, sustained))}`;
    });
    return html`${name} carries ${rateWords(burst)} for ${timeWords(onsetSeconds.value, unit)}, then
    ${rate}.${onEc2}${load}`;
  }
  if (sustained.bound === 'at_most') {
    return html`${name} carried ${rate} for all of ${timeWords(durationSeconds, unit)} without a drop. It is published
    to sustain less, so how long this lasts is not known.${levelOnEc2}${load}`;
  }
  if (sustained.bound === 'at_least') {
    return html`${name} carried ${rate}, which is all of the ${gigabits(targetBitsPerSecond ?? sustained.value)} Gbit/s
    that was offered.${load}`;
  }
  return html`${name} carries ${rate}${limitWords(row)}.${levelOnEc2}${load}`;
}

/** ` This is of "lab", a scaled model of EC2; on EC2 that would be …`; without figures where they do not scale. */
function ofScaled({ scaledModel, results: [{ verdict }] }: TypeRow, onEc2: (model: ScaledModel) => string): string {
  if (scaledModel === undefined) return '';
  const figures = verdict !== null && isPlainlyScaled(verdict) ? `; on EC2 that would be ${onEc2(scaledModel)}` : '';
  return ` This is of "${scaledModel.name}", a scaled model of EC2${figures}.`;
}

const scaledBy = (factor: number, { value, modes }: Repeated): Pick<Repeated, 'value' | 'modes'> => ({
  value: value * factor,
  modes: modes?.map((mode) => mode * factor),
});

/** Whether the series alone is too short for a verdict, so that only published figures support it. */
function isTooShort({ witnesses }: Verdict): boolean {
  return witnesses.some(({ name, agrees }) => name === 'series' && agrees === null);
}

const LIMITS: Readonly<Partial<Record<Cause | VerdictKind, string>>> = {
  single_flow_cap: ', the limit of a single flow',
  cpu: ', limited by the CPU',
  cpu_credits: ', limited by the CPU, which is out of credits',
  published_bandwidth: ', limited by its peer',
  packet_rate: ', limited by the packet rate',
  connection_tracking: ', limited by the tracked connections',
  fragment_rate: ', limited by the IP fragments that EC2 lets out',
  ena_express: ', without ENA Express, which was asked for',
  noisy: ' on average, with much noise',
  dips: ' on average, with short dips',
};

function limitWords({ results: [{ verdict }] }: TypeRow): string {
  const words = verdict && (LIMITS[verdict.cause ?? verdict.kind] ?? LIMITS[verdict.kind]);
  return words ?? ' from beginning to end';
}

/** Verdicts below this confidence are named, so that a reader of only this section does not take them for certain. */
const LITTLE_CONFIDENCE = 0.6;

/** `Not certain: c5.large (40 % confidence).` Undefined where every verdict is certain. */
function doubtSentence(rows: readonly TypeRow[]): Html | undefined {
  const doubtful = rows.flatMap(({ label, results }) => {
    const confidences = results.flatMap(({ verdict }) => verdict?.confidence ?? []);
    const confidence = confidences.length === 0 ? 1 : median(confidences);
    return confidence < LITTLE_CONFIDENCE ? [html`<b>${label}</b> (${percent(confidence)} confidence)`] : [];
  });
  return doubtful.length === 0
    ? undefined
    : html`Not certain: ${listed(doubtful)}. The witnesses in the ${doubtful.length === 1 ? 'card' : 'cards'} say why.`;
}

function rankSentence(rows: readonly TypeRow[]): Html | undefined {
  const sustaining = rows.filter(({ sustained }) => sustained !== undefined && sustained.bound !== 'at_most');
  const most = greatest(sustaining, ({ sustained }) => sustained?.value);
  if (most?.sustained === undefined || sustaining.length < 2) return undefined;
  const cheapest = greatest(sustaining, sustainedPerUsd);
  const perUsd = cheapest && sustainedPerUsd(cheapest);
  return html`<b>${most.label}</b> sustains the most:
    ${rateWords(most.sustained)}.${
      cheapest !== undefined &&
      perUsd !== undefined &&
      html` Per dollar,
        <b>${cheapest.label}</b> does${cheapest === most && ', too'}: ${gigabits(perUsd)}
        Gbit/s${cheapest.scaledModel && ' (at the scale of EC2)'} for each USD that the pair costs an hour.`
    }`;
}

/** Returns a sentence for each rate; adjacent rates with the same text share one. */
function rateSentences(rows: readonly TypeRow[], rates: readonly number[], unit: TimeUnit): (Html | undefined)[] {
  return alikeRates(rates, (rate) => holdersWords(rows, rate, unit)?.text).map(({ name, bitsPerSecond }) => {
    const holders = holdersWords(rows, bitsPerSecond, unit);
    return holders && html`<b>${name}</b>: ${holders}.`;
  });
}

/** Says which row holds a rate longest, and longest per dollar; undefined where all rows hold it without end. */
function holdersWords(rows: readonly TypeRow[], bitsPerSecond: number, unit: TimeUnit): Html | undefined {
  const holding = rows.flatMap((row) => {
    const held = row.holdOf(bitsPerSecond);
    return held === undefined || held.hold.kind === 'never' ? [] : [{ row, hold: held.hold }];
  });
  const always = holding.filter(({ hold }) => hold.kind === 'always');
  const forAWhile = holding.filter(({ hold }) => hold.kind !== 'always');
  if (always.length === rows.length || holding.length === 0) return undefined;
  const parts = [
    always.length > 0 && alwaysWords(always.map(({ row }) => row)),
    forAWhile.length > 0 && holdWords(forAWhile, always.length > 0, unit),
  ].filter((part) => part !== false);
  return html`${parts.map((part, index) => html`${index > 0 && '; '}${part}`)}`;
}

function alwaysWords(rows: readonly TypeRow[]): Html {
  const cheapest = greatest(rows, ({ hourlyUsd }) => (hourlyUsd === undefined ? undefined : -hourlyUsd));
  if (cheapest?.hourlyUsd === undefined) {
    return html`for as long as you like with ${listed(rows.map(({ label }) => html`<b>${label}</b>`))}`;
  }
  return html`for as long as you like${rows.length > 1 && ', cheapest'} with
    <b>${cheapest.label}</b> (${hourlyPrice(cheapest.hourlyUsd)})`;
}

interface Holding {
  readonly row: TypeRow;
  readonly hold: Parameters<typeof holdSecondsOf>[0];
}

function holdWords(holding: readonly Holding[], isAfterOthers: boolean, unit: TimeUnit): Html | undefined {
  const longest = greatest(holding, ({ hold }) => holdSecondsOf(hold));
  const perDollar = greatest(holding, ({ row: { hourlyUsd }, hold }) =>
    hourlyUsd === undefined || hourlyUsd === 0 ? undefined : holdSecondsOf(hold) / hourlyUsd,
  );
  if (longest === undefined) return undefined;
  const lead = isAfterOthers ? 'of the others, ' : '';
  const only = holding.length === 1;
  if (perDollar === undefined || only) {
    return html`${lead}<b>${longest.row.label}</b> holds it${!only && ' longest,'} for ${heldWords(longest, unit)}`;
  }
  if (perDollar === longest) {
    return html`${lead}<b>${longest.row.label}</b> holds it longest, also per dollar: ${heldWords(longest, unit)} for
      ${hourlyPrice(longest.row.hourlyUsd ?? 0)}`;
  }
  return html`${lead}<b>${perDollar.row.label}</b> holds it longest per dollar (${heldWords(perDollar, unit)} for
    ${hourlyPrice(perDollar.row.hourlyUsd ?? 0)}), and <b>${longest.row.label}</b> longest (${heldWords(longest, unit)})`;
}

function heldWords({ row: { scaledModel }, hold }: Holding, unit: TimeUnit): string {
  const seconds = holdSecondsOf(hold);
  const onEc2 = scaledModel ? ` (${timeWords(seconds * scaledModel.timeDivisor, unit)} at the scale of EC2)` : '';
  return `${hold.kind === 'at_least' ? 'at least ' : ''}${timeWords(seconds, unit)}${onEc2}`;
}

/** `0.992 Gbit/s`, or `5.02 or 9.69 Gbit/s` where repetitions have several modes. */
function rateWords({ value, modes = [value] }: Pick<Repeated, 'value' | 'modes'>): string {
  return `${modes.map((mode) => threeDigits(mode / 1e9)).join(' or ')} Gbit/s`;
}

function microsWords({ value, modes = [value] }: Repeated): string {
  return `${modes.map((mode) => micros(mode)).join(' or ')} µs`;
}

function listed(items: readonly Html[]): HtmlValue {
  return items.map((item, index) => html`${index === 0 ? '' : index === items.length - 1 ? ' and ' : ', '}${item}`);
}

/** Returns the first item with the greatest value; undefined where none has a value. */
function greatest<Item>(items: readonly Item[], valueOf: (item: Item) => number | undefined): Item | undefined {
  return items.reduce<{ item: Item; value: number } | undefined>((best, item) => {
    const value = valueOf(item);
    return value === undefined || (best !== undefined && value <= best.value) ? best : { item, value };
  }, undefined)?.item;
}

export interface TimeUnit {
  readonly name: 's' | 'min';
  readonly seconds: number;
}

/** If one time is this long or longer, all times are written in minutes. */
const MINUTES_FROM_SECONDS = 600;

export function timeUnitOf(rows: readonly TypeRow[], rates: readonly number[]): TimeUnit {
  const held = rows.flatMap((row) => rates.map((rate) => row.holdOf(rate)?.hold));
  const times = [
    ...held.map((hold) => (hold === undefined || hold.kind === 'always' ? 0 : holdSecondsOf(hold))),
    ...rows.map(({ onsetSeconds }) => onsetSeconds?.value ?? 0),
  ];
  return times.some((seconds) => seconds >= MINUTES_FROM_SECONDS)
    ? { name: 'min', seconds: 60 }
    : { name: 's', seconds: 1 };
}

/** Formats a time without its unit, for a table. */
export const inUnit = (seconds: number, unit: TimeUnit) => threeDigits(seconds / unit.seconds);

/** `53.2 min` */
const timeWords = (seconds: number, unit: TimeUnit) => `${inUnit(seconds, unit)} ${unit.name}`;
