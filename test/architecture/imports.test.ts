/** The dependency law: lib → domain ← lambdas; domain is pure; the SDK is in the adapters only. ESLint says it while one types. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(__dirname, '../..');

interface Import {
  readonly file: string;
  readonly target: string;
  readonly isTypeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => posix.join(folder, file));
}

/** Imports and re-exports, a relative one as the path from the root. */
function importsOf(file: string, text = readFileSync(join(ROOT, file), 'utf8')): Import[] {
  const statements = text.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  return [...statements].map(([, type, target]) => ({
    file,
    target: target!.startsWith('.') ? posix.join(posix.dirname(file), target!) : target!,
    isTypeOnly: type !== undefined,
  }));
}

const isIn = (folder: string, path: string) => path.startsWith(`${folder}/`);
const isSdk = ({ target, isTypeOnly }: Import) => target.startsWith('@aws-sdk/') && !isTypeOnly;

/** Why an import may not be, by the folder that it stands in. */
function offence(found: Import): string | undefined {
  const { file, target } = found;
  const says = (reason: string) => `${file} imports ${target}: ${reason}`;
  if (isIn('domain', file)) {
    // The report's charts are drawn on the server, without DOM, clock or network.
    const allowed =
      isIn('domain', target) || target === 'zod' || (isIn('domain/report', file) && /^echarts(\/|$)/.test(target));
    return allowed ? undefined : says('domain imports itself and zod');
  }
  if (isIn('lib', file)) {
    const allowed =
      isIn('lib', target) || isIn('domain', target) || /^(aws-cdk-lib|constructs|node:|yaml$)/.test(target);
    return allowed ? undefined : says('lib imports itself, domain and the CDK');
  }
  if (isIn('lambdas', file)) {
    if (isSdk(found) && !isIn('lambdas/adapters', file)) return says('only the adapters have SDK clients');
    if (isIn('lib', target) || /^(aws-cdk-lib|constructs)/.test(target)) return says('run time knows no synth time');
  }
  return undefined;
}

test('every import keeps the law', () => {
  const imports = ['domain', 'lib', 'lambdas'].flatMap(sourceFiles).flatMap((file) => importsOf(file));
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.map(offence).filter((reason) => reason !== undefined)).toEqual([]);
});

test.each([
  ['domain/plan/x.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['domain/plan/x.ts', "import { readFileSync } from 'node:fs';"],
  ['domain/plan/x.ts', "export { x } from '../../lambdas/plan-run/plan-run';"],
  ['lib/functions/x.ts', "import { handler } from '../../lambdas/plan-run/handler';"],
  ['lambdas/plan-run/x.ts', "import {\n  S3Client,\n} from '@aws-sdk/client-s3';"],
  ['lambdas/plan-run/x.ts', "import { Stack } from 'aws-cdk-lib';"],
])('the law sees %s with %s', (file, text) => {
  expect(importsOf(file, text).map(offence)).toEqual([expect.stringContaining(file)]);
});

test('domain has no clock, no randomness and no environment', () => {
  const impure = /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(/;
  expect('const now = Date.now();').toMatch(impure);
  const offenders = sourceFiles('domain').filter((file) => impure.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(offenders).toEqual([]);
});
