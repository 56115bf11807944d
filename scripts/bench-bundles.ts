/** The size of each handler's bundle, minified as the stack bundles it, beside what it may have. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const LAMBDAS = join(__dirname, '../lambdas');
/** analyse-measurement and ingest-chunk are called most. */
const LIMIT_BYTES: Readonly<Record<string, number>> = { 'analyse-measurement': 700_000, 'ingest-chunk': 700_000 };
const OTHER_LIMIT_BYTES = 1_500_000;

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
for (const verbNoun of readdirSync(LAMBDAS).filter((name) => /^[a-z]+-[a-z]+$/.test(name))) {
  const outfile = join(folder, `${verbNoun}.mjs`);
  buildSync({
    entryPoints: [join(LAMBDAS, verbNoun, 'handler.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const bytes = statSync(outfile).size;
  const limitBytes = LIMIT_BYTES[verbNoun] ?? OTHER_LIMIT_BYTES;
  if (bytes > limitBytes) process.exitCode = 1;
  process.stdout.write(`${JSON.stringify({ verbNoun, bytes, limitBytes })}\n`);
}
rmSync(folder, { recursive: true });
