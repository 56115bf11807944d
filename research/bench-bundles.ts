/** Prints the size of each handler's deployed bundle beside its limit: `npx tsx research/bench-bundles.ts`. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLING } from '../lib/functions/benchmark-function';

const LAMBDAS_DIRECTORY = join(__dirname, '../lambdas');
const MEGABYTE = 1_000_000;
/** A cold start reads the whole bundle, and each measurement waits for these two handlers before its rows are there. */
const LIMITS_BYTES: Readonly<Record<string, number>> = {
  'analyse-measurement': 0.8 * MEGABYTE,
  'ingest-chunk': 0.7 * MEGABYTE,
  // It draws charts, and nothing waits for it but the end of a run.
  'summarise-run': 1.62 * MEGABYTE,
};
const DEFAULT_LIMIT_BYTES = 1.5 * MEGABYTE;

export interface BundleSize {
  readonly verbNoun: string;
  readonly sizeBytes: number;
  readonly limitBytes: number;
}

export async function bundleSizes(): Promise<BundleSize[]> {
  const handlers = readdirSync(LAMBDAS_DIRECTORY, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === 'handler.ts')
    .sort();
  return Promise.all(
    handlers.map(async (file) => {
      const verbNoun = dirname(file);
      const { outputFiles } = await build({
        entryPoints: [join(LAMBDAS_DIRECTORY, file)],
        bundle: true,
        write: false,
        platform: 'node',
        format: BUNDLING.format,
        mainFields: BUNDLING.mainFields,
        target: BUNDLING.target,
        minify: BUNDLING.minify,
        banner: { js: BUNDLING.banner },
        logLevel: 'error',
      });
      const limitBytes = LIMITS_BYTES[verbNoun] ?? DEFAULT_LIMIT_BYTES;
      const sizeBytes = outputFiles.reduce((total, { contents }) => total + contents.length, 0);
      return { verbNoun, sizeBytes, limitBytes };
    }),
  );
}

if (require.main === module) {
  void bundleSizes().then((sizes) => {
    for (const { verbNoun, sizeBytes, limitBytes } of sizes) {
      const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(2)} MB`;
      if (sizeBytes > limitBytes) process.exitCode = 1;
      console.log(`${verbNoun.padEnd(22)} ${megabytes(sizeBytes)} of ${megabytes(limitBytes)}`);
    }
  });
}
