import { textTable } from '../../../domain/text/text-table';

const rows = [
  ['c5.large', '9.37', ''],
  ['c5.9xlarge', '12.0', 'yes'],
];

test('columns are as wide as their widest cell, and lines have no spaces at their end', () => {
  expect(textTable(['type', 'Gbit/s', 'steady'], rows)).toBe(
    ['type        Gbit/s  steady', 'c5.large    9.37', 'c5.9xlarge  12.0    yes'].join('\n'),
  );
});

test('columns of figures are aligned right, and a rule separates the headings', () => {
  const table = textTable(['type', 'Gbit/s', 'steady'], rows, {
    isRightAligned: (column) => column === 1,
    hasRule: true,
  });
  expect(table).toBe(
    ['type        Gbit/s  steady', '----------  ------  ------', 'c5.large      9.37', 'c5.9xlarge    12.0  yes'].join(
      '\n',
    ),
  );
});

test('a table may have more rows than a call has arguments', () => {
  const many = Array.from({ length: 200_000 }, (_, index) => [String(index), 'x']);
  expect(textTable(['row', ''], many)).toMatch(/\n99999 {3}x\n100000 {2}x\n/);
});
