import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS } from '../../domain/model/sample';
import { generatedViews, withQueries, withTables, withValues } from '../../scripts/data-model';

const root = join(__dirname, '../..');
const columns = readFileSync(join(root, 'docs/reference/columns.md'), 'utf8');

/** Prettier aligns tables; what they say is the same without. */
const unaligned = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

test('lists the columns as they are declared (else: npm run data-model)', () => {
  expect(unaligned(columns)).toBe(unaligned(withTables(columns)));
});

test('lists the saved queries with their questions (else: npm run data-model)', () => {
  const document = readFileSync(join(root, 'docs/reference/queries.md'), 'utf8');
  expect(unaligned(document)).toBe(unaligned(withQueries(document)));
  expect(document).toMatch(
    /^\| \[`throttle-onsets`\]\(\S+\) +\| Which instance types dropped .* how sure is that\? +\|$/m,
  );
});

test('the views of open and closed rows have the declared columns (else: npm run data-model)', () => {
  expect(generatedViews().map(([path]) => path)).toEqual([
    'views/runs.sql',
    'views/pairs.sql',
    'views/measurements.sql',
  ]);
  for (const [path, sql] of generatedViews()) expect(readFileSync(join(root, path), 'utf8')).toBe(sql);
});

test('lists the values of the columns that people filter by (else: npm run data-model)', () => {
  const document = readFileSync(join(root, 'docs/data-model.md'), 'utf8');
  expect(document).toBe(withValues(document));
});

test('every metric is described', () => {
  for (const metric of METRICS) expect(columns).toContain(`\`${metric}\``);
});
