/** The table of the answer: a row for each pair of types, sorted by what it sustains. One unit per column. */
import type { Bounds } from '../../maths/interval';
import { counted, gigabits, micros, threeDigits } from '../../text/format';
import { html, type Html, type HtmlValue } from '../html';
import { kindBadge } from '../sections/verdicts';
import { longTable, type ReportColumn } from '../table';
import { holdSecondsOf, sustainedPerUsd, type Repeated, type TypeRow } from './type-rows';

type Column = ReportColumn<TypeRow>;

export function answerTable(rows: readonly TypeRow[], rates: readonly number[]): Html {
  const number = (heading: string, cell: Column['cell']): Column => ({ heading, isNumber: true, cell });
  const unit = holdUnit(rows, rates);
  const columns: readonly Column[] = [
    {
      heading: 'Types',
      cell: ({ label, results }) => html`<b>${label}</b><small>${repetitions(results.length)}</small>`,
    },
    { heading: 'Verdict', cell: verdicts },
    number('Sustained, Gbit/s', sustained),
    number('Burst, Gbit/s', ({ burst }) => burst && withBounds(burst, gigabits)),
    ...rates.map((rate) => number(`Holds ${rate / 1e9} Gbit/s, ${unit.name}`, (row) => held(row, rate, unit))),
    number('Bucket, Gbit', bucket),
    number('p99 beside a load, µs', ({ loadedP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    number('p99 without a load, µs', ({ idleP99Micros: p99 }) => p99 && withBounds(p99, micros)),
    number('USD an hour', ({ hourlyUsd }) => hourlyUsd !== undefined && threeDigits(hourlyUsd)),
    number('Gbit/s per USD', (row) => gigabits(sustainedPerUsd(row))),
  ];
  return longTable(`All ${counted(rows.length, 'pair')} of types`, columns, rows);
}

const repetitions = (count: number) => count > 1 && html`<small>${count} repetitions</small>`;

/** Each kind once, where repetitions differ. */
function verdicts({ results }: TypeRow): HtmlValue {
  const kinds = new Map(results.map((result) => [result.verdict?.kind, result]));
  return html`<span class="stack">${[...kinds.values()].map(kindBadge)}</span>`;
}

function sustained({ sustained: rate }: TypeRow): HtmlValue {
  if (rate === undefined) return undefined;
  const sign = { measured: '', at_most: '≤ ', at_least: '≥ ' }[rate.bound];
  return html`${sign}${withBounds(rate, gigabits)}`;
}

function bucket({ bucket: bits, bucketBitsAtLeast: atLeast }: TypeRow): HtmlValue {
  return bits === undefined ? atLeast !== undefined && `≥ ${gigabits(atLeast)}` : withBounds(bits, gigabits);
}

interface HoldUnit {
  readonly name: 's' | 'min';
  readonly seconds: number;
}

/** Seconds, if all that is held for a while is held for less than ten minutes. */
function holdUnit(rows: readonly TypeRow[], rates: readonly number[]): HoldUnit {
  const all = rates.flatMap((rate) => rows.map((row) => row.holdOf(rate)).filter((held) => held !== undefined));
  const isLong = all.some(({ hold }) => hold.kind !== 'always' && holdSecondsOf(hold) >= 600);
  return isLong ? { name: 'min', seconds: 60 } : { name: 's', seconds: 1 };
}

/** How long, and below it how long for each USD of an hour's price. */
function held({ hourlyUsd, holdOf }: TypeRow, bitsPerSecond: number, unit: HoldUnit): HtmlValue {
  const repeated = holdOf(bitsPerSecond);
  if (repeated === undefined) return undefined;
  const { hold, alike, count } = repeated;
  const share = alike < count && html`<small class="nowrap">${alike} of ${count}</small>`;
  if (hold.kind === 'always' || hold.kind === 'never') return html`${hold.kind}${share}`;
  const inUnit = (seconds: number) => `${hold.kind === 'at_least' ? '≥ ' : ''}${threeDigits(seconds / unit.seconds)}`;
  const seconds = holdSecondsOf(hold);
  return html`${inUnit(seconds)}${share}${
    hourlyUsd !== undefined && hourlyUsd > 0 && html`<small class="nowrap">${inUnit(seconds / hourlyUsd)} / USD</small>`
  }`;
}

function withBounds({ value, bounds, modes }: Repeated, format: (value: number) => string): Html {
  if (modes !== undefined) return html`${modes.map(format).join(' or ')}`;
  const isWider =
    bounds !== undefined && (format(bounds.low) !== format(value) || format(bounds.high) !== format(value));
  return html`${format(value)}${isWider && html`<small class="nowrap">${between(bounds, format)}</small>`}`;
}

const between = ({ low, high }: Bounds, format: (value: number) => string) => `${format(low)}–${format(high)}`;
