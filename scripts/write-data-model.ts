/**
 * Writes the tables' columns into `docs/data-model.md` (`npm run data-model`); a test fails when they no longer
 * match.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { withTables } from './data-model-tables';

const path = join(__dirname, '../docs/data-model.md');

void format(withTables(readFileSync(path, 'utf8')), { parser: 'markdown', printWidth: 120 }).then((text) => {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
});
