import { contextOfCommand } from '../../../../domain/tools/iperf3/command';
import { parseIperf3Text, withServerSeries } from '../../../../domain/tools/iperf3/text';
import type { Side, ThroughputOutput, ToolInterval } from '../../../../domain/parsers/tool-output';
import { readFixture } from '../../../support/fixtures';

function parse(name: string): ThroughputOutput {
  return parseIperf3Text(readFixture(`tool-output/iperf3/${name}`));
}

/** `forward receiver 0-1 60.8`: direction, side, start-end in seconds, rate in Mbit/s as printed. */
function sums(output: ThroughputOutput): string[] {
  return output.intervals
    .filter((interval) => interval.stream === 'sum')
    .map(
      ({ direction, side, startSeconds, endSeconds, bitsPerSecond }) =>
        `${direction} ${side} ${startSeconds}-${endSeconds} ${Number((bitsPerSecond / 1e6).toFixed(3))}`,
    );
}

describe('two parallel streams over TCP, the client', () => {
  test.each([
    ['3.0.12', ['0-1 109', '1-2 120', '2-3 120'], 116, 0],
    ['3.9', ['0-1 122', '1-2 120', '2-3 120'], 119, 0],
    ['3.12', ['0-1 122', '1-2 120', '2-3.01 119'], 120, 0],
    ['3.16', ['0-1 122', '1-2 120', '2-3 119'], 120, 0],
    ['3.17.1', ['0-1 122', '1-2 120', '2-3 119'], 120, 2],
    ['3.21', ['0-1.01 121', '1.01-2 120', '2-3.01 119'], 120, 0],
  ])('%s', (version, expected, receivedMegabits, retransmits) => {
    const output = parse(`${version}/text-p2.out`);
    expect(sums(output)).toEqual(expected.map((text) => `forward sender ${text}`));
    expect(output).toMatchObject({
      tool: 'iperf3',
      role: 'client',
      protocol: 'tcp',
      parallelStreams: 2,
      reverse: false,
      bidirectional: false,
      complete: true,
      errors: [],
      warnings: [],
    });
    expect(output.summaries.map((summary) => summary.side)).toEqual(['sender', 'receiver']);
    expect(output.summaries[1]!.bitsPerSecond).toBe(receivedMegabits * 1e6);
    expect(output.summaries[0]!.retransmits).toBe(retransmits);
    expect(output.summaries[1]!.retransmits).toBeUndefined();
  });

  test('a stream carries its congestion window, in binary units', () => {
    const first = parse('3.0.12/text-p2.out').intervals.find((interval) => interval.stream === '4')!;
    expect(first).toMatchObject({ bitsPerSecond: 54.5e6, retransmits: 0, congestionWindowBytes: 895 * 1024 });
  });
});

describe('both directions at once, the client', () => {
  test.each([
    ['3.9', ['60.8', '62.9', '59.8', '59.8'], 1],
    ['3.12', ['60.8', '60.8', '59.8', '59.8'], 0],
    ['3.16', ['60.8', '60.8', '59.7', '59.7'], 0],
    ['3.17.1', ['59.8', '60.8', '60.8', '59.7'], 0],
    ['3.21', ['60.8', '60.8', '59.6', '59.6'], 0],
  ])('%s', (version, rates, reverseRetransmits) => {
    const output = parse(`${version}/text-bidir.out`);
    expect(output).toMatchObject({ bidirectional: true, reverse: false, complete: true, parallelStreams: 1 });
    expect(sums(output)).toEqual([
      `forward sender 0-1 ${rates[0]}`,
      `reverse receiver 0-1 ${rates[1]}`,
      `forward sender 1-2 ${rates[2]}`,
      `reverse receiver 1-2 ${rates[3]}`,
    ]);
    const reverseSender = output.summaries.find((one) => one.direction === 'reverse' && one.side === 'sender');
    expect(reverseSender?.retransmits).toBe(reverseRetransmits);
  });
});

