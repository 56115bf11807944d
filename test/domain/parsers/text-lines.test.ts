import { chooseRun, lastRun } from '../../../domain/parsers/runs-of-file';
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

const opens = (line: string) => line === 'begin';

test.each([
  [[], [[]]],
  [['early', 'begin', 'a'], [['early', 'begin', 'a']]],
  [
    ['early', 'begin', 'a', 'begin', 'b', 'begin'],
    [['early', 'begin', 'a'], ['begin', 'b'], ['begin']],
  ],
])('lines %j are the runs %j, parsed from the last on until one has measured', (lines, runs) => {
  const found: (readonly string[])[] = [];
  const parse = (run: readonly string[]) => {
    found.push(run);
    return { warnings: [] };
  };
  lastRun(lines, opens, parse, () => false);
  expect(found.reverse()).toEqual(runs);
});

test('the last run that measured is chosen, with a warning where there were others', () => {
  const isPositive = (run: number) => run > 0;
  expect(chooseRun([1], isPositive)).toEqual({ run: 1, warnings: [] });
  expect(chooseRun([1, 2, 0], isPositive)).toEqual({
    run: 2,
    warnings: ['the file holds 3 tests; the last one that measured something is analysed'],
  });
  expect(chooseRun([0, 0], isPositive).run).toBe(0);
  expect(chooseRun([], isPositive)).toEqual({ run: undefined, warnings: [] });
});
