/** Writes the tables' columns into `docs/data-model.md` (`npm run data-model`); a test fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES } from '../domain/tables/columns';
import { withPart, writeFormatted } from './documents';

/** Markdown: one section per table, one row per column. */
function dataModelTables(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const sections = Object.values(TABLES).map(({ name, description, partitions, columns }) => [
    `### ${name}\n`,
    `${description}.\n`,
    '| column | type | meaning |',
    '| --- | --- | --- |',
    ...partitions.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | Partition: ${cell(comment)} |`),
    ...columns.map(({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${cell(comment)} |`),
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
