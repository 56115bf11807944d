import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fixturePath, readFixture } from '../support/fixtures';
import { textOf } from '../support/page-markup';

const ROOT = join(__dirname, '..', '..');
const { npm_lifecycle_event, ...env } = process.env;

function fit(args: readonly string[], { input, columns = '' }: { input?: Uint8Array; columns?: string } = {}) {
  const run = spawnSync('bash', ['scripts/fit.sh', ...args], {
    cwd: ROOT,
    env: { ...env, COLUMNS: columns },
    encoding: 'utf8',
    input,
  });
  return { exitCode: run.status, output: run.stdout, errors: run.stderr };
}
const trace = fixturePath('traces/get-metric-data.json');

test('a sentence, a table, and what was read', () => {
  const { exitCode, output, errors } = fit([trace, '--types', 'c5'], { columns: '80' });
  expect([exitCode, errors]).toEqual([0, '']);
  expect(output).toMatch(
    /^c5\.xlarge \(124 USD a month\) certainly holds this traffic, the cheapest of the 8\nthat do \(9 types examined\)\.\n\ntype /,
  );
  expect(output).toMatch(/^c5\.xlarge +never /m);
  expect(output).toMatch(/^c5\.large +certainly +14 min 44 s /m);
  expect(output).toContain('\nCloudWatch get-metric-data: Sum, bytes of the period; period 300 s.\n');
  expect(output).toMatch(/list prices in us-east-1, instances as of\n20\d\d-\d\d-\d\d, /);
  expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(output).toMatch(/^[\x00-\x7f]*$/);
});

test('of many types, the cheapest of each answer', () => {
  const { output } = fit([trace, '--vcpus', '8', '--memory', '16'], { columns: '200' });
  expect(output.match(/^\S+ +(never|perhaps|certainly) /gm)!.length).toBeLessThanOrEqual(24);
  expect(output).toMatch(/^Not shown: \d+ more types\. --json lists all types, --types selects some\.$/m);
});

test('--json has every type, direction and interval', () => {
  const { output } = fit([trace, '--types', 'c5.large,m6i.large', '--json']);
  const { cheapest, types, notes } = JSON.parse(output) as Record<'cheapest' | 'types' | 'notes', object[]>;
  expect(cheapest).toEqual({ certainly: null, nearlyAll: null });
  expect(types).toMatchObject([
    {
      instanceType: 'c5.large',
      throttled: 'certainly',
      source: 'public_recordings',
      memoryGibibytes: 4,
      series: [{ direction: 'out' }, {}, {}],
    },
    { instanceType: 'm6i.large', throttled: 'perhaps', source: 'published_figures', bucketBits: null },
  ]);
  expect(JSON.stringify(notes)).toContain('1 gap, 5 min unknown');
});

test('standard input, gzip, and two files', () => {
  const { output } = fit(['-', fixturePath('traces/console.csv'), '--types', 'c5.large'], {
    input: gzipSync(readFixture('traces/flow-log-custom.txt')),
  });
  expect(output).toContain('eni-0a1b2c3d4e5f60718, out: 2 intervals');
  expect(output).toContain('i-0123456789abcdef0, in: 2 intervals');
});

test('the inverse: which types carry a volume in time, and how to pace it', () => {
  const { exitCode, output } = fit(['--transfer', '2TB', '--within', '40 min', '--types', 'c5'], { columns: '120' });
  expect(exitCode).toBe(0);
  expect(output).toMatch(
    /^c5\.4xlarge \(496 USD a month\) certainly carries 2 000 GB within 40 min, the cheapest of the 6 that do \(9 types examined\)\.\n/,
  );
  expect(output).toMatch(/^c5\.xlarge +no +2 h 33 min \(2 h 24 min to 2 h 41 min\) .* 1\.65 Gbit\/s +124$/m);
  expect(output.replaceAll('\n', ' ')).toContain('At its safe pace, a type is never throttled.');
});

const folder = mkdtempSync(join(tmpdir(), 'fit-'));

test('--html writes the same answer as a page over what the file had', () => {
  const html = join(folder, 'fit.html');
  writeFileSync(html, 'an older page');
  const { exitCode, output, errors } = fit([trace, '--types', 'c5', '--html', html]);
  expect([exitCode, errors]).toEqual([0, '']);
  expect(output).toBe(fit([trace, '--types', 'c5']).output);
  const page = readFileSync(html, 'utf8');
  expect(page).toMatch(/^<!doctype html>/);
  expect(textOf(page)).toContain(output.split('\n')[0]);
  expect(textOf(page)).toMatch(/c5\.large is certainly throttled, first after 14 min 44 s: .* Credits left Gbit/);
  expect(page).toContain('<svg');
});

test('--html of a transfer, beside JSON', () => {
  const html = join(folder, 'transfer.html');
  const { output } = fit(['--transfer', '2TB', '--types', 'c5', '--json', '--html', html]);
  expect(JSON.parse(output)).toMatchObject({ transferBytes: 2e12 });
  expect(textOf(readFileSync(html, 'utf8'))).toMatch(
    / certainly carries 2 000 GB, .* At its safe pace, a type is never/,
  );
});

test.each([
  [join(folder, 'missing', 'fit.html'), 'no such file or directory'],
  [folder, 'illegal operation on a directory'],
])('--html %s can’t be written: nothing is printed but why', (html, why) => {
  const run = fit([trace, '--types', 'c5', '--html', html]);
  expect(run).toEqual({ exitCode: 1, output: '', errors: `fit: --html ${html}: ${why}\n` });
});

test.each([
  [[], 2, /^fit: FILE: must be given, or --transfer /],
  [['--nosuch'], 2, /^fit: unknown option "--nosuch"; allowed: --types, .*--help\n\nusage: /],
  [['--transfer', '2'], 2, /^fit: --transfer: must be a number with a unit of bytes, as 2TB, got "2"\n$/],
  [
    ['--transfer', '2TB', '--within', '3GB'],
    2,
    /^fit: --within: must be a number with a unit of seconds, as 40min, got "3GB"\n$/,
  ],
  [[trace, '--vcpus', 'many'], 2, /^fit: --vcpus: must be a number, got "many"\n$/],
  [[trace, '--statistic', 'Maximum'], 2, /^fit: --statistic: must be Sum or Average, got "Maximum"\n$/],
  [['/nonexistent'], 1, /^\/nonexistent: no such file or directory\n$/],
  [[join(ROOT, 'LICENSE')], 1, /LICENSE: trace: must be CloudWatch's get-metric-data /],
])('%j ends with exit code %d', (args, exitCode, message) => {
  const run = fit(args);
  expect(run).toMatchObject({ exitCode, output: '' });
  expect(run.errors).toMatch(message);
});

test('--help', () => {
  expect(fit(['--help'])).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/^usage: npm run --silent fit -- FILE/) as string,
  });
});
