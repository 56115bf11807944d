import { analyseOutputs } from '../../../../domain/analysis/analyse-output';
import { throughputOf } from '../../../../domain/model/statistics';
import { parseToolOutput } from '../../../../domain/tools/parse-tool-output';
import type { ThroughputOutput } from '../../../../domain/parsers/tool-output';
import { readFixture } from '../../../support/fixtures';

function parse(text: string): ThroughputOutput {
  const output = parseToolOutput(text);
  if (output.kind !== 'throughput') throw new Error(`tool: must be iperf3, got ${output.tool}`);
  return output;
}

function read(name: string): string {
  return readFixture(`tool-output/iperf3/${name}`);
}

/** Rates of one summed series in kbit/s: the precision in which the recordings were read by hand. */
function kilobits(output: ThroughputOutput, direction: string, side: string): number[] {
  return output.intervals
    .filter((one) => one.stream === 'sum' && one.direction === direction && one.side === side)
    .map((one) => Math.round(one.bitsPerSecond / 1e3));
}

function summary(output: ThroughputOutput, direction: string, side: string) {
  return output.summaries.find((one) => one.direction === direction && one.side === side);
}

const near = (numbers: readonly number[]) => numbers.map((value) => expect.closeTo(value, -1) as number);

describe('-J, two parallel streams', () => {
  test.each([
    ['3.0.12', [109036, 119548, 119526], 116036, 0],
    ['3.9', [121624, 119537, 119537], 118771, 0],
    ['3.12', [121625, 119538, 119536], 120219, 2],
    ['3.16', [121627, 119538, 119249], 120088, 14],
    ['3.17.1', [119529, 121635, 118815], 119973, 8],
    ['3.21', [121537, 119540, 119528], 120139, 0],
  ])('%s', (version, rates, received, retransmits) => {
    const output = parse(read(`${version}/json-p2.out`));
    expect(kilobits(output, 'forward', 'sender')).toEqual(near(rates));
    expect(summary(output, 'forward', 'receiver')!.bitsPerSecond! / 1e3).toBeCloseTo(received, -1);
    expect(summary(output, 'forward', 'sender')?.retransmits).toBe(retransmits);
    expect(output).toMatchObject({
      toolVersion: version,
      role: 'client',
      protocol: 'tcp',
      parallelStreams: 2,
      durationSeconds: 3,
      complete: true,
      warnings: [],
    });
    expect(output.intervals.filter((interval) => interval.stream !== 'sum')).toHaveLength(6);
  });

  test('the target rate is the sum over all streams', () => {
    expect(parse(read('3.21/json-p2.out')).targetBitsPerSecond).toBe(120e6);
    expect(parse(read('3.0.12/json-p2.out')).targetBitsPerSecond).toBeUndefined();
  });
});

describe('-J -R', () => {
  test.each([
    ['3.0.12', [60811, 59770], 60290, 1],
    ['3.9', [62909, 59721], 61314, 1],
    ['3.12', [60811, 59768], 60289, 0],
    ['3.16', [60810, 59771], 60290, 0],
    ['3.17.1', [60781, 59686], 60233, 4],
    ['3.21', [60754, 59673], 60213, 0],
  ])('%s: the client receives, and its peer reports the retransmits', (version, rates, received, retransmits) => {
    const output = parse(read(`${version}/json-reverse.out`));
    expect(output).toMatchObject({ reverse: true, bidirectional: false, complete: true });
    expect(kilobits(output, 'reverse', 'receiver')).toEqual(near(rates));
    expect(summary(output, 'reverse', 'receiver')!.bitsPerSecond! / 1e3).toBeCloseTo(received, -1);
    expect(summary(output, 'reverse', 'sender')?.retransmits).toBe(retransmits);
    expect(output.intervals.every((interval) => interval.retransmits === undefined)).toBe(true);
  });
});

describe('-J --bidir', () => {
  test.each([
    ['3.9', [60812, 59768], [62909, 59768], [59080, 60108], [0, 1]],
    ['3.12', [60812, 59768], [60812, 59767], [60280, 60280], [0, 0]],
    ['3.16', [60592, 59949], [60591, 59949], [60270, 60270], [0, 0]],
    ['3.17.1', [60810, 59737], [60810, 59735], [60259, 60259], [1, 1]],
    ['3.21', [60758, 59745], [60756, 59746], [60176, 60176], [0, 0]],
  ])('%s: the directions are kept apart', (version, forward, reverse, received, retransmits) => {
    const output = parse(read(`${version}/json-bidir.out`));
    expect(output).toMatchObject({ bidirectional: true, complete: true });
    expect(kilobits(output, 'forward', 'sender')).toEqual(near(forward));
    expect(kilobits(output, 'reverse', 'receiver')).toEqual(near(reverse));
    const directions = ['forward', 'reverse'];
    expect(directions.map((one) => summary(output, one, 'receiver')!.bitsPerSecond! / 1e3)).toEqual(near(received));
    expect(directions.map((one) => summary(output, one, 'sender')!.retransmits)).toEqual(retransmits);
  });
});

