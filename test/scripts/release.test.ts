/** What a release is made of; test/end_to_end/test_deploy_and_destroy.py makes one, and deploys from its folder alone. */
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { changesOf, checksums, releasedStack } from '../../scripts/write-release';
import { zip } from '../../scripts/zip';
import { newStack, withoutCodeHashes, type CfnResource } from '../support/synth';

interface Written {
  readonly Parameters: Record<string, unknown>;
  readonly Conditions: unknown;
  readonly Resources: Record<string, CfnResource & { readonly Condition?: string }>;
}

process.env.CDK_VALIDATION = 'false';
const app = new App({
  context: { 'aws:cdk:bundling-stacks': [] },
  analyticsReporting: false,
  builtinCloudFormationValidation: false,
});
const released = Template.fromStack(releasedStack(app, 'network-benchmark-1.2.3')).toJSON() as Written;

test('its template has parameters for its code and its messages, and asks for no bootstrap and no look-up', () => {
  const other = Object.keys(released).filter((part) => part !== 'Resources' && part !== 'Outputs');
  expect(other.sort()).toEqual(['Conditions', 'Description', 'Parameters']);
  expect(Object.keys(released.Parameters)).toEqual(['AssetsBucket', 'AssetsPrefix', 'NotifyAddress']);
  expect(released.Parameters.AssetsPrefix).toMatchObject({ Default: 'network-benchmark-1.2.3/assets/' });
  expect(app.synth().manifest.missing).toBeUndefined();
});

test('is the stack of the defaults with messages, but for where its code is and who gets messages', () => {
  const { Resources } = Template.fromStack(newStack({ notify: 'address@of.parameter' })).toJSON() as Written;
  const expected = structuredClone(Resources);
  for (const [id, { Type, Properties }] of Object.entries(expected)) {
    if (Type === 'AWS::Lambda::Function') {
      Properties.Code = {
        S3Bucket: { 'Fn::Sub': '${AssetsBucket}' },
        S3Key: { 'Fn::Sub': '${AssetsPrefix}HASH.zip' },
      };
    }
    if (Type === 'AWS::SNS::Subscription') {
      Properties.Endpoint = { Ref: 'NotifyAddress' };
      expected[id] = { ...expected[id]!, Condition: 'NotifyAddressIsGiven' };
    }
  }
  expect(withoutCodeHashes(released.Resources)).toEqual(withoutCodeHashes(expected));
  expect(released.Conditions).toEqual({
    NotifyAddressIsGiven: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'NotifyAddress' }, ''] }] },
  });
});

test('its template leaves room below CloudFormation’s limit of a million bytes', () => {
  expect(statSync(app.synth().stacks[0]!.templateFullPath).size).toBeLessThan(600_000);
});

test('its checksums list every file of the folder, in the form of sha256sum', () => {
  const folder = mkdtempSync(join(tmpdir(), 'summed-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets/a.zip'), 'abc');
  writeFileSync(join(folder, 'README.md'), '');
  expect(checksums(folder)).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  README.md\n' +
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  assets/a.zip\n',
  );
  rmSync(folder, { recursive: true });
});

test('the change log of a version ends before that of the version before it', () => {
  const log = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-24\n\n- new\n\n## [1.2.2]\n\n- old\n';
  expect(changesOf('1.2.3', log)).toBe('## [1.2.3] - 2026-11-24\n\n- new\n\n');
  expect(() => changesOf('1.2', log)).toThrow('CHANGELOG.md: must have an entry "## [1.2]"');
});

test('a zip of the same files has the same bytes, whenever they were written', () => {
  const zips = [
    ['index.mjs', 'page-script.js'],
    ['page-script.js', 'index.mjs'],
  ].map((names, index) => {
    const folder = mkdtempSync(join(tmpdir(), 'zipped-'));
    for (const name of names) {
      writeFileSync(join(folder, name), `text of ${name}`, { mode: 0o600 });
      utimesSync(join(folder, name), 0, 1e9 * index);
    }
    const zipped = Buffer.from(zip(folder)).toString('hex');
    rmSync(folder, { recursive: true });
    return zipped;
  });
  expect(zips[1]).toBe(zips[0]);
});