describe('UDP, the client', () => {
  test.each([
    ['3.9', [1785, 1785], 25, 3570],
    ['3.12', [1785, 1785], 14, 3570],
    ['3.16', [1785, 1785], 13, 3570],
    ['3.17.1', [1785, 1785], 6, 3570],
    ['3.21', [1786, 1787], 2, 3573],
  ])('%s: datagrams by the second, loss and jitter from the receiver', (version, packets, jitterMicros, total) => {
    const output = parse(`${version}/text-udp.out`);
    expect(output).toMatchObject({ protocol: 'udp', complete: true });
    expect(output.intervals.map((interval) => interval.packets)).toEqual(packets);
    expect(output.intervals.map((interval) => interval.retransmits)).toEqual([undefined, undefined]);
    expect(output.summaries[1]).toMatchObject({ side: 'receiver', lostPackets: 0, packets: total, jitterMicros });
    expect(output.summaries[0]!.jitterMicros).toBeUndefined();
  });

  test("3.0.12 prints one line without a side: the receiver's counts, but not its rate", () => {
    const output = parse('3.0.12/text-udp.out');
    expect(output.complete).toBe(true);
    expect(output.summaries).toEqual([
      {
        direction: 'forward',
        side: 'receiver',
        startSeconds: 0,
        endSeconds: 2,
        lostPackets: 597,
        packets: 3397,
        jitterMicros: 1,
      },
    ]);
  });
});

describe('--timestamps', () => {
  test.each([
    ['3.9', 59.8],
    ['3.12', 59.8],
    ['3.16', 59.7],
    ['3.17.1', 59.7],
    ['3.21', 59.7],
  ])('%s: text before a line is ignored', (version, second) => {
    const output = parse(`${version}/text-timestamps.out`);
    expect(sums(output)).toEqual(['forward sender 0-1 60.8', `forward sender 1-2 ${second}`]);
    expect(output).toMatchObject({ complete: true, role: 'client' });
  });
});

describe('failures, in the words of the tool', () => {
  test.each([
    ['3.0.12', 'iperf3: interrupt - the client has terminated'],
    ['3.9', 'iperf3: interrupt - the client has terminated'],
    ['3.16', 'iperf3: interrupt - the client has terminated'],
    ['3.21', 'iperf3: interrupt - the client has terminated by signal Terminated(15)'],
  ])('%s ended by SIGTERM', (version, incompleteReason) => {
    const output = parse(`${version}/cliterm-text.out`);
    expect(output).toMatchObject({ complete: false, incompleteReason });
    expect(output.intervals).toHaveLength(3);
  });

  test('ended by SIGTERM without its error message: the empty receiver summary shows it', () => {
    const text = readFixture('tool-output/iperf3/3.16/cliterm-text.out').replace(/^iperf3: .*\n/, '');
    expect(parseIperf3Text(text)).toMatchObject({
      complete: false,
      incompleteReason: 'the final summary of the receiver is empty (forward)',
    });
  });

  test.each(['3.9', '3.12', '3.16', '3.17.1', '3.21'])(
    '%s: a killed server shows as the last interval printed twice',
    (version) => {
      const output = parse(`${version}/srvkill-text.out`);
      expect(sums(output)).toHaveLength(2);
      expect(output.incompleteReason).toBe('no final summary of the receiver (forward)');
      expect(output.warnings).toEqual([
        'the last interval came twice, as iperf3 prints it when it is cut off; counted once',
      ]);
      const withComplaint = parseIperf3Text(
        readFixture(`tool-output/iperf3/${version}/srvkill-text.out`) +
          readFixture(`tool-output/iperf3/${version}/srvkill-text.err`),
      );
      expect(withComplaint.incompleteReason).toBe('iperf3: error - control socket has closed unexpectedly');
    },
  );

  test.each([
    ['3.0.12', 'iperf3: error - unable to connect to server: Connection refused'],
    ['3.9', 'iperf3: error - unable to send control message: Bad file descriptor'],
    [
      '3.21',
      'iperf3: error - unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused',
    ],
  ])('%s refused', (version, incompleteReason) => {
    expect(parse(`${version}/refused-text.err`)).toMatchObject({ complete: false, incompleteReason, intervals: [] });
  });

  // A setting that iperf3 or the kernel refuses.
  test.each([
    ['congestion-control', 'unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported'],
    ['socket-buffer', 'socket buffer size not set correctly'],
    ['mss', 'unable to set TCP/SCTP MSS: Invalid argument'],
  ])('%s refused', (name, words) => {
    const output = parseIperf3Text(readFixture(`tool-output/iperf3/3.12-refused/${name}.out`), { role: 'client' });
    expect(output.complete).toBe(false);
    expect(output.incompleteReason).toContain(words);
    expect(output.intervals).toEqual([]);
  });

  test('an option that the version does not know is an error', () => {
    expect(parse('3.0.12/usage.err').incompleteReason).toBe("iperf3: unrecognized option '--bidir'");
  });
});