describe('-J -u', () => {
  test.each([
    ['3.0.12', [1616, 1782], 535, 3398, 6, undefined],
    ['3.9', [1785, 1785], 0, 3570, 9.6, undefined],
    ['3.12', [1785, 1785], 0, 3570, 14.4, 19987],
    ['3.16', [1779, 1791], 0, 3570, 10.9, 19986],
    ['3.17.1', [1766, 1804], 254, 3570, 534, 18555],
    ['3.21', [1787, 1786], 0, 3573, 1.6, 19962],
  ])('%s', (version, datagrams, lostPackets, packets, jitterMicros, received) => {
    const output = parse(read(`${version}/json-udp.out`));
    expect(output).toMatchObject({ protocol: 'udp', complete: true });
    expect(output.intervals.map((interval) => interval.packets)).toEqual(datagrams);
    const receiver = summary(output, 'forward', 'receiver')!;
    expect(receiver).toMatchObject({ lostPackets, packets });
    expect(receiver.jitterMicros).toBeCloseTo(jitterMicros, 0);
    expect(receiver.bitsPerSecond && Math.round(receiver.bitsPerSecond / 1e3)).toBe(received);
  });
});

describe('--json-stream', () => {
  test.each([
    ['3.17.1', [121540, 118562, 120511]],
    ['3.21', [120460, 120584, 119476]],
  ])('%s', (version, rates) => {
    const output = parse(read(`${version}/json-stream.out`));
    expect(kilobits(output, 'forward', 'sender')).toEqual(near(rates));
    expect(output).toMatchObject({ toolVersion: version, complete: true, parallelStreams: 2, warnings: [] });
  });

  test('3.21 --json-stream-full-output: the document after the events adds nothing', () => {
    const output = parse(read('3.21/json-stream-full.out'));
    expect(kilobits(output, 'forward', 'sender')).toEqual(near([60970, 59550]));
    expect(output).toMatchObject({ complete: true, warnings: [], errors: [] });
  });

  test('cut off in the middle of an event', () => {
    const text = read('3.21/json-stream.out');
    const output = parse(text.slice(0, text.indexOf('"event":"end"') - 200));
    expect(kilobits(output, 'forward', 'sender')).toHaveLength(2);
    expect(output.complete).toBe(false);
    expect(output.warnings).toEqual(['a line ends in the middle of its event; left out']);
  });

  test('a stream without its end event is incomplete, whatever the exit code was', () => {
    const text = read('3.21/json-stream.out').split('\n').slice(0, 4).join('\n');
    expect(parse(text)).toMatchObject({
      complete: false,
      incompleteReason: 'no final summary of the receiver (forward)',
    });
  });

  test('an error event, in the words of the tool', () => {
    const text = `${read('3.21/json-stream.out').split('\n').slice(0, 3).join('\n')}\n{"event":"error","data":"control socket has closed unexpectedly"}\n`;
    expect(parse(text).incompleteReason).toBe('iperf3: control socket has closed unexpectedly');
  });
});

describe('failures', () => {
  test.each([
    ['3.0.12', 'busy-json', 'iperf3: error - the server is busy running a test. try again later', 0],
    ['3.21', 'busy-json', 'iperf3: the server is busy running a test. try again later', 0],
    ['3.12', 'refused-json', 'iperf3: unable to connect to server: Connection refused', 0],
    ['3.16', 'srvkill-json', 'iperf3: control socket has closed unexpectedly', 2],
    ['3.9', 'srvkill-json', 'no final summary of the receiver (forward)', 2],
    ['3.0.12', 'cliterm-json', 'iperf3: interrupt - the client has terminated', 3],
    ['3.21', 'cliterm-json', 'iperf3: interrupt - the client has terminated by signal Terminated(15)', 3],
  ])('%s %s', (version, name, incompleteReason, intervalCount) => {
    const output = parse(read(`${version}/${name}.out`));
    expect(output).toMatchObject({ complete: false, incompleteReason, toolVersion: version });
    expect(output.intervals.filter((interval) => interval.stream === 'sum')).toHaveLength(intervalCount);
  });
});

