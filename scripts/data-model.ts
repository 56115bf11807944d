/** The generated parts of docs/data-model.md and of its references: tables, values and saved queries. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CELL_COLUMN_NAMES } from '../domain/model/cell';
import type { Metric } from '../domain/model/sample';
import { currentRowsSql } from '../domain/tables/closed-months';
import { TABLES } from '../domain/tables/columns';
import { VIEWS, type ViewDefinition } from '../domain/tables/views';
import {
  liveMeasurementRowKey,
  liveSamplesPrefix,
  measurementRowsKey,
  measurementSamplesKey,
  pairRowsKey,
  runRowKey,
  samplesKey,
  CLOSED_TABLES,
} from '../domain/workflow/object-keys';
import { valueList, valuesOf } from './column-values';
import { withPart } from './documents';

const QUERIES = join(__dirname, '../queries');

const [DAY, RUN, MEASUREMENT] = ['<day>', '<run_id>', '<measurement_id>'];

interface StoredRows {
  /** The keys of the objects. */
  readonly object: string;
  /** The columns that no two rows have in common. */
  readonly key: string;
}

const OF_SAMPLE = 'metric, host_role, direction, stream, start_seconds';

const OPEN: Readonly<Record<(typeof CLOSED_TABLES)[number], StoredRows>> = {
  runs: { object: runRowKey(DAY, RUN), key: 'run_id' },
  pairs: { object: pairRowsKey(DAY, RUN), key: 'run_id, pair_id' },
  measurements: { object: measurementRowsKey(DAY, RUN), key: 'run_id, measurement_id' },
};

const closedRows = (table: keyof typeof OPEN): StoredRows => ({
  object: `closed/${table}/month=<year>-<month_of_year>/<generation>.0000.parquet`,
  key: `generation, ${OPEN[table].key}`,
});

const STORED: Readonly<Record<keyof typeof TABLES, StoredRows>> = {
  samples: {
    object: samplesKey('<metric>' as Metric, DAY, RUN, 0),
    key: `run_id, measurement_id, ${OF_SAMPLE}`,
  },
  measurement_samples: {
    object: measurementSamplesKey(RUN, MEASUREMENT),
    key: `run_id, measurement_id, ${OF_SAMPLE}`,
  },
  live_samples: {
    object: `${liveSamplesPrefix(DAY, RUN)}${MEASUREMENT}.<host_role>.<sequence>.ndjson.gz`,
    key: `run_id, measurement_id, sequence, ${OF_SAMPLE}`,
  },
  live_measurements: { object: liveMeasurementRowKey(DAY, RUN, MEASUREMENT), key: 'run_id, measurement_id' },
  open_runs: OPEN.runs,
  open_pairs: OPEN.pairs,
  open_measurements: OPEN.measurements,
  closed_runs: closedRows('runs'),
  closed_pairs: closedRows('pairs'),
  closed_measurements: closedRows('measurements'),
  closed_months: { object: 'closed_months/months.ndjson', key: 'month, generation' },
};

/** One section per view and table, one row per column; a table's columns that a view has are described there. */
export function withTables(document: string): string {
  const views: readonly ViewDefinition[] = Object.values(VIEWS);
  const tables = Object.entries(TABLES).map(([name, { description, partitions, columns }]) => {
    const { object, key } = STORED[name as keyof typeof TABLES];
    const view = views.find((each) => namesMissingIn([...partitions, ...columns], each.columns).length === 0);
    const missing = namesMissingIn(view?.columns ?? [], columns);
    const shown = [
      ...partitions.map((column) => ({ ...column, comment: `Partition: ${column.comment}` })),
      ...columns.filter((column) => missing.includes(column.name)),
    ];
    const facts = [`${description}.`, `Objects: \`${object}\`. Key: \`${key}\`.`];
    return section(name, view === undefined ? facts : [...facts, `Columns: all of \`${view.name}\`, and`], shown);
  });
  const sections = views.map((view) => section(view.name, [`View: ${view.description}.`], view.columns));
  const cell = `\`${CELL_COLUMN_NAMES.join('`, `')}\``;
  const withoutTables = withPart(withPart(document, 'cell', cell), 'values', valueList(false));
  return withPart(withoutTables, 'tables', [...sections, ...tables].join('\n\n'));
}

interface ShownColumn {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

function section(name: string, facts: readonly string[], columns: readonly ShownColumn[]): string {
  const rows = columns.map((column) => {
    const values = Object.keys(valuesOf(name, column.name) ?? {}).map((value) => `\`${value}\``);
    const cells = [`\`${column.name}\``, `\`${column.type}\``, values.join(' '), column.comment.replaceAll('|', '\\|')];
    return `| ${cells.join(' | ')} |`;
  });
  const heading = ['| column | type | values | meaning |', '| --- | --- | --- | --- |'];
  return [`### ${name}`, ...facts, [...heading, ...rows].join('\n')].join('\n\n');
}

/** The names of `columns` that are not among `those`. */
function namesMissingIn(those: readonly ShownColumn[], columns: readonly ShownColumn[]): string[] {
  const names = new Set(those.map(({ name }) => name));
  return columns.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The path and the SQL of each view that is written from the declared columns. */
export const generatedViews = (): (readonly [path: string, sql: string])[] =>
  CLOSED_TABLES.map((name) => [`views/${name}.sql`, currentRowsSql(name, TABLES[`open_${name}`])] as const);

/** The columns that people filter by, with their values. */
export function withValues(document: string): string {
  return withPart(document, 'values', valueList(true));
}

/** One row per saved query, with the question that its comment asks after the title. */
export function withQueries(document: string): string {
  const rows = readdirSync(QUERIES).map((file) => {
    const [, ...lines] = readFileSync(join(QUERIES, file), 'utf8').split('\n');
    const comment = lines.slice(
      0,
      lines.findIndex((line) => !line.startsWith('--')),
    );
    const [, question] = /^(.*?\?)/.exec(comment.map((line) => line.slice(3)).join(' ')) ?? [];
    if (question === undefined) throw new Error(`queries/${file}: the comment must begin with a title and a question`);
    return `| [\`${file.replace('.sql', '')}\`](../../queries/${file}) | ${question} |`;
  });
  return withPart(document, 'queries', ['| query | question |', '| --- | --- |', ...rows].join('\n'));
}
