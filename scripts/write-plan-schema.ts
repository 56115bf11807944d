/** Writes the plan's JSON Schema for editors (`npm run schema`); a test fails when it no longer matches. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { planJsonSchema } from '../domain/plan/allowed-values';

const path = join(__dirname, '../schemas/benchmark-plan.schema.json');

void format(JSON.stringify(planJsonSchema()), { parser: 'json', printWidth: 120 }).then((text) => {
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
});
