/** The table of the answer: a row for each pair of types, sorted by what it sustains. One unit per column. */
import type { Bounds } from '../../maths/interval';
import { holdSecondsOf } from '../../model/carried-rate';
import { verdictWord } from '../../model/verdict';
import { counted, gigabits, micros, threeDigits } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import { contentionBadge, kindBadge } from '../sections/verdicts';
import { reportTable, type ReportColumn } from '../page/table-columns';
import { alikeRates } from '../../run/asked-rates';
import { inUnit, type TimeUnit } from './hold-unit';
import { sustainedPerUsd, type Repeated, type TypeRow } from '../../run/type-rows';

type Column = ReportColumn<TypeRow>;

export function answerTable(rows: readonly TypeRow[], rates: readonly number[], unit: TimeUnit): Html {
  const number = (heading: string, cell: Column['cell'], order?: Column['order']): Column => ({
    heading,
    isNumber: true,
    cell,
    order,
  });
  const columns: readonly Column[] = [
    {
      heading: 'Types and verdict',
      cell: (row) => html`${nameOf(row)} ${verdicts(row)}`,
    },
    number('Sustained, Gbit/s', sustained),
    number('Burst, Gbit/s', ({ burst }) => burst && withBounds(burst, gigabits)),
    ...alikeRates(rates, (rate) => html`${rows.map((row) => [held(row, rate, unit), '|'])}`.text).map(
      ({ name, bitsPerSecond }) =>
        number(
          `Holds ${name}, ${unit.name}`,
          (row) => held(row, bitsPerSecond, unit),
          (row) => heldSeconds(row, bitsPerSecond),
        ),
    ),
    number('Bucket, Gbit', bucket),
    number('p99 beside a load, µs', ({ loadedP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    number('p99 without a load, µs', ({ idleP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    number('USD an hour', ({ hourlyUsd }) => hourlyUsd !== undefined && threeDigits(hourlyUsd)),
    number(`Gbit/s per USD${rows.some(({ scaledModel }) => scaledModel) ? ', at the scale of EC2' : ''}`, (row) =>
      gigabits(sustainedPerUsd(row)),
    ),
  ];
  return reportTable(`All ${counted(rows.length, 'pair')} of types`, columns, rows);
}

/** The types, and below them what else sets the row apart. */
function nameOf({ label, results }: TypeRow): Html {
  const [types = '', ...others] = label.split(', ');
  const repetitions = results.length > 1 && counted(results.length, 'repetition');
  const details = [others.join(', '), repetitions].filter((text) => text !== '' && text !== false);
  return html`<b>${types}</b>${details.length > 0 && html`<small>${details.join('; ')}</small>`}`;
}

/** Each kind once, where repetitions differ, and whether other work kept processors busy. */
function verdicts({ results, contended }: TypeRow): HtmlValue {
  const kinds = new Map(results.map((result) => [result.verdict && verdictWord(result.verdict), result]));
  return html`<span class="stack">${[...kinds.values()].map(kindBadge)}${contentionBadge(contended)}</span>`;
}

function sustained({ sustained: rate }: TypeRow): HtmlValue {
  if (rate === undefined) return undefined;
  const sign = { measured: '', at_most: '≤ ', at_least: '≥ ' }[rate.bound];
  return html`${sign}${withBounds(rate, gigabits)}`;
}

function bucket({ bucket: bits, bucketBitsAtLeast: atLeast }: TypeRow): HtmlValue {
  return bits === undefined ? atLeast !== undefined && `≥ ${gigabits(atLeast)}` : withBounds(bits, gigabits);
}

/** How long, and below it the range over the repetitions, and how long for each USD of an hour's price. */
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

/** A rate that is always held stands above any time, and one that is never reached at zero. */
function heldSeconds({ holdOf }: TypeRow, bitsPerSecond: number): number | undefined {
  const hold = holdOf(bitsPerSecond)?.hold;
  return hold && holdSecondsOf(hold);
}

function withBounds({ value, bounds, modes }: Repeated, format: (value: number) => string): Html {
  return modes === undefined ? withRange(value, bounds, format) : html`${modes.map(format).join(' or ')}`;
}

function withRange(value: number, range: Bounds | undefined, format: (value: number) => string): Html {
  return html`${format(value)}${range && isWide(range, format) && html`<small>${between(range, format)}</small>`}`;
}

/** Whether the ends read differently. Where they do not, they read as the value between them does. */
export const isWide = ({ low, high }: Bounds, format: (value: number) => string) => format(low) !== format(high);

/** In a narrow window the ends of an interval stand one above the other. */
const between = ({ low, high }: Bounds, format: (value: number) => string) =>
  html`${format(low)}–<wbr />${format(high)}`;
