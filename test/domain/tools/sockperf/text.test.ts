import { readdirSync } from 'node:fs';
import {
  parseSockperfRoundTrips,
  parseSockperfText,
  parseSockperfThroughput,
} from '../../../../domain/tools/sockperf/text';
import type { SockperfContext } from '../../../../domain/tools/sockperf/text';
import type { LatencyOutput } from '../../../../domain/parsers/tool-output';
import { latencyStatistics } from '../../../support/parsed-statistics';
import { fixturePath, readFixture } from '../../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/sockperf/${name}`);

function parseText(text: string): LatencyOutput {
  const output = parseSockperfText(text);
  if (output.kind !== 'latency') throw new Error('must be round trips');
  return output;
}

const parse = (name: string) => parseText(read(name));

describe('versions and modes, always as round trips', () => {
  test.each([
    // Half of these is printed.
    [
      '2.7-pp-tcp-16k.out',
      '2.7',
      215786,
      {
        mean: 13.882,
        stdDev: 35.254,
        p50: 13.238,
        p95: 13.88,
        p99_5: 31.456,
        p99_99: 1488.068,
        max: 5220.048,
        min: 12.298,
      },
    ],
    [
      '3.7-pp-tcp-16k.out',
      '3.7',
      184821,
      { mean: 13.78, stdDev: 25.822, p50: 13.228, p99: 16.012, p99_999: 3269.932, max: 3537.488, min: 12.318 },
    ],
    [
      '3.10-pp-tcp-16k.out',
      '3.10',
      151871,
      { mean: 16.768, stdDev: 101.786, p50: 12.998, p99_9: 1004.166, max: 15523.822, min: 12.016 },
    ],
    ['3.10-pp-n.out', '3.10', 2000, { mean: 13.686, p25: 11.746, p75: 12.408, p90: 12.568 }],
    // These are printed as they are: --full-rtt.
    [
      '3.10-pp-fullrtt.out',
      '3.10',
      123287,
      { mean: 12.544, stdDev: 10.89, p50: 12.208, p99_99: 156.933, max: 2863.814, min: 11.306 },
    ],
    ['3.7-pp-full.out', '3.7', 25005, { mean: 61.895, stdDev: 82.188, p25: 5.143, p99: 218.642, max: 4182.57 }],
    // Under load.
    ['3.7-ul.out', '3.7', 14, { mean: 354.016, p50: 23.864, max: 4271.23 }],
  ])('%s', (name, toolVersion, observations, rttMicros) => {
    const output = parse(name);
    expect(output).toMatchObject({ kind: 'latency', protocol: 'tcp', toolVersion, observations, complete: true });
    expect(output.rttMicros).toMatchObject(rttMicros);
    expect(output).toMatchObject({ droppedMessages: 0, duplicatedMessages: 0, outOfOrderMessages: 0 });
  });

  test('percentiles that a version does not print are absent', () => {
    expect(parse('3.7-pp-tcp-16k.out').rttMicros?.p95).toBeUndefined();
    expect(parse('3.7-pp-tcp-16k.out').rttMicros?.p99_5).toBeUndefined();
    expect(parse('2.7-pp-tcp-16k.out').rttMicros?.p99_999).toBeUndefined();
  });

  test('the head of a --full-log has the same statistics', () => {
    expect(parse('3.7-pp.full.head.csv').rttMicros).toEqual(parse('3.7-pp-tcp-16k.out').rttMicros);
  });

  test('full round trips under the old name are recognised by the time per message', () => {
    const text = read('3.7-pp-full.out').replace('avg-rtt=', 'avg-latency=');
    const output = parseText(text);
    expect(output.rttMicros?.mean).toBe(61.895);
    expect(output.warnings[0]).toMatch(/taken as full round trips/);
  });

  test("a server's output is no measurement", () => {
    expect(parse('3.7-server.out')).toMatchObject({
      complete: false,
      incompleteReason: 'a sockperf server prints no measurement',
    });
  });
});

