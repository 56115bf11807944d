import { chooseRun, lastRun } from '../../../domain/parsers/runs-of-file';

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
