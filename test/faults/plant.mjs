/**
 * Bundles the handlers that contain a patched source, as `lib/functions/benchmark-function.ts` does; test/faults/planted.py
 * starts it with {"out": FOLDER, "patches": [{"file", "from", "to"}]} on its standard input, and reads their names.
 *
 * A text that does not stand exactly once in its file, or a file that no handler contains, is an error: a defect that was
 * not planted would look like one that nobody objected to.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const { out, patches } = JSON.parse(readFileSync(0, 'utf8'));
const root = process.cwd();
const patched = new Map();
for (const { file, from, to } of patches) {
  const path = resolve(root, file);
  const text = patched.get(path) ?? readFileSync(path, 'utf8');
  const count = text.split(from).length - 1;
  if (count !== 1) throw new Error(`${file}: must contain ${JSON.stringify(from)} once, contains it ${count} times`);
  patched.set(
    path,
    text.replace(from, () => to),
  );
}
const plugin = {
  name: 'planted',
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) =>
      patched.has(path) ? { contents: patched.get(path), loader: 'ts' } : undefined,
    );
  },
};
const handlers = readdirSync(join(root, 'lambdas'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('handler.ts'))
  .sort();
const found = new Set();
const bundled = handlers.map(async (handler) => {
  const name = dirname(handler);
  const { metafile } = await build({
    entryPoints: [join(root, 'lambdas', handler)],
    outfile: join(out, name, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    target: 'node24',
    minify: true,
    banner: {
      js:
        "import{createRequire as createRequireOfBundle}from'node:module';" +
        'const require=createRequireOfBundle(import.meta.url);',
    },
    metafile: true,
    logLevel: 'error',
    plugins: [plugin],
  });
  const contained = Object.keys(metafile.inputs).filter((input) => patched.has(resolve(root, input)));
  for (const input of contained) found.add(resolve(root, input));
  return contained.length > 0 ? [name] : [];
});
const names = (await Promise.all(bundled)).flat();
const missing = [...patched.keys()].filter((path) => !found.has(path)).map((path) => relative(root, path));
if (missing.length > 0) throw new Error(`${missing.join(', ')}: must be in the bundle of a handler, is in none`);
console.log(JSON.stringify(names));