describe('the server', () => {
  test('3.21: of a log with many tests, the last one is taken', () => {
    const output = parse('3.21/server-text.out');
    expect(output).toMatchObject({ role: 'server', protocol: 'tcp', reverse: false, complete: true });
    expect(sums(output)).toEqual([
      'forward receiver 0-1 10.5',
      'forward receiver 1-2 10.5',
      'forward receiver 2-3 9.44',
    ]);
    expect(output.warnings).toEqual(['the file holds 12 tests; the last one that measured something is analysed']);
  });

  test('3.0.12: zeros for the sender, which the server does not know, are not a summary', () => {
    const text = readFixture('tool-output/iperf3/3.0.12/server-text.out').split('Server listening')[1]!;
    const output = parseIperf3Text(text);
    expect(output.summaries).toEqual([
      { direction: 'forward', side: 'receiver', startSeconds: 0, endSeconds: 3.03, bitsPerSecond: 115e6 },
    ]);
    expect(output).toMatchObject({ complete: true, parallelStreams: 2 });
  });

  test('3.16: each test of the log is read by itself', () => {
    const tests = readFixture('tool-output/iperf3/3.16/server-text.out').split('Server listening').slice(1);
    const outputs = tests.map((text) => parseIperf3Text(`Server listening${text}`));
    const described = outputs.map(
      ({ protocol, parallelStreams, reverse, bidirectional, intervals }) =>
        `${protocol} ${parallelStreams} ${bidirectional ? 'bidirectional' : reverse ? 'reverse' : 'forward'} ${
          new Set(intervals.map((interval) => interval.side)).size
        }`,
    );
    expect(described).toEqual([
      'tcp 2 forward 1',
      'tcp 1 forward 1',
      'tcp 2 forward 1',
      'tcp 1 reverse 1',
      'udp 1 forward 1',
      'udp 1 forward 1',
      'tcp 1 bidirectional 2',
      'tcp 1 bidirectional 2',
      'tcp 1 forward 1',
      'tcp 1 forward 1',
    ]);
    expect(outputs.every((output) => output.complete)).toBe(true);
    expect(sums(outputs[6]!)).toEqual([
      'forward receiver 0-1 60.6',
      'reverse sender 0-1 60.6',
      'forward receiver 1-2 60',
      'reverse sender 1-2 60',
    ]);
    expect(outputs[4]!.intervals[0]).toMatchObject({ jitterMicros: 29, lostPackets: 0, packets: 1779 });
  });

  test('3.16: aborted tests are not complete', () => {
    const tests = readFixture('tool-output/iperf3/3.16/server3.out').split('-----\nServer listening').slice(1);
    const reasons = tests.map((text) => parseIperf3Text(text).incompleteReason);
    expect(reasons).toEqual([
      'iperf3: the client has terminated',
      'iperf3: the client has unexpectedly closed the connection',
      'iperf3: the client has terminated',
      'iperf3: interrupt - the server has terminated',
      'the tool printed no measured interval',
    ]);
  });
});

