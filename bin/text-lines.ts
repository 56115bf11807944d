/** Lines of a file of any size, one at a time: packed or not, from a disk or from a pipe. */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** No series of a day at ten samples a second is longer; what is, is no file of lines and would fill the memory. */
const MAX_LINE_CHARACTERS = 1 << 28;
const STANDARD_INPUT = '-';

/** Empty lines are counted and left out. Errors of the file and of the packing are thrown where reading meets them. */
export async function* textLines(file: string): AsyncGenerator<NumberedLine> {
  let decoder: TextDecoder | undefined;
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  for await (const bytes of unpacked(file)) {
    decoder ??= new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8');
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
  // By the magic number of gzip: a pipe has no name, and a name can be wrong.
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // Its failure reaches the loop that reads from gunzip.
  pipeline(Readable.from(whole), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

/** At least two bytes, where there are two: a pipe may hand over a single one first. */
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
