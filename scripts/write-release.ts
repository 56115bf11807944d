/**
 * `npm run release [-- --out DIR]` writes `DIR/network-benchmark-<version>/`, from which the AWS CLI alone deploys the
 * stack. The same sources give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { App, CfnCondition, CfnParameter, CliCredentialsStackSynthesizer, Fn, type Stack } from 'aws-cdk-lib';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { NetworkBenchmarkStack } from '../lib/network-benchmark-stack';
import { instructions, STACK_NAME, TEMPLATE } from './release-instructions';
import { filesBelow, zip } from './zip';

const ROOT = join(__dirname, '..');

interface AssetManifest {
  readonly files: Readonly<Record<string, { readonly source: { readonly path: string; readonly packaging: string } }>>;
}

/** The stack with its default settings; where its code is, and who gets messages, are parameters. */
export function releasedStack(app: App, folder: string): Stack {
  const stack = new NetworkBenchmarkStack(app, STACK_NAME, {
    notify: 'address@of.parameter',
    // Asks for no bootstrap: the names of bucket and objects refer to the parameters.
    synthesizer: new CliCredentialsStackSynthesizer({
      fileAssetsBucketName: '${AssetsBucket}',
      bucketPrefix: '${AssetsPrefix}',
    }),
  });
  new CfnParameter(stack, 'AssetsBucket', {
    description: 'Bucket of this Region to which the folder of the release was copied',
    minLength: 3,
  });
  new CfnParameter(stack, 'AssetsPrefix', {
    description: "Where the functions' code is in the bucket",
    default: `${folder}/assets/`,
  });
  const address = new CfnParameter(stack, 'NotifyAddress', {
    description: 'E-mail address that gets a message at the end of each run and for each alarm; may be empty',
    default: '',
  });
  const expression = Fn.conditionNot(Fn.conditionEquals(address, ''));
  const isGiven = new CfnCondition(stack, 'NotifyAddressIsGiven', { expression });
  for (const subscription of stack.node.findAll().filter((one) => one instanceof CfnSubscription)) {
    subscription.endpoint = address.valueAsString;
    subscription.cfnOptions.condition = isGiven;
  }
  return stack;
}

/** The part of the change log from the heading of a version to the next one. */
export function changesOf(version: string, changelog: string): string {
  const entries = changelog.split(/^(?=## \[)/m);
  const entry = entries.find((one) => one.startsWith(`## [${version}]`));
  if (entry === undefined) {
    throw new Error(`CHANGELOG.md: must have an entry "## [${version}]", the version of package.json, got none`);
  }
  return entry;
}

function writeRelease(out: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const name = `network-benchmark-${version}`;
  const folder = resolve(out, name);
  if (existsSync(folder)) throw new Error(`${folder}: must not exist yet, because a release is made once`);
  const changes = changesOf(version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  const outdir = `${folder}.assembly`;
  const app = new App({ outdir, analyticsReporting: false });
  releasedStack(app, name);
  const { directory } = app.synth();
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(directory, `${STACK_NAME}.assets.json`), 'utf8')) as AssetManifest;
  for (const [hash, { source }] of Object.entries(manifest.files)) {
    if (source.packaging === 'zip') {
      writeFileSync(join(folder, 'assets', `${hash}.zip`), zip(join(directory, source.path)));
    }
  }
  copyFileSync(join(directory, `${STACK_NAME}.template.json`), join(folder, TEMPLATE));
  rmSync(outdir, { recursive: true });
  writeFileSync(join(folder, 'CHANGELOG.md'), changes);
  writeFileSync(join(folder, 'README.md'), instructions(name));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  // The script that compiles the package is no stranger's, whatever npm is told about those.
  const packing = ['pack', '--ignore-scripts=false', '--pack-destination', folder];
  execFileSync('npm', packing, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
  return folder;
}

/** Lists every file of a folder as `sha256sum --check` reads it. */
export function checksums(folder: string): string {
  const sum = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return filesBelow(folder)
    .map((path) => `${sum(path)}  ${path}\n`)
    .join('');
}

if (require.main === module) {
  const { out } = parseArgs({ options: { out: { type: 'string', default: '.' } } }).values;
  console.log(writeRelease(resolve(process.env.INIT_CWD ?? '.', out)));
}
