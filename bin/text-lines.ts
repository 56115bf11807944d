/**
 * The lines of a file of any size, one at a time: compressed or not, from a disk or from a pipe. Why not
 * `node:readline`: docs/decisions/0001-dependencies.md.
 */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** A series of a day at ten samples a second is shorter. A longer line means that the file is not one of lines. */
const MAX_LINE_CHARACTERS = 1 << 28;
export const STANDARD_INPUT = '-';

/** A Windows shell redirects in UTF-16, which begins with this byte order mark. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
}

/** Counts but omits empty lines. Errors of the file and of its compression are thrown where reading encounters them. */
export async function* textLines(file: string): AsyncGenerator<NumberedLine> {
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
  const chunks = source[Symbol.asyncIterator]();
  const first = await headOf(chunks);
  const whole = chunksFrom(first, chunks);
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

/** Reads at least two bytes where there are two: a pipe may deliver a single byte first. */
async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    const longer = new Uint8Array(head.length + next.value.length);
    longer.set(head);
    longer.set(next.value, head.length);
    head = longer;
  }
  return head;
}

async function* chunksFrom(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