describe('the time per message distinguishes half round trips from full ones', () => {
  // For every recording without loss and without another load: two round trips take twice the time.
  const recordings = (readdirSync(fixturePath('tool-output/sockperf'), { recursive: true }) as string[])
    .filter((name) => /-pp|2\.5-matrix\/./.test(name))
    .filter((name) => read(name).includes('[Valid Duration]'));

  test('there are recordings of every version', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(20);
    expect(new Set(recordings.map((name) => /^\d+\.\d+/.exec(name)?.[0]))).toEqual(
      new Set(['2.5', '2.7', '3.6', '3.7', '3.10']),
    );
  });

  test.each(recordings)('%s', (name) => {
    const [, seconds, received] = /\[Valid Duration\] RunTime=([\d.]+) sec;.*ReceivedMessages=(\d+)/.exec(read(name))!;
    const microsPerMessage = (Number(seconds) * 1e6) / Number(received);
    expect(Math.abs(parse(name).rttMicros!.mean / microsPerMessage - 1)).toBeLessThan(0.02);
  });

  test.each(recordings)('%s, with the names removed that reveal what is printed', (name) => {
    const nameless = read(name)
      .replace(/avg-(?:lat|latency|rtt)=/, 'avg-latency=')
      .replace(/Summary: .*/, '');
    expect(parseText(nameless).rttMicros).toEqual(parse(name).rttMicros);
  });

  test("a run of milliseconds: the rounding of sockperf's run time is tolerated", () => {
    const short = read('3.10-pp-fullrtt.out')
      .replace('avg-rtt=', 'avg-latency=')
      .replace(
        /RunTime=1\.550 sec; SentMessages=123287; ReceivedMessages=123287/,
        'RunTime=0.010 sec; SentMessages=830; ReceivedMessages=830',
      );
    expect(parseText(short).rttMicros!.mean).toBe(12.544);
  });

  test('a rate that the plan limited shows nothing: half round trips are assumed, as the version prints them', () => {
    const limited = read('3.7-pp-tcp-16k.out').replace(/RunTime=2\.550 sec/, 'RunTime=255.000 sec');
    expect(parseText(limited).rttMicros!.mean).toBe(13.78);
    const output = parseSockperfRoundTrips(limited, { mode: 'ping_pong', isFullRoundTrip: false });
    expect(output.rttMicros!.mean).toBe(13.78);
    expect(output.warnings).toContainEqual(
      expect.stringMatching(/^a message every 1379\.7 us is not one for each round trip/),
    );
  });
});

describe('under load', () => {
  //  One message every 354 us was offered, which is what the round trips took on average: not a sign of --full-rtt.
  const offered = (text: string) =>
    text.replace(
      /RunTime=1\.300 sec; SentMessages=1301; ReceivedMessages=14/,
      'RunTime=1.300 sec; SentMessages=7345; ReceivedMessages=7345',
    );

  test('the time per message follows from the offered rate and shows nothing', () => {
    const context: SockperfContext = { mode: 'under_load', isFullRoundTrip: false };
    expect(parseSockperfRoundTrips(offered(read('3.7-ul.out')), context).rttMicros!.mean).toBe(354.016);
    expect(parseSockperfRoundTrips(offered(read('3.7-ul.out')), { mode: 'under_load' }).rttMicros!.mean).toBe(354.016);
    // Without the mode it would be taken for such a sign.
    expect(parseText(offered(read('3.7-ul.out'))).rttMicros!.mean).toBe(177.008);
  });

  test('is recognised by most messages having no answer, where the mode is unknown', () => {
    const text = read('3.7-ul.out').replace('RunTime=1.300 sec', 'RunTime=0.002478 sec');
    expect(parseText(text).rttMicros!.mean).toBe(354.016);
  });

  test('has no transactions', () => {
    for (const version of ['2.7', '3.7', '3.10']) {
      expect(latencyStatistics(parse(`${version}-ul.out`)).transactionsPerSecond).toBeUndefined();
      expect(parse(`${version}-ul.out`).complete).toBe(true);
    }
  });
});

