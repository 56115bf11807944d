/** The report's first section: the results in sentences, one table and three charts. */
import { priceListOf } from '../../model/cost';
import { scaledModelInWords } from '../../model/scaled-model';
import { counted, gigabits, micros, threeDigits } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import { answerCharts } from './answer-charts';
import { inUnit, timeUnitOf, type TimeUnit, answerSentences } from './sentences';
import { alikeRates, askedRates, sustainedPerUsd, typeRows } from '../../run/type-rows';
import type { Repeated, RepeatedHold, TypeRow } from '../../run/type-rows';
import type { Bounds } from '../../maths/interval';
import { holdSecondsOf } from '../../model/carried-rate';
import { verdictWord } from '../../model/verdict';
import { contentionBadge, kindBadge, stacked, withNotes } from '../page/columns';
import { column, numberColumn, reportTable, type ReportColumn, type Section } from '../page/table';

/** @returns undefined for a run that measured neither throughput nor percentiles of round trips */
export function answerSection({
  results,
  pairCosts,
  seriesOf,
}: Pick<ReportInput, 'results' | 'pairCosts' | 'seriesOf'>): Section | undefined {
  const { rows, shared } = typeRows(results, pairCosts);
  if (rows.length === 0) return undefined;
  const rates = askedRates(rows);
  const unit = timeUnitOf(rows, rates);
  const sentences = answerSentences(rows, rates, unit);
  return {
    id: 'answer',
    title: 'The answer',
    html: html`${
        sentences.length > 0 &&
        html`<ul class="answers">
          ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>`
      }
      <div class="card">${answerTable(rows, rates, unit)} ${tableNotes(rows, { rates, unit, pairCosts })}</div>
      <p class="sub">${counted(rows.length, 'pair')} of types${shared !== '' && html`: ${shared}`}</p>
      ${answerCharts(rows, seriesOf)}`,
  };
}

/** Whether some repetitions have another kind of hold time than the one shown. */
const isDivided = ({ alike, count }: RepeatedHold) => alike < count;

interface Noted extends Pick<ReportInput, 'pairCosts'> {
  readonly rates: readonly number[];
  readonly unit: TimeUnit;
}

function tableNotes(rows: readonly TypeRow[], { rates, unit, pairCosts }: Noted): Html {
  const isBound = (bound: string) => rows.some(({ sustained }) => sustained?.bound === bound);
  const holds = rows.flatMap(({ holdOf }) => rates.flatMap((rate) => holdOf(rate) ?? []));
  const isPriced = rows.some(({ hourlyUsd }) => hourlyUsd !== undefined);
  const [model] = rows.flatMap(({ scaledModel }) => scaledModel ?? []);
  const notes = [
    model !== undefined && `${scaledModelInWords(model)}; figures per USD are at the scale of EC2.`,
    rates.length > 0 &&
      `How long a rate is held is counted from full credits${isPriced ? ', and below it stands how long for each USD that the pair costs an hour' : ''}. Always: it is sustained. Never: it is not reached. A rate counts as reached from 94 % of it, because tools count payload without headers.`,
    holds.some(({ range }) => range && isWide(range, (seconds) => inUnit(seconds, unit))) &&
      'Where repetitions differ, their shortest and longest time stand below; the 95 % interval of each measurement is in its card.',
    holds.some(isDivided) && '1 of 2: so it came out in so many of the repetitions, and differently in the others.',
    isBound('at_most') &&
      '≤: no drop was seen beyond doubt, but the type is published to sustain less, so this rate may not last.',
    isBound('at_least') && '≥: the load offered no more.',
    rows.some(({ contended }) => contended.contendedCount > 0) &&
      'Processors busy: other work kept those of a host busy, and the figures may show that instead of the network.',
    isPriced && `The price is that of both instances for an hour, by ${priceListOf(pairCosts)}.`,
    'Below other figures stand their 95 % intervals.',
  ].filter((note) => note !== false);
  return html`<p class="sub">${notes.join(' ')}</p>`;
}

type Column = ReportColumn<TypeRow>;

