/** What is read of a gzip file whose end is missing, however slowly it is read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { unpackedBytes } from '../../bin/unpacked-bytes';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'unpacked-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const text = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join('');

function cutOff(byteCount: number): string {
  const file = join(folder, 'cut-off.gz');
  writeFileSync(file, gzipSync(text).subarray(0, -byteCount));
  return file;
}

async function read(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) {
    found.push(piece);
    // The stream finds the missing end meanwhile.
    await setTimeout(20);
  }
  return Buffer.concat(found).toString();
}

test('nothing that was unpacked is lost to a reader who takes time', async () => {
  const calls: string[] = [];
  expect(await read(unpackedBytes(cutOff(8), () => calls.push('cut off')))).toBe(text);
  const part = await read(unpackedBytes(cutOff(2000), () => calls.push('cut off')));
  expect(part.length).toBeGreaterThan(0);
  expect(text.startsWith(part)).toBe(true);
  expect(calls).toEqual(['cut off', 'cut off']);
});

test('fails for a reader who is not told', async () => {
  await expect(read(unpackedBytes(cutOff(8)))).rejects.toThrow('unexpected end of file');
});
