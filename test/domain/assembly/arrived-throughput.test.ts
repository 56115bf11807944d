/** Client outputs behind a slow link: the only series is the sender's, which counts what its kernel took. */
import { assembleOutput } from '../../../domain/assembly/assemble-measurement';
import type { ThroughputStatistics } from '../../../domain/model/statistics';
import { parseToolOutput } from '../../../domain/tools/parse-tool-output';
import { readFixture } from '../../support/fixtures';

const read = (name: string) => readFixture(`tool-output/iperf3/${name}.out`);
const assemble = (text: string) => assembleOutput(parseToolOutput(text));
const SENDERS_ALONE = "only the sender's figures are here: what it passed to its kernel, not what arrived";

/** Of the only direction, or of forward. */
function throughputOf(text: string) {
  const { statistics, warnings } = assemble(text);
  const ofDirection = 'forward' in statistics ? statistics.forward : statistics;
  return { ...(ofDirection as ThroughputStatistics).throughputBitsPerSecond, warnings };
}

test.each([
  ['text-1s', 7.34e6, 1.94e6, '7.34 Mbit/s, 278 % more than the 1.94 Mbit/s'],
  ['json-1s', 7.795e6, 1.924e6, '7.80 Mbit/s, 305 % more than the 1.92 Mbit/s'],
  ['text-n', 11.5e6, 1.93e6, '11.5 Mbit/s, 496 % more than the 1.93 Mbit/s'],
  ['json-n', 6.286e6, 1.898e6, '6.29 Mbit/s, 231 % more than the 1.90 Mbit/s'],
  ['text-i0', 4.68e6, 1.92e6, '4.68 Mbit/s, 144 % more than the 1.92 Mbit/s'],
  ['text-p4', 7.17e6, 1.53e6, '8.35 Mbit/s, 446 % more than the 1.53 Mbit/s'],
  ['text-bidir', 3.13e6, 1.62e6, '3.70 Mbit/s, 128 % more than the 1.62 Mbit/s'],
])("%s: the mean is the receiver's total, the percentiles are the sender's", (name, p50, mean, words) => {
  const throughput = throughputOf(read(`3.12-slow-link/${name}`));
  expect(throughput.p50).toBeCloseTo(p50, -4);
  expect(throughput.mean).toBeCloseTo(mean, -4);
  expect(throughput.warnings).toEqual([
    `forward: the sender's series has a mean of ${words} that arrived: the mean is what arrived, all else is the sender's`,
  ]);
});

test("the samples stay the sender's", () => {
  const { samples } = assemble(read('3.12-slow-link/text-p4'));
  const rates = samples.flatMap(({ metric, throughputBitsPerSecond }) =>
    metric === 'throughput' ? [throughputBitsPerSecond] : [],
  );
  expect(rates).toEqual([7.17e6, 13.2e6, 4.69e6]);
});

test.each([
  ['3.12-late-ends/udp-queue.client', 4.76e6, '4.94 Mbit/s, 4 % more than the 4.76 Mbit/s'],
  ['3.9/text-udp', 19.5e6, '20.0 Mbit/s, 3 % more than the 19.5 Mbit/s'],
])("%s: no datagram is lost, and the mean is the receiver's total all the same", (name, mean, words) => {
  const throughput = throughputOf(read(name));
  expect(throughput.mean).toBeCloseTo(mean, -4);
  expect(throughput.warnings).toContain(
    `forward: the sender's series has a mean of ${words} that arrived: the mean is what arrived, all else is the sender's`,
  );
});

test("a server's wait for the end of the test is left out, which is mentioned where it changes the mean", () => {
  const { mean, warnings } = throughputOf(read('3.12-late-ends/udp-late.server'));
  expect(mean).toBeCloseTo(4.844e6, -4);
  expect(warnings).toEqual([
    'forward: the receiver went on for 0.74 s after the test, which are left out: ' +
      'the mean is 4.84 Mbit/s, 15 % more than the 4.22 Mbit/s with them',
  ]);
  expect(throughputOf(read('3.12-late-ends/udp-queue.server')).warnings).toEqual([]);
});

test('a difference of 2 % is not mentioned, and the mean is that of the series', () => {
  const text = read('3.12-slow-link/text-1s').replace('1.94 Mbits/sec', '7.20 Mbits/sec');
  expect(throughputOf(text)).toMatchObject({ mean: 7.34e6, warnings: [] });
  expect(throughputOf(text.replace('7.20 Mbits', '7.19 Mbits'))).toMatchObject({
    mean: 7.19e6,
    warnings: [expect.stringContaining('7.34 Mbit/s, 2 % more than the 7.19 Mbit/s that arrived')],
  });
});

test('where a warm-up was left out, the total may hold a part of it and is only mentioned', () => {
  const { mean, warnings } = throughputOf(read('3.12-slow-link/text-omit'));
  expect(mean).toBeCloseTo(2.09e6, -4);
  expect(warnings).toContain(
    "forward: the sender's series has a mean of 2.09 Mbit/s, 9 % more than the 1.91 Mbit/s of the receiver's total, which may hold a part of the warm-up; all figures are the sender's",
  );
});

test("with --get-server-output the series is the receiver's", () => {
  const { mean, max, warnings } = throughputOf(read('3.12-slow-link/text-server-output'));
  expect(mean).toBeCloseTo(1.94e6, -4);
  expect(max).toBe(2e6);
  expect(warnings).toEqual([]);
});

test.each([
  ['3.12-slow-link/text-stopped', 'forward'],
  ['3.12/srvkill-text', 'forward'],
  ['3.0.12/cliterm-json', 'forward'],
  ['3.12-slow-link/server-reverse', 'reverse'],
  ['3.12-verbose/bidir.server', 'reverse'],
  ['3.12-json-server/reverse', 'reverse'],
])('%s: the receiver is not heard of, which is said of %s', (name, direction) => {
  const about = assemble(read(name)).warnings.filter((warning) => warning.includes('sender'));
  expect(about).toEqual([`${direction}: ${SENDERS_ALONE}`]);
});

test.each(['3.12-verbose/udp.client', '3.12-verbose/udp-reverse.server', '3.12-verbose/reverse.client'])(
  "%s: not a TCP sender's series",
  (name) => {
    expect(assemble(read(name)).warnings.join()).not.toMatch(/sender's (?:figures|series has)/);
  },
);

test('short intervals have no sample, which is mentioned where it changes the mean', () => {
  const text = read('3.12-several-tests/server-stopped-unbuffered');
  expect(throughputOf(text).warnings).toEqual([
    'forward: short intervals have no sample: the mean of the samples is 10.5 Mbit/s, that of all intervals 10.1 Mbit/s (4 % more)',
  ]);
});
