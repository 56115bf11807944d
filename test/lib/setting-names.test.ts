/** Which keys of the context are the project's settings, and what becomes of a misspelt one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContext } from '../../lib/context';
import { newApp } from '../support/synth';
import { SETTING_NAMES } from '../../lib/settings';

const ROOT = join(__dirname, '../..');

test('the settings are those that docs/deploy.md lists', () => {
  const document = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const [, table = ''] = /^\| context \(.*?\n\| --.*?\n(.*?)\n\n/ms.exec(document) ?? [];
  const listed = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
  expect(listed.sort()).toEqual(SETTING_NAMES);
});

test.each([
  ['canarySchedle', 'canarySchedule'],
  ['Notify', 'notify'],
  ['hostVPCs', 'hostVpcs'],
  ['stack-name', 'stackName'],
])('%s is refused, and %s was meant', (written, meant) => {
  const sentence = `context ${written}: is no setting; did you mean "${meant}"?`;
  expect(() => readContext({ [written]: 'x' })).toThrow(sentence);
});

test("the CDK's own context is left alone", () => {
  const context = newApp({ 'availability-zones:account=1:region=us-east-1': [] }).node.getAllContext() as object;
  expect(Object.keys(context).length).toBeGreaterThan(50);
  expect(() =>
    readContext({ ...context, ...Object.fromEntries(SETTING_NAMES.map((name) => [name, undefined])) }),
  ).not.toThrow();
});

function deployWith(settings: Readonly<Record<string, string>>) {
  const CDK_CONTEXT_JSON = JSON.stringify({ ...settings, 'aws:cdk:bundling-stacks': [] });
  return spawnSync(
    process.execPath,
    ['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs'), 'bin/network-benchmark.ts'],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        CDK_DEFAULT_REGION: 'eu-central-1',
        CDK_CONTEXT_JSON,
      },
      encoding: 'utf8',
    },
  );
}

test.each([
  ['canarySchedle', 'rate(1 day)', 'context canarySchedle: is no setting; did you mean "canarySchedule"?\n'],
  ['zones', '9', /^context zones: must be [^\n]*, got "9"\n$/],
  ['notify', 'arn:aws:sns:us-east-1:123456789012:alarms', /^context notify: [^\n]* in eu-central-1, where [^\n]*\n$/],
])('the program says what is wrong with %s in a sentence, without a stack trace', (key, value, sentence) => {
  const run = deployWith({ [key]: value });
  expect(run.status).toBe(1);
  expect(run.stderr).toMatch(sentence);
});

test('the program names all wrong settings at once, with what stands under a misspelt name', () => {
  const run = deployWith({
    canarySchedle: 'rate(1 day)',
    canaryPlan: 'nope.json',
    Zones: '0',
    publicAddresses: 'nein',
    removalPolicy: 'delete',
    stackName: '1st',
  });
  expect(run.status).toBe(1);
  expect(run.stderr.split('\n').map((line) => line.replace(/: (is|must be) .*/, ''))).toEqual([
    'context canarySchedle',
    'context Zones',
    'context stackName',
    'context zones',
    'context removalPolicy',
    'context publicAddresses',
    'context canaryPlan',
    '',
  ]);
  // Its schedule is misspelt, and not missing.
  expect(run.stderr).toContain('context canaryPlan: must be the path of a JSON file, got nope.json');
});
