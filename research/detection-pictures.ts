/**
 * Draws the pictures of `docs/reference/detector.md` and writes their captions into it.
 *   npx tsx research/detection-pictures.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { drawPicture } from './detection-chart';
import { ALL_EXAMPLES, CLASSES, FAILURES, gallery, pictureOf, STEPS } from './detection-gallery';
import { withPart, writeFormatted } from '../scripts/documents';

const docs = join(__dirname, '../docs');

async function main(): Promise<void> {
  for (const example of ALL_EXAMPLES) {
    const path = join(docs, 'images/detection', `${example.name}.svg`);
    writeFileSync(path, drawPicture(pictureOf(example)));
    process.stdout.write(`${path}\n`);
  }
  const path = join(docs, 'reference/detector.md');
  const parts = { classes: CLASSES, steps: STEPS, failures: FAILURES };
  let written = readFileSync(path, 'utf8');
  for (const [name, examples] of Object.entries(parts)) written = withPart(written, name, gallery(examples));
  await writeFormatted(path, written, 'markdown');
}

void main();
