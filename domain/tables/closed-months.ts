/**
 * Declares the tables behind the views `runs`, `pairs` and `measurements`. A run writes its rows as objects of its own
 * (open rows). Later its month is closed: few Parquet objects, a generation, have the rows of all its runs. Each time
 * that the month is closed again, it gets another generation. `closed_months` says which one counts.
 *
 * | row    | counts if                                                            |
 * | ------ | -------------------------------------------------------------------- |
 * | open   | no generation that is valid now has its month up to its day or later |
 * | closed | its generation is valid now                                          |
 *
 * "Now" is when the query began: a generation is announced before it becomes valid, and removed long after it has ceased
 * to be. So each row counts once, in whatever order a query reads the objects.
 */
import { upperFirst } from '../text/format';
import { CLOSED_PREFIX, type ClosedTable } from '../workflow/object-keys';
import { tableDefinition } from './column';
import type { Column, PartitionColumn, TableDefinition } from './column';

const MONTH_COMMENT = 'UTC month, YYYY-MM';

/**
 * The month of the key in two columns, because stock Trino projects dates by days, but not by months. Steps of 366 days
 * find each year once, a day or two later in January each time. Trino cuts the end of the range to the first of January,
 * so the end is in the next year: with an end in this one, no row of it would count.
 */
const MONTH: readonly PartitionColumn[] = [
  {
    name: 'year',
    type: 'string',
    comment: 'UTC year, YYYY',
    projection: { type: 'date', format: 'yyyy', range: '2026,NOW+366DAYS', interval: '366', 'interval.unit': 'DAYS' },
  },
  {
    name: 'month_of_year',
    type: 'string',
    comment: 'UTC month, MM',
    projection: { type: 'enum', values: '01,02,03,04,05,06,07,08,09,10,11,12' },
  },
];

/** In a closed table `day` is in the rows, and the month is the partition. */
const CLOSED_COLUMNS: readonly Column[] = [
  { name: 'day', type: 'date', comment: 'UTC day' },
  { name: 'generation', type: 'string', comment: 'Generation of the month that has the row' },
];

export const openTable = (of: ClosedTable, day: PartitionColumn, columns: readonly Column[]): TableDefinition =>
  tableDefinition(
    `open_${of}`,
    `Rows of \`${of}\` as their runs wrote them; some of them are in \`closed_${of}\` as well, so query \`${of}\``,
    [day],
    columns,
    { prefix: `${of}/` },
  );

export function closedTable(open: TableDefinition): TableDefinition {
  const of = open.prefix.slice(0, -1);
  return tableDefinition(
    `closed_${of}`,
    `Rows of \`${of}\` by month; some of them are no longer valid or not valid yet, so query \`${of}\``,
    MONTH,
    [...open.columns, ...CLOSED_COLUMNS],
    { prefix: `${CLOSED_PREFIX}${of}/`, format: 'parquet', partitionPath: 'month=${year}-${month_of_year}/' },
  );
}

/**
 * The columns that most named queries and look backs ask for, those of most of them first. Athena and Trino read
 * columns that lie beside each other by one request, and also what is between them up to a megabyte.
 */
const ASKED_FIRST: readonly string[] = [
  ...['day', 'generation', 'client_type', 'server_type', 'status', 'setting', 'cell', 'kind', 'verdict_direction'],
  ...['published_client_baseline_bits_per_second', 'published_server_baseline_bits_per_second'],
  ...['published_client_peak_bits_per_second', 'published_server_peak_bits_per_second'],
  ...['throughput_mean_bits_per_second', 'throughput_p95_bits_per_second'],
  ...['onset_seconds', 'burst_bits_per_second', 'baseline_bits_per_second', 'bucket_bits'],
  ...['run_id', 'measurement_id', 'verdict_cause', 'throttled_by', 'started_at', 'is_displaced', 'cpu_contention'],
  ...['observations', 'rtt_mean_micros', 'rtt_p50_micros', 'rtt_p99_micros', 'rtt_p99_99_micros'],
  ...['rtt_before_onset_p50_micros', 'rtt_after_onset_p50_micros', 'transactions_per_second'],
  ...['mean_packets_per_second', 'burst_packets_per_second', 'baseline_packets_per_second'],
  ...['reverse_throughput_mean_bits_per_second', 'pair_id', 'client_zone', 'server_zone'],
  ...['onset_low_seconds', 'onset_high_seconds', 'burst_low_bits_per_second', 'burst_high_bits_per_second'],
  ...['baseline_low_bits_per_second', 'baseline_high_bits_per_second', 'bucket_low_bits', 'bucket_high_bits'],
  ...['burst_low_packets_per_second', 'burst_high_packets_per_second'],
  ...['baseline_low_packets_per_second', 'baseline_high_packets_per_second'],
];

