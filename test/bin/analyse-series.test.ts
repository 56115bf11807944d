import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fixturePath } from '../support/fixtures';

const ROOT = join(__dirname, '..', '..');
const PUBLIC = fixturePath('detection/public.jsonl.gz');

type Line = Readonly<Record<string, unknown>>;

const { npm_lifecycle_event, ...env } = process.env;

function analyse(args: readonly string[], input?: string | Uint8Array) {
  const run = spawnSync('bash', ['scripts/analyse.sh', '--series', ...args], {
    cwd: ROOT,
    env,
    input,
    encoding: 'utf8',
  });
  const lines = run.stdout.split('\n').slice(0, -1);
  return {
    exitCode: run.status,
    errors: run.stderr.split('\n').slice(0, -1),
    lines: lines.map((line) => JSON.parse(line) as Line),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'series-'));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Numbers {
  readonly t: readonly number[];
  readonly bps: readonly number[];
}

/** Burst to `onset`, then an eighth, with the scatter of a real flow. */
function throttledAt(onset: number, sampleCount = 120, dt = 1): Numbers {
  const t = Array.from({ length: sampleCount }, (_, index) => index * dt);
  const bps = t.map((time, index) => (time < onset ? 8e9 : 1e9) * (1 + 0.01 * Math.sin(7 * index)));
  return { t, bps };
}

const good = (id: string, onset = 40) => JSON.stringify({ id, ...throttledAt(onset), dt: 1 });

test('the public benchmark: one line per series, in order, with every field that is scored', () => {
  const { exitCode, errors, lines } = analyse([PUBLIC]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: [] });
  const labelled = gunzipSync(new Uint8Array(readFileSync(PUBLIC)))
    .toString('utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => line.id)).toEqual(labelled.map((line) => (JSON.parse(line) as Line).id));
  for (const line of lines) {
    expect(Object.keys(line).join()).toBe(
      'id,kind,throttled,onset_s,onset_lo,onset_hi,burst_bps,baseline_bps,capacity_bits,confidence,warnings,cause,if_network_credits,ms',
    );
    expect(typeof line.throttled).toBe('boolean');
    expect(line.ms).toBeGreaterThan(0);
    if (line.throttled === true) expect(line.onset_lo).toBeLessThanOrEqual(Number(line.onset_s));
    else expect(line.onset_s).toBeNull();
  }
});

test('several files, compressed regardless of their names, and standard input among them', () => {
  const packed = file('packed.jsonl', new Uint8Array(gzipSync(`${good('a')}\n${good('b')}\n`)));
  const plain = file('plain.jsonl.gz', `\ufeff${good('c')}\r\n\r\n${good('d')}`);
  expect(analyse([packed, '-', plain], good('e')).lines.map((line) => line.id)).toEqual(['a', 'b', 'e', 'c', 'd']);
  const packedInput = new Uint8Array(gzipSync(good('f')));
  expect(analyse(['-'], packedInput).lines).toMatchObject([{ id: 'f', kind: 'drop' }]);
});

test('the length of a sample comes from the times where it is not given', () => {
  const tenths = throttledAt(40, 1200, 0.1);
  const shuffled = { t: [...tenths.t].reverse(), bps: [...tenths.bps].reverse() };
  const lines = [
    { id: 'told', ...tenths, dt: 0.1 },
    { id: 'not told', ...tenths },
    { id: 'null, unsorted', ...shuffled, dt: null },
  ].map((line) => JSON.stringify(line));
  const [told, ...others] = analyse(['-'], lines.join('\n')).lines;
  expect(told).toMatchObject({ kind: 'drop', throttled: true });
  expect(Math.abs(Number(told!.onset_s) - 40)).toBeLessThan(0.05);
  for (const other of others) expect({ ...other, id: 0, ms: 0 }).toEqual({ ...told, id: 0, ms: 0 });
});

