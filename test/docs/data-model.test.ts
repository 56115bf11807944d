import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS } from '../../domain/model/sample';
import { withTables } from '../../scripts/write-references';

const root = join(__dirname, '../..');
const columns = readFileSync(join(root, 'docs/reference/columns.md'), 'utf8');

/** Prettier aligns tables; what they say is the same without. */
const unaligned = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

test('lists the columns as they are declared (else: npm run data-model)', () => {
  expect(unaligned(columns)).toBe(unaligned(withTables(columns)));
});

test('every saved query and every metric is described', () => {
  const document = readFileSync(join(root, 'docs/data-model.md'), 'utf8');
  for (const file of readdirSync(join(root, 'queries'))) expect(document).toContain(`../queries/${file}`);
  for (const metric of METRICS) expect(columns).toContain(`\`${metric}\``);
});