/** Returns the columns in the order that they have in a closed object, in which they are found by name. */
export function askedFirst(columns: readonly Column[]): Column[] {
  const first = ASKED_FIRST.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return [...first, ...columns.filter((column) => !first.includes(column))];
}

export const CLOSED_MONTHS = tableDefinition(
  'closed_months',
  'One generation of a closed month, that is when its rows in the closed tables count',
  [],
  [
    { name: 'month', type: 'string', comment: MONTH_COMMENT },
    { name: 'generation', type: 'string', comment: 'Its objects in the closed tables have this name' },
    { name: 'until', type: 'string', comment: 'Last UTC day of which it has rows, YYYY-MM-DD' },
    { name: 'valid_from', type: 'string', comment: 'Its rows count in queries that begin from then on, ISO 8601 UTC' },
    { name: 'valid_to', type: 'string', comment: 'And before then, ISO 8601 UTC; NULL while it is the newest' },
  ],
);

const LINE_CHARACTERS = 120;

/**
 * Returns the SQL of the view of a table's open and closed rows. Both branches of the union have three columns more than
 * the view, because SQL has no form for all columns but some.
 *
 * A condition on the day says nothing about the partitions of the closed rows. They are therefore read by age: a query on
 * the last 90 days contradicts the days of the older ages, which are then not read at all. Within an age, the closed days
 * are joined one by one, and not by the end of their month, because Trino takes the condition over to the other side of
 * a join by day; where it knows those days in time, it opens no object of other months (a dynamic filter).
 */
export function currentRowsSql(of: ClosedTable, open: TableDefinition): string {
  return `-- ${upperFirst(of)}.
-- Which rows of \`open_${of}\` and \`closed_${of}\` are current? The view has each of them once.
-- \`npm run data-model\` writes this file.
WITH closed_days AS (
  SELECT d.day, date_format(d.day, '%Y') AS year, date_format(d.day, '%m') AS month_of_year, m.generation
  FROM closed_months AS m
  CROSS JOIN UNNEST(
    sequence(CAST(concat(m.month, '-01') AS date), CAST(m.until AS date), interval '1' day)
  ) AS d (day)
  WHERE from_iso8601_timestamp(m.valid_from) <= current_timestamp
    AND (m.valid_to IS NULL OR from_iso8601_timestamp(m.valid_to) > current_timestamp)
)
SELECT
${wrapped([...open.columns, ...open.partitions].map(({ name }) => name))}
FROM (
  SELECT o.*, '' AS generation, '' AS year, '' AS month_of_year
  FROM open_${of} AS o
  LEFT JOIN closed_days AS d ON d.day = o.day
  WHERE d.day IS NULL
  UNION ALL
  SELECT c.*
  FROM (
${AGES.map(closedRowsOfAge(of)).join('\n    UNION ALL\n')}
  ) AS c
  JOIN closed_days AS d
    ON d.day = c.day AND d.year = c.year AND d.month_of_year = c.month_of_year AND d.generation = c.generation
) AS current_rows
`;
}

/** The first day of a month, counted back from the current one; half a year is how far runs look back. */
const monthsAgo = (months: number) =>
  `date_trunc('month', current_date) ${months < 0 ? '+' : '-'} interval '${Math.abs(months)}' month`;
/** From the oldest on: `since` belongs to the age, `until` to the next one. */
const AGES: readonly { readonly since?: string; readonly until: string }[] = [
  { until: monthsAgo(6) },
  { since: monthsAgo(6), until: monthsAgo(4) },
  { since: monthsAgo(4), until: monthsAgo(-1) },
];

const dayIs = (comparison: string, day: string) => [
  `day ${comparison} ${day}`,
  `concat(year, month_of_year) ${comparison} date_format(${day}, '%Y%m')`,
];

const closedRowsOfAge =
  (of: ClosedTable) =>
  ({ since, until }: (typeof AGES)[number]) => {
    const bounds = [...(since === undefined ? [] : dayIs('>=', since)), ...dayIs('<', until)];
    return `    SELECT * FROM closed_${of}\n    WHERE ${bounds.join('\n      AND ')}`;
  };

/** Joins names by commas into indented lines. */
function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const [index, name] of names.entries()) {
    const word = ` ${name}${index < names.length - 1 ? ',' : ''}`;
    if (line.length + word.length > LINE_CHARACTERS) {
      lines.push(line);
      line = ' ';
    }
    line += word;
  }
  return [...lines, line].join('\n');
}
