/** The SVG of a chart is made small without moving what a reader sees. */
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

test.each([
  ['within half a tenth of a pixel of where it was', 3, 0.0501],
  ['within half a pixel and a twentieth where it jumps', 90, 0.5501],
])('a long line stays %s, however many points it has', (_, height, most) => {
  const points = Array.from({ length: 5000 }, (__, index) => [index * 0.1737, 100 + height * Math.sin(index * 1.7)]);
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const kept = pointsOf(compacted(path));
  expect(kept).toHaveLength(points.length);
  kept.forEach(([x, y], index) => {
    expect(Math.abs((x ?? 0) - (points[index]?.[0] ?? 0))).toBeLessThan(0.0501);
    expect(Math.abs((y ?? 0) - (points[index]?.[1] ?? 0))).toBeLessThan(most);
  });
});

test.each([
  ['M54 290.5L942 290.5', 'M54 290.5h888'],
  ['M54.5 290L54.5 40L60.25 40.55Z', 'M54.5 290v-250l5.8 .6z'],
  ['M1 1L2 2M5 5L4.5 5.5', 'M1 1l1 1M5 5l-.5 .5'],
  ['M0 5L1 5L3 5L2 5L2 6', 'M0 5h3h-1v1'],
  ['M1 1A2 2 0 1 1 3 3', 'M1 1A2 2 0 1 1 3 3'],
  ['M1 1C2 2 3 3 4 4', 'M1 1C2 2 3 3 4 4'],
])('%s is %s', (path, expected) => {
  expect(compacted(path)).toBe(expected);
});

test('a text keeps what is not the style of every text', () => {
  const font = 'font-size:12px;font-family:system-ui, sans-serif;';
  expect(compactSvg(`<text dominant-baseline="central" style="${font}font-weight:bold;">a b</text>`)).toBe(
    '<text x="0" y="0" style="font-weight:bold;">a b</text>',
  );
  expect(compactSvg(`<text dominant-baseline="auto" style="${font}">a</text>`)).toBe(
    '<text x="0" y="0" dominant-baseline="auto">a</text>',
  );
});

test('the pieces of a text in several styles follow each other in whatever font there is', () => {
  const piece = (x: number, fill: string, text: string) =>
    `<text text-anchor="start" x="${x}" y="-6" transform="translate(54 330)" fill="${fill}">${text}</text>`;
  expect(
    compactSvg(
      piece(-42, 'var(--muted)', 'shaped: ') + piece(12, 'var(--series-3)', '━') + piece(24, 'var(--muted)', ' in'),
    ),
  ).toBe(
    '<text x="12" y="324">shaped: <tspan fill="var(--series-3)">━</tspan><tspan fill="var(--muted)"> in</tspan></text>',
  );
});

test('labels that have nothing but their anchor in common share it', () => {
  const label = (y: number) => `<text text-anchor="end" transform="translate(46 ${y})" fill="var(--muted)">${y}</text>`;
  expect(compactSvg(label(10) + label(20))).toBe(
    '<g text-anchor="end"><text x="46" y="10">10</text><text x="46" y="20">20</text></g>',
  );
});

test('the lines of a grid are one path, and lines that look different are not', () => {
  const line = (y: number, stroke: string) => `<path d="M0 ${y}L9 ${y}" fill="none" stroke="var(--${stroke})"></path>`;
  expect(compactSvg(line(1, 'rule') + line(2, 'rule') + line(3, 'muted'))).toBe(
    '<path d="M0 1h9M0 2h9" stroke="var(--rule)"/><path d="M0 3h9" stroke="var(--muted)"/>',
  );
});

test('the ends of axis lines have no shape of their own', () => {
  const line = (y: number) => `<path d="M0 ${y}L90 ${y}" fill="none" stroke="#333" stroke-linecap="round"></path>`;
  expect(compactSvg(line(4) + line(8))).toBe('<path d="M0 4h90M0 8h90" stroke="#333"/>');
});
