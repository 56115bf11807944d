/** The answer of a run as lines of ASCII, for the execution's output, the notification and a terminal. */
import type { AnswerRow, RunAnswer } from '../model/answer';
import { figureText, hourlyPrice, lastsText, timeUnitOf, type TimeUnit } from '../answer/words';
import { gigabits } from '../text/format';
import { printable } from '../text/printable';
import { plain, plainMicros } from './verdict-line';

/** The answer in one sentence; undefined where nothing was measured. */
export function answerSentence(answer: Pick<RunAnswer, 'sentences'> | undefined): string | undefined {
  const [first] = answer?.sentences ?? [];
  return first === undefined ? undefined : inAscii(first);
}

/** Returns a line per row: `c5.xlarge: 9.69 Gbit/s for 8.75 min, then 1.25 Gbit/s; 4 pairs; 0.34 USD an hour`. */
export function answerLines({ rows }: Pick<RunAnswer, 'rows'>): string[] {
  const unit = timeUnitOf(rows);
  return rows.map((row) => {
    const pairs = `${row.pairCount} pair${row.pairCount === 1 ? '' : 's'}`;
    const price = row.pairHourlyUsd === null ? '' : hourlyPrice(row.pairHourlyUsd);
    const busy = row.contended.contendedCount > 0 ? 'processors busy' : '';
    const figures = [carried(row, unit), roundTrips(row), pairs, price, busy].filter((text) => text !== '');
    return inAscii(`${row.label}: ${figures.join('; ')}`);
  });
}

const inAscii = (text: string) =>
  plain(printable(text.replaceAll(' → ', ' to ').replaceAll(' ← ', ' from ').replaceAll('µs', 'us')));

function carried(row: AnswerRow, unit: TimeUnit): string {
  const { sustained, burst, burstSeconds, meanBitsPerSecond, setting } = row;
  const at = setting === undefined ? '' : ` (${setting})`;
  const rate = (figure: Parameters<typeof figureText>[0]) => `${figureText(figure, gigabits)} Gbit/s`;
  if (sustained === null) return meanBitsPerSecond === null ? '' : `${rate(meanBitsPerSecond)} on average${at}`;
  const bound = { measured: '', at_least: 'at least ', at_most: 'at most ' }[sustained.bound];
  if (burst === null || burstSeconds === null) return `${bound}${rate(sustained)}${at}`;
  return `${rate(burst)} for ${lastsText(row, unit)} ${unit.name}, then ${bound}${rate(sustained)}${at}`;
}

function roundTrips({ roundTrips: [first] }: AnswerRow): string {
  if (first === undefined || first.p50Micros === null) return '';
  const tail = first.p99Micros === null ? '' : `, p99 ${figureText(first.p99Micros, plainMicros)}`;
  return `round trip p50 ${figureText(first.p50Micros, plainMicros)}${tail} us (${first.name})`;
}
