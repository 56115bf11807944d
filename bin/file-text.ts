/** Reads the text of a file of any size piece by piece: compressed or not, from a disk or a pipe. */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import { isOfFolder } from './command-line';

const STANDARD_INPUT = '-';

/** Longer than a day of ten samples a second. With a longer line, the file does not consist of lines. */
const MAX_LINE_CHARACTERS = 1 << 28;

/** Yields a file's lines, and omits empty ones; without `node:readline` (docs/decisions/0001-dependencies.md). */
export async function* textLines(file: string): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  for await (const text of fileText(file)) {
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
  const last = parts.join('');
  if (last.trim() !== '') yield { number, text: last };
}

/**
 * Yields the text of a file, unpacked if it is gzip. Throws the errors of the file and of its compression.
 * @param whenCutOff called if the end of a gzip file is missing, after all that could be unpacked; without it, that
 *   throws
 */
export async function* fileText(file: string, whenCutOff?: () => void): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const bytes of unpackedBytes(file, whenCutOff)) {
    decoder ??= new TextDecoder(encodingOf(bytes));
    yield decoder.decode(bytes, { stream: true });
  }
  if (decoder !== undefined) yield decoder.decode();
}

/** A Windows shell redirects output as UTF-16, which begins with a byte order mark. */
function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** The first piece has at least this many bytes, if the file has them, to contain the mark of gzip or of UTF-16. */
const MIN_FIRST_BYTES = 2;

async function* unpackedBytes(file: string, whenCutOff?: () => void): AsyncGenerator<Uint8Array> {
  const chunks = withLongFirst(fileBytes(file));
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const whole = startingWith(first, chunks);
  // gzip is recognised by its magic number, because a pipe has no name and a name can be wrong.
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // A failure of the pipeline reaches the loop that reads from gunzip.
  pipeline(Readable.from(endingWhenRead(whole, gunzip)), gunzip, () => undefined);
  yield* withLongFirst(untilCutOff(gunzip, whenCutOff));
}

async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* (file === STANDARD_INPUT ? process.stdin : createReadStream(file)) as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    if (!isOfFolder(thrown)) throw thrown;
    throw new Error(`must be a file, or ${STANDARD_INPUT} for standard input, got a folder: name the files in it`, {
      cause: thrown,
    });
  }
}

/** Ends only after everything unpacked was read: at a missing end, gunzip drops what has not been read yet. */
async function* endingWhenRead(packed: AsyncIterable<Uint8Array>, gunzip: Gunzip): AsyncGenerator<Uint8Array> {
  yield* packed;
  // gunzip never takes the zeros with which some programs pad the end of a gzip file.
  while (gunzip.writableLength + gunzip.readableLength > 0 && !gunzip.readableEnded && !gunzip.destroyed) {
    await setImmediate();
  }
}

async function* untilCutOff(gunzip: Gunzip, whenCutOff: (() => void) | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    const isCutOff = typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'Z_BUF_ERROR';
    if (!isCutOff || whenCutOff === undefined) throw thrown;
    whenCutOff();
  }
}

/** Joins the first chunks while they are too short: a pipe may deliver a single byte first. */
async function* withLongFirst(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let first: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (first === undefined) yield chunk;
    else {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (first.length < MIN_FIRST_BYTES) continue;
      yield first;
      first = undefined;
    }
  }
  if (first !== undefined && first.length > 0) yield first;
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
