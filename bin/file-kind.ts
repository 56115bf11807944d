/** What a file is that is no text: known by its first bytes, or by the characters that text does not have. */

/** Where the first bytes are, and what they are, one character per byte. */
const SIGNATURES: readonly { readonly kind: string; readonly at?: number; readonly bytes: string }[] = [
  { kind: 'a program (ELF)', bytes: '\x7fELF' },
  { kind: 'a ZIP archive, as spreadsheets (xlsx, ods) and documents are', bytes: 'PK\x03\x04' },
  { kind: 'a spreadsheet or document of Office (xls, doc)', bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { kind: 'a PDF', bytes: '%PDF-' },
  { kind: 'an image (PNG)', bytes: '\x89PNG' },
  { kind: 'an image (JPEG)', bytes: '\xff\xd8\xff' },
  { kind: 'an SQLite database', bytes: 'SQLite format 3\0' },
  { kind: 'a Parquet table', bytes: 'PAR1' },
  { kind: 'a packet capture', bytes: '\xd4\xc3\xb2\xa1' },
  { kind: 'a packet capture', bytes: '\x4d\x3c\xb2\xa1' },
  { kind: 'a packet capture', bytes: '\x0a\x0d\x0d\x0a' },
  { kind: 'a tar archive: unpack it first', at: 257, bytes: 'ustar' },
  { kind: 'gzip within gzip: unpack it once first', bytes: '\x1f\x8b' },
  { kind: 'bzip2: unpack it first', bytes: 'BZh' },
  { kind: 'xz: unpack it first', bytes: '\xfd7zXZ\0' },
  { kind: 'Zstandard: unpack it first', bytes: '\x28\xb5\x2f\xfd' },
  { kind: 'a 7z archive: unpack it first', bytes: '7z\xbc\xaf\x27\x1c' },
];

/** @returns the kind of a file that begins like no text, in words; undefined for all others */
export function signedKind(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  return SIGNATURES.find(({ at = 0, bytes: signature }) => start.startsWith(signature, at))?.kind;
}

/** Some bytes of text are damaged in transit or of another encoding; of a binary file, most are. */
const MAX_UNREADABLE_SHARE = 0.1;

/**
 * Whether a decoded text consists of other things than characters. Zeros do not count on either side: a file system leaves
 * blocks of them in a log after a crash.
 */
export function isBinary(text: string): boolean {
  let zeros = 0;
  let unreadable = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0) zeros += 1;
    // Backspace to carriage return and escape are what terminals leave in a log.
    else if (code === 0xfffd || (code < 0x20 && (code < 0x08 || code > 0x0d) && code !== 0x1b)) unreadable += 1;
  }
  return unreadable > MAX_UNREADABLE_SHARE * (text.length - zeros);
}
