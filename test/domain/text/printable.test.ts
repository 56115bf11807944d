import { MAX_MESSAGE_CHARACTERS, printable, printableLines, printableMessage } from '../../../domain/text/printable';

test.each([
  ['a title for the terminal', '\u001b]0;owned\u0007', '\\u001b]0;owned\\u0007'],
  ['an erased screen', '\u001b[2J', '\\u001b[2J'],
  ['the one-character form of the same', '\u009b2J', '\\u009b2J'],
  ['a line that covers another', 'bad\rgood', 'bad\\u000dgood'],
  ['a second line', 'one\ntwo', 'one\\u000atwo'],
  ['zeros', 'a\u0000b', 'a\\u0000b'],
  ['a deletion', 'a\u007f', 'a\\u007f'],
  ['the other writing direction', 'a\u202eb\u2066', 'a\\u202eb\\u2066'],
  ['separators of lines', '\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
  ['half of a pair', '\ud83d!', '\\ud83d!'],
  ['a tab', 'a\tb', 'a b'],
  ['ordinary text', '–1.5 µs, 10 Gbit/s “ok” 🚀', '–1.5 µs, 10 Gbit/s “ok” 🚀'],
])('%s is shown and not obeyed', (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('JSON stays JSON with the same values', () => {
  const value = { id: 'a\u001b]0;x\u0007\u009b\u202e\u2028\ud800\t\n"\\' };
  const printed = printable(JSON.stringify(value));
  expect(JSON.parse(printed)).toEqual(value);
  expect(printed).toMatch(/^[ -~]+$/);
});

test('a text of several lines keeps them', () => {
  expect(printableLines('a\u001b\nb')).toBe('a\\u001b\nb');
});

test('a long message is cut', () => {
  expect(printableMessage('short')).toBe('short');
  const cut = printableMessage('\u001b'.repeat(1e6));
  expect(cut).toHaveLength(MAX_MESSAGE_CHARACTERS);
  expect(cut.endsWith('...')).toBe(true);
  expect(printableMessage(cut)).toBe(cut);
});
