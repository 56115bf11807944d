/**
 * The lines of a file of any size, one at a time: compressed or not, from a disk or from a pipe.
 * docs/decisions/0001-dependencies.md has the reason not to use `node:readline`.
 */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

/** A series of a day at ten samples a second is shorter. With a longer line, the file does not consist of lines. */
const MAX_LINE_CHARACTERS = 1 << 28;
export const STANDARD_INPUT = '-';

/** A Windows shell redirects in UTF-16, which begins with this byte order mark. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
}

/** Counts but omits empty lines. Throws the errors of the file and of its compression. */
export async function* textLines(file: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let decoder: TextDecoder | undefined;
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  for await (const bytes of unpacked(file)) {
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

async function* unpacked(file: string): AsyncGenerator<Uint8Array> {
  const source = (file === STANDARD_INPUT ? process.stdin : createReadStream(file)) as AsyncIterable<Uint8Array>;
  const chunks = atLeastTwoBytes(source);
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const whole = startingWith(first, chunks);
  // gzip is recognised by its magic number, because a pipe has no name and a name can be wrong.
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // The loop that reads from gunzip receives the failure of the pipeline.
  pipeline(Readable.from(whole), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

/** Joins shorter chunks with the next one: a pipe may deliver a single byte first. */
async function* atLeastTwoBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let short = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = short.length === 0 ? chunk : Buffer.concat([short, chunk]);
    short = bytes.length < 2 ? Uint8Array.from(bytes) : new Uint8Array();
    if (bytes.length >= 2) yield bytes;
  }
  if (short.length > 0) yield short;
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
