/**
 * Writes the score table into `docs/reference/detector.md`; a test checks that it matches.
 *   npx tsx research/detection-figures.ts [--c5 FILE.jsonl.gz] | --row SET …
 * The C5 row needs recordings that are not in this repository; without them the row is kept as it is. `--row` prints
 * the row of one set and writes nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { withPart, writeFormatted } from '../scripts/documents';
import { scoreDetector, type Score } from '../test/support/benchmark-score';
import type { LabelledSeries } from '../test/support/prediction';
import { generatedLong, generatedShort, publicSet, recordedBuckets, seriesOfFile } from './detection-sets';

const path = join(__dirname, '../docs/reference/detector.md');

interface NamedSet {
  readonly name: string;
  readonly series: () => LabelledSeries[];
}

export const OWN_SETS: readonly NamedSet[] = [
  { name: 'public benchmark (tuned on)', series: publicSet },
  { name: 'half an hour, generated', series: () => generatedLong(1) },
  { name: 'half an hour, noise × 1.5', series: () => generatedLong(1.5) },
  { name: 'half an hour, noise × 2', series: () => generatedLong(2) },
  { name: 'one to three minutes, generated', series: () => generatedShort(1) },
  { name: 'one to three minutes, noise × 2', series: () => generatedShort(2) },
  { name: 'recorded over token buckets of the lab', series: recordedBuckets },
];

/** These recordings are not in this repository: the row is kept as it is unless they are given. */
const C5_NAME = 'C5 instances, 2019 (recordings not in this repository)';

const SCORE_HEAD = [
  '| set | series | F1 | F1, onset within 15 s | false positives | class right | onset error s, median / p90 / p95 | interval covers | bucket error, median |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

function scoreRow({ name, series }: NamedSet): string {
  const score = scoreDetector(series());
  const { p50, p90, p95 } = score.onsetErrorSeconds;
  return row([
    name,
    String(score.count),
    ...decision(score),
    `${seconds(p50)} / ${seconds(p90)} / ${seconds(p95)}`,
    share(score.intervalCoverage),
    Number.isNaN(score.bucketErrorMedian) ? 'not known' : percent(score.bucketErrorMedian),
  ]);
}

/** @param c5Row made from the recordings, or copied from the document */
function scoreTable(c5Row: string): string {
  return [...SCORE_HEAD, ...OWN_SETS.map(scoreRow), c5Row].join('\n');
}

/** The line of the document's table that starts with this name. */
export function rowNamed(document: string, name: string): string | undefined {
  return document.split('\n').find((line) => line.startsWith(`| ${name.trim()} `));
}

function decision(score: Score): string[] {
  return [share(score.f1), share(score.f1Placed), percent(score.falsePositiveRate), share(score.classAccuracy)];
}

const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.trim()).join(' | ')} |`;
const share = (value: number) => (value === 1 ? '1' : value.toFixed(3).replace(/^0/, ''));
const percent = (value: number) => `${Number((100 * value).toFixed(1))} %`;
const seconds = (value: number) => value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 0).replace(/^0/, '');

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
  await writeFormatted(path, withPart(document, 'score table', scoreTable(c5Row)), 'markdown');
}

function setNamed(name: string): NamedSet {
  const set = OWN_SETS.find((each) => each.name === name);
  if (!set) throw new Error(`--row: must be one of ${OWN_SETS.map((each) => each.name).join('; ')}, got ${name}`);
  return set;
}

if (require.main === module) void main();
