/** Writes the checks of `npm run prove` into `docs/reference/checks.md` (`npm run on-aws`); a test fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../test/on-aws/checks/index';
import { priceOfRun, totalOf } from '../test/on-aws/price';
import { withPart, writeFormatted } from './documents';

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
function checkSections(): string {
  return CHECKS.map(({ id, title, matters, provenBy, byHand }) =>
    [`### ${title}`, `\`${id}\`. ${matters}`, `Proven by this: ${provenBy}`, `\`\`\`\n${byHand}\n\`\`\``].join('\n\n'),
  ).join('\n\n');
}

export function withChecks(document: string): string {
  return withPart(withPart(document, 'prices', priceTable()), 'checks', checkSections());
}

if (require.main === module) {
  const path = join(__dirname, '../docs/reference/checks.md');
  void writeFormatted(path, withChecks(readFileSync(path, 'utf8')), 'markdown');
}
