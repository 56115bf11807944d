/**
 * Prints the peak memory and the processor time that `npm run analyse` takes for result files that are too large to be
 * held, each through a pipe: `scripts/with-node.sh tsx scripts/bench-result-files.ts`. Needs GNU time (Debian's `time`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const ROOT = join(__dirname, '..');
const MEGABYTE = 1e6;

/** A throttle every 4,000 s. */
const gigabits = (second: number) => (second % 4000 < 1200 ? 9.41 : 1.25) + 0.01 * Math.sin(7 * second);

function* limited(bytes: number, pieces: Iterable<string>): Generator<string> {
  let sent = 0;
  for (const piece of pieces) {
    if (sent >= bytes) return;
    sent += piece.length;
    yield piece;
  }
}

function* iperf3Text(streamCount: number): Generator<string> {
  yield 'Connecting to host 10.0.0.2, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n';
  for (let start = 0; ; start++) {
    const interval = `${start.toFixed(2).padStart(6)}-${(start + 1).toFixed(2).padEnd(6)} sec`;
    const rate = (stream: string, gbits: number) =>
      `[${stream.padStart(3)}] ${interval}  ${(gbits * 119.2).toFixed(1)} MBytes  ${gbits.toFixed(3)} Gbits/sec    0   1.10 MBytes\n`;
    const total = gigabits(start);
    if (streamCount === 1) yield rate('5', total);
    else {
      const streams = Array.from({ length: streamCount }, (_, index) => rate(String(5 + index), total / streamCount));
      yield `${streams.join('')}${rate('SUM', total)}- - - - - - - - - - - - - - - - - - - - - - - - -\n`;
    }
  }
}

function* iperf3Json(streamCount: number): Generator<string> {
  yield `{\n\t"start":\t{\n\t\t"connected":\t[],\n\t\t"version":\t"iperf 3.16",\n\t\t"test_start":\t{"protocol":"TCP","num_streams":${streamCount}}\n\t},\n\t"intervals":\t[`;
  for (let start = 0; ; start++) {
    const part = (socket: number, gbits: number) =>
      `{\n\t\t\t\t\t"socket":\t${socket},\n\t\t\t\t\t"start":\t${start},\n\t\t\t\t\t"end":\t${start + 1},\n\t\t\t\t\t"seconds":\t1.0000009536743164,\n\t\t\t\t\t"bytes":\t${Math.round(gbits * 125e6)},\n\t\t\t\t\t"bits_per_second":\t${gbits * 1e9},\n\t\t\t\t\t"retransmits":\t0,\n\t\t\t\t\t"snd_cwnd":\t1153434,\n\t\t\t\t\t"rtt":\t123,\n\t\t\t\t\t"rttvar":\t12,\n\t\t\t\t\t"pmtu":\t1500,\n\t\t\t\t\t"omitted":\tfalse,\n\t\t\t\t\t"sender":\ttrue\n\t\t\t\t}`;
    const streams = Array.from({ length: streamCount }, (_, index) => part(5 + index, gigabits(start) / streamCount));
    yield `${start === 0 ? '' : ', '}{\n\t\t\t"streams":\t[${streams.join(', ')}]\n\t\t}`;
  }
}

function* repeated(piece: string): Generator<string> {
  for (;;) yield piece;
}

function* emptyLines(): Generator<string> {
  yield 'Connecting to host 10.0.0.2, port 5201\n';
  yield* repeated('\n'.repeat(1 << 20));
}

const GARBAGE = repeated(`${'dear diary, today the network was slow again. '.repeat(30)}\n`);
const ZEROS = '\0'.repeat(1 << 20);

const CASES: readonly (readonly [string, Iterable<string>, 'plain' | 'gzip'])[] = [
  ['760 MB of iperf3 text, 64 streams', limited(760 * MEGABYTE, iperf3Text(64)), 'plain'],
  ['760 MB of iperf3 text, one stream', limited(760 * MEGABYTE, iperf3Text(1)), 'plain'],
  ['38 MB of iperf3 text, one stream', limited(38 * MEGABYTE, iperf3Text(1)), 'plain'],
  ['760 MB of iperf3 JSON, 32 streams', limited(760 * MEGABYTE, iperf3Json(32)), 'plain'],
  ['130 MB of iperf3 JSON, 32 streams', limited(130 * MEGABYTE, iperf3Json(32)), 'plain'],
  ['130 MB of empty lines below a first line', limited(130 * MEGABYTE, emptyLines()), 'plain'],
  ['500 MB of garbage', limited(500 * MEGABYTE, GARBAGE), 'plain'],
  ['1 GB of zeros', limited(1000 * MEGABYTE, repeated(ZEROS)), 'plain'],
  ['10 GB of zeros in gzip', limited(10_000 * MEGABYTE, repeated(ZEROS)), 'gzip'],
  ['10 GB of iperf3 text in gzip', limited(10_000 * MEGABYTE, iperf3Text(1)), 'gzip'],
];

async function analyse(folder: string, pieces: Iterable<string>, packing: 'plain' | 'gzip') {
  const measured = join(folder, 'measured');
  const timed = ['--format', '%M %U %S', '--output', measured, 'node', '.cache/analyse.cjs', '--json', '-'];
  const child = spawn('/usr/bin/time', timed, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  const ends = once(child, 'close');
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  await sent(pieces, packing, child.stdin);
  await ends;
  // GNU time puts a line about the exit code above its figures.
  const [kibibytes, user, system] =
    readFileSync(measured, 'utf8').trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  const { error, verdict } = JSON.parse(output.join('')) as { error?: string; verdict?: { kind: string } };
  return {
    megabytes: Number(kibibytes) * 1.024e-3,
    seconds: Number(user) + Number(system),
    answer: error ?? verdict?.kind,
  };
}

/** The analysis closes the pipe when it has read enough. */
async function sent(pieces: Iterable<string>, packing: 'plain' | 'gzip', input: Writable): Promise<void> {
  const source = Readable.from(pieces);
  try {
    await (packing === 'gzip' ? pipeline(source, createGzip({ level: 1 }), input) : pipeline(source, input));
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw thrown;
  }
}

async function main(): Promise<void> {
  const build = spawn('bash', ['scripts/analyse.sh', '--help'], { cwd: ROOT, stdio: 'ignore' });
  await once(build, 'close');
  const folder = mkdtempSync(join(tmpdir(), 'bench-result-files-'));
  for (const [name, pieces, packing] of CASES) {
    const { megabytes, seconds, answer } = await analyse(folder, pieces, packing);
    console.log(`${name}: ${megabytes.toFixed(0)} MB, ${seconds.toFixed(1)} s: ${answer}`);
  }
  rmSync(folder, { recursive: true });
}

void main();
