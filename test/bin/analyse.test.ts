import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { fixturePath, readFixture } from '../support/fixtures';

const ROOT = join(__dirname, '..', '..');

const { npm_lifecycle_event, ...env } = process.env;

function analyse(...args: string[]) {
  return analyseInput('', ...args);
}

function analyseInput(input: string | Uint8Array, ...args: string[]) {
  const run = spawnSync('bash', ['scripts/analyse.sh', ...args], { cwd: ROOT, env, encoding: 'utf8', input });
  return { exitCode: run.status, output: run.stdout, errors: run.stderr };
}

type Line = Readonly<Record<string, unknown>>;

function analyseJson(...files: string[]) {
  return jsonLines(analyse('--json', ...files));
}

function jsonLines({ exitCode, output }: { exitCode: number | null; output: string }) {
  return {
    exitCode,
    lines: output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'analyse-'));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : new Uint8Array(content));
  return path;
}

/** Bytes of which most are no characters. */
function notText(): Buffer {
  return Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256));
}

test('real token buckets: burst and baseline from the receiver, the onset within a second', () => {
  const names = ['t02-burst-2g-500m', 't12-partly-recharged'].map((name) =>
    fixturePath(`real-buckets/${name}.iperf3.json`),
  );
  const { exitCode, lines } = analyseJson(...names);
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.file)).toEqual(names);
  const [t02, t12] = lines.map((line) => line.verdict as Record<string, number | string>);
  expect(t02).toMatchObject({ kind: 'drop', cause: 'not_known', direction: 'forward' });
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
    expect(Object.keys(line).filter((key) => key !== 'otherDirection')).toEqual([
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
    file('binary.bin', notText()),
    folder,
  ];
  const { exitCode, lines } = analyseJson(...bad, good);
  expect(exitCode).toBe(1);
  expect(lines.slice(0, -1).map((line) => Object.keys(line))).toEqual(bad.map(() => ['file', 'error']));
  expect(lines.map((line) => line.error)).toEqual([
    expect.stringContaining('no such file'),
    'the file is empty',
    'must be output of iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath, got something else',
    'must be text or gzip, got a binary file',
    'must be a file, or - for standard input, got a folder: name the files in it',
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
    folder,
  );
  expect(exitCode).toBe(1);
  expect(output).toMatch(
    /t02-burst-2g-500m.* iperf3 3\.12 +yes +forward +drop, not_known +20\.9 \(20\.8 to 21\.0\) +1\.95 +0\.496 +0\.827 /,
  );
  expect(output).toMatch(/json-bidir\.out +iperf3 3\.16 +yes +reverse +insufficient +0\.0603/);
  expect(output).toMatch(/3\.7-pp-full\.out +sockperf 3\.7 +yes +61\.9 +4\.8 +73\.8 +218\.6/);
  expect(output).not.toContain('\u001b');
  expect(errors.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/missing\.txt: no such file or directory$/),
    `${folder}: must be a file, or - for standard input, got a folder: name the files in it`,
  ]);
});

test.each(['utf16le', 'utf16be'])('a file in the encoding of a Windows shell: %s', (encoding) => {
  const text = readFixture('tool-output/iperf3/3.12-verbose/reverse.client.out').replace(/\n/g, '\r\n');
  const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
  const path = file('utf16.txt', encoding === 'utf16le' ? littleEndian : littleEndian.swap16());
  expect(analyseJson(path).lines[0]).toMatchObject({ toolVersion: '3.12', complete: true });
});

test('each direction of a bidirectional test has its verdict, in JSON and in tables', () => {
  const path = fixturePath('tool-output/iperf3/3.12-driver/bidirectional-throttled.client.out');
  expect(analyseJson(path).lines[0]).toMatchObject({
    verdict: { direction: 'forward', kind: 'dips' },
    otherDirection: { direction: 'reverse', kind: 'dips' },
  });
  const { output } = analyse(path);
  expect(output).toMatch(/ forward +dips +215 /);
  expect(output).toMatch(/ reverse +dips +235 /);
  expect(output).toContain('client.out: forward: a median of 0.19 Gbit/s');
  expect(output).toContain('client.out: reverse: a median of 0.24 Gbit/s');
});

const REVERSE = 'tool-output/iperf3/3.12-verbose/reverse.client.out';

