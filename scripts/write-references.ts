/**
 * Writes what is generated from the sources; tests fail when they differ:
 *   npm run schema       the plan's JSON Schema for editors
 *   npm run data-model   the tables' columns and the saved queries, in docs/reference/columns.md and queries.md, and the
 *                        views that only put rows together
 *   npm run on-aws       the checks of `npm run prove`, in docs/reference/checks.md, and README's "Seen on AWS"
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planJsonSchema } from '../domain/plan/allowed-values';
import { CLOSED_TABLES, currentRowsSql } from '../domain/tables/closed-months';
import { TABLES } from '../domain/tables/columns';
import { VIEWS, type ViewDefinition } from '../domain/tables/views';
import { CHECKS } from '../test/on-aws/checks/index';
import { withSeenOnAws } from '../test/on-aws/seen';
import { priceOfRun, totalOf } from '../test/on-aws/price';
import { withPart, writeFormatted } from './documents';

const root = join(__dirname, '..');
const COLUMNS_HEADING = ['', '| column | type | meaning |', '| --- | --- | --- |'];

function columnRow({ name, type, comment }: { name: string; type: string; comment: string }): string {
  return `| \`${name}\` | \`${type}\` | ${comment.replaceAll('|', '\\|')} |`;
}

/** One section per view and table, one row per column; a table's columns that a view has are described there. */
export function withTables(document: string): string {
  const views: readonly ViewDefinition[] = Object.values(VIEWS);
  const tables = Object.values(TABLES).map(({ name, description, partitions, columns }) => {
    const view = views.find((each) => namesMissingIn([...partitions, ...columns], each.columns).length === 0);
    const shown = namesMissingIn(view?.columns ?? [], columns);
    const rows = [
      ...partitions.map((column) => ({ ...column, comment: `Partition: ${column.comment}` })),
      ...columns.filter((column) => shown.includes(column.name)),
    ];
    return section(name, view === undefined ? description : `${description}. Besides the columns of the view`, rows);
  });
  const sections = views.map((view) => section(view.name, `View: ${view.description}`, view.columns));
  return withPart(document, 'tables', [...sections, ...tables].join('\n\n'));
}

type Described = Parameters<typeof columnRow>[0];

function section(name: string, description: string, columns: readonly Described[]): string {
  return [`### ${name}\n`, `${description}.`, ...COLUMNS_HEADING, ...columns.map(columnRow)].join('\n');
}

/** The names of `columns` that are not among `those`. */
function namesMissingIn(those: readonly Described[], columns: readonly Described[]): string[] {
  const names = new Set(those.map(({ name }) => name));
  return columns.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The path and the SQL of each view that is written from the declared columns. */
export const generatedViews = (): (readonly [path: string, sql: string])[] =>
  CLOSED_TABLES.map((name) => [`views/${name}.sql`, currentRowsSql(name, TABLES[`open_${name}`])] as const);

/** One row per saved query, with the question that its comment asks after the title. */
export function withQueries(document: string): string {
  const rows = readdirSync(join(root, 'queries')).map((file) => {
    const [, ...lines] = readFileSync(join(root, 'queries', file), 'utf8').split('\n');
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

/** One row per check. */
function priceTable(): string {
  const rows = CHECKS.map((check) => {
    const { expectedUsd, upperUsd, minutes } = totalOf([check], priceOfRun);
    const price = `${expectedUsd.toFixed(2)} to ${upperUsd.toFixed(2)}`;
    const made = check.isOptional === true ? 'by name' : '';
    return `| \`${check.id}\` | ${check.title} | ${check.run ?? ''} | ${price} | ${minutes} | ${made} |`;
  });
  const usual = CHECKS.filter(({ isOptional }) => isOptional !== true);
  const { expectedUsd, upperUsd, minutes } = totalOf(usual, priceOfRun);
  return [
    `Without \`--checks\` it makes ${usual.length} checks, which take about ${minutes} minutes and cost ` +
      `${expectedUsd.toFixed(2)} USD, at most ${upperUsd.toFixed(2)}.\n`,
    '| check | claim | run | USD | minutes | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** One section per check. */
export function withChecks(document: string): string {
  const sections = CHECKS.map(({ id, title, matters, provenBy, byHand }) =>
    [`### ${title}`, `\`${id}\`. ${matters}`, `Proven by this: ${provenBy}`, `\`\`\`\n${byHand}\n\`\`\``].join('\n\n'),
  );
  return withPart(withPart(document, 'prices', priceTable()), 'checks', sections.join('\n\n'));
}

function writeDocument(path: string, renewed: (document: string) => string): Promise<void> {
  const file = join(root, path);
  return writeFormatted(file, renewed(readFileSync(file, 'utf8')), 'markdown');
}

const WRITERS: Record<string, () => Promise<void>> = {
  schema: () =>
    writeFormatted(join(root, 'schemas/benchmark-plan.schema.json'), JSON.stringify(planJsonSchema()), 'json'),
  'data-model': async () => {
    await writeDocument('docs/reference/columns.md', withTables);
    await writeDocument('docs/reference/queries.md', withQueries);
    for (const [path, sql] of generatedViews()) writeFileSync(join(root, path), sql);
  },
  'on-aws': async () => {
    await writeDocument('docs/reference/checks.md', withChecks);
    await writeDocument('README.md', withSeenOnAws);
  },
};

if (require.main === module) void WRITERS[process.argv[2] ?? '']?.();
