/**
 * Draws the pictures of `docs/detection.md` and writes their captions into it.
 *   npx tsx scripts/detection-pictures.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';

import { drawPicture } from './detection-chart';
import { CLASSES, FAILURES, gallery, pictureOf } from './detection-gallery';
import { withPart } from './detection-tables';

const docs = join(__dirname, '../docs');

async function main(): Promise<void> {
  for (const example of [...CLASSES, ...FAILURES]) {
    const path = join(docs, 'images/detection', `${example.name}.svg`);
    writeFileSync(path, drawPicture(pictureOf(example)));
    process.stdout.write(`${path}\n`);
  }
  const path = join(docs, 'detection.md');
  const document = readFileSync(path, 'utf8');
  const written = withPart(withPart(document, 'classes', gallery(CLASSES)), 'failures', gallery(FAILURES));
  writeFileSync(path, await format(written, { parser: 'markdown', printWidth: 120 }));
  process.stdout.write(`${path}\n`);
}

void main();
