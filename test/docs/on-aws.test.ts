/** docs/reference/checks.md is generated from the checks of `npm run prove`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withChecks } from '../../scripts/write-references';

/** Prettier aligns tables and breaks no lines. Prices follow the price table, and `--list` prints today's. */
const compared = (text: string) =>
  text
    .replace(/ +/g, ' ')
    .replace(/-{3,}/g, '---')
    .replace(/\d+\.\d\d/g, 'N.NN');

test('lists the checks as they are made (else: npm run on-aws)', () => {
  const document = readFileSync(join(__dirname, '../../docs/reference/checks.md'), 'utf8');
  expect(compared(document)).toBe(compared(withChecks(document)));
});
