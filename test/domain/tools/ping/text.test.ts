import { parsePingText } from '../../../../domain/tools/ping/text';
import { parseToolOutput } from '../../../../domain/tools/parse-tool-output';
import { latencyStatistics } from '../../../support/parsed-statistics';
import { readFixture } from '../../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/ping/20221126-${name}.out`);
const parse = (name: string, packetCount?: number) => parsePingText(read(name), packetCount);

describe('recordings', () => {
  test("a hundred packets: ping's own summary, and percentiles of the single replies", () => {
    const output = parse('100', 100);
    expect(output).toMatchObject({
      tool: 'ping',
      toolVersion: '20221126',
      durationSeconds: 2.513,
      complete: true,
      errors: [],
      warnings: [],
    });
    expect(latencyStatistics(output)).toEqual({
      rttMicros: { mean: 62, stdDev: 8, min: 46, p25: 56, p50: 62, p75: 67, p90: 70, p95: 74, p99: 93, max: 104 },
      observations: 100,
      droppedMessages: 0,
      duplicatedMessages: 0,
    });
  });

  test('lost packets are counted, and percentiles that the remaining replies cannot support are absent', () => {
    const output = parse('lossy', 40);
    expect(output).toMatchObject({ complete: true, observations: 36, droppedMessages: 4 });
    expect(output.rttMicros).toHaveProperty('p95');
    expect(output.rttMicros?.p99).toBeUndefined();
  });

  test('a stopped ping reports that it sent fewer packets than planned', () => {
    expect(parse('interrupted', 100)).toMatchObject({
      complete: false,
      incompleteReason: '10 of 100 packets were sent',
      observations: 10,
    });
    expect(parse('interrupted', 10).complete).toBe(true);
  });

  test('a killed ping leaves its replies, and its loss is unknown', () => {
    const output = parse('killed', 100);
    expect(output).toMatchObject({ complete: false, incompleteReason: 'no final statistics', observations: 10 });
    expect(output.rttMicros).toMatchObject({ min: 36, mean: 46.9, max: 55, p50: 48 });
    expect(output.rttMicros?.stdDev).toBeUndefined();
    expect(output.droppedMessages).toBeUndefined();
  });

  test.each([
    ['unreachable', 'no reply to 4 packets: Destination Host Unreachable'],
    ['no-neighbour', 'no reply to 3 packets: Destination Host Unreachable'],
    ['no-route', 'no replies and no statistics: Network is unreachable'],
  ])('%s: nothing was measured, and why', (name, incompleteReason) => {
    const output = parse(name);
    expect(output).toMatchObject({ complete: false, incompleteReason });
    expect(latencyStatistics(output).rttMicros).toBeUndefined();
    expect(latencyStatistics(output).observations).toBeUndefined();
  });
});

describe('times in front of the lines', () => {
  const STAMPS = [
    '[1795540030.144773] ',
    '1795540030.144773 ',
    'Nov  4 17:07:11 ',
    'Tue Nov 24 17:07:11 UTC 2026: ',
    '[Tue Nov 24 17:07:11 2026] ',
    'Tue 24 Nov 2026 05:07:11 PM CET ',
    '2026-11-24T17:07:11.123456789Z ',
    '2026-11-24 17:07:11,123 ',
    '[17:07:11.123] ',
    '00:00:01 ',
    '24/11/2026 17:07:11 | ',
  ];
  const RECORDINGS = ['20221126-100', '20221126-unreachable', '20221126-lossy', '20250605-quiet', '20250605-sigquit'];

  test.each(STAMPS)('%j: the output is that of the same lines without it', (stamp) => {
    for (const name of RECORDINGS) {
      const text = readFixture(`tool-output/ping/${name}.out`);
      const stamped = text
        .split('\n')
        .map((line) => stamp + line)
        .join('\n');
      expect(parseToolOutput(stamped)).toEqual(parseToolOutput(text));
    }
  });

  test.each(['stamped', 'stamped-iso', 'stamped-quiet'])('the recording %s', (name) => {
    expect(parse(name, 20)).toMatchObject({ complete: true, observations: 20, droppedMessages: 0 });
  });
});

describe('recordings of other versions and options', () => {
  const parseAny = (name: string) => {
    const output = parseToolOutput(readFixture(`tool-output/ping/${name}.out`));
    if (output.kind !== 'latency') throw new Error('must be round trips');
    return output;
  };

  test.each([
    ['20210202-20', { mean: 18, stdDev: 5, min: 11, p95: 24, max: 39 }],
    ['20250605-20', { mean: 28, stdDev: 6, min: 22, p95: 37, max: 49 }],
  ])('%s', (name, rttMicros) => {
    expect(parseAny(name)).toMatchObject({ complete: true, observations: 20, droppedMessages: 0, rttMicros });
  });

  test.each([
    ['20250605-quiet', 20, { mean: 27, stdDev: 4, min: 18, max: 33 }],
    ['20250605-flood', 20, { mean: 3, stdDev: 3, min: 2, max: 19 }],
    ['20250605-quiet-ipv6', 3, { mean: 62, stdDev: 46, min: 26, max: 127 }],
    ['20210202-quiet-ipv6', 3, { mean: 36, stdDev: 4, min: 32, max: 43 }],
  ])("%s: without single replies, ping's own summary is used", (name, observations, rttMicros) => {
    expect(parseAny(name)).toMatchObject({ complete: true, observations, droppedMessages: 0, duplicatedMessages: 0 });
    expect(parseAny(name).rttMicros).toEqual(rttMicros);
  });

  test('the interim statistics that a SIGQUIT prints are not the summary', () => {
    expect(parseAny('20250605-sigquit')).toMatchObject({
      complete: true,
      observations: 14,
      rttMicros: { min: 16, mean: 23, max: 34, stdDev: 5 },
    });
  });

  test('packets that are too small to carry a time have no round trip', () => {
    const output = parseAny('20250605-8-bytes');
    expect(output).toMatchObject({ complete: false, incompleteReason: 'no round trip times of 3 replies' });
    expect(latencyStatistics(output).rttMicros).toBeUndefined();
  });

  test('of several runs in one file, the last one that got replies is taken', () => {
    const output = parsePingText(read('100') + read('lossy') + read('unreachable'));
    const [warning, ...warnings] = output.warnings;
    expect({ ...output, warnings }).toEqual(parse('lossy'));
    expect(warning).toBe('the file holds 3 tests; the last one that measured something is analysed');
  });
});

