import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseIperf3Json } from '../../../domain/tools/iperf3/json';
import { parseIperf3Text } from '../../../domain/tools/iperf3/text';
import { unexplainedDifference } from '../../../domain/parsers/completeness';
import { parseToolOutput } from '../../../domain/tools/parse-tool-output';
import type { ThroughputOutput } from '../../../domain/parsers/tool-output';
import { fixturePath, readFixture } from '../../support/fixtures';

const FOLDER = 'tool-output/iperf3';
const read = (name: string) => readFixture(`${FOLDER}/${name}.out`);

test.each([
  [100, 100, undefined],
  [98, 100, undefined],
  [97, 100, '3 % less'],
  [103, 100, '3 % more'],
  [378, 100, '278 % more'],
  [0, 0, undefined],
])('%d beside %d: %s', (value, reference, expected) => {
  expect(unexplainedDifference(value, reference)).toBe(expected);
});

const complete = (readdirSync(fixturePath(FOLDER), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.out') && !name.includes('clikill9'))
  .map((name) => [name, parseToolOutput(readFixture(join(FOLDER, name))) as ThroughputOutput] as const)
  .filter(([, output]) => output.complete && output.intervals.length > 0);

test.each(complete)('%s is complete and adds up', (_name, { warnings }) => {
  expect(warnings).not.toContainEqual(expect.stringContaining('add up'));
});

describe('intervals that do not add up to the total', () => {
  test('text: a rate that is too low', () => {
    const text = read('3.12-verbose/forward.client').replace(
      /(\[SUM\] +1\.00-2\.00 .*?)100\d{3} Kbits/,
      '$170000 Kbits',
    );
    expect(parseIperf3Text(text)).toMatchObject({
      complete: true,
      warnings: ["forward: the sender's intervals add up to 372 Mbit, 8 % less than its own total of 403 Mbit"],
    });
  });

  test('text: the last interval is missing, which is too short to make the output incomplete', () => {
    const text = read('3.12-slow-link/text-1s').replace(
      '0.00-1.00   sec   897 KBytes  7.34',
      '0.00-0.60   sec   538 KBytes  7.34',
    );
    expect(parseIperf3Text(text)).toMatchObject({
      complete: true,
      warnings: ["forward: the sender's intervals add up to 4.40 Mbit, 40 % less than its own total of 7.34 Mbit"],
    });
  });

  test("text: the server's output lacks its last interval", () => {
    const text = read('3.12-slow-link/text-server-output').replace(/^.* 3\.00-3\.67 .*\n/m, '');
    expect(parseIperf3Text(text)).toMatchObject({
      complete: true,
      warnings: ["forward: the receiver's intervals add up to 5.85 Mbit, 18 % less than its own total of 7.16 Mbit"],
    });
  });

  test('JSON: one of two streams is missing in an interval', () => {
    const document = JSON.parse(read('3.12/json-p2')) as { intervals: { streams: unknown[] }[] };
    document.intervals[0]?.streams.pop();
    const { warnings } = parseIperf3Json(JSON.stringify(document));
    expect(warnings).toEqual([
      "forward: the sender's intervals add up to 239 Mbit, 34 % less than its own total of 361 Mbit",
    ]);
  });

  test('both directions: each is compared with its own total', () => {
    const text = read('3.12-verbose/bidir.client').replace(/(\[RX-C\] +1\.00-2\.00 .*?)\d+ Kbits/, '$11000 Kbits');
    const { warnings } = parseIperf3Text(text);
    expect(warnings).toEqual([expect.stringMatching(/^reverse: the receiver's intervals add up to /)]);
  });

  test('without a total there is nothing to compare with', () => {
    const text = read('3.12-verbose/forward.client');
    const { warnings } = parseIperf3Text(text.slice(0, text.indexOf('[SUM]   2.00-3.00')));
    expect(warnings).toEqual([]);
  });
});

test.each(['text-1s', 'text-p4', 'text-i0', 'text-n', 'json-n', 'text-omit', 'text-server-output'])(
  '%s: the receiver measures longer than the sender, whose series is whole nevertheless',
  (name) => {
    expect(parseToolOutput(read(`3.12-slow-link/${name}`))).toMatchObject({ complete: true });
  },
);
