/**
 * Writes what is generated from the sources; tests fail when they differ:
 *   npm run schema       the plan's JSON Schema for editors
 *   npm run data-model   the tables' columns with their values and the saved queries, in docs/data-model.md and
 *                        docs/reference/columns.md and queries.md, and the views that only put rows together
 *   npm run on-aws       the checks of `npm run prove`, in docs/reference/checks.md, and README's "Seen on AWS"
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planJsonSchema } from '../domain/plan/allowed-values';
import { CHECKS } from '../test/on-aws/checks/index';
import { withSeenOnAws } from '../test/on-aws/seen';
import { priceOfRun, totalOf } from '../test/on-aws/price';
import { generatedViews, withQueries, withTables, withValues } from './data-model';
import { withPart, writeFormatted } from './documents';

const root = join(__dirname, '..');
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
    await writeDocument('docs/data-model.md', withValues);
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
