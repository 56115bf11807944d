/**
 * The lines of a file of any size, one at a time.
 * docs/decisions/0001-dependencies.md has the reason not to use `node:readline`.
 */
import { TextDecoder } from 'node:util';
import { encodingOf, unpackedBytes } from './unpacked-bytes';

/** A series of a day at ten samples a second is shorter. With a longer line, the file does not consist of lines. */
const MAX_LINE_CHARACTERS = 1 << 28;

/** Counts but omits empty lines. Throws the errors of the file and of its compression. */
export async function* textLines(file: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let decoder: TextDecoder | undefined;
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  for await (const bytes of unpackedBytes(file)) {
    decoder ??= new TextDecoder(encodingOf(bytes));
    const text = decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = parts.join('') + text.slice(from, end);
      if (line.trim() !== '') yield { number, text: line };
      number += 1;
      parts = [];
      length = 0;
      from = end + 1;
    }
    parts.push(text.slice(from));
    length += text.length - from;
    if (length > MAX_LINE_CHARACTERS) {
      throw new Error(`line ${number}: must be at most ${MAX_LINE_CHARACTERS} characters long, got more`);
    }
  }
  const last = parts.join('') + (decoder?.decode() ?? '');
  if (last.trim() !== '') yield { number, text: last };
}
