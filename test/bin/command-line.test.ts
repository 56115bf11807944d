import { terminalWidth } from '../../bin/command-line';

test.each([
  ['a terminal', { isTTY: true, columns: 132 }, {}, 132],
  ['a terminal that does not know its width', { isTTY: true, columns: 0 }, {}, 80],
  ['a pipe', { isTTY: false, columns: 0 }, {}, undefined],
  ['a pipe with COLUMNS', { isTTY: false, columns: 0 }, { COLUMNS: '100' }, 100],
  ['a terminal with COLUMNS', { isTTY: true, columns: 132 }, { COLUMNS: '100' }, 100],
  ['a COLUMNS that is no width', { isTTY: false, columns: 0 }, { COLUMNS: 'wide' }, undefined],
])('%s', (_, stream, environment, width) => {
  expect(terminalWidth(stream, environment)).toBe(width);
});
