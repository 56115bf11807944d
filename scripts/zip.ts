/** Zips a folder for Lambda, with neither times nor owners, so that the same files give the same bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const NAMES_ARE_UTF8 = 1 << 11;
const DEFLATED = 8;
/** The first day that the format can express. */
const FIRST_OF_JANUARY_1980 = 0x21;
/** A file that everybody may read, as Lambda needs it. */
const READABLE_FILE = 0o100644;

type Field = readonly [bytes: 2 | 4, value: number];

const fields = (values: readonly Field[]) =>
  Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );

export function zip(folder: string): Buffer {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const path of paths) {
    const content = readFileSync(join(folder, path));
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const described = fields([
      [2, NAMES_ARE_UTF8],
      [2, DEFLATED],
      [2, 0],
      [2, FIRST_OF_JANUARY_1980],
      [4, crc32(content)],
      [4, packed.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ]);
    const local = Buffer.concat([
      fields([
        [4, LOCAL_HEADER],
        [2, VERSION],
      ]),
      described,
      name,
      packed,
    ]);
    const made = fields([
      [4, CENTRAL_HEADER],
      [2, MADE_ON_UNIX],
      [2, VERSION],
    ]);
    // No comment, one disk, no internal attributes; then the mode, and where the local header is.
    const attributes = fields([
      [2, 0],
      [2, 0],
      [2, 0],
      [4, READABLE_FILE * 2 ** 16],
      [4, offset],
    ]);
    directory.push(made, described, attributes, name);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = paths.length;
  const end = fields([
    [4, END],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, central.length],
    [4, offset],
    [2, 0],
  ]);
  return Buffer.concat([...locals, central, end]);
}
