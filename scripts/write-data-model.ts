/** Writes the tables' columns into `docs/data-model.md` (`npm run data-model`); a test fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTITION_COLUMN, TABLES } from '../domain/tables/columns';
import { withPart, writeFormatted } from './documents';

/** Markdown: one section per table, one row per column. */
function dataModelTables(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const sections = Object.values(TABLES).map(({ name, description, columns }) => [
    `### ${name}\n`,
    `${description}. Partition: \`${PARTITION_COLUMN.name}\`.\n`,
    '| column | type | meaning |',
    '| --- | --- | --- |',
    ...columns.map((column) => `| \`${column.name}\` | \`${column.type}\` | ${cell(column.comment)} |`),
  ]);
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

export function withTables(document: string): string {
  return withPart(document, 'tables', dataModelTables());
}

if (require.main === module) {
  const path = join(__dirname, '../docs/data-model.md');
  void writeFormatted(path, withTables(readFileSync(path, 'utf8')), 'markdown');
}
