import { chanceOfShares, comparedShares } from '../../../domain/maths/mode-shares';

test.each([
  [[4, 7], [0, 7], 0.069_930],
  [[7, 7], [0, 7], 0.000_583],
  [[3, 3], [0, 3], 0.1],
  [[8, 14], [0, 14], 0.001_932],
  [[1, 10], [11, 14], 0.002_759],
  [[3, 7], [3, 7], 1],
] as const)('%j and %j differ by chance as often as Fisher says', ([count, of], [other, ofOther], chance) => {
  expect(chanceOfShares({ count, of }, { count: other, of: ofOther })).toBeCloseTo(chance, 5);
  expect(chanceOfShares({ count: other, of: ofOther }, { count, of })).toBeCloseTo(chance, 5);
});

test('a thousand pairs on each side do not overflow', () => {
  expect(chanceOfShares({ count: 500, of: 1000 }, { count: 500, of: 1000 })).toBeCloseTo(1, 9);
  expect(chanceOfShares({ count: 900, of: 1000 }, { count: 100, of: 1000 })).toBeLessThan(1e-100);
});

const [FAST, SLOW] = [9.69, 5.02];

test('the modes are those of both samples', () => {
  const earlier = [FAST, SLOW, FAST, SLOW, FAST, SLOW, FAST];
  const now = Array.from(earlier, () => SLOW);
  expect(comparedShares(earlier, now)?.shares).toEqual({
    above: [FAST],
    below: [SLOW],
    earlier: { count: 4, of: 7 },
    now: { count: 0, of: 7 },
  });
  expect(comparedShares(now, now)).toBeUndefined();
});

test('with three modes, the gap at which the shares differ most is named, and counts twice', () => {
  const compared = comparedShares([2, 2, 2, 2, SLOW, FAST], [SLOW, SLOW, FAST, FAST, SLOW, FAST]);
  expect(compared?.shares).toMatchObject({
    above: [SLOW, FAST],
    below: [2],
    earlier: { count: 2, of: 6 },
    now: { count: 6, of: 6 },
  });
  expect(compared?.chance).toBeCloseTo(2 * chanceOfShares({ count: 2, of: 6 }, { count: 6, of: 6 }), 9);
});
