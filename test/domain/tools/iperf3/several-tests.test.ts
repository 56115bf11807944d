/** Files with several tests, and to which of them what was printed belongs. */
import { parseToolOutput } from '../../../../domain/tools/parse-tool-output';
import type { ThroughputOutput } from '../../../../domain/parsers/tool-output';
import { readFixture } from '../../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/iperf3/3.12-several-tests/${name}.out`);
const parse = (text: string) => parseToolOutput(text) as ThroughputOutput;
const several = (count: number) => `the file holds ${count} tests; the last one that measured something is analysed`;

describe('--get-server-output: each test has its own server output', () => {
  test.each([
    ['server-output-3', 3, /^(?=Connecting to host )/m],
    ['server-output-verbose-3', 3, /^(?=iperf 3)/m],
    ['server-output-bidir-2', 2, /^(?=Connecting to host )/m],
    ['server-output-mixed', 4, /^(?=Connecting to host )/m],
    ['server-output-json-2', 2, /^(?=\{)/m],
  ])('%s: the last test is read as if it were alone', (name, count, beginning) => {
    const tests = read(name)
      .split(beginning)
      // Without a retransmit of its own, a test could not be told from another by them.
      .map((text, index) => text.replaceAll('Mbits/sec    0  ', `Mbits/sec    ${index + 1}  `));
    expect(tests).toHaveLength(count);
    tests.forEach((alone, index) => {
      const single = parse(alone);
      expect(single).toMatchObject({ complete: true, role: 'client', warnings: [] });
      expect(new Set(single.intervals.map(({ side }) => side))).toEqual(new Set(['sender', 'receiver']));
      const upToIt = parse(tests.slice(0, index + 1).join(''));
      expect(upToIt).toEqual({ ...single, warnings: index === 0 ? [] : [several(index + 1)] });
    });
  });

  test('a test without a server output does not get that of the test above', () => {
    const [first, second = ''] = read('server-output-3').split(/^(?=Connecting to host )/m);
    const own = second.slice(0, second.indexOf('Server output:'));
    expect(parse(`${first}${own}iperf Done.\n`)).toEqual({ ...parse(own), warnings: [several(2)] });
  });

  test('a server output that never ends belongs to its test, however often its heading comes', () => {
    const [text = ''] = read('server-output-3').split('iperf Done.');
    const headings = 'Server output:\n'.repeat(100_000);
    expect(parse(text + headings)).toEqual(parse(text));
  });
});

describe('a server that is interrupted', () => {
  const interrupted = 'interrupt - the server has terminated';
  const lateWarning = `after the end of the test: ${interrupted}`;

  test.each(['server-listens-again-buffered', 'server-listens-again-unbuffered'])(
    '%s: the test before is complete',
    (name) => {
      expect(parse(read(name))).toMatchObject({ role: 'server', complete: true, errors: [], warnings: [lateWarning] });
    },
  );

  test('its message above the first line, as in a buffered log of old versions', () => {
    const text = read('server-listens-again-unbuffered').replace(/^iperf3: .*\n/m, '');
    expect(parse(`iperf3: ${interrupted}\n${text}`)).toMatchObject({ complete: true, warnings: [lateWarning] });
  });

  test.each([
    ['server-stopped-buffered', []],
    ['server-stopped-unbuffered', []],
    ['server-stopped-in-second-buffered', [several(2)]],
    ['server-stopped-in-second-unbuffered', [several(2)]],
  ])('%s: the test that ran is incomplete', (name, warnings) => {
    expect(parse(read(name))).toMatchObject({
      complete: false,
      incompleteReason: `iperf3: ${interrupted}`,
      intervals: { length: 3 },
      warnings,
    });
  });

  test.each(['server-restarted-buffered', 'server-restarted-unbuffered'])(
    '%s: the test of the second process is complete',
    (name) => {
      expect(parse(read(name))).toMatchObject({ complete: true, errors: [], warnings: [several(2)] });
    },
  );

  test('an error while it listens is not of the test before', () => {
    const text = read('server-listens-again-unbuffered').replace(interrupted, 'error - unable to receive cookie');
    expect(parse(text)).toMatchObject({
      complete: true,
      warnings: ['after the end of the test: error - unable to receive cookie'],
    });
  });
});
