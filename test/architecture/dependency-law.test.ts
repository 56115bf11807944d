/**
 * The dependency law stands in `.dependency-cruiser.mjs` and is held by `npm run check`. These tests hold it in the
 * unit lane too, and show that each of its rules catches the offence that it is there for.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

const ROOT = join(__dirname, '../..');
const CRUISER = join(ROOT, 'node_modules/.bin/depcruise');
const CONFIG = join(ROOT, '.dependency-cruiser.mjs');

test('the product keeps the dependency law', () => {
  const output = execFileSync(CRUISER, ['--config', CONFIG, 'bin', 'domain', 'lib', 'lambdas', 'test/on-aws'], {
    cwd: ROOT,
  });
  expect(output.toString()).toMatch(/no dependency violations found \((?:[2-9]\d\d|\d{4,}) modules/);
});

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** The rules that each file breaks, in a repository that has nothing but these files. */
function brokenRules(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const root = mkdtempSync(join(tmpdir(), 'dependency-law-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    symlinkSync(join(ROOT, 'tsconfig.json'), join(root, 'tsconfig.json'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0]!))];
    const cruise = spawnSync(
      CRUISER,
      ['--config', CONFIG, '--output-type', 'json', '--preserve-symlinks', ...folders],
      { cwd: root, encoding: 'utf8' },
    );
    const { summary } = JSON.parse(cruise.stdout) as { summary: { violations: Violation[] } };
    const broken: Record<string, string[]> = {};
    for (const { from, rule } of summary.violations) broken[from] = [...(broken[from] ?? []), rule.name];
    return broken;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test('every rule catches its offence, and nothing else is an offence', () => {
  const law: Readonly<Record<string, string>> = {
    'domain/model/plain.ts': 'export const plain = 1; export type Plain = number;',
    'domain/plan/allowed.ts':
      "import { z } from 'zod'; import { plain } from '../model/plain'; export const x = [z, plain];",
    'domain/model/upwards.ts': "import { x } from '../plan/allowed'; export const upwards = x;",
    'domain/model/upwards-type.ts': "import type { Aside } from '../detection/aside'; export type Up = Aside;",
    'domain/detection/aside.ts': "import type { p } from '../parsers/parser'; export type Aside = typeof p;",
    'domain/parsers/parser.ts': 'export const p = 1;',
    'domain/attic/stray.ts': 'export const stray = 1;',
    'domain/attic/strays.ts': "import { stray } from './stray'; export const strays = stray;",
    'domain/plan/file-reader.ts': "import { readFileSync } from 'node:fs'; export const read = readFileSync;",
    'domain/plan/sdk.ts': "import { S3Client } from '@aws-sdk/client-s3'; export const c = S3Client;",
    'domain/plan/run-time.ts': "export { handler } from '../../lambdas/plan-run/handler';",
    'domain/plan/chart.ts': "import { init } from 'echarts'; export const draw = init;",
    'domain/report/chart.ts': "import { init } from 'echarts'; export const draw = init;",
    'domain/report/page/style.ts': "import { draw } from '../charts/line'; export const style = draw;",
    'domain/report/charts/line.ts': "import { draw as d } from '../chart'; export const draw = d;",
    'domain/tools/left.ts': "import type { Right } from './right'; export type Left = Right;",
    'domain/tools/right.ts': "import type { Left } from './left'; export type Right = Left | 1;",
    'domain/tools/lost.ts': "import { nothing } from './nowhere'; export const lost = nothing;",
    'lib/functions.ts': "import { handler } from '../lambdas/plan-run/handler'; export const h = handler;",
    'lib/stack.ts':
      "import { Stack } from 'aws-cdk-lib'; import { join } from 'node:path'; export const s = [Stack, join];",
    'lambdas/plan-run/handler.ts': "import { plain } from '../../domain/model/plain'; export const handler = plain;",
    'lambdas/plan-run/page.ts': "import { draw } from '../../domain/report/chart'; export const p = draw;",
    'lambdas/publish-run/handler.ts': "import { draw } from '../../domain/report/chart'; export const h = draw;",
    'bin/fit.ts': "import { draw } from '../domain/report/chart'; export const f = draw;",
    'bin/types.ts': "import { draw } from '../domain/report/chart'; export const t = draw;",
    'lambdas/plan-run/client.ts': "import {\n  S3Client,\n} from '@aws-sdk/client-s3'; export const c = S3Client;",
    'lambdas/plan-run/type.ts': "import type { S3Client } from '@aws-sdk/client-s3'; export type C = S3Client;",
    'lambdas/plan-run/stack.ts': "import { Stack } from 'aws-cdk-lib'; export const s = Stack;",
    'lambdas/plan-run/prove.ts': "import { check } from '../../test/on-aws/check'; export const c = check;",
    'test/on-aws/check.ts': "import { S3Client } from '@aws-sdk/client-s3'; export const check = S3Client;",
    'test/on-aws/adapters/s3.ts': "import { S3Client } from '@aws-sdk/client-s3'; export const c = S3Client;",
    'lambdas/shared/failures.ts': "import { c } from '../adapters/s3'; export const failures = c;",
    'lambdas/errors/text.ts': 'export const text = 1;',
    'lambdas/adapters/retries.ts': "import { text } from '../errors/text'; export const retries = text;",
    'lambdas/adapters/upwards.ts': "import { failures } from '../shared/failures'; export const u = failures;",
    'lambdas/adapters/s3.ts': "import { S3Client } from '@aws-sdk/client-s3'; export const c = S3Client;",
  };
  expect(brokenRules(law)).toEqual({
    'bin/types.ts': ['report-from-handlers-only'],
    'domain/model/upwards.ts': ['domain-model'],
    'domain/model/upwards-type.ts': ['domain-model'],
    'domain/detection/aside.ts': ['domain-detection'],
    'domain/attic/strays.ts': ['domain-is-layered'],
    'domain/plan/file-reader.ts': ['domain-is-pure'],
    'domain/plan/sdk.ts': ['domain-is-pure'],
    'domain/plan/run-time.ts': ['domain-is-pure'],
    'domain/plan/chart.ts': ['charts-in-the-report-only'],
    'domain/report/charts/line.ts': ['domain-report-charts'],
    'domain/report/page/style.ts': ['domain-report-page'],
    // A circle is reported once, at its first file.
    'domain/tools/left.ts': ['no-circular'],
    'domain/tools/lost.ts': ['domain-is-pure', 'no-unresolvable'],
    'lib/functions.ts': ['lib-is-synth-time'],
    'lambdas/adapters/upwards.ts': ['adapters-know-no-handler'],
    'lambdas/plan-run/client.ts': ['sdk-in-adapters-only'],
    'lambdas/plan-run/page.ts': ['report-from-handlers-only'],
    'lambdas/plan-run/prove.ts': ['lambdas-are-run-time'],
    'lambdas/plan-run/stack.ts': ['lambdas-are-run-time'],
    'test/on-aws/check.ts': ['sdk-in-adapters-only'],
  });
});

test('domain has no clock, no randomness and no environment', () => {
  const impure = /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(/;
  expect('const now = Date.now();').toMatch(impure);
  const files = readdirSync(join(ROOT, 'domain'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => posix.join('domain', file));
  expect(files.filter((file) => impure.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});
