import {
  columnTable,
  queryTable,
  readableNumber,
  textTable,
  wrapped,
  type TextColumn,
} from '../../../domain/text/text-table';

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

interface Row {
  readonly type: string;
  readonly rate: string;
  readonly note?: string;
}

const COLUMNS: readonly TextColumn<Row>[] = [
  { heading: 'type', cell: ({ type }) => type },
  {
    heading: 'rate (95 %)',
    alignRight: true,
    cell: ({ rate }) => `${rate} (${rate} to ${rate})`,
    brief: { heading: 'rate', cell: ({ rate }) => rate },
  },
  { heading: 'note', cell: ({ note }) => note, rank: 1 },
  { heading: 'empty', cell: () => undefined },
];
const ROWS: readonly Row[] = [
  { type: 'c5.large', rate: '9.37', note: 'a note of some length' },
  { type: 'c5.9xlarge', rate: '12.0' },
];
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('a table of columns', () => {
  test('has them all where no width is given, and where they fit', () => {
    const whole = columnTable(COLUMNS, ROWS);
    expect(whole.split('\n')[0]).toBe('type                rate (95 %)  note                   empty');
    expect(columnTable(COLUMNS, ROWS, 100)).toBe(whole);
  });

  test('first becomes brief and loses empty columns, then loses those of the highest rank, and says so', () => {
    expect(columnTable(COLUMNS, ROWS, 45).split('\n')).toEqual([
      'type        rate  note',
      '----------  ----  ---------------------',
      'c5.large    9.37  a note of some length',
      'c5.9xlarge  12.0',
    ]);
    expect(columnTable(COLUMNS, ROWS, 37).split('\n')).toEqual([
      'type        rate',
      '----------  ----',
      'c5.large    9.37',
      'c5.9xlarge  12.0',
      'not shown, for want of width: note',
    ]);
  });

  test('is a card for each row where no column is left to leave out', () => {
    const card = columnTable(COLUMNS, ROWS, 15);
    expect(card.split('\n\n')).toHaveLength(2);
    expect(card).toMatch(/^type +c5\.lar/);
    expect(widest(card)).toBeLessThanOrEqual(19);
  });

  test.each([
    '/home/somebody/checkout/.lab/reports/lab-20261123-070050/report.html',
    '/home/somebody/bench of networks/.lab/reports/lab-20261123-070050/report.html',
    'https://us-east-1.console.aws.amazon.com/s3/object/results?prefix=reports/a b/report.html',
  ])('breaks no path and no link in a card, because it is there to be copied: %s', (path) => {
    const columns: TextColumn<string>[] = [
      { heading: 'report', cell: (row) => row },
      { heading: 'why', cell: () => 'a sentence of several words is broken between two of them' },
    ];
    const card = columnTable(columns, [path], 40);
    expect(card).toContain(path);
    expect(
      card
        .split('\n')
        .filter((line) => !line.includes(path))
        .every((line) => line.length <= 40),
    ).toBe(true);
  });
});

describe('the table of a query', () => {
  test.each([
    ['25.778500000000005', '25.7785'],
    ['9.92345678E8', '992345678'],
    ['1.0E-7', '0.0000001'],
    ['0.1', '0.1'],
    ['3.50', '3.50'],
    ['123456789012', '123456789012'],
    ['-1234567.891', '-1234568'],
    ['0.00012345678', '0.000123457'],
    ['p0001-m02', 'p0001-m02'],
    ['2026-11-20 22:06:25.123456', '2026-11-20 22:06:25.123456'],
    ['1.2.3', '1.2.3'],
    ['', ''],
    ['NaN', 'NaN'],
  ])('writes %s as %s', (text, shown) => {
    expect(readableNumber(text)).toBe(shown);
  });

  test('aligns figures right, and rounds them for people', () => {
    const table = queryTable(
      ['type', 'mean'],
      [
        ['c5.large', '25.778500000000005'],
        ['m5', ''],
      ],
    );
    expect(table.split('\n')).toEqual(['type         mean', '--------  -------', 'c5.large  25.7785', 'm5']);
  });

  test('fits any width', () => {
    const headings = Array.from({ length: 60 }, (_, index) => `a_column_with_a_long_name_${index}`);
    const rows = [headings.map((heading) => `${heading} has a value`), headings.map(() => '')];
    expect(queryTable(headings, rows, 1)).toContain('\n\n');
    for (const width of [20, 40, 80, 200]) expect(widest(queryTable(headings, rows, width))).toBeLessThanOrEqual(width);
    expect(widest(queryTable(headings, [], 40))).toBeLessThanOrEqual(40);
    expect(queryTable(headings, rows).split('\n')).toHaveLength(4);
  });
});

test('text is broken at spaces where it has any', () => {
  expect(wrapped('a word and another', 8)).toEqual(['a word', 'and', 'another']);
  expect(wrapped('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrapped('', 4)).toEqual(['']);
});
