import { sampleLines } from '../../../domain/analysis/live-samples';
import type { ChunkHeader, RawLine } from '../../../domain/model/raw-chunk';
import { readFixture } from '../../support/fixtures';
import { chunkHeader, STARTED_AT_SECONDS as STARTED_AT } from '../../support/raw-streams';

function header(hostRole: 'client' | 'server', ...options: string[]): ChunkHeader {
  const command = ['iperf3', ...(hostRole === 'client' ? ['-c', '10.0.0.2'] : ['-s', '-1']), ...options];
  return chunkHeader({ hostRole, command, sequence: 3 });
}

/** The lines of a recording between two seconds, each stamped just after the end of its interval. */
function chunk(name: string, from: number, to: number): RawLine[] {
  return readFixture(`tool-output/iperf3/3.12-verbose/${name}.out`)
    .split('\n')
    .flatMap((line) => {
      const end = Number(/-(\d+\.\d+) +sec/.exec(line)?.[1]);
      const isWithin = end > from && end <= to && !/(sender|receiver)$/.test(line.trim());
      return isWithin ? [{ time: STARTED_AT + 5 + end, source: 'stdout' as const, line }] : [];
    });
}

function described(samples: ReturnType<typeof sampleLines>): string[] {
  return samples.map(
    (sample) =>
      `${sample.metric} ${sample.direction} ${sample.stream} ${sample.startSeconds} ${(sample.throughputBitsPerSecond ?? 0) / 1e6}`,
  );
}

test("the receiver's chunk, cut out of the middle", () => {
  expect(described(sampleLines(header('server'), chunk('forward.server', 1, 2)))).toEqual([
    'stream_throughput forward 5 1 25.167',
    'stream_throughput forward 8 1 25.168',
    'stream_throughput forward 11 1 25.168',
    'stream_throughput forward 13 1 25.168',
    'throughput forward sum 1 100.67',
  ]);
});

test('a chunk that ends between the streams and their sum: the sum comes once, with the next chunk', () => {
  const lines = chunk('forward.server', 0, 2);
  const cut = lines.length - 1;
  const sums = (part: RawLine[]) =>
    described(sampleLines(header('server'), part).filter((one) => one.stream === 'sum'));
  expect(sums(lines.slice(0, cut))).toEqual(['throughput forward sum 0 100.646']);
  expect(sums(lines.slice(cut))).toEqual(['throughput forward sum 1 100.67']);
});

test("the sender's chunk: its own series, because the receiver's comes from the other host", () => {
  const samples = sampleLines(header('client', '-P', '4'), chunk('forward.client', 0, 2));
  expect(samples.map((sample) => `${sample.metric} ${sample.startSeconds}`)).toEqual([
    'sent_throughput 0',
    'sent_throughput 1',
  ]);
  expect(samples[0]).toMatchObject({ retransmits: 0, stream: 'sum', hostRole: 'client' });
});

test.each([
  ['client', ['-R', '-P', '2'], 'reverse.client', 'throughput reverse sum 1 100.667'],
  ['server', [], 'reverse.server', 'sent_throughput reverse sum 1 100.667'],
  ['client', ['-u', '-P', '2'], 'udp.client', 'sent_throughput forward sum 1 19.923'],
  ['server', [], 'udp.server', 'throughput forward sum 1 19.922'],
  ['client', ['-u', '-R'], 'udp-reverse.client', 'throughput reverse sum 1 9.961'],
  ['server', [], 'udp-reverse.server', 'sent_throughput reverse sum 1 9.962'],
] as const)('%s %j', (hostRole, options, name, expected) => {
  const samples = sampleLines(header(hostRole, ...options), chunk(name, 1, 2));
  expect(described(samples.filter((sample) => sample.stream === 'sum'))).toEqual([expected]);
});

test('datagrams and jitter of a UDP receiver, datagrams of a UDP sender', () => {
  expect(sampleLines(header('server'), chunk('udp.server', 0, 1)).at(-1)).toMatchObject({
    lostPackets: 0,
    sentPackets: 78,
    jitterMicros: 24,
  });
  const [sent] = sampleLines(header('server'), chunk('udp-reverse.server', 0, 1));
  expect(sent).toMatchObject({ sentPackets: 39 });
  expect(sent?.retransmits).toBeUndefined();
});

test('both directions at once', () => {
  expect(described(sampleLines(header('client', '--bidir'), chunk('bidir.client', 0, 1)))).toEqual([
    expect.stringMatching(/^sent_throughput forward sum 0 50\.3/),
    expect.stringMatching(/^throughput reverse sum 0 50\.3/),
  ]);
});

