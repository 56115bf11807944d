/** A file that is no plan: what is said of it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlanFile } from '../../bin/plan-file';

const folder = mkdtempSync(join(tmpdir(), 'plan-file-'));

function reasonOf(text: string): string {
  const file = join(folder, 'plan.json');
  writeFileSync(file, text);
  const read = readPlanFile(file);
  return 'reason' in read ? read.reason.slice(file.length) : 'none';
}

test.each([
  [
    '{\n  "pairs": [\n    { "clientType": "c5.xlarge" },\n  ],\n  "measurements": []\n}',
    'unexpected "]" (line 4 column 3)',
  ],
  ['x', 'unexpected "x" (line 1 column 1)'],
  ['{\n x\n}', 'line 2 column 2'],
  ['{ "a": tru }', 'unexpected " " (line 1 column 11)'],
  ['{ "name": "é 🙂 and more", "pairs": [🙂] }', 'unexpected "🙂" (line 1 column 38)'],
  ['{\n"a": 1\n"b": 2}', 'line 3 column 1'],
  ['{ "a": "x', 'line 1 column 10'],
  ['', 'Unexpected end of JSON input'],
])('the place of what is no JSON is named: %j', (text, place) => {
  expect(reasonOf(text)).toMatch(/^: must be a plan as JSON: /);
  expect(reasonOf(text)).toContain(place);
});