describe('-V -f k, as the documents run iperf3', () => {
  test('forward, four streams: both ends report version, duration and streams', () => {
    const client = parse('3.12-verbose/forward.client.out');
    const server = parse('3.12-verbose/forward.server.out');
    for (const output of [client, server]) {
      expect(output).toMatchObject({
        toolVersion: '3.12',
        protocol: 'tcp',
        parallelStreams: 4,
        durationSeconds: 4,
        complete: true,
      });
    }
    expect(sums(server)[0]).toBe('forward receiver 0-1 100.646');
    expect(server.intervals.filter((interval) => interval.stream !== 'sum')).toHaveLength(16);
  });

  test('the processor time that the tool itself reports', () => {
    expect(parse('3.12-verbose/udp.client.out').cpu).toEqual({ localPercent: 2, remotePercent: 0.1 });
    expect(parse('3.12-verbose/reverse.server.out').cpu).toEqual({ localPercent: 2.2 });
    expect(parse('3.12-verbose/forward.server.out').cpu).toBeUndefined();
  });

  test('reverse: the client receives, the server sends', () => {
    const client = parse('3.12-verbose/reverse.client.out');
    const server = parse('3.12-verbose/reverse.server.out');
    expect(client).toMatchObject({ reverse: true, complete: true });
    expect(server).toMatchObject({ reverse: true, complete: true });
    expect(sums(client)[0]).toBe('reverse receiver 0-1 100.651');
    expect(sums(server)[0]).toBe('reverse sender 0-1 100.655');
    expect(client.summaries.map((one) => [one.side, one.retransmits])).toEqual([
      ['sender', 0],
      ['receiver', undefined],
    ]);
  });

  test('UDP, reverse', () => {
    expect(sums(parse('3.12-verbose/udp-reverse.server.out'))[0]).toBe('reverse sender 0-1 10.223');
    expect(parse('3.12-verbose/udp-reverse.client.out').intervals[0]).toEqual({
      startSeconds: 0,
      endSeconds: 1,
      direction: 'reverse',
      side: 'receiver',
      stream: 'sum',
      bitsPerSecond: 10_223_000,
      lostPackets: 0,
      packets: 39,
      jitterMicros: 25,
    });
  });

  test('--get-server-output brings the receiver series', () => {
    expect(sums(parse('3.12-verbose/get-server-output.client.out'))).toEqual([
      'forward sender 0-1 50.328',
      'forward receiver 0-1 50.326',
      'forward sender 1-2 50.331',
      'forward receiver 1-2 50.332',
    ]);
  });

  test('--omit: the warm-up does not replace the measured seconds', () => {
    const output = parse('3.12-verbose/omit.client.out');
    expect(sums(output)).toEqual(['forward sender 0-1 10.485', 'forward sender 1-2 9.437']);
    expect(output.warnings).toEqual(['warm-up intervals (--omit) are left out: a burst within them is not seen']);
    expect(output.complete).toBe(true);
  });

  test.each([
    ['text', 'sender', ['0-1 19.92', '1-2 19.9', '2-3 19.9', '3-4.01 19.8']],
    ['text-p2', 'sender', ['0-1 18.86', '1-2 21', '2-3 18.9']],
    ['text-udp', 'sender', ['0-1 9.98', '1-2 9.96', '2-3 9.96']],
    ['server', 'receiver', ['0-1 19.92', '1-2 19.9', '2-3 19.9', '3-4 19.9']],
  ])('--omit 2 and 3, %s: the first interval, which begins before the clock is set back', (name, side, expected) => {
    const output = parse(`3.12-warm-up/${name}.out`);
    expect(sums(output)).toEqual(expected.map((text) => `forward ${side} ${text}`));
    expect(output).toMatchObject({ complete: true, warnings: [expect.stringContaining('--omit')] });
  });

  test('--omit 2 over UDP: the datagrams of the warm-up are not counted in the first interval', () => {
    expect(parse('3.12-warm-up/text-udp.out').intervals.map(({ packets }) => packets)).toEqual([undefined, 38, 38]);
  });

  test.each(['-1.00e+99', '-20.0', 'inf', '1e+400', '200000000000'])('a rate of %s Kbits/sec is none', (rate) => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/forward.client.out');
    const output = parseIperf3Text(text.replaceAll(/\S+(?= [KMG]bits\/sec)/g, rate));
    expect(output).toMatchObject({ complete: false, intervals: [], summaries: [] });
  });

  test('an interval that begins where a remnant of no length did is kept', () => {
    const text = readFixture('tool-output/iperf3/3.12/text-p2.out');
    const remnant = '[SUM]   1.00-1.00   sec  0.00 Bytes  0.00 bits/sec    0\n';
    expect(sums(parseIperf3Text(text.replace(/(?=\[SUM\] +1\.00-)/, remnant)))).toEqual(
      sums(parse('3.12/text-p2.out')),
    );
  });

  test('an output that ends in the middle of a line keeps the whole lines', () => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/forward.client.out');
    const cut = parseIperf3Text(text.slice(0, text.indexOf('[SUM]   2.00-3.00') + 40));
    expect(sums(cut)).toHaveLength(3);
    expect(cut).toMatchObject({ complete: false, incompleteReason: 'no final summary of the receiver (forward)' });
  });

  test('streams are added up only when all of them have reported', () => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/forward.client.out').replace(/^\[SUM\].*\n/gm, '');
    expect(sums(parseIperf3Text(text))).toHaveLength(4);
    const lacking = text.replace(/^\[ {2}7\] {3}1\.00-2\.00.*\n/m, '');
    expect(sums(parseIperf3Text(lacking)).map((line) => line.split(' ')[2])).toEqual(['0-1', '2-3', '3-4']);
  });

  test('intervals that do not cover the duration are incomplete', () => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/forward.client.out').replace(
      /^\[.{3}\] {3}1\.00-2.*\n/gm,
      '',
    );
    expect(parseIperf3Text(text).incompleteReason).toBe('intervals cover 3.0 of 4 s (forward)');
  });
});