test('gzip is read regardless of its name, and from standard input', () => {
  const packed = new Uint8Array(gzipSync(readFixture(REVERSE)));
  const { exitCode, lines } = jsonLines(analyseInput(packed, '--json', file('packed.out', Buffer.from(packed)), '-'));
  const [expected] = analyseJson(fixturePath(REVERSE)).lines;
  expect(exitCode).toBe(0);
  expect(lines.map((line) => ({ ...line, file: fixturePath(REVERSE) }))).toEqual([expected, expected]);
  expect(lines[1]).toMatchObject({ file: '-' });
});

const CUT_OFF = 'the gzip file is cut off: only the part that could be unpacked is analysed';

test('of a cut-off gzip file, what could be unpacked is analysed as a text that ends there', () => {
  const text = readFixture(REVERSE);
  const packed = gzipSync(text);
  // Without its check sum, with a part of the text, and through a pipe.
  const half = packed.subarray(0, packed.length / 2);
  const unpacked = gunzipSync(half, { finishFlush: constants.Z_SYNC_FLUSH });
  const paths = [file('no-sum.gz', packed.subarray(0, -8)), file('half.gz', half), file('half.out', unpacked)] as const;
  const { exitCode, lines } = jsonLines(analyseInput(new Uint8Array(half), '--json', ...paths, '-'));
  const [noSum, halfPacked, halfText, piped] = lines;
  expect(exitCode).toBe(0);
  const whole = analyseJson(fixturePath(REVERSE)).lines[0]!;
  expect(noSum).toEqual({ ...whole, file: paths[0], warnings: [CUT_OFF, ...(whole.warnings as string[])] });
  expect(halfText).toMatchObject({ complete: false });
  const warnings = [CUT_OFF, ...(halfText!.warnings as string[])];
  expect(halfPacked).toEqual({ ...halfText, file: paths[1], warnings });
  expect(piped).toEqual({ ...halfText, file: '-', warnings });
});

test('a gzip file that is padded with zeros is read to its own end', () => {
  const packed = Buffer.concat([gzipSync(readFixture(REVERSE)), Buffer.alloc(100_000)]);
  const { exitCode, lines } = analyseJson(file('behind.gz', packed), fixturePath(REVERSE));
  expect(exitCode).toBe(0);
  expect(lines[0]).toEqual({ ...lines[1], file: lines[0]!.file });
});

test('a damaged, a begun and a twice packed file are named, and the last one is analysed', () => {
  const packed = gzipSync(readFixture(REVERSE));
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, 40, 80);
  const { exitCode, lines } = analyseJson(
    file('damaged.gz', damaged),
    file('begun.gz', packed.subarray(0, 12)),
    file('twice.gz', gzipSync(new Uint8Array(packed))),
    fixturePath(REVERSE),
  );
  expect(exitCode).toBe(1);
  expect(lines.map((line) => line.error)).toEqual([
    expect.stringMatching(/^must be an undamaged gzip file, got a damaged one: /),
    'must be a whole gzip file, got only its beginning',
    'must be text or gzip, got a binary file',
    undefined,
  ]);
});

test('an executable with the words of a tool is refused', () => {
  const words = 'iperf 3.16\nConnecting to host %s, port %d\n[  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec\n';
  const { exitCode, lines } = analyseJson(file('iperf3', Buffer.concat([notText(), Buffer.from(`\n${words}`)])));
  expect({ exitCode, error: lines[0]!.error }).toEqual({
    exitCode: 1,
    error: 'must be text or gzip, got a binary file',
  });
});

test('text may have zeros, colours and a few damaged characters', () => {
  const log = `${'\0'.repeat(5000)}\u001b[2;35m${readFileSync(fixturePath(REVERSE), 'utf8')}\ufffd\u001b[0m\r\n`;
  expect(analyseJson(file('log.txt', log)).exitCode).toBe(0);
});

test('each tool of a file is analysed', () => {
  const [ping, iperf, sockperf] = ['ping/20221126-100', 'iperf3/3.16/text-p2', 'sockperf/3.7-pp-full'].map((name) =>
    fixturePath(`tool-output/${name}.out`),
  );
  const text = [ping, iperf, sockperf].map((path) => readFileSync(path!, 'utf8'));
  const { exitCode, lines } = analyseJson(file('all.txt', text.join('\n')), ping!, iperf!, sockperf!);
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.tool)).toEqual(['ping', 'iperf3', 'sockperf', 'ping', 'iperf3', 'sockperf']);
  for (const [index, line] of lines.slice(0, 3).entries()) {
    const [note, ...warnings] = line.warnings as string[];
    expect({ ...line, file: '', warnings }).toEqual({ ...lines[index + 3], file: '' });
    expect(note).toMatch(/^the file also holds output of .* from line \d+ and of .*, which is analysed by itself$/);
  }
});

