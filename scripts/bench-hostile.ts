/**
 * Prints, for everything that reads a tool's text, the longest processor time that any hostile text of 1 MB takes, in
 * lines just below the limit and as one line: `scripts/with-node.sh tsx scripts/bench-hostile.ts [part of a name]`
 */
import { MAX_LINE_LENGTH } from '../domain/parsers/text-lines';
import { hostileTexts } from '../test/support/hostile-texts';
import { processorMilliseconds, textReaders } from '../test/support/text-readers';

const CHARACTERS = 1 << 20;
/** What takes longer at this share of the size is not tried in full. */
const SHARE = 1 / 16;
const TOO_LONG_MILLISECONDS = 500;

async function main(part = ''): Promise<void> {
  for (const { name, sources, read: readText, preamble } of await textReaders()) {
    if (!name.includes(part)) continue;
    const read = (text: string) => readText(preamble + text);
    let worst = { took: 0, text: '' };
    for (const hostile of hostileTexts(sources)) {
      for (const [layout, lineCharacters] of [
        ['lines', MAX_LINE_LENGTH - 1],
        ['one line', CHARACTERS],
      ] as const) {
        const text = `${hostile.name}, ${layout}`;
        const first = processorMilliseconds(
          read,
          hostile.make(CHARACTERS * SHARE, Math.min(lineCharacters, CHARACTERS * SHARE)),
        );
        if (first > TOO_LONG_MILLISECONDS) console.log(`${name}: ${first.toFixed(0)} ms for a part: ${text}`);
        const took =
          first > TOO_LONG_MILLISECONDS
            ? Infinity
            : processorMilliseconds(read, hostile.make(CHARACTERS, lineCharacters));
        if (took > worst.took) worst = { took, text };
      }
    }
    console.log(`${name}: ${worst.took.toFixed(0)} ms at most, ${worst.text}`);
  }
}

void main(process.argv[2]);