test('what may be wrong with the times is said in the warnings of the line', () => {
  const { t, bps } = throttledAt(40);
  const milliseconds = JSON.stringify({ id: 'ms', t: t.map((time) => 1000 * time), bps });
  const { exitCode, lines } = analyse(['-'], `${milliseconds}\n${good('s')}\n`);
  expect(exitCode).toBe(0);
  expect(lines.map(({ warnings }) => warnings)).toEqual([
    [expect.stringMatching(/^the times are 1000 apart .* if they are milliseconds, divide them by 1,000/)],
    [],
  ]);
});

test('samples without a number are missing, and the line is still predicted', () => {
  const { t, bps } = throttledAt(40);
  const holes: readonly unknown[] = bps.map((rate, index) => [null, 'N', 'P', 'M', 1e999][index % 17] ?? rate);
  const python = JSON.stringify({ id: 'NaN, Infinity: "a"', t, bps: holes })
    .replace(/"N"/g, 'NaN')
    .replace(/"P"/g, 'Infinity')
    .replace(/"M"/g, '-Infinity');
  expect(python).toMatch(/NaN,.*-Infinity/);
  const { exitCode, lines } = analyse(['-'], `${python}\n${JSON.stringify({ id: 7, t: [0], bps: [null] })}\n`);
  expect(exitCode).toBe(0);
  expect(lines).toMatchObject([
    { id: 'NaN, Infinity: "a"', kind: 'drop', throttled: true },
    { id: 7, kind: 'insufficient', throttled: false, onset_s: null },
  ]);
  expect(Math.abs(Number(lines[0]!.onset_s) - 40)).toBeLessThan(1);
});

test('a line that cannot be read is named with the allowed values; the others are predicted', () => {
  const bad = [
    ['{"id": "x", "t": [0, 1], "bps": [1, "fast"]}', 'bps[1]: must be a number or null, got "fast"'],
    ['{"id": "x", "t": [0, 1], "bps": [1]}', 'bps: must have as many values as t (2), got 1'],
    ['{"id": "x", "t": [0], "bps": [1], "dt": 0}', 'dt: must be seconds above 0, or left out, got 0'],
    ['{"id": "x", "bps": [1]}', 't: must be an array of numbers, got nothing'],
    [
      '{"id": "x", "t": [0, 1000, 2000], "bps": [1, 1, 1], "dt": 1}',
      't: must be seconds, got times that are 1000 apart',
    ],
    ['{"t": [0], "bps": [1]}', 'id: must be a string or a number, got nothing'],
    ['[1, 2]', 'line: must be an object with id, t and bps, got [1,2]'],
    ['{"id": "cut off", "t": [0, 1', 'line: must be JSON, got "{\\"id\\": \\"cut off\\", \\"t\\": [0, 1"'],
  ] as const;
  const path = file('bad.jsonl', bad.map(([line], index) => `${line}\n${good(`good ${index}`)}\n`).join(''));
  const missing = join(folder, 'missing.jsonl');
  const halfPacked = file('half.jsonl.gz', new Uint8Array(gzipSync(`${good('h')}\n`)).subarray(0, -9));
  const empty = file('empty.jsonl', '\n');
  const { exitCode, errors, lines } = analyse([path, missing, halfPacked, empty, file('last.jsonl', good('last'))]);
  expect(exitCode).toBe(1);
  expect(lines.map((line) => line.id)).toEqual([...bad.map((_, index) => `good ${index}`), 'h', 'last']);
  expect(errors).toEqual([
    ...bad.map(([, message], index) => expect.stringContaining(`${path}:${2 * index + 1}: ${message}`) as string),
    expect.stringContaining(`${missing}: ENOENT`),
    expect.stringContaining(`${halfPacked}: unexpected end of file`),
    `${empty}: must hold one series per line, got an empty file`,
    'each line must hold a whole series, such as {"id": "a", "t": [0, 1, 2], "bps": [2.0e9, 1.9e9, null], "dt": 1}',
  ]);
});

