/**
 * `npm pack` runs this first: it writes what the CDK app of somebody else installs to `dist/`. The stack is compiled, and
 * its functions are bundled, so that the other app needs neither a compiler nor esbuild.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { BenchmarkFunction } from '../lib/functions/benchmark-function';
import { kebabCase } from '../lib/names';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';

const ROOT = join(__dirname, '..');
const DIST = join(ROOT, 'dist');
/** What the stack reads at synthesis, besides its own code. */
const READ = [
  'cdk.json',
  'examples/plans/canary.json',
  'lib/test-hosts/user-data.sh',
  'queries',
  'ssm-documents',
  'views',
];

rmSync(DIST, { recursive: true, force: true });
execFileSync('tsc', ['--project', 'tsconfig.package.json'], { cwd: ROOT, stdio: 'inherit' });
for (const path of READ) {
  cpSync(join(ROOT, path), join(DIST, path), { recursive: true, filter: (file) => !file.includes('__pycache__') });
}

const outdir = join(DIST, 'assembly');
const app = new App({ outdir, analyticsReporting: false, builtinCloudFormationValidation: false });
// Without a schedule, the stack lacks the function that checks it.
const stack = new NetworkBenchmarkStack(app, 'Packed', { canarySchedule: 'rate(1 day)' });
app.synth();
for (const { handler, node } of stack.node.findAll().filter((one) => one instanceof BenchmarkFunction)) {
  const { s3Key = '' } = (handler.node.defaultChild as CfnFunction).code as CfnFunction.CodeProperty;
  cpSync(join(outdir, `asset.${s3Key.replace('.zip', '')}`), join(DIST, 'lambdas', kebabCase(node.id)), {
    recursive: true,
  });
}
rmSync(outdir, { recursive: true });
