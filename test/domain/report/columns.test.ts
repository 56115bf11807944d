import { verdictBadge } from '../../../domain/report/page/columns';
import { STYLE } from '../../../domain/report/page/style';

test.each([
  [{ kind: 'steady', cause: null }, 'holds', 'steady'],
  [{ kind: 'steady', cause: null, bucketBitsAtLeast: 1e9 }, 'undecided', 'steady'],
  [{ kind: 'steady', cause: 'cpu' }, 'limited', 'steady, cpu'],
  [{ kind: 'steady', cause: 'tool_target' }, 'undecided', 'steady, tool target'],
  [{ kind: 'drop', cause: 'network_credits' }, 'falls', 'drop, network credits'],
  [{ kind: 'drop', cause: 'not_known' }, 'falls', 'drop, not known'],
  [{ kind: 'outage', cause: 'outage' }, 'falls', 'outage'],
  [{ kind: 'noisy', cause: null }, 'wavers', 'noisy'],
  [{ kind: 'insufficient', cause: null }, 'undecided', 'insufficient'],
] as const)('%j has the tone %s', (verdict, tone, words) => {
  expect(verdictBadge(verdict).text).toBe(`<span class="badge ${tone}">${words}</span>`);
});

/** Relative luminance and contrast of WCAG 2.2. */
function luminance(colour: string): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
  const linear = channels.map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  const [red = NaN, green = NaN, blue = NaN] = linear;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (one: string, other: string) => {
  const [dark = NaN, light = NaN] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
};

const TONES = ['holds', 'falls', 'wavers', 'limited', 'undecided'];

/** The values of a variable: first of the light theme, then of the dark one. */
const valuesOf = (name: string) =>
  [...STYLE.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map(([, it]) => it);

test.each(TONES)('the words of %s can be read in both themes, and it has a sign of its own', (tone) => {
  const [inks, papers] = [valuesOf(tone), valuesOf(`${tone}-paper`)];
  for (const theme of [0, 1]) {
    expect(contrast(inks[theme] ?? '', papers[theme] ?? '')).toBeGreaterThan(4.5);
  }
  expect(STYLE).toMatch(new RegExp(`\\.badge\\.${tone}::before \\{ content: ".`));
});

test('the signs differ', () => {
  const signs = [...STYLE.matchAll(/\.badge\.\w+::before \{ content: "(.) "/g)].map(([, sign]) => sign);
  expect(new Set(signs).size).toBe(TONES.length);
});
