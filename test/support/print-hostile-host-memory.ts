/**
 * A program that lets a handler read what a host has written, and prints the handler's answer with its own peak of
 * memory: `node print-hostile-host-memory.cjs ingest-chunk|analyse-measurement CASE`.
 */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { manifestKey, pairHostsKey, planKey, rawChunkKey } from '../../domain/workflow/object-keys';
import { makeAnalyseMeasurement } from '../../lambdas/analyse-measurement/analyse-measurement';
import { makeIngestChunk } from '../../lambdas/ingest-chunk/ingest-chunk';
import { FakeStore } from './fake-store';
import { plannedRun } from './planned-run';
import { chunkHeader, iperf3Command, STARTED_AT_SECONDS } from './raw-streams';

type Role = 'client' | 'server';
type Chunk = (sequence: number, hostRole: Role) => Uint8Array;

const RUN = plannedRun();
const RUN_ID = RUN.runId;
const MEASUREMENT = 'p0001-m02';
const MEBIBYTE = 2 ** 20;
const identity = (hostRole: Role) => ({
  userId: `AROAROLE:i-0${hostRole}`,
  runId: RUN_ID,
  measurementId: MEASUREMENT,
  hostRole,
});

/** 1.5 GB of one character: gzip members of 8 MiB each, one behind the other. */
function bomb(character: string): Chunk {
  const member = gzipSync(Buffer.alloc(8 * MEBIBYTE, character), { level: 9 });
  return () => Buffer.concat(Array.from({ length: 180 }, () => member));
}

const header = (sequence: number, hostRole: Role) =>
  JSON.stringify(
    chunkHeader({
      command: iperf3Command(hostRole, 60, 64),
      runId: RUN_ID,
      measurementId: MEASUREMENT,
      instanceId: `i-0${hostRole}`,
      hostRole,
      sequence,
    }),
  );
/** Made once, because a thousand chunks share their lines; each has a gzip member of its own for its header. */
const chunkOf = (lines: () => string): Chunk => {
  let packed: Uint8Array | undefined;
  return (sequence, hostRole) => {
    packed ??= gzipSync(lines());
    return Buffer.concat([gzipSync(`${header(sequence, hostRole)}\n`), packed]);
  };
};
const filled = (line: (index: number) => string, maxBytes = 11.9 * MEBIBYTE, maxLines = 219_000): string => {
  const lines: string[] = [];
  for (let bytes = 0; bytes < maxBytes && lines.length < maxLines; bytes += lines.at(-1)!.length) {
    lines.push(`${line(lines.length)}\n`);
  }
  return lines.join('');
};
const printed = (line: string, second = 1) =>
  JSON.stringify({ time: STARTED_AT_SECONDS + second, source: 'stdout', line });
const rate = (stream: number, start: number, end: number) =>
  `[${String(stream).padStart(3)}] ${start.toFixed(2)}-${end.toFixed(2)} sec  1.00 MBytes  8.39 Mbits/sec`;
const whole = (value: string) => `{"time":${STARTED_AT_SECONDS},${value}}\n`;

const EMPTY_MEMBER = gzipSync('');
const CHUNKS: Readonly<Record<string, Chunk>> = {
  '1.5 GB of newlines': bomb('\n'),
  '1.5 GB of zeros': bomb('\0'),
  '60 MB of newlines': () => gzipSync(Buffer.alloc(60e6, '\n')),
  'bytes that are not gzip': () => randomBytes(8 * MEBIBYTE),
  'an object of 100 MB': () => Buffer.alloc(100e6),
  'a million gzip members': () => Buffer.concat(Array.from({ length: 380_000 }, () => EMPTY_MEMBER)),
  'empty lines of a tool': chunkOf(() => filled(() => printed(''))),
  'lines of two-byte characters': chunkOf(() => filled(() => printed(`\u0416${'x'.repeat(120)}`))),
  'long lines of a tool': chunkOf(() => filled(() => printed('x'.repeat(MEBIBYTE - 100)))),
  'lines beyond their number': chunkOf(() =>
    filled(() => '{"time":1795169100,"source":"stdout","line":""}', Infinity, 220_000),
  ),
  'a line of 2 MiB': chunkOf(() => `${printed('x'.repeat(2 * MEBIBYTE))}\n`),
  'a line of another day': chunkOf(() => `${printed('', 86_400)}\n`),
  'rates of other streams': chunkOf(() => filled((index) => printed(rate(index, 0, 1)))),
  'rates over a hundred days': chunkOf(() => filled((index) => printed(rate(index, 0, 9_000_000)))),
  'two rates a hundred days apart': chunkOf(() =>
    [printed(rate(5, 0, 1)), printed(rate(5, 9_000_000, 9_000_001)), printed(rate(5, 9_000_001, 9_000_002))].join('\n'),
  ),
  'a header of a million arguments': (sequence, hostRole) =>
    gzipSync(`${header(sequence, hostRole).replace(/"command":\[.*?\]/, `"command":[${'1,'.repeat(500_000)}1]`)}\n`),
  'facts of a million objects': chunkOf(() => whole(`"source":"facts","facts":{"a":[${'{},'.repeat(340_000)}{}]}`)),
  'eighty thousand counters': chunkOf(() =>
    whole(`"source":"cpu","counters":{${Array.from({ length: 80_000 }, (_, index) => `"${index}":"x"`).join(',')}}`),
  ),
};