test("a text and a JSON document of iperf3's in one file are two outputs, even with the server's text in the document", () => {
  const [text, json] = ['tool-output/iperf3/3.16/text-p2.out', 'real-buckets/t02-burst-2g-500m.iperf3.json'];
  const { lines } = analyseJson(
    file('both.txt', readFixture(text) + readFixture(json)),
    fixturePath(text),
    fixturePath(json),
  );
  expect(lines).toHaveLength(4);
  const figures = lines.map(({ statistics, verdict, complete }) => ({ statistics, verdict, complete }));
  expect(figures.slice(0, 2)).toEqual(figures.slice(2));
  expect(lines[0]!.warnings).toEqual([
    'the file also holds output of iperf3 -J from line 26, which is analysed by itself',
  ]);
});

describe('files of any size', () => {
  /** The heap is too small for these files, if they were held in memory. */
  const analyseSmall = (command: string, heapMegabytes = 64) => {
    const NODE_OPTIONS = `--max-old-space-size=${heapMegabytes}`;
    const run = spawnSync('bash', ['-c', `${command} | bash scripts/analyse.sh --json -`], {
      cwd: ROOT,
      env: { ...env, NODE_OPTIONS },
      encoding: 'utf8',
    });
    return { exitCode: run.status, line: JSON.parse(run.stdout) as Line };
  };

  test.each([
    ['zeros', 'head -c 2000000000 /dev/zero'],
    ['garbage', "yes 'dear diary, today the network was slow again' | head -c 2000000000"],
    ['a line without end', "yes 'dear diary ' | tr -d '\\n' | head -c 2000000000"],
    ['gzip that unpacks to a thousand times its size', 'head -c 2000000000 /dev/zero | gzip -1'],
  ])('%s: refused by the beginning', (_name, command) => {
    const { exitCode, line } = analyseSmall(command);
    expect({ exitCode, error: line.error }).toEqual({
      exitCode: 1,
      error: expect.stringMatching(/^must be output of .*, got something else at its beginning$/) as string,
    });
  });

  test.each([
    ['lines', "yes 'network-benchmark: a line'"],
    ['characters', "yes '  indented' | tr '\\n' ' '"],
  ])('too many %s: refused with the limits', (_name, command) => {
    const { exitCode, line } = analyseSmall(
      `(echo 'Connecting to host 10.0.0.2, port 5201'; ${command} | head -c 2000000000)`,
      500,
    );
    expect({ exitCode, error: line.error }).toEqual({
      exitCode: 1,
      error: expect.stringMatching(
        /^must hold at most 128 MiB of text and 500000 lines .*, got more: split the file into /,
      ) as string,
    });
  });

  test('many streams over many hours are read; their sums are kept', () => {
    const streams = Array.from({ length: 64 }, (_, index) => String(5 + index));
    const rate = (stream: string, start: number, gbits: number) =>
      `[${stream.padStart(3)}] ${start.toFixed(2).padStart(6)}-${(start + 1).toFixed(2).padEnd(6)} sec  ${(gbits * 119.2).toFixed(1)} MBytes  ${gbits.toFixed(2)} Gbits/sec    0   1.10 MBytes\n`;
    const path = join(folder, 'streams.txt');
    writeFileSync(
      path,
      'Connecting to host 10.0.0.2, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n',
    );
    for (let start = 0; start < 7200; start++) {
      const gbits = start < 3000 ? 6.4 : 1.28;
      const lines = [...streams.map((stream) => rate(stream, start, gbits / 64)), rate('SUM', start, gbits)];
      appendFileSync(path, lines.join(''));
    }
    const { line } = analyseSmall(`cat '${path}'`);
    expect(line).toMatchObject({ tool: 'iperf3', verdict: { cause: 'not_known' } });
    expect(Math.abs(Number((line.verdict as Line).onsetSeconds) - 3000)).toBeLessThan(1);
  });
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
