/**
 * Writes the score table into `docs/detection.md`.
 *   npx tsx scripts/detection-figures.ts [--c5 FILE.jsonl.gz] | --row SET …
 * The C5 row needs recordings that are not in this repository; without them the row is kept as it is. `--row` prints
 * the row of one set and writes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { seriesOfFile } from './detection-sets';
import { C5_NAME, OWN_SETS, rowNamed, scoreRow, scoreTable, type NamedSet } from './detection-tables';
import { withPart, writeFormatted } from './documents';

const path = join(__dirname, '../docs/detection.md');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { c5: { type: 'string' }, row: { type: 'string', multiple: true } } });
  if (values.row) {
    for (const name of values.row) process.stdout.write(`${scoreRow(setNamed(name))}\n`);
    return;
  }
  const document = readFileSync(path, 'utf8');
  const file = values.c5;
  const c5Row = file ? scoreRow({ name: C5_NAME, series: () => seriesOfFile(file) }) : rowNamed(document, C5_NAME);
  if (c5Row === undefined) throw new Error(`${path}: has no row of the C5 recordings; give them with --c5`);
  const written = withPart(document, 'score table', scoreTable(c5Row));
  await writeFormatted(path, written, 'markdown');
}

function setNamed(name: string): NamedSet {
  const set = OWN_SETS.find((each) => each.name === name);
  if (!set) throw new Error(`--row: must be one of ${OWN_SETS.map((each) => each.name).join('; ')}, got ${name}`);
  return set;
}

void main();