describe('units', () => {
  const line = (rate: string) => `[  5]   0.00-1.00   sec  1.00 GBytes  ${rate}                  `;
  test.each([
    ['8.59 Gbits/sec', 8.59e9],
    ['60.8 Mbits/sec', 60.8e6],
    ['100649 Kbits/sec', 100_649_000],
    ['0.00 bits/sec', 0],
    ['1.00 KBytes/sec', 8 * 1024],
    ['7.25 MBytes/sec', 8 * 7.25 * 1024 ** 2],
    ['1.00 GBytes/sec', 8 * 1024 ** 3],
  ])('%s', (rate, bitsPerSecond) => {
    expect(parseIperf3Text(line(rate)).intervals[0]?.bitsPerSecond).toBe(bitsPerSecond);
  });

  test.each(['-nan bits/sec', 'nan Mbits/sec', 'inf Gbits/sec'])('%s is not measured', (rate) => {
    expect(parseIperf3Text(line(rate)).intervals).toEqual([]);
  });
});

describe('hostile input', () => {
  test.each([
    ['nothing', ''],
    ['binary', '\u0000\u0001[  5]\ufffd\u0000'],
    ['a line of a megabyte', `[  5]   0.00-1.00   sec ${' '.repeat(1e6)} bits/sec`],
    ['many brackets', '['.repeat(100_000)],
  ])('%s measures nothing, in bounded time', (_name, text) => {
    const output = parseIperf3Text(text);
    expect(output.intervals).toEqual([]);
    expect(output).toMatchObject({ complete: false, incompleteReason: 'the tool printed no measured interval' });
  });

  test('carriage returns and colours change nothing', () => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/forward.client.out');
    const colored = text.replace(/\n/g, '\u001b[0m\r\n');
    expect(parseIperf3Text(colored)).toEqual(parseIperf3Text(text));
  });

  test('a receiver without packets prints nan percent, which is read as 0 of 0 lost', () => {
    const output = parseIperf3Text('[  5]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec  0.000 ms  0/0 (nan%)  ');
    expect(output.intervals[0]).toMatchObject({ lostPackets: 0, packets: 0, bitsPerSecond: 0 });
  });

  test('packets out of order are not an error', () => {
    const text = readFixture('tool-output/iperf3/3.12-verbose/udp.client.out');
    const reordered = `iperf3: OUT OF ORDER - incoming packet = 5 and received packet = 7 AND SP = 5\n${text}`;
    expect(parseIperf3Text(reordered)).toMatchObject({ complete: true, errors: [] });
  });
});

const WRAPPED = ['timeout', '-s', 'TERM', '-k', '5', '90', 'stdbuf', '-oL', '/usr/bin/iperf3'];

test.each([
  [
    ['-c', '10.0.0.2', '-t', '60'],
    { role: 'client', protocol: 'tcp', reverse: false, bidirectional: false, durationSeconds: 60 },
  ],
  [['-c', '10.0.0.2', '-u', '-R'], { role: 'client', protocol: 'udp', reverse: true, bidirectional: false }],
  [
    ['--bidir', '--time', '5', '-c', '10.0.0.2'],
    { role: 'client', protocol: 'tcp', reverse: false, bidirectional: true, durationSeconds: 5 },
  ],
  [['-s', '-1', '-i', '1'], { role: 'server' }],
])('what the command line shows: %j', (options, expected) => {
  expect(contextOfCommand([...WRAPPED, ...options])).toEqual(expected);
});

describe("the series of the server's output", () => {
  function output(intervals: readonly ToolInterval[]): ThroughputOutput {
    const facts = { reverse: false, bidirectional: false, complete: true, summaries: [], errors: [], warnings: [] };
    return { ...facts, kind: 'throughput', tool: 'iperf3', intervals };
  }

  function interval(startSeconds: number, side: Side, bitsPerSecond: number): ToolInterval {
    return { startSeconds, endSeconds: startSeconds + 1, direction: 'forward', stream: 'sum', side, bitsPerSecond };
  }

  test("only a series that the client lacks is taken from the server's output", () => {
    const client = output([interval(0, 'sender', 1), interval(1, 'sender', 2)]);
    const server = output([interval(0, 'sender', 3), interval(0, 'receiver', 4), interval(1, 'receiver', 5)]);
    expect(withServerSeries(client, server).intervals.map(({ bitsPerSecond }) => bitsPerSecond)).toEqual([1, 4, 2, 5]);
  });

  test('the work grows with the number of intervals, not with its square', () => {
    const readsFor = (seconds: number) => {
      let reads = 0;
      const series = (side: Side) =>
        Array.from({ length: seconds }, (_, second): ToolInterval => ({
          ...interval(second, side, 1),
          get side() {
            reads += 1;
            return side;
          },
        }));
      withServerSeries(output(series('sender')), output(series('receiver')));
      return reads;
    };
    expect(readsFor(4000) / readsFor(1000)).toBeLessThan(6);
  });
});
