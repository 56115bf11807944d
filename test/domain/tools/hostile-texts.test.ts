/**
 * Whatever a file holds, reading it takes time that grows with its size. Processor time is compared with that of another
 * text of the same kind, and only where it is far beyond it: a busy machine slows down both.
 */
import { MAX_LINE_LENGTH } from '../../../domain/parsers/text-lines';
import { ToolOutputError } from '../../../domain/parsers/tool-output';
import { hostileTexts } from '../../support/hostile-texts';
import { seededRandom, type Random } from '../../support/random';
import { processorMilliseconds, textReaders, type TextReader } from '../../support/text-readers';

/** Below this, what is compared is the clock and the collector of garbage. */
const FLOOR_MILLISECONDS = 15;
const ATTEMPTS = 3;
/** Seconds of processor time, which a busy machine stretches. */
jest.setTimeout(900_000);

/** @returns whether the longer text takes more than so many times as long as the shorter one, each time it is tried */
function takesMore(read: TextReader['read'], longer: string, times: number, shorter: () => string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const took = processorMilliseconds(read, longer);
    if (took <= FLOOR_MILLISECONDS || took <= FLOOR_MILLISECONDS + times * processorMilliseconds(read, shorter()))
      return false;
  }
  return true;
}

const SHORT = 1 << 12;
const LONG = 1 << 14;

async function slowTexts(part: (reader: TextReader) => boolean): Promise<string[]> {
  const readers = (await textReaders()).filter(part);
  expect(readers).not.toHaveLength(0);
  return readers.flatMap(({ name, sources, read, preamble }) => {
    const readAfterPreamble = (text: string) => read(preamble + text);
    return hostileTexts(sources).flatMap(({ name: text, make }) => {
      const lines = make(LONG, MAX_LINE_LENGTH - 1);
      return [
        // Proportional would be 4, the square 16.
        ...(takesMore(read, make(LONG, LONG), 8, () => make(SHORT, SHORT)) ? [`${name}: one line of ${text}`] : []),
        // The lines of one text are eight times as long as those of the other: proportional would be 1, the square 8.
        ...(takesMore(readAfterPreamble, lines, 3, () => make(LONG, MAX_LINE_LENGTH / 8)) ||
        takesMore(readAfterPreamble, lines, 8, () => make(SHORT, MAX_LINE_LENGTH - 1))
          ? [`${name}: lines of ${text}`]
          : []),
      ];
    });
  });
}

const isChooser = ({ name }: TextReader) => name === 'parseToolOutput';

test('no text makes a parser or a tool take time that grows with the square of a line or of the text', async () => {
  expect(await slowTexts((reader) => !isChooser(reader))).toEqual([]);
});

test('nor does any make the choice of a parser', async () => {
  expect(await slowTexts(isChooser)).toEqual([]);
});

test('the comparison finds a pattern that begins its search again at each place', () => {
  const digits = '1'.repeat(LONG);
  const isEnd = (text: string) => /\d+\.$/.test(text);
  // The square of 16 is far beyond 8, so that a busy machine can't bring one below the other.
  expect(takesMore(isEnd, digits, 8, () => digits.slice(0, LONG / 16))).toBe(true);
});

const MUTATIONS = 150;
/** Longer recordings take longer to read and have no other lines. */
const MAX_RECORDING = 20_000;
const INSERTED = [
  '\u001b',
  '\u0000',
  '\n',
  '\r',
  '\t',
  ' ',
  '{',
  '}',
  '"',
  '0',
  '9'.repeat(400),
  '-',
  '.',
  '\u2028',
  '\ud800',
  'NaN',
  '1e999',
];

function mutated(text: string, random: Random): string {
  const at = () => random.integer(0, text.length);
  let result = text.slice(0, MAX_RECORDING);
  for (let changes = random.integer(1, 8); changes > 0; changes -= 1) {
    const [from = 0, to = 0] = [at(), random.chance(0.3) ? at() : 0].sort((left, right) => left - right);
    const end = random.chance(0.5) ? from + random.integer(0, 12) : to;
    const middle = random.pick([
      '',
      result.slice(from, end).repeat(2),
      random.pick(INSERTED),
      result.slice(from, end).split('\n').reverse().join('\n'),
    ]);
    result = (result.slice(0, from) + middle + result.slice(end)).slice(0, 2 * MAX_RECORDING);
  }
  return result;
}

test('a recording with faults in it is read, or refused as no output of a tool', async () => {
  const random = seededRandom(20_261_122);
  const thrown: string[] = [];
  for (const { name, recordings, read } of await textReaders()) {
    for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
      const text = mutated(random.pick(recordings), random);
      try {
        read(text);
      } catch (error) {
        if (!(error instanceof ToolOutputError))
          thrown.push(`${name}: ${String(error)}: ${JSON.stringify(text.slice(0, 200))}`);
      }
    }
  }
  expect(thrown).toEqual([]);
});
