import { analyseOutputs } from '../../../../domain/analysis/analyse-output';
import { parseToolOutput } from '../../../../domain/tools/parse-tool-output';
import type { ThroughputOutput } from '../../../../domain/parsers/tool-output';
import type { ThroughputStatistics } from '../../../../domain/model/statistics';
import { readFixture } from '../../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/iperf3/${name}.out`);
const parse = (name: string) => parseToolOutput(read(name)) as ThroughputOutput;

describe('zeros where the other end has reported nothing', () => {
  // Standard output alone: the error message about the signal went to standard error.
  test.each([
    ['3.22-ends/text-reverse-stopped', 'the final summary of the sender is empty (reverse)'],
    ['3.22-ends/text-udp-reverse-stopped', 'the final summary of the sender is empty (reverse)'],
    ['3.22-ends/text-udp-stopped', 'the final summary of the receiver is empty (forward)'],
    ['3.22-ends/text-udp-lost', 'the final summary of the receiver is empty (forward)'],
    ['3.22-ends/text-udp-reverse-lost', 'the final summary of the receiver is empty (reverse)'],
    ['3.22-ends/json-udp-lost', 'the final summary of the receiver is empty (forward)'],
    // 3.9 prints the sender's number of datagrams as the receiver's.
    ['3.9-ends/json-udp-lost', 'no final summary of the receiver (forward)'],
  ])('%s is incomplete', (name, incompleteReason) => {
    const output = parse(name);
    expect(output).toMatchObject({ complete: false, incompleteReason });
    expect(output.summaries.filter((summary) => summary.bitsPerSecond === 0)).toEqual([]);
  });

  test.each(['3.22-ends/text-udp-lost', '3.22-ends/json-udp-lost', '3.9-ends/json-udp-lost'])(
    '%s: what was offered is not what arrived, and no loss was counted',
    (name) => {
      const statistics = analyseOutputs(read(name))[0].statistics;
      expect(statistics).toEqual({ sentPackets: expect.closeTo(2084, -1) as number });
    },
  );

  test('a receiver that got nothing measured zero', () => {
    const statistics = analyseOutputs(read('3.22-ends/text-udp-reverse-lost'))[0].statistics as ThroughputStatistics;
    expect(statistics).toMatchObject({ throughputBitsPerSecond: { max: 0 }, sentPackets: 2085 });
    expect(statistics.lostPackets).toBeUndefined();
  });
});

test('3.9, UDP both ways: each direction has its own counts', () => {
  const output = parse('3.9-ends/json-udp-bidir');
  expect(output).toMatchObject({ complete: true, bidirectional: true });
  expect(output.summaries).toMatchObject([
    {
      direction: 'forward',
      side: 'receiver',
      packets: 306,
      lostPackets: 0,
      jitterMicros: expect.closeTo(11.88, 2) as number,
    },
    {
      direction: 'reverse',
      side: 'receiver',
      packets: 312,
      lostPackets: 0,
      bitsPerSecond: expect.closeTo(40.89e6, -4) as number,
    },
  ]);
  expect(output.summaries[0]?.bitsPerSecond).toBeUndefined();
});

test("the server's text between the two summaries of --bidir", () => {
  const output = parse('3.22-ends/text-bidir-server-output');
  expect(output).toMatchObject({ role: 'client', complete: true, bidirectional: true });
  expect(output.summaries.map(({ direction, side }) => `${direction} ${side}`)).toEqual([
    'forward sender',
    'forward receiver',
    'reverse sender',
    'reverse receiver',
  ]);
  expect(output.intervals).toHaveLength(8);
});

test('a server that is stopped after the test has measured all of it', () => {
  const output = parse('3.22-ends/server-json-stream');
  expect(output).toMatchObject({ role: 'server', complete: true, errors: [] });
  expect(output.summaries).toHaveLength(1);
  expect(output.warnings).toEqual([
    'after the end of the test: interrupt - the server has terminated by signal Terminated(15)',
  ]);
});

describe('where the unit leaves too few digits of the rate, the transfer restores them', () => {
  test.each(['3.22-ends/text-gbits', '3.22-ends/text-tbytes'])('%s', (name) => {
    const rates = parse(name).intervals.map((interval) => interval.bitsPerSecond);
    expect(rates).toEqual([4.88 * 2 ** 23, 4.75 * 2 ** 23]);
  });

  test('the transfer is not used where it disagrees, nor for an interval that is too short to divide by', () => {
    const text = read('3.22-ends/text-gbits');
    const ratesOf = (changed: string) => (parseToolOutput(changed) as ThroughputOutput).intervals[1]!.bitsPerSecond;
    expect(ratesOf(text.replace('4.75 MBytes  0.04', '4.75 MBytes  0.40'))).toBe(0.4e9);
    expect(ratesOf(text.replace('1.00-2.00   sec  4.75', '1.00-1.04   sec  0.19'))).toBe(0.04e9);
  });
});
