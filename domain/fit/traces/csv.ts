/** Reads tables of comma-separated values: those that the CloudWatch console downloads, and any with time and bytes. */
import { unitOfWords } from '../../text/units';
import { cloudWatchFile, metricIn, statisticIn, type Datapoints, type Statistic } from './cloudwatch';
import { amountAt, INSTANCE_ID, leftOutNotes, refuse, secondsOf, spacing, timeAt, UNNAMED } from './trace';
import type { ReadFile, TraceDirection } from './trace';

/** RFC 4180, without line breaks in a cell. */
export function csvRows(text: string): string[][] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
        (quoted?.replaceAll('""', '"') ?? plain).trim(),
      ),
    );
}

/** The console writes no zone, and shows UTC. */
const CONSOLE_TIME = /^\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(:\d\d)?$/;
const withZone = (time = '') => (CONSOLE_TIME.test(time) ? `${time}Z` : time);
/** So many lines may be about the columns. */
const HEAD_LINES = 20;
const valuesFrom = (rows: readonly string[][]) =>
  rows.slice(0, HEAD_LINES).findIndex(([time]) => secondsOf(withZone(time)) !== undefined);

export const isConsoleCsv = (rows: readonly string[][]) =>
  rows.slice(0, Math.max(0, valuesFrom(rows))).some((cells) => cells.some((cell) => metricIn(cell) !== undefined));

/**
 * The console's download has some lines about each column (label, metric, statistic, period), then a line for each time.
 * Which lines there are depends on the graph, so that a column is known by any of them.
 */
export function readConsoleCsv(rows: readonly string[][], asked: Statistic | undefined): ReadFile {
  const from = valuesFrom(rows);
  const head = rows.slice(0, from);
  const leftOut: string[] = [];
  const series = (rows[from] ?? []).slice(1).flatMap((_, index): Datapoints[] => {
    const column = index + 1;
    const about = head.map((cells) => cells[column] ?? '').join(' ');
    const metric = metricIn(about);
    if (metric === undefined) {
      leftOut.push(`column ${column + 1} ${about}`.trim());
      return [];
    }
    const points = rows.slice(from).flatMap((cells, line) => {
      const at = `line ${from + line + 1}`;
      const seconds = timeAt(at, withZone(cells[0]));
      return isEmpty(cells[column]) ? [] : [{ seconds, value: amountAt(`${at}, column ${column + 1}`, cells[column]) }];
    });
    const period = Number(head.find(([name = '']) => /^period/i.test(name))?.[column]);
    const [where, instance] = [`column ${column + 1}`, INSTANCE_ID.exec(about)?.[0] ?? UNNAMED];
    const periodSeconds = period > 0 ? period : undefined;
    return [{ where, metric, instance, statistic: statisticIn(about), periodSeconds, points }];
  });
  const notes = ['times without a zone are taken as UTC', ...leftOutNotes(leftOut)];
  return cloudWatchFile('CSV of the CloudWatch console', series, asked, notes);
}

/** An empty cell is a value that is not known. */
const isEmpty = (cell: string | undefined) => cell === undefined || cell === '';

const TIME_HEADINGS = ['time', 'timestamp', 'date', 't', 's', 'second', 'seconds', 'start', 'start_seconds'];
const WORDS_IN = 'in rx received receive ingress inbound'.split(' ');
const WORDS_OUT = 'out tx sent send transmitted egress outbound'.split(' ');
/** The series of a run (`series-csv.ts`): parts of a sum, and what the tool's sender counted before it was sent. */
const PARTS = /^(stream_|sent_throughput_)/;

/** `rx_bytes`: received, bytes. `web_sent_bits_per_second`: sent by web. Undefined without a unit of bytes or bits. */
function columnOf(heading: string) {
  const words = heading
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9-]+/)
    .filter((word) => word !== '');
  const isIn = words.some((word) => WORDS_IN.includes(word));
  const isOut = words.some((word) => WORDS_OUT.includes(word));
  const direction: TraceDirection = isIn === isOut ? 'not_stated' : isIn ? 'in' : 'out';
  const others = words.filter((word) => !WORDS_IN.includes(word) && !WORDS_OUT.includes(word));
  // The unit is the last words (`bits_per_second`) or the first one (`bytes_eth0`).
  for (const [from, to] of [[-3], [-2], [-1], [0, 1]] as const) {
    const unit = unitOfWords(others.slice(from, to).join(''));
    if (unit?.dimension !== 'bytes' && unit?.dimension !== 'bitsPerSecond') continue;
    const name = others.filter((word) => !others.slice(from, to).includes(word)).join(' ');
    return { heading, unit: { ...unit, dimension: unit.dimension }, direction, instance: name === '' ? UNNAMED : name };
  }
  return undefined;
}

const UNIT_WORDS = { bytes: 'bytes from the time of the line until the next one', bitsPerSecond: 'bits per second' };

export function readTimeCsv(rows: readonly string[][]): ReadFile {
  const [headings = [], ...lines] = rows;
  const time = headings.findIndex((heading) => TIME_HEADINGS.includes(heading.toLowerCase().replaceAll(' ', '_')));
  if (time < 0) refuse('line 1', `headings, one of them ${TIME_HEADINGS.join(', ')}`, headings.join(','));
  const isRun = headings[time] === 'second' && headings.some((heading) => heading.includes('interface_'));
  const columns = headings.flatMap((heading, column) => {
    const isLeftOut = column === time || PARTS.test(heading) || (isRun && !heading.includes('interface_'));
    const of = isLeftOut ? undefined : columnOf(heading);
    return of === undefined ? [] : [{ column, ...of }];
  });
  if (columns.length === 0) {
    const examples = 'bytes_in, rx_bytes, out_bits_per_second, sent_mbps';
    refuse('line 1', `headings with the unit of a value, such as ${examples}`, headings.join(','));
  }
  const times = lines.map((cells, index) => timeAt(`line ${index + 2}, ${headings[time]}`, cells[time]));
  const lengthSeconds = spacing(times);
  if (lengthSeconds === undefined) {
    return refuse('lines', 'two or more, because their distance is the length of an interval', times.length);
  }
  const units = [...new Set(columns.map(({ unit: { dimension } }) => UNIT_WORDS[dimension]))];
  const read = columns.map(({ heading }) => heading);
  return {
    form: isRun ? 'series of a run' : 'CSV',
    unit: `${read.join(', ')} (${units.join('; ')})`,
    series: columns.map(({ column, heading, unit: { dimension, factor }, instance, direction }) => ({
      instance,
      direction,
      intervals: lines.flatMap((cells, index) => {
        if (isEmpty(cells[column])) return [];
        const value = amountAt(`line ${index + 2}, ${heading}`, cells[column]) * factor;
        const bitsPerSecond = dimension === 'bytes' ? (8 * value) / lengthSeconds : value;
        return [{ startSeconds: times[index] ?? 0, lengthSeconds, bitsPerSecond }];
      }),
    })),
    notes: leftOutNotes(headings.filter((heading, column) => column !== time && !read.includes(heading))),
  };
}
