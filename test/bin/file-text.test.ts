/** What is read of a gzip file whose end is missing, however slowly it is read. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fileText } from '../../bin/file-text';

const folder = mkdtempSync(join(tmpdir(), 'file-text-'));

const text = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join('');

async function readCutOff(byteCount: number, whenCutOff?: () => void): Promise<string> {
  const file = join(folder, 'cut-off.gz');
  writeFileSync(file, gzipSync(text).subarray(0, -byteCount));
  const found: string[] = [];
  for await (const piece of fileText(file, whenCutOff)) {
    found.push(piece);
    // The stream finds the missing end meanwhile.
    await setTimeout(20);
  }
  return found.join('');
}

test('nothing that was unpacked is lost to a reader who takes time', async () => {
  const calls: string[] = [];
  expect(await readCutOff(8, () => calls.push('cut off'))).toBe(text);
  const part = await readCutOff(2000, () => calls.push('cut off'));
  expect(part.length).toBeGreaterThan(0);
  expect(text.startsWith(part)).toBe(true);
  expect(calls).toEqual(['cut off', 'cut off']);
});

test('fails for a reader who is not told', async () => {
  await expect(readCutOff(8)).rejects.toThrow('unexpected end of file');
});
