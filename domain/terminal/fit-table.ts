/** What a trace or a transfer needs of instance types, as a sentence and a table; for a terminal, ASCII only. */
import type { ExaminedType } from '../fit/examined-type';
import { IN_TIME, type TransferFit } from '../fit/transfer';
import { chosen, NEARLY_ALL_SHARE, THROTTLED, type BoundedFigure, type TypeFit } from '../fit/type-fit';
import { held } from '../run/words';
import { bytes, comparedRate, counted, gigabits, percent, spaced, threeDigits } from '../text/format';
import { columnTable, type TextColumn } from '../text/text-table';
import { blocks, figures, fitted, words } from './columns';
import { plain } from './verdict-line';

/** So many types of each answer are shown, the cheapest first. */
const MOST_ROWS = 8;

const usd = (value: number | null) => value?.toFixed(0);
const priced = ({ instanceType, usdPerMonth }: ExaminedType) =>
  `${instanceType} (${usd(usdPerMonth) ?? '?'} USD a month)`;
const time = (seconds: number) => (Number.isFinite(seconds) ? held(seconds) : 'never');

/** `17 min (16 min to 19 min)`, in a narrow terminal `17 min`; without an expected value, `0.0 s to 19 min`. */
function bounded<Row>(
  heading: string,
  of: (row: Row) => BoundedFigure | null | undefined,
  rank?: number,
  format: (value: number) => string = time,
): TextColumn<Row> {
  const cell = (isBrief: boolean) => (row: Row) => {
    const figure = of(row);
    if (!figure) return undefined;
    const { value, low, high } = figure;
    const range = low === high ? format(low) : `${format(low)} to ${format(high)}`;
    return value === null || low === high ? range : `${format(value)}${isBrief ? '' : ` (${range})`}`;
  };
  return { ...figures(heading, cell(false), rank), brief: { heading, cell: cell(true) } };
}

const lastColumns: readonly TextColumn<ExaminedType>[] = [
  figures('vCPUs', ({ vcpuCount }) => vcpuCount.toFixed(0), 8),
  figures('GiB', ({ memoryGibibytes }) => threeDigits(memoryGibibytes), 7),
  figures('USD a month', ({ usdPerMonth }) => usd(usdPerMonth)),
  words('source', ({ source, measurementCount: n }) => `${spaced(source)}${n === undefined ? '' : ` (${n})`}`, 5),
];

const fitColumns = (isOfSeveral: boolean): readonly TextColumn<TypeFit>[] => [
  words('type', ({ instanceType }) => instanceType),
  words('throttled', ({ throttled, series: [{ isAbovePeak }] }) => throttled + (isAbovePeak ? ': above its peak' : '')),
  words(
    'direction',
    ({ throttled, series: [{ instance, direction }] }) =>
      throttled === 'never' ? undefined : spaced(direction) + (isOfSeveral ? ` of ${instance}` : ''),
    3,
  ),
  bounded('first after', ({ series: [{ firstThrottleSeconds }] }) => firstThrottleSeconds),
  bounded('held back', ({ throttled, series: [fit] }) => (throttled === 'never' ? null : fit.heldBackSeconds), 2),
  bounded('transfer takes', ({ series: [{ transfer }] }) => transfer?.seconds, 4),
  bounded('credits left Gbit', ({ series: [{ lowestCreditBits }] }) => lowestCreditBits, 6, gigabits),
  bounded('needed Gbit', ({ series: [{ neededBits }] }) => neededBits, 1, gigabits),
  ...lastColumns,
];

/** What the terminal prints, and what the page shows: the same sentences about the same rows. */
export interface FitAnswer<Row extends ExaminedType = ExaminedType> {
  /** The answer, then what explains its words. */
  readonly sentences: readonly [string, ...string[]];
  readonly columns: readonly TextColumn<Row>[];
  readonly rows: readonly Row[];
  /** What was read, and what the figures rest on, in sentences. */
  readonly notes: readonly string[];
}

/** @param notes as of the answer */
export function fitAnswer(fits: readonly TypeFit[], notes: readonly string[]): FitAnswer<TypeFit> {
  const hosts = new Set(fits.flatMap(({ series }) => series.map(({ instance }) => instance)));
  const groups = THROTTLED.map((answer) => fits.filter(({ throttled }) => throttled === answer));
  const { certainly, nearlyAll } = chosen(fits);
  const cheaper =
    nearlyAll === null || nearlyAll === certainly
      ? ''
      : ` ${priced(nearlyAll)} certainly carries ${percent(NEARLY_ALL_SHARE)} of this traffic without a wait.`;
  const sentence = leadOf('holds this traffic', groups) + cheaper;
  return { sentences: [sentence], columns: fitColumns(hosts.size > 1), ...shownOf(groups, notes) };
}

/** The cheapest of each group, and the notes, which begin with how many are left out. */
function shownOf<Row>(groups: readonly (readonly Row[])[], notes: readonly string[]) {
  const rows = groups.flatMap((group) => group.slice(0, MOST_ROWS));
  const left = groups.flat().length - rows.length;
  const more =
    left > 0 ? [`Not shown: ${counted(left, 'more type')}. --json lists all types, --types selects some.`] : [];
  return { rows, notes: [...more, ...notes] };
}

export function answerText<Row extends ExaminedType>(
  { sentences, columns, rows, notes }: FitAnswer<Row>,
  width?: number,
): string {
  const text = blocks([fitted(sentences, width), columnTable(columns, rows, width), fitted(notes, width)]);
  return text.split('\n').map(plain).join('\n');
}

/** The answer in one sentence. @param groups the types that do, perhaps and don't, each with the cheapest first */
function leadOf(does: string, groups: readonly (readonly ExaminedType[])[]): string {
  const [sure, maybe = 0, not = 0] = groups.map(({ length }) => length);
  const types = counted(groups.flat().length, 'type');
  const best = groups[0]?.[0];
  if (best === undefined) return `None of ${types} certainly ${does}: ${maybe} perhaps, ${not} certainly not.`;
  const which = sure === 1 ? `the only one of ${types}` : `the cheapest of the ${sure} that do (${types} examined)`;
  return `${priced(best)} certainly ${does}, ${which}.`;
}

const transferColumns: readonly TextColumn<TransferFit>[] = [
  words('type', ({ instanceType }) => instanceType),
  words('in time', ({ isWithin }) => isWithin),
  { ...bounded('takes', ({ takesSeconds }: TransferFit) => takesSeconds), brief: undefined },
  words('throttled', ({ throttled }) => throttled, 2),
  figures('safe pace', ({ paceBitsPerSecond: pace }) => (pace === null ? undefined : comparedRate(pace)), 1),
  ...lastColumns,
];

const PACE =
  'At its safe pace, a type is never throttled. The transfer then takes as long as the longest time shown for full speed, ' +
  'because either way all credits and the whole baseline are used.';

export function transferAnswer(
  fits: readonly TransferFit[],
  { bits, withinSeconds }: { readonly bits: number; readonly withinSeconds: number },
  notes: readonly string[],
): FitAnswer<TransferFit> {
  const groups = IN_TIME.map((answer) => fits.filter(({ isWithin }) => isWithin === answer));
  const what = `${bytes(bits / 8)}${Number.isFinite(withinSeconds) ? ` within ${held(withinSeconds)}` : ''}`;
  const shown = shownOf(groups, notes);
  const hasPace = shown.rows.some(({ paceBitsPerSecond }) => paceBitsPerSecond !== null);
  return {
    sentences: [leadOf(`carries ${what}`, groups), ...(hasPace ? [PACE] : [])],
    columns: transferColumns,
    ...shown,
  };
}
