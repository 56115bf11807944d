import { spawnSync } from 'node:child_process';
import path from 'node:path';

interface Printed {
  readonly types: readonly {
    readonly instanceType: string;
    readonly recordedAs: string;
    readonly figures: Readonly<
      Record<string, { value: number | null; low?: number; absent?: string; source: { name: string; date: string } }>
    >;
  }[];
}

function run(...args: string[]) {
  const script = path.join(__dirname, '../../scripts/run-bundle.sh');
  const env = { ...process.env, COLUMNS: undefined, AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' };
  return spawnSync('bash', [script, 'types', ...args], { encoding: 'utf8', env });
}

const objectOf = (...args: string[]) => JSON.parse(run(...args, '--json').stdout) as Printed;

/** The unit of a figure by the end of its name. */
const UNITS = [
  [/BitsPerSecond$/, 1e9, ' Gbit/s'],
  [/Bits$/, 1e9, ' Gbit'],
  [/Seconds$/, 1, ' s'],
  [/PerHour$/, 1, ' USD/h'],
  [/Count$/, 1, ''],
  [/PerSecond$/, 1, ''],
] as const;

/** Every line of a table whose last cell is a source: the number (or word) that its value begins with, and the source. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\S.*? {2,}(\S.*?) {2,}(\S[\w ]*, 20[\d-]+)$/gm)].map(([, value = '', source]) => [value, source]);

/** How the table of one type must differ from JSON. */
function differences(text: string, { types: [type] }: Printed): string[] {
  const rows = rowsOf(text);
  const figures = Object.entries(type?.figures ?? {});
  if (rows.length !== figures.length) return [`${rows.length} rows, ${figures.length} figures`];
  return figures.flatMap(([name, { value, low, absent, source }], index) => {
    const [shown = '', shownSource] = rows[index] ?? [];
    const [, size, unit] = UNITS.find(([end]) => end.test(name)) ?? [null, NaN, '?'];
    const number = Number(/^\d+( \d{3})*(\.\d+)?/.exec(shown)?.[0].replaceAll(' ', ''));
    const expected = (value ?? low ?? NaN) / size;
    const isSame =
      absent === undefined
        ? Math.abs(number / expected - 1) < 0.005 && shown.replace(/ \(.*|,.*/, '').endsWith(unit)
        : shown === absent;
    return isSame && shownSource === `${source.name}, ${source.date}` ? [] : [`${name}: ${shown} (${shownSource})`];
  });
}

test.each(['c5.xlarge', 'm6i.large', 'c6in.32xlarge', 'm4.large'])('%s: JSON has the figures of the table', (name) => {
  expect(differences(run(name).stdout, objectOf(name))).toEqual([]);
});

test('a wrong figure or source in the table is noticed', () => {
  const { stdout } = run('c5.xlarge');
  const json = objectOf('c5.xlarge');
  expect(differences(stdout.replace('527 s', '537 s'), json)).toEqual([expect.stringMatching(/^burstSeconds: 537 s/)]);
  expect(differences(stdout.replace('NSDI, 2020-02', 'EC2 API, 2020-02'), json)).toHaveLength(1);
});

test('what is not known says why and how to measure it; sources are explained once', () => {
  const { stdout } = run('c5.xlarge', 'm6i.large');
  expect(stdout).toContain(
    'bucket and refill: EC2 publishes no such figure, and no public recording of m6i.large is known. ',
  );
  expect(stdout).toContain(
    'put m6i.large into examples/plans/choose-instance-type.json and run that plan; npm run plan shows its price',
  );
  expect(stdout.match(/^EC2 API, 2026-10-27: DescribeInstanceTypes as recorded by moto/gm)).toHaveLength(1);
  expect(stdout).not.toMatch(/[^ -~\n]/);
});

test('several types are compared first, and a type that is named twice is there once', () => {
  const { stdout } = run('c5.large', 'c5.large', 'm6i.large');
  const [table = ''] = stdout.split('\n\n');
  expect(table.split('\n').map((line) => line.split(' ')[0])).toEqual(['type', '---------', 'c5.large', 'm6i.large']);
  expect(run('c5.large').stdout).toMatch(/^c5\.large: 2 vCPUs, x86_64\n/);
});

test('a family is all of its types, from small to large', () => {
  const names = objectOf('c5').types.map(({ instanceType }) => instanceType.replace('c5.', ''));
  expect(names.slice(0, 5)).toEqual(['large', 'xlarge', '2xlarge', '4xlarge', '9xlarge']);
  expect(names).toHaveLength(9);
});

test('a variant with disks has the network of the type without, its own price, and says so', () => {
  const { types } = objectOf('c5d.xlarge');
  expect(types).toEqual([expect.objectContaining({ instanceType: 'c5d.xlarge', recordedAs: 'c5.xlarge' })]);
  expect(types[0]?.figures.usdPerHour?.value).toBe(0.192);
  expect(run('c5d.xlarge').stdout).toMatch(/^c5d\.xlarge: .*; its network figures are recorded under c5\.xlarge\n/);
});

test.each(['--help', '-h'])('prints its usage for %s', (option) => {
  const stdout = expect.stringMatching(/^usage: npm run --silent types -- TYPE… /) as string;
  expect(run(option)).toMatchObject({ status: 0, stdout, stderr: '' });
});

test.each([
  [[], /^types: must be given a TYPE, got none\n\nusage: /],
  [['--nosuch'], /^types: unknown option "--nosuch"; allowed: --stack, --region, --json, --help\n\nusage: /],
  [
    ['c5.xlarge', 'c5.xlrage'],
    /^types: TYPE: must be an instance type or a family in the table of 2026-10-27 \(659 types\), got "c5\.xlrage"; did you mean c5\.xlarge\?\n$/,
  ],
  // Without a Region, the SDK asks nobody.
  [
    ['c5.large', '--stack', 'Nowhere'],
    /^types: --stack: must be a deployment of this project that can be read, got Nowhere: /,
  ],
  [['c5x'], /, got "c5x"; did you mean c5\?\n$/],
  [['c5\u001b[2J'], /, got "c5\\u001b\[2J"/],
])('refuses %j with a sentence and exit code 2', (args, stderr) => {
  expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(stderr) as string });
});