test('memory does not grow with the number of series', () => {
  // The ids come back in the predictions, so this heap holds neither all of the text nor all of the predictions.
  const NODE_OPTIONS = '--max-old-space-size=32';
  const series = throttledAt(20, 60);
  const text = Array.from({ length: 3000 }, (_, index) =>
    JSON.stringify({ id: `${index} ${'x'.repeat(20_000)}`, ...series }),
  );
  const path = file('many.jsonl.gz', new Uint8Array(gzipSync(text.join('\n'), { level: 1 })));
  const command = `bash scripts/analyse.sh --series '${path}' | wc -l; echo "\${PIPESTATUS[0]}"`;
  const run = spawnSync('bash', ['-c', command], { cwd: ROOT, env: { ...env, NODE_OPTIONS }, encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout.trim().split(/\s+/)).toEqual(['3000', '0']);
});

test('a slow reader slows down the reading of the file', async () => {
  const child = spawn('bash', ['scripts/analyse.sh', '--series', '-'], { cwd: ROOT, env });
  const line = `${JSON.stringify({ id: 'x'.repeat(20_000), ...throttledAt(20, 60) })}\n`;
  // Nobody reads yet: the pipes fill up, and then the program must stop reading instead of piling up predictions. A
  // busy machine can make a program that goes on reading look stopped, but not the other way round.
  let sentCount = 0;
  let isBlocked = false;
  while (sentCount < 2000 && !isBlocked) {
    sentCount += 1;
    if (child.stdin.write(line)) continue;
    const drained = once(child.stdin, 'drain').then(() => true);
    const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2000));
    isBlocked = !(await Promise.race([drained, patience]));
  }
  let readCount = 0;
  createInterface({ input: child.stdout }).on('line', () => (readCount += 1));
  child.stdin.end();
  const [exitCode] = (await once(child, 'close')) as [number];
  expect({ exitCode, isBlocked, readCount }).toEqual({ exitCode: 0, isBlocked: true, readCount: sentCount });
});

test('a day of seconds is read', () => {
  const day = JSON.stringify({ id: 'day', ...throttledAt(30_000.4, 86_400), dt: 1 });
  const { lines } = analyse([file('day.jsonl', `${day}\n`)]);
  expect(lines).toMatchObject([{ id: 'day', kind: 'drop' }]);
});

test('a reader that leaves early is no failure', () => {
  const command = `bash scripts/analyse.sh --series '${PUBLIC}' | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const run = spawnSync('bash', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' });
  const [first, exitCode] = run.stdout.trimEnd().split('\n');
  expect(JSON.parse(first!)).toMatchObject({ id: 'p0000' });
  expect({ exitCode, errors: run.stderr }).toEqual({ exitCode: '0', errors: '' });
});

test('the example of an error, and that of docs/analyse.md, can be read', () => {
  const { errors } = analyse(['-'], '{"id": "a", "t": 0, "bps": 2e9}\n');
  expect(errors[0]).toBe('-:1: t: must be an array of numbers, got 0');
  const example = errors[1]!.slice(errors[1]!.indexOf('{'));

  const page = readFileSync(join(ROOT, 'docs/analyse.md'), 'utf8');
  const [, documented = ''] = /analyse -- --series .*?```json\n(.*?)\n```/s.exec(page) ?? [];
  const { exitCode, lines } = analyse(['-'], `${example}\n${documented}\n`);
  expect({ exitCode, ids: lines.map(({ id }) => id) }).toEqual({ exitCode: 0, ids: ['a', 'a'] });
});

test('a folder is refused as one', () => {
  const { exitCode, errors } = analyse([folder]);
  expect({ exitCode, errors }).toEqual({
    exitCode: 1,
    errors: [`${folder}: must be a file, or - for standard input, got a folder: name the files in it`],
  });
});

test('--help describes the form of the series', () => {
  const run = spawnSync('bash', ['scripts/analyse.sh', '--help'], { cwd: ROOT, env, encoding: 'utf8' });
  expect(run.status).toBe(0);
  expect(run.stdout).toContain('--series FILE.jsonl[.gz]');
});

test('--series without a file fails', () => {
  const { exitCode, errors, lines } = analyse([]);
  expect({ exitCode, lines }).toEqual({ exitCode: 2, lines: [] });
  expect(errors[0]).toContain('usage: npm run --silent analyse -- FILE');
});
