/** Reads what `sar -n DEV` and `ifstat -t` print. Both count 1,024 bytes as a kB (sysstat's and ifstat's sources). */
import { elementAt } from '../../maths/elements';
import { ascending, largest, nearestRank, sum } from '../../maths/statistics';
import { amountAt, leftOutNotes, refuse, UNNAMED, type ReadFile } from './trace';

const KIBIBYTE_BITS = 8 * 1024;
const DAY_SECONDS = 86_400;
/** Loopback never leaves the host, and what bridges and containers carry passes a card as well. */
const CARD = /^(e(th|n)|Total$)/;

/** What a line says of a card; its clock is the end of the interval, in seconds of the day. */
interface Row {
  readonly clock: number;
  readonly card: string;
  readonly in: number;
  readonly out: number;
  readonly packets?: number;
}

export const isSar = (lines: readonly string[]) =>
  lines.slice(0, 20).some((line) => /\sIFACE\s.*\b(rxkB|rxbyt)\/s/.test(line));
const LEGEND = /(KB\/s|Kbps) in +(KB\/s|Kbps) out/;
export const isIfstat = (lines: readonly string[]) => lines.slice(0, 5).some((line) => LEGEND.test(line));

const cellsOf = (line: string | undefined) => (line ?? '').trim().split(/\s+/);

export function readSar(lines: readonly string[]): ReadFile {
  let columns: string[] = [];
  const rows = lines.flatMap((line, index): Row[] => {
    const clock = clockOf(line);
    const [, ...cells] = cellsOf(line).filter((cell) => !/^[AP]M$/.test(cell));
    if (cells[0] === 'IFACE') columns = cells;
    if (clock === undefined || cells[0] === 'IFACE' || cells.length !== columns.length) return [];
    const value = (name: string) => amountAt(`line ${index + 1}, ${name}`, cells[columns.indexOf(name)]);
    const [received, sent, bits] = columns.includes('rxkB/s')
      ? (['rxkB/s', 'txkB/s', KIBIBYTE_BITS] as const)
      : (['rxbyt/s', 'txbyt/s', 8] as const);
    const packets = columns.includes('rxpck/s') ? value('rxpck/s') + value('txpck/s') : undefined;
    return [{ clock, card: cells[0] ?? '', in: value(received) * bits, out: value(sent) * bits, packets }];
  });
  return fileOf('sar -n DEV', columns.includes('rxkB/s') ? 'kB/s of 1,024 bytes' : 'bytes a second', rows);
}

export function readIfstat(lines: readonly string[]): ReadFile {
  const legend = lines.findIndex((line) => LEGEND.test(line));
  const cards = cellsOf(lines[legend - 1]).filter((word) => word !== 'Time');
  if (!(lines[legend] ?? '').trim().startsWith('HH:MM:SS')) {
    refuse('ifstat, first heading', 'HH:MM:SS, as ifstat -t prints it', cellsOf(lines[legend])[0]);
  }
  const isBits = (lines[legend] ?? '').includes('Kbps');
  const rows = lines.slice(legend + 1).flatMap((line, index): Row[] => {
    const clock = clockOf(line);
    if (clock === undefined) return [];
    const [, ...values] = cellsOf(line);
    const where = `line ${legend + index + 2}`;
    if (values.length !== 2 * cards.length) refuse(where, `${2 * cards.length} values`, line);
    return cards.flatMap((card, at): Row[] => {
      const bits = (value: string | undefined) =>
        amountAt(`${where}, ${card}`, value) * (isBits ? 1024 : KIBIBYTE_BITS);
      const [received, sent] = values.slice(2 * at, 2 * at + 2);
      return received === 'n/a' ? [] : [{ clock, card, in: bits(received), out: bits(sent) }];
    });
  });
  return fileOf('ifstat', isBits ? 'Kbps of 1,024 bits' : 'KB/s of 1,024 bytes', rows);
}

/** `01:05:00 PM` or `13:05:00`, at the beginning of a line. */
function clockOf(line: string): number | undefined {
  const [, hours, minutes, seconds, half] = /^\s*(\d\d):(\d\d):(\d\d)(?: ([AP]M))?\s/.exec(line) ?? [];
  if (hours === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'PM' ? 12 : 0);
  return hour * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** The cards of a host share its bandwidth, so that they are added. */
function fileOf(form: string, unit: string, rows: readonly Row[]): ReadFile {
  const cards = [...new Set(rows.map(({ card }) => card))];
  const used = cards.includes('Total') ? ['Total'] : cards.filter((card) => CARD.test(card));
  if (used.length === 0) refuse(`${form}: interfaces`, 'eth… or en…', cards.join(', '));
  const times: Row[][] = [];
  for (const row of rows.filter(({ card }) => used.includes(card))) {
    const last = times.at(-1);
    if (last?.[0]?.clock === row.clock && last.every(({ card }) => card !== row.card)) last.push(row);
    else times.push([row]);
  }
  let day = 0;
  const clocks = times.map(([row]) => row?.clock ?? 0);
  const ends = clocks.map((clock, index) => (day += clock < (clocks[index - 1] ?? 0) ? DAY_SECONDS : 0) + clock);
  const steps = ends.slice(1).map((end, index) => end - elementAt(ends, index));
  if (steps.length === 0 || steps.includes(0)) refuse(`${form}: times`, 'two or more, a second or more apart', ends);
  const typical = nearestRank(ascending(steps), 50);
  const intervals = times.map((row, index) => {
    // After a longer time, the line is about the usual one before it, and the rest is unknown.
    const step = steps[index - 1] ?? typical;
    const lengthSeconds = step > 1.5 * typical ? typical : step;
    const total = (of: (row: Row) => number) => sum(row.map(of));
    const [received, sent, packets] = [total((each) => each.in), total((each) => each.out), total(packetsOf)];
    return { startSeconds: elementAt(ends, index) - lengthSeconds, lengthSeconds, in: received, out: sent, packets };
  });
  return {
    form,
    unit: `${unit}, until the time of a line, on the clock of the host; ${used.join(' and ')}`,
    series: (['in', 'out'] as const).map((direction) => ({
      instance: UNNAMED,
      direction,
      intervals: intervals.map((each) => ({ ...each, bitsPerSecond: each[direction] })),
    })),
    ...(rows[0]?.packets !== undefined && { highestPacketsPerSecond: largest(intervals.map(packetsOf)) }),
    notes: leftOutNotes(cards.filter((card) => !used.includes(card))),
  };
}

const packetsOf = ({ packets = 0 }: { readonly packets?: number }) => packets;
