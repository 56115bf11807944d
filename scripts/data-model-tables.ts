/** Writes the tables of `docs/data-model.md` from the column definitions. A test checks that they match. */
import { PARTITION_COLUMN, TABLES } from '../domain/tables/columns';

const BEGIN = '<!-- written by scripts/write-data-model.ts: do not edit -->';
const END = '<!-- end of what is written -->';

/** Markdown: one section per table, one row per column. */
function dataModelTables(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  return Object.values(TABLES)
    .map(({ name, description, columns }) =>
      [
        `### ${name}`,
        '',
        `${description}. Partition: \`${PARTITION_COLUMN.name}\`.`,
        '',
        '| column | type | meaning |',
        '| --- | --- | --- |',
        ...columns.map((column) => `| \`${column.name}\` | \`${column.type}\` | ${cell(column.comment)} |`),
      ].join('\n'),
    )
    .join('\n\n');
}

/** @returns the document with the tables between the two marks */
export function withTables(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`document: must hold ${BEGIN} and ${END}, got neither`);
  return `${before}${BEGIN}\n\n${dataModelTables()}\n\n${END}${after}`;
}
