import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fixturePath, readFixture } from '../support/fixtures';

const ROOT = join(__dirname, '..', '..');

function analyse(...args: string[]) {
  const { npm_lifecycle_event, ...env } = process.env;
  const run = spawnSync('bash', ['scripts/analyse.sh', ...args], { cwd: ROOT, env, encoding: 'utf8' });
  return { exitCode: run.status, output: run.stdout, errors: run.stderr };
}

type Line = Readonly<Record<string, unknown>>;

function analyseJson(...files: string[]) {
  const { exitCode, output } = analyse('--json', ...files);
  return {
    exitCode,
    lines: output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'analyse-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : new Uint8Array(content));
  return path;
}

test('real token buckets: burst and baseline from the receiver, the onset within a second', () => {
  const names = ['t02-burst-2g-500m', 't12-partly-recharged'].map((name) =>
    fixturePath(`real-buckets/${name}.iperf3.json`),
  );
  const { exitCode, lines } = analyseJson(...names);
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.file)).toEqual(names);
  const [t02, t12] = lines.map((line) => line.verdict as Record<string, number | string>);
  expect(t02).toMatchObject({ kind: 'lasting_drop', seriesClass: 'burst_then_throttle', direction: 'forward' });
  // What the wire's counters and the buckets' configuration say (fixtures' own notes).
  expect(Math.abs(Number(t02!.onsetSeconds) - 20.8)).toBeLessThan(1);
  expect(Math.abs(Number(t02!.baselineBitsPerSecond) / 0.5e9 - 1)).toBeLessThan(0.05);
  expect(Math.abs(Number(t02!.burstBitsPerSecond) / 2e9 - 1)).toBeLessThan(0.05);
  expect(Math.abs(Number(t12!.onsetSeconds) - 6.2)).toBeLessThan(1);
  expect(Math.abs(Number(t12!.baselineBitsPerSecond) / 0.4e9 - 1)).toBeLessThan(0.05);
  expect(lines[0]).toMatchObject({ tool: 'iperf3', toolVersion: '3.12', complete: true, warnings: [] });
  expect(lines[0]!.statistics).toMatchObject({ throughputBitsPerSecond: { max: 1_990_000_000 }, retransmits: 177 });
});

test('every recording is read, and every line has the promised keys', () => {
  const root = fixturePath('tool-output');
  const recordings = (readdirSync(root, { recursive: true }) as string[])
    .map((name) => join(root, name))
    // Rates of curl are those of the hosts' counters, which its transfers do not have; iperf 2 is refused by name.
    .filter((path) => statSync(path).isFile() && !/\/(?:curl|iperf2)\//.test(path));
  const { exitCode, lines } = analyseJson(...recordings);
  expect(exitCode).toBe(0);
  expect(lines).toHaveLength(recordings.length);
  for (const line of lines) {
    expect(Object.keys(line)).toEqual([
      'file',
      'tool',
      'kind',
      'toolVersion',
      'complete',
      'statistics',
      'verdict',
      'warnings',
    ]);
    // Those of whole runs are long enough for a verdict.
    if (String(line.file).includes('-driver/')) continue;
    // A few seconds are too few for any verdict, and latency has none.
    const measured = JSON.stringify(line.statistics).includes('throughputBitsPerSecond');
    expect(line.verdict === null ? null : (line.verdict as Line).kind).toBe(measured ? 'insufficient' : null);
  }
});

test('a file that cannot be read does not stop the others', () => {
  const good = fixturePath('tool-output/sockperf/3.7-pp-full.out');
  const bad = [
    join(folder, 'missing.txt'),
    file('empty.txt', ''),
    file('prose.txt', 'dear diary'),
    file('binary.bin', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))),
    folder,
  ];
  const { exitCode, lines } = analyseJson(...bad, good);
  expect(exitCode).toBe(1);
  expect(lines.slice(0, -1).map((line) => Object.keys(line))).toEqual(bad.map(() => ['file', 'error']));
  expect(lines.map((line) => line.error)).toEqual([
    expect.stringContaining('no such file'),
    'the file is empty',
    'must be output of iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath, got something else',
    'must be output of iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath, got something else',
    expect.stringContaining('directory'),
    undefined,
  ]);
  expect(lines.at(-1)).toMatchObject({ tool: 'sockperf', verdict: null, statistics: { rttMicros: { p50: 73.834 } } });
});

test('without --json: tables on standard output, one clear line for each unreadable file, no colours', () => {
  const { exitCode, output, errors } = analyse(
    fixturePath('real-buckets/t02-burst-2g-500m.iperf3.json'),
    fixturePath('tool-output/iperf3/3.16/json-bidir.out'),
    fixturePath('tool-output/sockperf/3.7-pp-full.out'),
    join(folder, 'missing.txt'),
  );
  expect(exitCode).toBe(1);
  expect(output).toMatch(/t02-burst-2g-500m.* iperf3 3\.12 +yes +forward .*lasting_drop\n/);
  expect(output).toMatch(/json-bidir\.out +iperf3 3\.16 +yes +reverse +60\.3 Mbit\/s/);
  expect(output).toMatch(/3\.7-pp-full\.out +sockperf 3\.7 +yes +61\.9 +4\.8 +73\.8 +218\.6/);
  expect(output).not.toContain('\u001b');
  expect(errors.trimEnd().split('\n')).toEqual([expect.stringContaining('missing.txt: ENOENT')]);
});

test('a file in the encoding of a Windows shell', () => {
  const text = readFixture('tool-output/iperf3/3.12-verbose/reverse.client.out').replace(/\n/g, '\r\n');
  const path = file('utf16.txt', Buffer.from(`\ufeff${text}`, 'utf16le'));
  expect(analyseJson(path).lines[0]).toMatchObject({ toolVersion: '3.12', complete: true });
});

test("through npm, file names are relative to the user's folder", () => {
  const run = spawnSync('npm', ['--prefix', ROOT, 'run', '--silent', 'analyse', '--', '--json', 'here.txt'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/"file":"here\.txt","error":"ENOENT: no such file/);
  file('here.txt', readFixture('tool-output/iperf3/3.12-verbose/reverse.client.out'));
  const again = spawnSync('npm', ['--prefix', ROOT, 'run', '--silent', 'analyse', '--', '--json', 'here.txt'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(JSON.parse(again.stdout)).toMatchObject({ file: 'here.txt', complete: true });
});

test.each([
  ['no file', []],
  ['an option that is none', ['--jsn', relative(ROOT, __filename)]],
])('fails on %s, and prints the usage', (_name, args) => {
  const { exitCode, output, errors } = analyse(...args);
  expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
  expect(errors).toContain('usage: npm run --silent analyse -- FILE');
});
