/** `examples/cdk-app` as a stranger has it: the package that `npm pack` makes, installed outside the checkout. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { NetworkBenchmarkStack } from '../../lib/network-benchmark-stack';
import { type CfnResource, newApp, withoutCodeHashes } from '../support/synth';

const ROOT = join(__dirname, '../..');
// Not in the tests' own folder: that is in the checkout, whose packages would hide what the package fails to depend on.
const folder = mkdtempSync('/tmp/app-of-somebody-else-');
afterAll(() => rmSync(folder, { recursive: true }));

const SECONDS = 1_000;

function run(command: string, ...args: readonly string[]): string {
  const env = { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true', TMPDIR: folder };
  const done = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

const readJson = <Content>(...path: readonly string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as Content;

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Written {
  readonly Resources: Readonly<Record<string, CfnResource & { readonly Metadata?: object }>>;
}

/** Leaves out what the CDK's command line adds unless `cdk.json` declines: paths, and the versions of libraries. */
const resourcesOf = ({ Resources }: Written) =>
  Object.fromEntries(
    Object.entries(Resources)
      .filter(([, { Type }]) => Type !== 'AWS::CDK::Metadata')
      .map(([id, { Metadata, ...resource }]) => [id, resource]),
  );

const project = readJson<Package>(ROOT, 'package.json');
const example = readJson<Package>(ROOT, 'examples/cdk-app/package.json');

beforeAll(() => {
  cpSync(join(ROOT, 'examples/cdk-app'), folder, { recursive: true });
  const [packed] = JSON.parse(run('npm', 'pack', ROOT, '--json', '--ignore-scripts=false')) as { filename: string }[];
  const names = Object.keys({ ...example.dependencies, ...example.devDependencies, ...project.dependencies });
  // The checkout's own packages take the place of the registry's, so that nothing is fetched.
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${join(ROOT, 'node_modules', name)}`]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...example, dependencies, devDependencies: {} }));
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', packed!.filename);
}, 900 * SECONDS);

test('the example asks for the versions with which the stack is tested', () => {
  expect(project.devDependencies).toMatchObject({ ...example.dependencies, ...example.devDependencies });
});

test(
  'its properties have types',
  () => {
    const wrong = "import { App } from 'aws-cdk-lib';\nimport { NetworkBenchmarkStack } from 'ec2-network-bench';\n";
    const refused = ['zone: 3', "removalPolicy: 'snapshot'", 'maxInstances: true'].map(
      (property) => `// @ts-expect-error\nnew NetworkBenchmarkStack(new App(), 'Stack', { ${property} });\n`,
    );
    writeFileSync(join(folder, 'refused.ts'), wrong + refused.join(''));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    run(join(ROOT, 'node_modules/.bin/tsc'), ...options, 'app.ts', 'refused.ts');
  },
  600 * SECONDS,
);

test(
  'it synthesises the stack of the checkout, code included, beside a stack of its own',
  () => {
    run('npx', '--no-install', 'cdk', 'synth', '--quiet', '--no-notices');

    const synthesised = resourcesOf(readJson<Written>(folder, 'cdk.out/NetworkBenchmark.template.json'));
    const ofCheckout = new NetworkBenchmarkStack(newApp(), 'NetworkBenchmark', {
      env: { account: '111122223333', region: 'eu-west-1' },
      zones: ['eu-west-1a', 'eu-west-1c'],
      canarySchedule: 'cron(0 6 ? * MON *)',
      notify: 'arn:aws:sns:eu-west-1:111122223333:network-benchmarks',
      tags: { CostCenter: '42' },
    });
    expect(withoutCodeHashes(synthesised)).toEqual(
      withoutCodeHashes(resourcesOf(Template.fromStack(ofCheckout).toJSON() as Written)),
    );

    const functions = Object.values(synthesised).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(functions).toHaveLength(14);
    for (const { Properties } of functions) {
      const { S3Key } = Properties.Code as { S3Key: string };
      const bundle = join(folder, `cdk.out/asset.${S3Key.replace('.zip', '')}/index.mjs`);
      expect(readFileSync(bundle, 'utf8')).toMatch(/export\{[\w$]+ as handler\}/);
    }
    expect(existsSync(join(folder, 'cdk.out/Operations.template.json'))).toBe(true);
  },
  600 * SECONDS,
);