test('a chunk with only the short last interval', () => {
  const line = '[  5]  60.00-60.04  sec  1.83 MBytes  492000 Kbits/sec                  ';
  expect(sampleLines(header('server'), [{ time: STARTED_AT, source: 'stdout', line }])).toEqual([]);
});

test('counters, as rates on the time axis of the tool', () => {
  const counters = [0, 1, 2].flatMap((second): RawLine[] => [
    {
      time: STARTED_AT + 5 + second,
      source: 'interface',
      counters: { rx_bytes: 1000 + second * 125_000_000, tx_bytes: second * 1000 },
    },
    {
      time: STARTED_AT + 5 + second,
      source: 'ethtool',
      counters: { bw_in_allowance_exceeded: 7, bw_out_allowance_exceeded: second * 10 },
    },
  ]);
  const samples = sampleLines(header('server'), [...chunk('forward.server', 0, 2), ...counters]);
  expect(samples.filter((sample) => sample.metric === 'interface')).toEqual(
    [0, 1].map((startSeconds) => ({
      metric: 'interface',
      hostRole: 'server',
      direction: 'forward',
      stream: 'sum',
      startSeconds,
      lengthSeconds: 1,
      receivedBitsPerSecond: 1e9,
      sentBitsPerSecond: 8000,
    })),
  );
  const allowance = samples.filter((sample) => sample.metric === 'allowance');
  expect(allowance[1]).toMatchObject({ startSeconds: 1, bwInAllowanceExceeded: 0, bwOutAllowanceExceeded: 10 });
  expect(allowance[1]?.ppsAllowanceExceeded).toBeUndefined();
});

test.each([
  ['sockperf', 'sockperf: Starting test...'],
  ['ping', '64 bytes from 10.0.0.2: icmp_seq=1 ttl=63 time=0.301 ms'],
  ['tracepath', ' 1:  10.0.0.1                                              1.015ms '],
])('a chunk of %s has counters only, from its start on', (tool, line) => {
  const lines: RawLine[] = [
    { time: STARTED_AT, source: 'interface', counters: { rx_bytes: 0, tx_bytes: 0 } },
    { time: STARTED_AT + 1, source: 'interface', counters: { rx_bytes: 125, tx_bytes: 250 } },
    { time: STARTED_AT + 1, source: 'stdout', line },
  ];
  const samples = sampleLines({ ...header('client'), tool, command: [tool] }, lines);
  expect(samples).toHaveLength(1);
  expect(samples[0]).toMatchObject({
    metric: 'interface',
    startSeconds: 0,
    receivedBitsPerSecond: 1000,
    sentBitsPerSecond: 2000,
  });
});

test('a chunk without a line of the series has no samples', () => {
  const lines: RawLine[] = [
    { time: STARTED_AT, source: 'stderr', line: '[  5]   0.00-1.00   sec  1.00 MBytes  8.00 Mbits/sec' },
    { time: STARTED_AT, source: 'stdout', line: '\u0000 nonsense' },
    { time: STARTED_AT, source: 'facts', facts: {} },
  ];
  expect(sampleLines(header('client'), lines)).toEqual([]);
});

describe('a tool that prints no series', () => {
  const lines = [0, 1, 2].map((second): RawLine => ({
    time: STARTED_AT + second,
    source: 'interface',
    counters: { rx_bytes: 1e8 * second, tx_bytes: 1e6 * second },
  }));
  const rates = (tool: string, hostRole: 'client' | 'server', ...command: string[]) =>
    described(
      sampleLines(chunkHeader({ tool, hostRole, command }), lines).filter(({ metric }) => metric === 'throughput'),
    );

  test.each([
    ['http', ['curl_streams.py'], 'throughput reverse sum 0 800'],
    ['s3', ['measure_s3.py', '--operation', 'download'], 'throughput reverse sum 0 800'],
    ['s3', ['measure_s3.py', '--operation', 'upload'], 'throughput forward sum 0 8'],
  ])('%s by %j has what its client’s interface carries', (tool, command, first) => {
    expect(rates(tool, 'client', ...command)).toEqual([first, first.replace(' 0 ', ' 1 ')]);
    expect(rates(tool, 'server', ...command)).toEqual([]);
  });

  test('has none if it measures no throughput', () => {
    expect(rates('ping', 'client', 'ping')).toEqual([]);
  });
});