/** A row for each pair of types, sorted by sustained rate, with one unit per column. */
function answerTable(rows: readonly TypeRow[], rates: readonly number[], unit: TimeUnit): Html {
  const columns: readonly Column[] = [
    column('Types and verdict', (row) => html`${nameOf(row)} ${verdicts(row)}`),
    numberColumn('Sustained, Gbit/s', sustained),
    numberColumn('Burst, Gbit/s', ({ burst }) => burst && withBounds(burst, gigabits)),
    ...alikeRates(rates, (rate) => html`${rows.map((row) => [held(row, rate, unit), '|'])}`.text).map(
      ({ name, bitsPerSecond }) =>
        numberColumn<TypeRow>(
          `Holds ${name}, ${unit.name}`,
          (row) => held(row, bitsPerSecond, unit),
          (row) => heldSeconds(row, bitsPerSecond),
        ),
    ),
    numberColumn('Bucket, Gbit', bucket),
    numberColumn('p99 beside a load, µs', ({ loadedP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    numberColumn('p99 without a load, µs', ({ idleP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    numberColumn('USD an hour', ({ hourlyUsd }) => hourlyUsd !== undefined && threeDigits(hourlyUsd)),
    numberColumn(`Gbit/s per USD${rows.some(({ scaledModel }) => scaledModel) ? ', at the scale of EC2' : ''}`, (row) =>
      gigabits(sustainedPerUsd(row)),
    ),
  ];
  return reportTable(`All ${counted(rows.length, 'pair')} of types`, columns, rows);
}

/** Shows the instance types, and below them the other facts in which the row differs. */
function nameOf({ label, results }: TypeRow): Html {
  const [types = '', ...others] = label.split(', ');
  const repetitions = results.length > 1 && counted(results.length, 'repetition');
  return withNotes(html`<b>${types}</b>`, [others.join(', '), repetitions].filter(Boolean).join('; '));
}

/** Shows each verdict of the repetitions once, and whether other work kept processors busy. */
function verdicts({ results, contended }: TypeRow): HtmlValue {
  const kinds = new Map(results.map((result) => [result.verdict && verdictWord(result.verdict), result]));
  return stacked([[...kinds.values()].map(kindBadge), contentionBadge(contended)]);
}

function sustained({ sustained: rate }: TypeRow): HtmlValue {
  if (rate === undefined) return undefined;
  const sign = { measured: '', at_most: '≤ ', at_least: '≥ ' }[rate.bound];
  return html`${sign}${withBounds(rate, gigabits)}`;
}

function bucket({ bucket: bits, bucketBitsAtLeast: atLeast }: TypeRow): HtmlValue {
  return bits === undefined ? atLeast !== undefined && `≥ ${gigabits(atLeast)}` : withBounds(bits, gigabits);
}

/** Shows the hold time, and below it its range over the repetitions and its quotient by the hourly price. */
function held({ hourlyUsd, holdOf, scaledModel }: TypeRow, bitsPerSecond: number, unit: TimeUnit): HtmlValue {
  const repeated = holdOf(bitsPerSecond);
  if (repeated === undefined) return undefined;
  const { hold, alike, count, range } = repeated;
  const share = alike < count && html`<small class="nowrap">${alike} of ${count}</small>`;
  if (hold.kind === 'always' || hold.kind === 'never') return html`${hold.kind}${share}`;
  const text = (seconds: number) => `${hold.kind === 'at_least' ? '≥ ' : ''}${inUnit(seconds, unit)}`;
  const seconds = holdSecondsOf(hold);
  return html`${withRange(seconds, range, text)}${share}${
    hourlyUsd !== undefined &&
    hourlyUsd > 0 &&
    html`<small class="nowrap">${text((seconds * (scaledModel?.timeDivisor ?? 1)) / hourlyUsd)}<wbr />/USD</small>`
  }`;
}

/** Returns the sort key: Infinity for a rate that is always held, 0 for one that is never reached. */
function heldSeconds({ holdOf }: TypeRow, bitsPerSecond: number): number | undefined {
  const hold = holdOf(bitsPerSecond)?.hold;
  return hold && holdSecondsOf(hold);
}

function withBounds({ value, bounds, modes }: Repeated, format: (value: number) => string): Html {
  return modes === undefined ? withRange(value, bounds, format) : html`${modes.map(format).join(' or ')}`;
}

function withRange(value: number, range: Bounds | undefined, format: (value: number) => string): Html {
  return withNotes(format(value), range && isWide(range, format) && between(range, format));
}

/** Whether both ends differ when formatted; otherwise they also equal the formatted value. */
const isWide = ({ low, high }: Bounds, format: (value: number) => string) => format(low) !== format(high);

/** Allows a line break between the ends of an interval, for narrow windows. */
const between = ({ low, high }: Bounds, format: (value: number) => string) =>
  html`${format(low)}–<wbr />${format(high)}`;
