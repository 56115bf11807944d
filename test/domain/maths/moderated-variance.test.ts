import { commonVariance, moderatedVariance } from '../../../domain/maths/moderated-variance';

const samples = (variances: readonly number[], degrees = 2) => variances.map((variance) => ({ variance, degrees }));
const ALIKE = Array.from({ length: 20 }, () => 9);

test('samples that scatter alike count for as many degrees of freedom as so many can be sure of', () => {
  // 2 degrees: 2 / (1.645 / √20); 6 degrees: 2 / (1.645 / √120)
  expect(commonVariance(samples(ALIKE))?.degrees).toBeCloseTo(5.44, 2);
  expect(commonVariance(samples(ALIKE, 6))?.degrees).toBeCloseTo(13.32, 2);
});

test('a sample whose values lie close together by chance is moderated all the same', () => {
  const close = { variance: 1e-6, degrees: 2 };
  const common = commonVariance([...samples(ALIKE.slice(1)), close]);
  expect(common?.degrees).toBeCloseTo(5.44, 1);
  expect(moderatedVariance(close, common).variance).toBeGreaterThan(5);
});

test('the more unlike the samples scatter, the less their common variance counts for', () => {
  const degreesOf = (large: number) =>
    commonVariance(
      samples(
        ALIKE.map((variance, index) => (index % 4 === 0 ? large * variance : variance)),
        6,
      ),
    )?.degrees;
  expect([2, 4, 100].map((large) => Math.round(degreesOf(large) ?? 0))).toEqual([13, 6, 1]);
});

test('a common variance weighs the samples by their degrees of freedom', () => {
  const few = [
    ...samples(ALIKE.slice(0, 10), 2),
    ...samples(
      ALIKE.slice(10).map((each) => 2 * each),
      4,
    ),
  ];
  expect(commonVariance(few)?.variance).toBeCloseTo(15, 10);
});

test('too few samples, and those that do not scatter at all, have no common variance', () => {
  expect(commonVariance(samples(ALIKE.slice(0, 7)))).toBeUndefined();
  expect(commonVariance(samples(ALIKE.map(() => 0)))).toBeUndefined();
  expect(moderatedVariance({ variance: 4, degrees: 2 }, undefined)).toEqual({ variance: 4, degrees: 2 });
});
