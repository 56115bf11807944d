/** The report's first section: the answer in one sentence, what changed, the table and three charts. */
import {
  heldSeconds,
  holdAt,
  type AnsweredHold,
  type AnswerFigure,
  type AnswerRow,
  type RunAnswer,
} from '../../model/answer';
import { runAnswer } from '../../answer/run-answer';
import { transferFigures } from '../../answer/transfer';
import { alikeRates, figureText, inUnit, lastsText, rangeText, timeUnitOf, type TimeUnit } from '../../answer/words';
import { priceListOf } from '../../model/cost';
import { scaledModelInWords } from '../../model/scaled-model';
import type { ReportInput } from '../../run/report-input';
import { counted, gigabits, micros, percent, threeDigits } from '../../text/format';
import { contentionBadge, stacked, verdictBadge, withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { column, numberColumn, reportTable, type ReportColumn, type Section } from '../page/table';
import { answerCharts } from './answer-charts';
import { changedSentence } from './changed';

/** @returns undefined for a run that measured neither throughput nor round trips */
export function answerSection(
  input: Pick<ReportInput, 'results' | 'pairCosts' | 'seriesOf' | 'comparedRun' | 'earlierRuns'>,
): Section | undefined {
  const answer = runAnswer(input.results, input.pairCosts);
  if (answer === undefined) return undefined;
  const [first, ...more] = answer.sentences;
  const unit = timeUnitOf(answer.rows);
  return {
    id: 'answer',
    title: 'The answer',
    html: html`${first !== undefined && html`<p class="answer">${first}</p>`} ${changedSentence(input)}
      <div class="card">
        ${transferForm(answer.rows)} ${answerTable(answer, unit)} ${tableNotes(answer, unit, input.pairCosts)}
      </div>
      ${
        more.length > 0 &&
        html`<ul class="answers">
          ${more.map((sentence) => html`<li>${sentence}</li>`)}
        </ul>`
      }
      ${answer.shared !== '' && html`<p class="sub">${answer.rows.length > 1 ? 'In all rows' : 'Measured'}: ${answer.shared}.</p>`}
      ${answerCharts(answer, input)}`,
  };
}

/** The page's script shows the form and fills the column; without it, the asked rates stand alone. */
function transferForm(rows: readonly AnswerRow[]): Html | undefined {
  if (rows.every((row) => transferFigures(row) === undefined)) return undefined;
  return html`<form class="transfer screen" hidden>
    <label>Transfer <input name="volume" value="2 TB" size="8" /></label>
    <label>in <input name="time" value="20 min" size="8" /></label>
    <output></output>
  </form>`;
}

function tableNotes({ rows, scaledModel }: RunAnswer, unit: TimeUnit, pairCosts: ReportInput['pairCosts']): Html {
  const isBound = (bound: string) => rows.some(({ sustained }) => sustained?.bound === bound);
  const notes = [
    scaledModel !== undefined && `${scaledModelInWords(scaledModel)}; figures per USD are at the scale of EC2.`,
    rows.some(({ holds }) => holds.length > 0) &&
      `Holds: how many ${unit.name === 's' ? 'seconds' : 'minutes'} the rate can be held from full credits. Tools don’t count packet headers, so 9.4 Gbit/s counts as 10.`,
    'Small figures: the range that covers 95 in 100 other pairs, if recordings show this range; otherwise the range of the measurements.',
    shownRoundTrips(rows) !== undefined &&
      `Round trips: ${shownRoundTrips(rows)}; other round trips are in their own section.`,
    isBound('at_most') &&
      '≤: no clear drop was seen, but AWS publishes a lower sustained rate, so the rate may not last.',
    isBound('at_least') && '≥: no more load was offered, so the pair may carry more.',
    rows.some(({ contended }) => contended.contendedCount > 0) &&
      'Processors busy: other work kept a host’s processors busy, and the figures may show that instead of the network.',
    rows.some(({ pairHourlyUsd }) => pairHourlyUsd !== null) &&
      `Price: both instances, per hour (${priceListOf(pairCosts)}).`,
  ].filter((note) => note !== false);
  return html`<p class="sub">${notes.join(' ')}</p>`;
}

type Column = ReportColumn<AnswerRow>;

/** The table fits a printed page with so many rates, of which it has the highest; the sentences tell the others. */
const MOST_RATES = 4;

/** A row for each type, condition or setting, with one unit, tool, protocol and size per column. */
function answerTable(answer: RunAnswer, unit: TimeUnit): Html {
  const { rows, askedBitsPerSecond: rates } = answer;
  const columns: readonly Column[] = [
    column('Types and verdict', (row) => html`${nameOf(row)} ${transferTime(row)} ${verdicts(row)}`),
    numberColumn('Burst, Gbit/s', ({ burst }) => withRange(burst, gigabits)),
    numberColumn(`Burst lasts, ${unit.name}`, (row) => lasts(row, unit)),
    numberColumn('Sustained, Gbit/s', sustained),
    ...alikeRates(rates, (rate) => html`${rows.map((row) => [held(row, rate, unit), '|'])}`.text)
      .slice(-MOST_RATES)
      .map(({ name, bitsPerSecond }) =>
        numberColumn<AnswerRow>(
          `Holds ${name}, ${unit.name}`,
          (row) => held(row, bitsPerSecond, unit),
          (row) => holdOrder(row, bitsPerSecond),
        ),
      ),
    numberColumn('Bucket, Gbit', bucket),
    ...roundTripColumns(rows),
    numberColumn('USD an hour', ({ pairHourlyUsd }) => pairHourlyUsd !== null && threeDigits(pairHourlyUsd)),
    numberColumn(
      `Gbit/s per USD${answer.scaledModel === undefined ? '' : ', at the scale of EC2'}`,
      ({ sustainedBitsPerSecondPerUsd }) => gigabits(sustainedBitsPerSecondPerUsd),
    ),
  ];
  return reportTable('The answer by row', columns, rows);
}

/** Empty until the page's script writes how long the transfer above the table takes on this row. */
function transferTime(row: AnswerRow): Html | undefined {
  const figures = transferFigures(row);
  if (figures === undefined) return undefined;
  const { slowestBurst, fastestBurst, sustained: rate, leastBurstBits, mostBurstBits } = figures;
  const values = [slowestBurst, fastestBurst, rate ?? '', leastBurstBits, mostBurstBits].join(' ');
  return html`<span class="transfer-time" data-figures="${values}"></span>`;
}

/** Shows what differs between the rows, and below it in how many pairs and in which setting it was measured. */
function nameOf({ label, pairCount, setting, otherSettings, confidence }: AnswerRow): Html {
  const [name = '', ...others] = label.split(', ');
  const spread =
    otherSettings && `; all settings: ${gigabits(otherSettings.low)} to ${gigabits(otherSettings.high)} Gbit/s`;
  const best = setting !== undefined && `best with ${setting}${spread ?? ''}`;
  const pairs =
    confidence === null
      ? counted(pairCount, 'pair')
      : `${counted(pairCount, 'pair')}, ${percent(confidence)} confidence`;
  return withNotes(html`<b>${name}</b>`, others.join(', '), pairs, best);
}

function verdicts({ verdicts: found, contended, pairCount }: AnswerRow): HtmlValue {
  const badges = found.map(({ count, ...verdict }) =>
    found.length > 1
      ? html`${verdictBadge(verdict)} <small class="nowrap">${count} of ${sumOf(found)}</small>`
      : verdictBadge(verdict),
  );
  return pairCount > 0 && stacked([badges, contentionBadge(contended)]);
}

const sumOf = (found: AnswerRow['verdicts']) => found.reduce((total, { count }) => total + count, 0);

function lasts(row: AnswerRow, unit: TimeUnit): HtmlValue {
  if (row.burstSeconds === null) return undefined;
  const isSingle = row.burstSeconds.modes === undefined;
  return withNotes(lastsText(row, unit), isSingle && between(row.burstSeconds, (each) => inUnit(each, unit)));
}

/** A transfer that is too short for a sustained rate has a mean. */
function sustained({ sustained: rate, meanBitsPerSecond: mean }: AnswerRow): HtmlValue {
  if (rate === null) return mean && withNotes(withRange(mean, gigabits), 'on average');
  const sign = { measured: '', at_most: '≤ ', at_least: '≥ ' }[rate.bound];
  return html`${sign}${withRange(rate, gigabits)}`;
}

function bucket({ bucketBits: bits, bucketBitsAtLeast: atLeast }: AnswerRow): HtmlValue {
  return bits === null ? atLeast !== null && `≥ ${gigabits(atLeast)}` : withRange(bits, gigabits);
}

/** Of several tools, protocols or sizes, the first is shown, because more columns would not fit; a note names it. */
function roundTripColumns(rows: readonly AnswerRow[]): Column[] {
  const of = ({ roundTrips }: AnswerRow) => roundTrips.find(({ name }) => name === shownRoundTrips(rows));
  return [
    numberColumn('p50, µs', (row) => withRange(of(row)?.p50Micros, micros)),
    numberColumn('p99, µs', (row) => withRange(of(row)?.p99Micros, micros)),
  ];
}

const shownRoundTrips = (rows: readonly AnswerRow[]) => rows.flatMap(({ roundTrips }) => roundTrips)[0]?.name;

/** Shows the hold time and, below it, its range for another pair and how many pairs reached the rate. */
function held(row: AnswerRow, bitsPerSecond: number, unit: TimeUnit): HtmlValue {
  const hold = holdAt(row, bitsPerSecond);
  if (hold === undefined) return undefined;
  const { kind, setting, reachedPairCount, pairCount } = hold;
  const share = kind !== 'never' && reachedPairCount < pairCount && `${reachedPairCount} of ${pairCount} pairs`;
  const elsewhere = setting !== undefined && setting !== row.setting && kind !== 'never' && setting;
  return withNotes(holdText(hold, unit), holdRange(hold, unit), share, elsewhere);
}

function holdText(hold: AnsweredHold, unit: TimeUnit): string {
  if (hold.kind === 'always' || hold.kind === 'never') return hold.kind;
  return `${hold.kind === 'at_least' ? '≥ ' : ''}${inUnit(heldSeconds(hold), unit)}`;
}

const holdRange = ({ lowSeconds, highSeconds }: AnsweredHold, unit: TimeUnit) =>
  between({ low: lowSeconds, high: highSeconds }, (seconds) => inUnit(seconds, unit));

/** Returns the sort key: Infinity for a rate that is always held, 0 for one that is never reached. */
function holdOrder(row: AnswerRow, bitsPerSecond: number): number | undefined {
  const hold = holdAt(row, bitsPerSecond);
  return hold && heldSeconds(hold);
}

function withRange(figure: AnswerFigure | null | undefined, format: (value: number) => string): HtmlValue {
  if (figure === null || figure === undefined) return undefined;
  return withNotes(figureText(figure, format), figure.modes === undefined && between(figure, format));
}

/** Allows a line break between the ends of a range, for narrow windows. */
function between(range: Parameters<typeof rangeText>[0], format: (value: number) => string): HtmlValue {
  const ends = rangeText(range, format)?.split(' to ');
  return ends && (ends.length === 1 ? ends : html`${ends[0]}–<wbr />${ends[1]}`);
}
