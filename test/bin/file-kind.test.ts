import { isBinary, signedKind } from '../../bin/file-kind';

test.each([
  ['\x7fELF\x02\x01iperf 3.16', 'a program (ELF)'],
  ['PK\x03\x04\x14\0xl/worksheets/sheet1.xml', 'a ZIP archive, as spreadsheets (xlsx, ods) and documents are'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['PAR1\x15\x04', 'a Parquet table'],
  [`results/run.txt${'\0'.repeat(242)}ustar  `, 'a tar archive: unpack it first'],
  ['(\xb5/\xfd', 'Zstandard: unpack it first'],
  ['Connecting to host 10.0.0.2, port 5201', undefined],
  ['', undefined],
])('%j is %s', (bytes, kind) => {
  expect(signedKind(Uint8Array.from(Buffer.from(bytes, 'latin1')))).toBe(kind);
});

test('text may have zeros, colours and a few damaged characters', () => {
  const line = '\u001b[2;35m64 octets de h\ufffdte: icmp_seq=1 ttl=64 temps=0.3 ms\u001b[0m\r\n';
  expect(isBinary(line)).toBe(false);
  expect(isBinary(`${'\0'.repeat(5000)}${line}`)).toBe(false);
  expect(isBinary('')).toBe(false);
  expect(isBinary(Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)).toString())).toBe(true);
});
