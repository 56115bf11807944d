import { readdirSync } from 'node:fs';
import { analyseOutputs } from '../../../../domain/analysis/analyse-output';
import { SummedStreams } from '../../../../domain/tools/iperf3/summed-streams';
import { fixturePath, readFixture } from '../../../support/fixtures';

function shortened(...pieces: readonly string[]): string {
  const streams = new SummedStreams();
  return pieces.map((piece) => streams.shorten(piece)).join('') + streams.end();
}

const texts = (readdirSync(fixturePath('tool-output/iperf3'), { recursive: true }) as string[]).filter((name) =>
  /(?:text|server|client|bidir|udp|omit).*\.out$/.test(name),
);

test.each(texts)('%s: nothing that is analysed changes', (name) => {
  const text = readFixture(`tool-output/iperf3/${name}`);
  if (text.trim() === '') {
    expect(shortened(text)).toBe(text);
    return;
  }
  expect(analyseOutputs(shortened(text))).toEqual(analyseOutputs(text));
});

const header = '[ ID] Interval           Transfer     Bitrate\n';
const rate = (stream: string, second: number) =>
  `[${stream.padStart(3)}]   ${second}.00-${second + 1}.00   sec  10.0 MBytes  83.9 Mbits/sec\n`;
const separator = '- - - - - - - - - - - - - - - - - - - - - - - - -\n';
const second = (index: number) => rate('5', index) + rate('7', index) + rate('SUM', index) + separator;
const sumOf = (index: number) => rate('SUM', index) + separator;

test('the first interval of each test keeps its streams; the others keep their sum', () => {
  const text = header + [0, 1, 2].map(second).join('') + header + [0, 1].map(second).join('');
  expect(shortened(text)).toBe(header + second(0) + sumOf(1) + sumOf(2) + header + second(0) + sumOf(1));
});

test('lines may come piece by piece', () => {
  const text = header + [0, 1, 2, 3].map(second).join('');
  expect(shortened(...text.split(/(?<=\n)/))).toBe(shortened(text));
});

test('of a lone stream, one line at most waits for a sum', () => {
  const streams = new SummedStreams();
  expect([0, 1, 2].map((second) => streams.shorten(rate('5', second)))).toEqual(['', rate('5', 0), rate('5', 1)]);
  expect(streams.end()).toBe(rate('5', 2));
});

test('streams without a sum of the same interval stay', () => {
  const lone = header + second(0) + rate('5', 1) + rate('7', 1) + 'iperf3: interrupt - the client has terminated\n';
  expect(shortened(lone)).toBe(lone);
  const other = header + second(0) + rate('5', 1) + rate('7', 1) + rate('SUM', 2);
  expect(shortened(other)).toBe(other);
});
