import { groupsIn, numberIn, plainLine } from '../../../domain/parsers/text-lines';

const RATE = /(?<value>\d+)(?<unit>[KM])? bits/;

test('named groups are read by name, and a group outside the match is empty', () => {
  expect(groupsIn('at 12M bits', RATE, ['value', 'unit'])).toEqual({ value: '12', unit: 'M' });
  expect(groupsIn('at 12 bits', RATE, ['value', 'unit'])).toEqual({ value: '12', unit: '' });
  expect(groupsIn('nothing', RATE, ['value', 'unit'])).toBeUndefined();
});

test('fails on a name that the pattern does not have', () => {
  expect(() => groupsIn('12 bits', RATE, ['value', 'factor'])).toThrow('must have a group named factor');
});

test('text that is not a number is undefined', () => {
  expect(numberIn('took 1.5 s', /took (\S+) s/)).toBe(1.5);
  expect(numberIn('took -nan s', /took (\S+) s/)).toBeUndefined();
});

test("colours and another system's carriage return are removed from a line", () => {
  expect(plainLine('\u001b[31mred\u001b[0m\r')).toBe('red');
});