describe('other versions', () => {
  // Written by hand in the formats that these versions are known to print.
  const forms = {
    'icmp_req, of 2012': `PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.
64 bytes from 10.0.0.2: icmp_req=1 ttl=64 time=0.385 ms
64 bytes from 10.0.0.2: icmp_req=2 ttl=64 time=1.02 ms

--- 10.0.0.2 ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 999ms
rtt min/avg/max/mdev = 0.385/0.702/1.020/0.317 ms
`,
    'without ttl, with names, time stamps and an unfinished pipe': `PING server.example (10.0.0.2) from 10.0.0.1 ens5: 56(84) bytes of data.
[1795000000.123456] 64 bytes from server.example (10.0.0.2): icmp_seq=1 time=0.385 ms
[1795000001.123456] 64 bytes from server.example (10.0.0.2): icmp_seq=2 time=1.02 ms

--- server.example ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 999ms
rtt min/avg/max/mdev = 0.385/0.702/1.020/0.317 ms, pipe 2, ipg/ewma 10.841/0.702 ms
`,
    'in German': `PING 10.0.0.2 (10.0.0.2) 56(84) Bytes an Daten.
64 Bytes von 10.0.0.2: icmp_seq=1 ttl=64 Zeit=0,385 ms
64 Bytes von 10.0.0.2: icmp_seq=2 ttl=64 Zeit=1,02 ms

--- 10.0.0.2 ping-Statistiken ---
2 Pakete übertragen, 2 empfangen, 0% packet loss, time 999ms
rtt min/avg/max/mdev = 0.385/0.702/1.020/0.317 ms
`,
    'through a colouring terminal from Windows': `\u001b[1mPING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\u001b[0m\r
64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=\u001b[32m0.385\u001b[0m ms\r
64 bytes from 10.0.0.2: icmp_seq=2 ttl=64 time=\u001b[32m1.02\u001b[0m ms\r
\r
--- 10.0.0.2 ping statistics ---\r
2 packets transmitted, 2 received, 0% packet loss, time 999ms\r
rtt min/avg/max/mdev = 0.385/0.702/1.020/0.317 ms\r
`,
  };

  test.each(Object.entries(forms))('%s', (_, text) => {
    const output = parseToolOutput(text);
    expect(output).toMatchObject({
      tool: 'ping',
      complete: true,
      observations: 2,
      droppedMessages: 0,
      durationSeconds: 0.999,
      rttMicros: { min: 385, mean: 702, max: 1020, stdDev: 317, p50: 385 },
    });
  });

  test('a duplicate is not an observation, and an error is not a reply', () => {
    const output = parsePingText(`PING 10.0.5.10 (10.0.5.10) 56(84) bytes of data.
64 bytes from 10.0.5.10: icmp_seq=1 ttl=62 time=9.58 ms
64 bytes from 10.0.5.10: icmp_seq=1 ttl=62 time=9.99 ms (DUP!)
From 10.0.5.1 icmp_seq=2 Time to live exceeded
From 10.0.5.1 icmp_seq=3 Frag needed and DF set (mtu = 1420)

--- 10.0.5.10 ping statistics ---
3 packets transmitted, 1 received, +1 duplicates, +2 errors, 66.6667% packet loss, time 2003ms
rtt min/avg/max/mdev = 9.580/9.785/9.990/0.205 ms
`);
    expect(output).toMatchObject({ observations: 1, duplicatedMessages: 1, droppedMessages: 2, complete: true });
    expect(output.errors).toEqual(['Time to live exceeded', 'Frag needed and DF set (mtu = 1420)']);
  });

  test("a warning of ping's is no complaint", () => {
    expect(parsePingText(`ping: Warning: source address might be selected\n${read('100')}`).errors).toEqual([]);
  });

  test("replies that fall on a timer's ticks are distinguished from a network's", () => {
    const replies = [4.01, 4, 8.01, 4, 8, 12, 4.02, 8, 4, 8].map(
      (time, index) => `64 bytes from 10.0.0.2: icmp_seq=${index + 1} ttl=64 time=${time} ms`,
    );
    const output = parsePingText(replies.join('\n'));
    expect(latencyStatistics(output).timerQuantumMicros).toBe(4000);
    expect(output.warnings).toContainEqual(expect.stringMatching(/^timer_quantised: /));
  });
});

test("busybox's ping, which prints no deviation, is not taken for iputils", () => {
  const busybox = `PING 10.0.0.2 (10.0.0.2): 56 data bytes
64 bytes from 10.0.0.2: seq=0 ttl=64 time=0.045 ms
64 bytes from 10.0.0.2: seq=1 ttl=64 time=0.061 ms

--- 10.0.0.2 ping statistics ---
2 packets transmitted, 2 packets received, 0% packet loss
round-trip min/avg/max = 0.045/0.053/0.061 ms
`;
  expect(() => parseToolOutput(busybox)).toThrow(/must be output of .*ping \(iputils\)/);
  expect(parsePingText(busybox)).toMatchObject({ complete: false });
  expect(parsePingText(busybox).rttMicros).toBeUndefined();
});
