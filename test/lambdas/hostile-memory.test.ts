/**
 * Whatever a host uploads, the functions that read it stay below their memory: each case in a process of its own, with
 * the heap that Lambda gives a function, which is nine tenths of its memory.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { defaultTemplate } from '../support/synth';

const program = join(mkdtempSync(join(tmpdir(), 'hostile-host-')), 'hostile-host.cjs');
let mebibytesOf: Readonly<Record<string, number>> = {};

beforeAll(() => {
  buildSync({
    entryPoints: [join(__dirname, '../support/print-hostile-host-memory.ts')],
    bundle: true,
    platform: 'node',
    outfile: program,
  });
  const functions = Object.entries(defaultTemplate().findResources('AWS::Lambda::Function'));
  const memoryOf = (id: string) =>
    (functions.find(([name]) => name.startsWith(`Functions${id}`))![1] as { Properties: { MemorySize: number } })
      .Properties.MemorySize;
  mebibytesOf = { 'ingest-chunk': memoryOf('IngestChunk'), 'analyse-measurement': memoryOf('AnalyseMeasurement') };
});

function run(handler: string, name: string) {
  const mebibytes = mebibytesOf[handler]!;
  const heap = `--max-old-space-size=${Math.floor(mebibytes * 0.9)}`;
  const printed = execFileSync(process.execPath, [heap, program, handler, name], { encoding: 'utf8' });
  const { peakMebibytes, answer } = JSON.parse(printed) as {
    peakMebibytes: number;
    answer: { status: string; reason?: string; rows?: number };
  };
  return { isWithinMemory: peakMebibytes < mebibytes || peakMebibytes, answer };
}

const LARGE = 'must unpack to at most 12582912 bytes, is more';

test.each([
  ['1.5 GB of newlines', LARGE],
  ['1.5 GB of zeros', LARGE],
  ['60 MB of newlines', LARGE],
  ['an object of 100 MB', 'must have at most 8388608 bytes, has more'],
  ['bytes that are not gzip', 'must be whole gzip, got 8388608 bytes that are not'],
  ['a million gzip members', 'schema must be network-benchmark.chunk.v1, got undefined'],
  ['lines beyond their number', 'must have at most 220000 lines, has more'],
  ['a line of 2 MiB', 'line 2: must have at most 1048576 bytes, has 2097199'],
  ['a header of a million arguments', 'header: command: Too big: expected array to have <=1000 items'],
  ['facts of a million objects', 'line 2: facts.a: Invalid input'],
  ['eighty thousand counters', 'line 2: counters: must have 100 at most'],
  ['a line of another day', 'line 2: time: must be within 10800 s of the start, 1795169100, got 1795255500'],
  ['rates over a hundred days', 'intervals: must span at most'],
  ['two rates a hundred days apart', '3 intervals: must span at most 20006 s, span 9000002 s'],
])('ingest-chunk refuses %s', (name, reason) => {
  const { isWithinMemory, answer } = run('ingest-chunk', name);

  expect({ isWithinMemory, status: answer.status }).toEqual({ isWithinMemory: true, status: 'refused' });
  expect(answer.reason).toContain(reason);
});

test.each([
  ['empty lines of a tool', 0],
  ['lines of two-byte characters', 0],
  ['long lines of a tool', 0],
  ['rates of other streams', 127_163],
  ['the longest honest measurement', 678],
])('ingest-chunk takes %s', (name, rows) => {
  expect(run('ingest-chunk', name)).toEqual({ isWithinMemory: true, answer: { status: 'ingested', rows } });
});

const MANY = 'the stream must have at most 220000000 bytes and 1200000 lines, has more from here on';

test.each([
  ['1.5 GB of newlines', 'failed', `${LARGE}; and 990 more faults of this stream`],
  ['bytes that are not gzip', 'failed', 'must be whole gzip'],
  ['an object of 100 MB', 'failed', 'must have at most 8388608 bytes, has more'],
  ['a large manifest', 'truncated', '_COMPLETE.json: runId: Invalid input'],
  ['lines of two-byte characters', 'failed', MANY],
  ['two rates a hundred days apart', 'refused', 'intervals: must span at most'],
  [
    'the longest honest measurement',
    'truncated',
    'client: its stream has no end, because the host was lost or its tool still ran',
  ],
])(
  'analyse-measurement names %s',
  (name, status, reason) => {
    const { isWithinMemory, answer } = run('analyse-measurement', name);

    expect({ isWithinMemory, status: answer.status }).toEqual({ isWithinMemory: true, status });
    expect(answer.reason).toContain(reason);
  },
  // On a busy machine, a few hundred megabytes of text take minutes.
  900_000,
);