/** iperf3 with 64 streams in both directions for two hours, the longest that a plan can ask for. */
const honest: Chunk = (sequence, hostRole) => {
  const lines: string[] = [];
  for (let second = sequence * 10; second < sequence * 10 + 10; second++) {
    for (const way of ['TX', 'RX'] as const) {
      for (let stream = 1; stream <= 65; stream++) {
        const id = stream === 65 ? 'SUM' : String(stream).padStart(3);
        const end = hostRole === 'client' ? 'C' : 'S';
        const seconds = `${second.toFixed(2)}-${(second + 1).toFixed(2)}`;
        const columns = way === 'TX' ? '    0    318 KBytes' : '';
        const text = `[${id}][${way}-${end}]   ${seconds}   sec  23.4 MBytes   196 Mbits/sec${columns}`;
        lines.push(printed(text, second + 1));
      }
    }
    for (const source of ['interface', 'cpu'] as const) {
      const names = source === 'cpu' ? ['user_seconds', 'system_seconds'] : ['rx_bytes', 'tx_bytes', 'rx_packets'];
      const counters = Object.fromEntries(names.map((name) => [name, second * 1000]));
      lines.push(JSON.stringify({ time: STARTED_AT_SECONDS + second, source, counters }));
    }
  }
  return gzipSync(`${header(sequence, hostRole)}\n${lines.join('\n')}\n`);
};

const LONGEST = 'the longest honest measurement';
const LARGE_MANIFEST = 'a large manifest';

class HostileStore extends FakeStore {
  /** Makes a chunk when it is read, as a download would. */
  readonly chunks = new Map<string, () => Uint8Array>();

  constructor() {
    super();
    const { getObject } = this;
    const read = async (key: string) => this.chunks.get(key)?.() ?? getObject(key);
    Object.assign(this, {
      getObject: read,
      getObjectUpTo: async (key: string, maxBytes: number) => {
        const body = await read(key);
        return body.length <= maxBytes ? body : undefined;
      },
      listObjects: async (prefix: string, atMost = Infinity) =>
        [...this.keys(prefix), ...[...this.chunks.keys()].filter((key) => key.startsWith(prefix))].slice(0, atMost),
    });
  }
}

/** The chunks of a case, and how many of them each host has uploaded. */
function chunksOf(name: string): readonly [Chunk, number] {
  if (name === LONGEST) return [honest, 720];
  if (name === LARGE_MANIFEST) return [honest, 1];
  const chunk = CHUNKS[name];
  if (chunk === undefined) throw new Error(`case: must be one of ${Object.keys(CHUNKS).join(', ')}, got ${name}`);
  return [chunk, 1_000];
}

async function main([handler, name = '']: readonly string[]): Promise<unknown> {
  const store = new HostileStore();
  store.putJson(planKey(RUN_ID), RUN);
  store.putJson(pairHostsKey(RUN_ID, 'p0001'), {
    client: { instanceId: 'i-0client' },
    server: { instanceId: 'i-0server' },
  });
  const [chunk, count] = chunksOf(name);
  for (const hostRole of ['client', 'server'] as const) {
    for (let sequence = 0; sequence < count; sequence++) {
      store.chunks.set(rawChunkKey(identity(hostRole), sequence), () => chunk(sequence, hostRole));
    }
    if (name === LARGE_MANIFEST) {
      store.chunks.set(manifestKey(identity(hostRole)), () =>
        Buffer.from(`{"schema":"network-benchmark.manifest.v1","chunks":[${'{},'.repeat(300_000)}{}]}`),
      );
    }
  }
  const log = () => undefined;
  if (handler === 'ingest-chunk') {
    const key = rawChunkKey(identity('server'), 0);
    const ingest = makeIngestChunk({ bucketName: 'results', store: store.adapter, log });
    await ingest({ detail: { bucket: { name: 'results' }, object: { key } } });
    return { status: 'ingested', rows: store.keys('live_samples/').flatMap((each) => store.rows(each)).length };
  }
  const analyse = makeAnalyseMeasurement({ hostRoleId: 'AROAROLE', store: store.adapter, now: () => new Date(), log });
  return analyse({ runId: RUN_ID, pairIndex: 0, measurementIndex: 1, acceptTruncated: true, failureReason: null });
}

void main(process.argv.slice(2))
  .catch((error: unknown) => ({ status: 'refused', reason: String(error) }))
  .then((answer) => {
    const peakMebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
    console.log(JSON.stringify({ peakMebibytes, answer }));
  });
