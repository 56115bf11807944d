/** The SVG of a chart is made small without moving a point. */
import { compactSvg } from '../../../domain/report/charts/compact-svg';

/** The corners of a path of the compact form, in pixels. */
function pointsOf(path: string): number[][] {
  let [x, y] = [0, 0];
  return [...path.matchAll(/([Mlhv])([^Mlhvz]*)/g)].map(([, command, text = '']) => {
    const numbers = [...text.matchAll(/-?\d*\.?\d+/g)].map(Number);
    const [first = 0, second = 0] = numbers;
    if (command === 'M') [x, y] = [first, second];
    else if (command === 'h') x += first;
    else if (command === 'v') y += first;
    else [x, y] = [x + first, y + second];
    return [x, y];
  });
}

const compacted = (d: string) => / d="([^"]*)"/.exec(compactSvg(`<path d="${d}"></path>`))?.[1] ?? '';

test('a long line stays within half a tenth of a pixel of where it was, however many points it has', () => {
  const points = Array.from({ length: 5000 }, (_, index) => [index * 0.1737, 100 + 90 * Math.sin(index * 1.7)]);
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const kept = pointsOf(compacted(path));
  expect(kept).toHaveLength(points.length);
  kept.forEach(([x, y], index) => {
    expect(Math.abs((x ?? 0) - (points[index]?.[0] ?? 0))).toBeLessThan(0.0501);
    expect(Math.abs((y ?? 0) - (points[index]?.[1] ?? 0))).toBeLessThan(0.0501);
  });
});

test.each([
  ['M54 290.5L942 290.5', 'M54 290.5h888'],
  ['M54.5 290L54.5 40L60.25 40.55Z', 'M54.5 290v-250l5.8 .6z'],
  ['M1 1L2 2M5 5L4.5 5.5', 'M1 1l1 1M5 5l-.5 .5'],
  ['M1 1A2 2 0 1 1 3 3', 'M1 1A2 2 0 1 1 3 3'],
  ['M1 1C2 2 3 3 4 4', 'M1 1C2 2 3 3 4 4'],
])('%s is %s', (path, expected) => {
  expect(compacted(path)).toBe(expected);
});

test('a text keeps what is not the style of every text', () => {
  const font = 'font-size:12px;font-family:system-ui, sans-serif;';
  expect(compactSvg(`<text dominant-baseline="central" style="${font}font-weight:bold;">a b</text>`)).toBe(
    '<text style="font-weight:bold;">a b</text>',
  );
  expect(compactSvg(`<text dominant-baseline="auto" style="${font}">a</text>`)).toBe(
    '<text dominant-baseline="auto">a</text>',
  );
});
