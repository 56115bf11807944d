/**
 * Bundles the script of the report with the libraries that it uses, and writes it as a text that the report contains:
 * `npm run report-script`. A test holds the file to its sources.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(__dirname, '..');
export const BUNDLE_FILE = join(ROOT, 'domain/report/interactive/report-script.ts');

const LICENCES = [
  'uPlot 1.6.32, MIT License, Copyright (c) 2022 Leon Sorokin, https://github.com/leeoniya/uPlot',
  'sortable-tablesort 4.1.7, Unlicense (public domain), Jonas Earendel, https://github.com/tofsjonas/sortable',
];

/** The text of `domain/report/interactive/report-script.ts`. */
export async function reportScriptModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'browser/report/main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    minify: true,
    // What browsers of the last three years run.
    target: ['chrome110', 'firefox110', 'safari16'],
    loader: { '.css': 'text' },
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'error',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('report script: esbuild must write one file');
  const notice = LICENCES.map((line) => `// ${line}`).join('\n');
  // The page's script element would end at `</script`, and the browser compares the hash with exactly this text.
  const script = `${notice}\n${file.text.trim().replaceAll('</', '<\\/')}`;
  const hash = createHash('sha256').update(script).digest('base64');
  return `/** Written by \`npm run report-script\`; the sources are in browser/report/. */
// prettier-ignore
export const REPORT_SCRIPT = ${JSON.stringify(script)};

/** For the page's content policy: the only script that a browser may run in it. */
export const REPORT_SCRIPT_HASH = 'sha256-${hash}';
`;
}

if (require.main === module)
  void reportScriptModule().then((text) => {
    writeFileSync(BUNDLE_FILE, text);
  });
