/** What a chart draws of a long series. */
import { envelope, LARGEST, MEDIAN, thinned, type TimePoint } from '../../../domain/report/charts/downsampling';

const seconds = (values: readonly (number | null)[]): TimePoint[] =>
  values.map((value, index): TimePoint => [index + 0.5, value]);
const flat = (length: number) => Array.from({ length }, () => 5);

test('a short series is drawn as it is', () => {
  const points = seconds(flat(20));
  expect(envelope(points, 10)).toEqual(points);
  expect(thinned(points, LARGEST, 20)).toEqual(points);
});

test('a long series keeps the least and the greatest value of each column, and rises to a lone peak and returns from it within its column', () => {
  const values = flat(100);
  values[53] = 9;
  values[77] = 1;
  const drawn = envelope(seconds(values), 10);
  expect(drawn.map(([, value]) => value)).toEqual([5, 5, 5, 5, 5, 5, 9, 5, 5, 5, 1, 5, 5, 5]);
  const at = (wanted: number) => drawn.find(([, value]) => value === wanted)?.[0] ?? NaN;
  expect(Math.abs(at(9) - 53.5)).toBeLessThan(5);
  expect(Math.abs(at(1) - 77.5)).toBeLessThan(5);
});

test('columns never stand before the ones before them, and the ends are where the series ends', () => {
  const drawn = envelope(seconds(Array.from({ length: 1800 }, (_, index) => Math.sin(index))));
  const times = drawn.map(([second]) => second);
  expect(times).toEqual([...times].sort((left, right) => left - right));
  expect(times[0]).toBeLessThan(6);
  expect(times.at(-1)).toBeGreaterThan(1794);
});

test('missing seconds stay missing', () => {
  const values: (number | null)[] = flat(100);
  values[44] = null;
  expect(envelope(seconds(values), 10).filter(([, value]) => value === null)).toEqual([[44.5, null]]);
  expect(thinned(seconds(values), MEDIAN, 10).filter(([, value]) => value === null)).toEqual([[44.5, null]]);
});

test('a column has the value that stands for its seconds', () => {
  const points = seconds([1, 2, 9, 4, 4, 6]);
  expect(thinned(points, LARGEST, 2).map(([, value]) => value)).toEqual([9, 6]);
  expect(thinned(points, MEDIAN, 2).map(([, value]) => value)).toEqual([2, 4]);
});
