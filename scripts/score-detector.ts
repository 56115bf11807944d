/**
 * Reads labelled series (`id`, `t`, `bps`, gzip or not) and prints one prediction line each, as a scorer reads them.
 *   npx tsx scripts/score-detector.ts FILE.jsonl.gz … > predictions.jsonl
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

import { predict, type LabelledSeries } from '../test/support/prediction';

async function main(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const raw = createReadStream(file);
    const lines = createInterface({ input: file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw });
    for await (const line of lines) {
      if (line.trim() !== '') process.stdout.write(`${JSON.stringify(predict(JSON.parse(line) as LabelledSeries))}\n`);
    }
  }
}

void main(process.argv.slice(2));
