/** Writes the tables' columns into `docs/reference/columns.md` (`npm run data-model`); a test fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES, type TableDefinition } from '../domain/tables/columns';
import { VIEWS } from '../domain/tables/views';
import { withPart, writeFormatted } from './documents';

const COLUMNS_HEADING = ['', '| column | type | meaning |', '| --- | --- | --- |'];

/** Markdown: one section per table or view, one row per column. */
function dataModelTables(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const columnRow = ({ name, type, comment }: { name: string; type: string; comment: string }) =>
    `| \`${name}\` | \`${type}\` | ${cell(comment)} |`;
  const tables = Object.values(TABLES).map((table) => {
    const heading = [`### ${table.name}\n`, `${table.description}.`];
    if (columnsStandAbove(table)) return heading;
    return [
      ...heading,
      ...COLUMNS_HEADING,
      ...table.partitions.map((column) => columnRow({ ...column, comment: `Partition: ${column.comment}` })),
      ...table.columns.map(columnRow),
    ];
  });
  const views = Object.values(VIEWS).map(({ name, description, columns }) => [
    `### ${name}\n`,
    `View: ${description}.`,
    ...COLUMNS_HEADING,
    ...columns.map(columnRow),
  ]);
  const sections = [...tables, ...views];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

/** Whether an earlier table has the same columns. */
function columnsStandAbove(table: TableDefinition): boolean {
  const tables: readonly TableDefinition[] = Object.values(TABLES);
  const earlier = tables.slice(0, tables.indexOf(table));
  return earlier.some(({ columns }) => JSON.stringify(columns) === JSON.stringify(table.columns));
}

export function withTables(document: string): string {
  return withPart(document, 'tables', dataModelTables());
}

if (require.main === module) {
  const path = join(__dirname, '../docs/reference/columns.md');
  void writeFormatted(path, withTables(readFileSync(path, 'utf8')), 'markdown');
}
