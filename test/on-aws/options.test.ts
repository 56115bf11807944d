/** The command line of `npm run prove`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from './checks/index';
import { readOptions } from './options';

const folder = mkdtempSync(join(tmpdir(), 'options-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(text: string): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, text);
  return path;
}

test('without arguments, every check is made that does not take long', () => {
  const { checks, stack, isAgreed } = readOptions([]);
  expect(checks).toEqual(CHECKS.filter(({ isOptional }) => isOptional !== true));
  expect(stack).toBe('NetworkBenchmark');
  expect(isAgreed).toBe(false);
});

test('checks are made in their own order, whatever the order in which they are named', () => {
  expect(readOptions(['--checks', 'run-completes, documents']).checks.map(({ id }) => id)).toEqual([
    'documents',
    'run-completes',
  ]);
});

test.each([
  [['--checks', 'documents,nosuch'], /^--checks: must be of documents, .*, got nosuch$/],
  [['--max-cost-usd', 'ten'], /^--max-cost-usd: must be a number of US dollars from 0, got "ten"$/],
  [['--max-cost-usd', '-1'], /max-cost-usd/],
  [['--max-cost-usd', ''], /got ""$/],
  [['--output', '/no/such'], /^--output: must be a folder, got "\/no\/such"$/],
  [['--output', __filename], /^--output: must be a folder, got ".*options\.test\.ts"$/],
  [['--nosuch'], /--nosuch/],
  [['stray'], /stray/],
  [['--cannot-answer', '/nowhere.json'], /^--cannot-answer \/nowhere.json: .*ENOENT/],
])('%j is refused with what is allowed', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test.each([
  ['{"checks": {"documents": "why"}}', /must be/],
  ['no JSON', /^--cannot-answer .*file.json: /],
  ['{"place": "here", "checks": ["documents"]}', /must be \{"place": "where", "checks": \{"id": "why"\}\}/],
  ['{"place": "here", "checks": {"documents": ""}}', /must be/],
  ['{"place": "here", "checks": {"nosuch": "why"}}', /checks: must be of documents, .*, got nosuch$/],
])('the file of --cannot-answer with %s is refused', (text, message) => {
  const path = file(text);
  expect(() => readOptions(['--cannot-answer', path])).toThrow(message);
});
