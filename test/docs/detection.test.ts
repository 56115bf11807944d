import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SERIES_KINDS } from '../../domain/model/verdict';
import { drawPicture } from '../../research/detection-chart';
import { ALL_EXAMPLES, CLASSES, FAILURES, gallery, pictureOf, STEPS } from '../../research/detection-gallery';
import { OWN_SETS, rowNamed } from '../../research/detection-figures';
import { partOf } from '../../scripts/documents';
import { BENCHMARK_CLASSES } from '../support/prediction';

const docs = join(__dirname, '../../docs');
const pictures = join(docs, 'images/detection');
const document = readFileSync(join(docs, 'reference/detector.md'), 'utf8');
const LARGEST_BYTES = 40_000;

/** Prettier aligns tables; what they say is the same without. */
const unaligned = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
const exampleNames = ALL_EXAMPLES.map(({ name }) => name);

/** The others take minutes, and are written by the same function. */
const QUICK = [
  'public benchmark (tuned on)',
  'one to three minutes, generated',
  'recorded over token buckets of the lab',
];

test('has the figures that the detector reaches now (else: npx tsx research/detection-figures.ts)', () => {
  // A process of its own: under Jest the same takes ten times as long.
  const script = join(docs, '../research/detection-figures.ts');
  const printed = execFileSync(
    process.execPath,
    ['--import', 'tsx', script, ...QUICK.flatMap((name) => ['--row', name])],
    { encoding: 'utf8' },
  );
  const table = partOf(document, 'score table');
  expect(QUICK.map((name) => unaligned(rowNamed(table, name) ?? ''))).toEqual(printed.trim().split('\n'));
});

test('has a row for every set', () => {
  for (const { name } of OWN_SETS) expect(rowNamed(partOf(document, 'score table'), name)).toBeDefined();
});

test.each([
  ['classes', CLASSES],
  ['steps', STEPS],
  ['failures', FAILURES],
] as const)(
  'says of the %s what the detector finds (else: npx tsx research/detection-pictures.ts)',
  (part, examples) => {
    expect(unaligned(partOf(document, part))).toBe(unaligned(gallery(examples)));
  },
);

test('shows every class, found and true', () => {
  const shown = CLASSES.map((example) => pictureOf(example));
  expect(shown.map(({ shape }) => shape.kind).sort()).toEqual([...SERIES_KINDS].sort());
  for (const { series, shape } of shown) expect(series.truth.accept).toContain(BENCHMARK_CLASSES[shape.kind]);
});

test('has exactly the pictures that the script draws, as it draws them, none of them large', () => {
  expect(readdirSync(pictures).sort()).toEqual(exampleNames.map((name) => `${name}.svg`).sort());
  for (const example of ALL_EXAMPLES) {
    const path = join(pictures, `${example.name}.svg`);
    expect(statSync(path).size).toBeLessThan(LARGEST_BYTES);
    expect(readFileSync(path, 'utf8')).toBe(drawPicture(pictureOf(example)));
  }
});
