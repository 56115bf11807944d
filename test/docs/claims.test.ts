/** Each sentence of README is a claim with checks of `npm run prove`, or named with the reason why it is none. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from '../on-aws/checks/index';
import { CLAIMS, claimsNotShown, NOT_ABOUT_AWS } from '../on-aws/claims';
import { lastProof, SEEN_ON_AWS, seenOnAws, withSeenOnAws } from '../on-aws/seen';
import type { Proof } from '../on-aws/table';

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const known = [...Object.keys(CLAIMS), ...Object.values(NOT_ABOUT_AWS).flat()];
const unknown = (markdown: string) =>
  sentencesOf(markdown).filter((says) => !known.includes(says) && !says.startsWith(SEEN_ON_AWS));

test('README says nothing that test/on-aws/claims.ts does not name', () => {
  expect(unknown(readme)).toEqual([]);
});

test.each([
  ['a bullet', '- **It is twice as fast**: on every type', 'It is twice as fast: on every type'],
  ['a sentence in a paragraph', 'Apache-2.0. It runs on GovCloud.', 'It runs on GovCloud.'],
  ['a row of a table', '| a | b |\n| --- | --- |\n| x1e.large | 9.69 |', '| x1e.large | 9.69 |'],
])('%s that is new is an unknown claim', (_, added, says) => {
  expect(unknown(`${readme}\n\n${added}\n`)).toContain(says);
});

test('what test/on-aws/claims.ts names is in README, once', () => {
  const said = sentencesOf(readme);
  expect(known.filter((says) => !said.includes(says))).toEqual([]);
  expect(known.filter((says, index) => known.indexOf(says) !== index)).toEqual([]);
});

test('each claim is shown by checks, or by a part of docs/on-aws.md that says why no program decides it', () => {
  const [, byHand = ''] = readFileSync(join(root, 'docs/on-aws.md'), 'utf8').split('## What no program decides');
  for (const [says, { checks = [], byHand: part }] of Object.entries(CLAIMS)) {
    expect([says, checks.filter((id) => CHECKS.every((check) => check.id !== id))]).toEqual([says, []]);
    if (part === undefined) expect([says, checks.length]).not.toEqual([says, 0]);
    else expect(byHand).toContain(`### ${part}\n`);
  }
});

test('each check shows a claim, or README would not need it', () => {
  const used = Object.values(CLAIMS).flatMap(({ checks = [] }) => checks);
  expect(CHECKS.map(({ id }) => id).filter((id) => !used.includes(id))).toEqual([]);
});

test('with every check proven, only what goes by hand is not shown', () => {
  const rows = CHECKS.map(({ id }) => ({ id, verdict: 'proven' as const }));
  const left = claimsNotShown(rows);
  expect(left).toHaveLength(Object.values(CLAIMS).filter(({ byHand }) => byHand !== undefined).length);
  expect(claimsNotShown(rows.filter(({ id }) => id !== 'bad-plan-is-refused'))).toContain(
    'A bad plan is refused before anything is launched, with a list of all its problems. (not proven: bad-plan-is-refused)',
  );
});

const aProof = (checks: readonly { id: string; verdict: string }[]) =>
  ({ version: '0.3.0', region: 'eu-west-1', startedAt: '2026-11-28T09:00:00Z', checks }) as unknown as Proof;
const all = CHECKS.map(({ id }) => ({ id, verdict: 'proven' }));

test('README says what the last proof has shown (else: npm run on-aws)', () => {
  expect(readme).toContain(`${seenOnAws(lastProof())}\n`);
});

test.each([
  ['no proof', undefined, /^\*\*Seen on AWS:\*\* nothing: this has not been run on AWS\.$/],
  [
    'a whole proof',
    aProof(all),
    /: ?\*\* (\d+) of \1 checks of version 0\.3\.0, in eu-west-1 on 2026-11-28 .*; not seen: nothing\.$/,
  ],
  ['one check less', aProof(all.slice(1)), /; not seen: `documents`\.$/],
  [
    'one that is not proven',
    aProof([{ id: 'documents', verdict: 'not_proven' }, ...all.slice(1)]),
    /seen: `documents`\.$/,
  ],
  [
    'one check alone',
    aProof(all.slice(0, 1)),
    /\*\* 1 of \d+ .*; not seen: `peering-is-active`, `[^,]*`, `[^,]*`, \d+ more\.$/,
  ],
])('with %s, README says so', (_, proof, sentence) => {
  const written = withSeenOnAws(readme, seenOnAws(proof));
  expect(seenOnAws(proof)).toMatch(sentence);
  expect(unknown(written)).toEqual([]);
  expect(withSeenOnAws(written)).toBe(readme);
});

test('a proof of the lab is none of AWS', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'proof-')), 'proof.json');
  expect(lastProof(path)).toBeUndefined();
  writeFileSync(path, JSON.stringify({ ...aProof(all), place: 'the lab' }));
  expect(() => lastProof(path)).toThrow('must be of an account of AWS, is of the lab');
});

/**
 * The sentences of a Markdown document: of the text, of a list and of the rows of tables, as plain text on one line. Headings, code blocks and
 * pictures say nothing by themselves; a picture's description counts, because it names figures.
 */
function sentencesOf(markdown: string): string[] {
  const blocks = markdown
    .replaceAll(/^```.*?^```$/gms, '')
    .split(/\n\s*\n/)
    .flatMap((block) => block.split(/\n(?=- |\|)/));
  return blocks
    .map(plainText)
    .filter((text) => text !== '' && !text.startsWith('#') && !/^[-| :]*$/.test(text))
    .flatMap((text) => text.split(/(?<=[.?!]["*)]{0,3}) (?=["*A-Z0-9_`])/));
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/\*\*|^- /gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?\| ?/g, ' | ')
    .trim();
}
