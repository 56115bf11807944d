/**
 * Writes the score table and the ablation into `docs/detection.md`.
 *   npx tsx scripts/detection-figures.ts [--c5 FILE.jsonl.gz] [--times]
 * The C5 row needs recordings that are not in this repository and stays as it is without them. `--times` prints milliseconds.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';

import { seriesOfFile } from './detection-sets';
import { ablationTable, C5_NAME, OWN_SETS, rowNamed, scoreRow, scoreTable, times, withPart } from './detection-tables';

const path = join(__dirname, '../docs/detection.md');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { c5: { type: 'string' }, times: { type: 'boolean' } } });
  if (values.times) {
    for (const set of OWN_SETS) process.stdout.write(`${times(set)}\n`);
    return;
  }
  const document = readFileSync(path, 'utf8');
  const file = values.c5;
  const c5Row = file ? scoreRow({ name: C5_NAME, series: () => seriesOfFile(file) }) : rowNamed(document, C5_NAME);
  if (c5Row === undefined) throw new Error(`${path}: has no row of the C5 recordings; give them with --c5`);
  const written = withPart(withPart(document, 'score table', scoreTable(c5Row)), 'ablation', ablationTable());
  writeFileSync(path, await format(written, { parser: 'markdown', printWidth: 120 }));
  process.stdout.write(`${path}\n`);
}

void main();