describe('request-response: one message at a time', () => {
  test.each([
    ['3.7-pp-tcp-16k.out', 184_821 / 2.55],
    ['3.10-pp-fullrtt.out', 123_287 / 1.55],
    ['2.5-matrix/same-public-tcp.out', 3417 / 9.998],
  ])('%s: transactions a second are messages by run time', (name, expected) => {
    const { transactionsPerSecond, rttMicros } = latencyStatistics(parse(name));
    expect(transactionsPerSecond).toBeCloseTo(expected, 6);
    expect(1e6 / transactionsPerSecond! / rttMicros!.mean).toBeCloseTo(1, 1);
  });

  test('lost messages are not transactions', () => {
    const lossy = read('3.7-pp-full.out').replace(/(ReceivedMessages=)\d+$/gm, '$120000');
    const output = parseSockperfRoundTrips(lossy, { mode: 'ping_pong', isFullRoundTrip: true });
    expect(latencyStatistics(output).transactionsPerSecond).toBeLessThan(
      parse('3.7-pp-full.out').transactionsPerSecond!,
    );
    expect(output.warnings).toContainEqual(expect.stringContaining('some waited or were lost'));
  });
});

describe('throughput', () => {
  test.each([
    ['2.7-tp.out', '2.7', 2654.391, 2.1],
    ['3.7-tp.out', '3.7', 2558.75, 2],
    ['3.10-tp.out', '3.10', 2646.531, 2],
  ])('%s: MBps is MiB/s, of the sender', (name, toolVersion, mebibytes, durationSeconds) => {
    const output = parseSockperfText(read(name));
    expect(output).toMatchObject({ kind: 'throughput', toolVersion, role: 'client', protocol: 'tcp', complete: true });
    expect(output).toMatchObject({
      durationSeconds,
      intervals: [],
      summaries: [{ direction: 'forward', side: 'sender', bitsPerSecond: mebibytes * 2 ** 20 * 8 }],
    });
    expect(parseSockperfThroughput(read(name))).toEqual(output);
  });

  test.each([
    ['2.654 GBps (21.235 Gbps)', 2.654 * 1000 * 2 ** 20 * 8],
    ['2654.391000000 GBps (21235.125000000 Gbps)', 2654.391 * 2 ** 20 * 8],
  ])('%s, as --giga-size and --increase_output_precision print it', (printed, bitsPerSecond) => {
    const output = parseSockperfThroughput(read('2.7-tp.out').replace('2654.391 MBps (21235.125 Mbps)', printed));
    expect(output.summaries[0]!.bitsPerSecond).toBe(bitsPerSecond);
  });

  test('without its summary nothing was measured', () => {
    const text = read('3.7-tp.out');
    const output = parseSockperfThroughput(text.slice(0, text.indexOf('Total of')));
    expect(output).toMatchObject({ summaries: [], complete: false, incompleteReason: 'no final summary' });
  });
});

describe('made-up variations of the format', () => {
  const known = () => parse('3.10-pp-tcp-16k.out').rttMicros!;
  const changed = (...changes: [RegExp, string][]) =>
    parseText(changes.reduce((text, [from, to]) => text.replace(from, to), read('3.10-pp-tcp-16k.out')));

  test('other spaces, signs and colours are read', () => {
    const output = changed(
      [/\u001b\[[0-9;]*m/g, '\u001b[1;32m'],
      [/=(?=\d)/g, ' = '],
      [/<(MAX|MIN)>/g, '$1'],
      [/percentile (\S+) /g, 'percentile   $1% '],
    );
    expect(output).toMatchObject({ complete: true, observations: 151871, toolVersion: '3.10' });
    expect(output.rttMicros).toEqual(known());
  });

  test('missing and additional fields are tolerated', () => {
    const output = changed(
      [/, mean-ad=.*?(?=\))/, ', skew=3.1'],
      [/Warm up time=400 msec; /, 'Warm up packets=8000; Cool down time=50 msec; '],
      [/\[Valid Duration\] RunTime=2.550 sec; /, '[Valid Duration] Threads=1; RunTime=2.550 sec; '],
      [/.*Summary: .*\n/, 'sockperf: Summary: all is well\n'],
    );
    expect(output).toMatchObject({ complete: true, durationSeconds: 2.55 });
    expect(output.rttMicros).toEqual(known());
  });

  test('another set of percentiles, with more decimals or none, is read', () => {
    const output = changed(
      [/.*percentile 99\.990.*\n/, 'sockperf: ---> percentile 99.50000 = 9.123456\nsockperf: ---> percentile 95 = 7\n'],
      [/.*percentile 25\.000.*\n/, ''],
    );
    expect(output.rttMicros).toMatchObject({ p99_5: 18.247, p95: 14, p99_999: 9269.308 });
    expect(output.rttMicros?.p99_99).toBeUndefined();
    expect(output.rttMicros?.p25).toBeUndefined();
  });

  test('an average that only the summary has is read', () => {
    expect(changed([/.*====>.*\n/, '']).rttMicros).toMatchObject({ mean: 16.768, p50: 12.998 });
  });

  test('without the number of observations, the received messages are counted', () => {
    expect(changed([/.*observations.*\n/, '']).observations).toBe(151871);
  });
});

