import { readdirSync } from 'node:fs';
import { formsIn } from '../../../domain/tools/output-forms';
import { OUTPUT_FORMS, parseToolOutput } from '../../../domain/tools/parse-tool-output';
import { fixturePath, readFixture } from '../../support/fixtures';

const found = (text: string) => formsIn(text, OUTPUT_FORMS).map(({ form, line }) => [form.name, line]);
const formNames = (text: string) => found(text).map(([name]) => name);

describe('iperf 2 is refused by name', () => {
  const recordings = readdirSync(fixturePath('tool-output/iperf2/2.1.8'));

  test.each(recordings)('%s', (name) => {
    const text = readFixture(`tool-output/iperf2/2.1.8/${name}`);
    expect(formNames(text)).toEqual(['iperf 2']);
    expect(() => parseToolOutput(text)).toThrow(
      /^line \d+: must be output of .*, got iperf 2: measure with iperf3, or/,
    );
  });

  test.each([
    [
      '2.0.5 without its beginning',
      '[  3]  0.0- 1.0 sec  11.2 MBytes  94.4 Mbits/sec\n[  3]  1.0- 2.0 sec  11.2 MBytes  94.4 Mbits/sec',
    ],
    ['2.1 without its beginning', '[  1] 0.0000-1.0000 sec  26.4 MBytes   221 Mbits/sec'],
    ['of several streams, sums only', '[SUM-2] 0.0000-1.0000 sec  28.9 MBytes   242 Mbits/sec'],
    [
      '2.0.13, which prints two decimals as iperf3 does',
      'Client connecting to 10.0.0.2, TCP port 5001\r\n[  3] 0.00-1.00 sec  11.2 MBytes  94.4 Mbits/sec\r\n',
    ],
    ['CSV of 2.0', '20261122115022,10.0.0.1,53516,10.0.0.2,5001,3,0.0-1.0,28049468,224395744'],
    ['CSV of 2.1 -e', '20261122115022.123,10.0.0.1,53516,10.0.0.2,5001,3,0.0-1.0,28049468,224395744,-1,-1,-1,-1,0,0'],
    ['within the log of a container', '{"log":"[  1] 0.0000-1.0000 sec  26.4 MBytes   221 Mbits/sec\\n"}'],
  ])('%s', (_name, text) => {
    expect(() => parseToolOutput(text)).toThrow(/^line 1: .*got iperf 2/);
  });
});

describe('the words of a tool are not its output', () => {
  test.each([
    [
      'a table of results',
      'tool,version,peer,Gbit/s\niperf3,iperf 3.16,"Connecting to host 10.0.0.2, port 5201",9.41\n',
    ],
    ['a table with a failure', 'run,result,ok\n4,iperf3: error - unable to connect to server,0\n'],
    ['a table with sockperf', 'run;line\n1;sockperf: Summary: Latency is 12.3 usec\n'],
    ['prose', 'We used iperf: it is good. Then sockperf: it is better. Server listening on 5201 of the list.\n'],
    ['a page', '<p>iperf 3.16</p>\n<li>Connecting to host a, port 5201</li>\n'],
    ['a configuration', 'iperf: true\nping: 10.0.0.1\nsockperf: latest\n'],
    [
      'a log of events',
      '{"event": "start", "level": "info"}\n{"event": "error", "message": "iperf3: error - refused"}\n',
    ],
    ["another program's JSON lines", '{"event":"interval","value":3}\n'],
  ])('%s', (_name, text) => {
    expect(formNames(text)).toEqual([]);
    expect(() => parseToolOutput(text)).toThrow(/^must be output of .*, got something else$/);
  });
});

test.each([
  ['an answer of a service', '{"error": "not found"}'],
  ['an appointment', '{"start": {"dateTime": "2026-11-22T10:00:00Z"}, "end": {"dateTime": "2026-11-22T11:00:00Z"}}'],
  ['intervals of another kind', '{"intervals": [{"from": 1, "to": 2}]}'],
])("%s is no document of iperf3's", (_name, text) => {
  expect(() => parseToolOutput(text)).toThrow(/^JSON: must be a document of iperf3 -J, got something else/);
});

describe('what may stand before a line', () => {
  test.each([
    [
      'times and a title',
      'Sun Nov 22 11:48:18 2026  lab 3:  Connecting to host 10.0.0.2, port 5201\r\n',
      'iperf3 text',
    ],
    [
      'a container',
      'client-1  | [  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec    0   1.10 MBytes',
      'iperf3 text',
    ],
    ['a shell', 'bash: line 1: iperf3: command not found', 'iperf3 error'],
    ['the path of the program', '/usr/bin/iperf3: unrecognized option', 'iperf3 error'],
    ['a time in front of a reply', '[1764000000.123456] 64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=0.3 ms', 'ping'],
    ['a colour', 'sockperf: \u001b[2;35m== version #3.10-no.git == \u001b[0m', 'sockperf'],
  ])('%s', (_name, text, form) => {
    expect(formNames(text)).toEqual([form]);
  });
});

test('each form is found with the number of its first line', () => {
  const ping = readFixture('tool-output/ping/20221126-100.out');
  const text = `\n\n${ping}${readFixture('tool-output/iperf3/3.12/text-p2.out')}`;
  expect(found(text)).toEqual([
    ['iperf3 text', ping.split('\n').length + 2],
    ['ping', 5],
  ]);
});