describe('text around the JSON', () => {
  const document = read('3.16/json-p2.out');

  test('text before the first brace and after the last one is ignored', () => {
    const output = parse(`warning: something {odd}\n${document}\nDone. {\n`);
    expect(output).toMatchObject({ complete: true, errors: [] });
    expect(output.intervals).toEqual(parse(document).intervals);
  });

  test('an error message after the last brace is read', () => {
    const output = parse(`${document}\niperf3: error - control socket has closed unexpectedly\n`);
    expect(output.incompleteReason).toBe('iperf3: error - control socket has closed unexpectedly');
  });

  test('of several documents, the last one that measured something is taken', () => {
    const output = parse(`${document}${read('3.16/json-reverse.out')}${read('3.16/busy-json.out')}`);
    expect(output).toMatchObject({ reverse: true, complete: true });
    expect(output.warnings).toEqual(['the file holds 3 tests; the last one that measured something is analysed']);
  });

  test('a document that ends in its third interval keeps the two whole ones', () => {
    const third = document.indexOf('"socket"', document.lastIndexOf('"streams"', document.indexOf('"end":\t{')));
    const output = parse(document.slice(0, document.indexOf('}', third) + 5));
    expect(kilobits(output, 'forward', 'sender')).toEqual(near([121627, 119538]));
    expect(output.complete).toBe(false);
    expect(output.warnings).toEqual(['the JSON ends in the middle; what was whole is analysed']);
  });

  test("nan, as 3.0's JSON library prints it, is read as missing", () => {
    const output = parse(read('3.0.12/json-udp.out').replace(/"jitter_ms":\t[\d.]+/g, '"jitter_ms":\t-nan'));
    expect(summary(output, 'forward', 'receiver')).toMatchObject({ lostPackets: 535 });
    expect(summary(output, 'forward', 'receiver')?.jitterMicros).toBeUndefined();
  });

  test('--get-server-output as text brings the receiver series', () => {
    const output = parse(readFixture('real-buckets/t02-burst-2g-500m.iperf3.json'));
    expect(kilobits(output, 'forward', 'sender')).toHaveLength(90);
    const received = kilobits(output, 'forward', 'receiver');
    // 90.00-90.03, the remnant that the sampling leaves out, is still there.
    expect(received).toHaveLength(91);
    expect(received.slice(0, 2)).toEqual([1_850_000, 1_860_000]);
  });

  test.each([
    ['nothing', '', 'the file is empty'],
    ['zeros', '\u0000\u0000', 'the file is empty'],
    [
      'prose',
      'hello',
      'must be output of iperf3 (text, -J or --json-stream), sockperf, ping (iputils) or tracepath, got something else',
    ],
    ['another JSON', '{"start": 3}', 'JSON: must be a document of iperf3 -J, got something else or too little of one'],
    [
      'a torn beginning',
      '{"start": {"conn',
      'JSON: must be a document of iperf3 -J, got something else or too little of one',
    ],
  ])('%s is refused in one clear sentence', (_name, text, message) => {
    expect(() => parseToolOutput(text)).toThrow(message);
  });

  test('a million braces are read in bounded time', () => {
    expect(() => parseToolOutput(`"start": ${'{'.repeat(1e6)}`)).toThrow('JSON: must be');
  });

  test('wrong types within the document are not measured values', () => {
    const text = JSON.stringify({
      start: { version: 3, test_start: { protocol: 7, num_streams: '2' } },
      intervals: [{ streams: [{ socket: 5, start: 0, end: 'x', bytes: -1 }] }, null, { sum: { start: 0 } }],
      end: { streams: [null, { sender: 4 }] },
    });
    expect(parse(text)).toMatchObject({ intervals: [], summaries: [], complete: false });
  });
});

test('--omit 2: the first interval began before the clock was set back, and is that of the first second', () => {
  const output = parse(read('3.12-warm-up/json.out'));
  expect(kilobits(output, 'forward', 'sender')).toEqual([9437, 10486, 9438]);
  expect(output.intervals[0]).toMatchObject({ startSeconds: 0, endSeconds: 1.000063 });
  expect(output.complete).toBe(true);
});

test.each([1e300, -8])('a rate of bytes that no link carries in a second (%d) is none', (bytes) => {
  const text = read('3.12/json-reverse.out').replaceAll(/"(bytes|bits_per_second)":\s*[\d.e+]+/g, `"$1": ${bytes}`);
  expect(parse(text)).toMatchObject({ complete: false, intervals: [], summaries: [] });
});

const ofServer = (name: string) => read(`3.12-json-server/${name}.out`);

/** A server knows only its own end: what it prints for the other end is not measured. */
test.each([
  ['forward', { reverse: false, bidirectional: false }, ['forward receiver']],
  ['reverse', { reverse: true, bidirectional: false }, ['reverse sender']],
  ['udp-reverse', { reverse: true, bidirectional: false, protocol: 'udp' }, ['reverse sender']],
  ['bidir', { bidirectional: true, parallelStreams: 2 }, ['forward receiver', 'reverse sender']],
])('a server, %s', (name, facts, summaries) => {
  const output = parse(ofServer(name));
  expect(output).toMatchObject({ role: 'server', complete: true, durationSeconds: 2, ...facts });
  expect(output.summaries.map((summary) => `${summary.direction} ${summary.side}`)).toEqual(summaries);
  const series = new Set(output.intervals.map((interval) => `${interval.direction} ${interval.side}`));
  expect([...series].sort()).toEqual(summaries);
});

test('a UDP server that sends reports no loss', () => {
  const statistics = throughputOf(analyseOutputs(ofServer('udp-reverse'))[0])?.main;
  expect(statistics).toMatchObject({ sentPackets: 893 });
  expect(statistics?.lostPackets).toBeUndefined();
  expect(statistics?.jitterMicros).toBeUndefined();
});