describe('failures, in the words of the tool', () => {
  test.each([
    [
      '3.6-no-observations.out',
      'sockperf: No valid observations found. Try tune parameters: --time/--mps/--reply-every',
    ],
    ['3.7-pp-refused.out', 'sockperf: ERROR: Can`t connect socket (errno=111 Connection refused)'],
    ['3.7-pp-silent.out', 'sockperf: No messages were received from the server. Is the server down?'],
    ['3.7-pp-killed.out', 'sockperf: ERROR: A connection was forcibly closed by a peer (errno=0 Success)'],
  ])('%s', (name, incompleteReason) => {
    const output = parse(name);
    expect(output).toMatchObject({ complete: false, incompleteReason });
    expect(latencyStatistics(output)).toEqual({});
  });

  test('cut off before the statistics', () => {
    const text = read('3.7-pp-full.out');
    const output = parseText(text.slice(0, text.indexOf('Total 25005')));
    expect(output).toMatchObject({ complete: false, incompleteReason: 'no final statistics' });
  });

  test('a run stopped by hand is incomplete', () => {
    const text = read('3.7-pp-full.out').replace('by timer', 'by user');
    expect(parseText(text)).toMatchObject({
      complete: false,
      incompleteReason: 'Test end (interrupted by user)',
    });
  });

  test('nan and infinity are not measured', () => {
    const text = read('3.7-pp-full.out').replace(/= +218\.642/, '= -nan');
    expect(parseText(text).rttMicros?.p99).toBeUndefined();
  });
});

describe('several flows', () => {
  const text = (flowCount: number, outOfOrder: number) =>
    [
      'sockperf: == version #3.7-no.git ==',
      'sockperf[CLIENT] send on:sockperf: using epoll() to block on socket(s)',
      ...Array.from({ length: flowCount }, (_, flow) => `[ ${flow}] IP = 127.0.0.1       PORT =  ${7101 + flow} # UDP`),
      'sockperf: Test end (interrupted by timer)',
      'sockperf: [Valid Duration] RunTime=4.549 sec; SentMessages=13644; ReceivedMessages=12798',
      'sockperf: ====> avg-rtt=2123.886 (std-dev=4826.126)',
      `sockperf: # dropped messages = 0; # duplicated messages = 0; # out-of-order messages = ${outOfOrder}`,
      'sockperf: Total 12798 observations; each percentile contains 127.98 observations',
      'sockperf: ---> <MAX> observation = 45416.901',
      'sockperf: ---> percentile 50.000 =   14.491',
      'sockperf: ---> <MIN> observation =   13.059',
    ].join('\n');
  const warningsOf = (flowCount: number, outOfOrder: number) =>
    parseSockperfRoundTrips(text(flowCount, outOfOrder), { mode: 'under_load', isFullRoundTrip: true }).warnings;

  test('round trips that sockperf leaves out, because those of other flows overtook them, are a warning', () => {
    expect(warningsOf(3, 846)).toContainEqual(
      '846 round trips (6.2 %) were overtaken by those of other flows, and sockperf leaves them out: the percentiles ' +
        'are without some of the slowest',
    );
  });

  test('a few of them, or any over a single flow, are none', () => {
    for (const warnings of [warningsOf(3, 12), warningsOf(1, 846)]) {
      expect(warnings.filter((warning) => warning.includes('overtaken'))).toEqual([]);
    }
  });
});

test('a bandwidth that no link has is none', () => {
  const text = read('3.10-tp.out').replace(/BandWidth is [\d.]+/, 'BandWidth is 900000000000');
  expect(parseSockperfThroughput(text)).toMatchObject({ complete: false, summaries: [] });
});
