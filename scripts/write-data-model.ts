/** Writes the tables' columns into `docs/data-model.md` (`npm run data-model`); a test fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES, type TableDefinition } from '../domain/tables/columns';
import { withPart, writeFormatted } from './documents';

/** Markdown: one section per table, one row per column. */
function dataModelTables(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const sections = Object.values(TABLES).map((table) => {
    const heading = [`### ${table.name}\n`, `${table.description}.`];
    if (columnsStandAbove(table)) return heading;
    return [
      ...heading,
      '',
      '| column | type | meaning |',
      '| --- | --- | --- |',
      ...table.partitions.map(
        ({ name, type, comment }) => `| \`${name}\` | \`${type}\` | Partition: ${cell(comment)} |`,
      ),
      ...table.columns.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${cell(comment)} |`),
    ];
  });
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
  const path = join(__dirname, '../docs/data-model.md');
  void writeFormatted(path, withTables(readFileSync(path, 'utf8')), 'markdown');
}
