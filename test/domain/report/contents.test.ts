/** Links within the report. */
import { trusted } from '../../../domain/report/page/html';
import { finishPage } from '../../../domain/report/page/page';
import { textOf } from '../../support/page-markup';
import { recordedRun } from '../../support/recorded-run';
import { comparedInput, renderReport, reportInput } from '../../support/report-input';

describe('contents', () => {
  test.each([
    ['one measurement of each kind', reportInput()],
    ['a run of all comparisons', comparedInput()],
  ])('links every section, and every link has its target: %s', (_, input) => {
    const page = renderReport(input);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...page.matchAll(/<a href="#([^"]+)"/g)].map(([, target]) => target);
    const sections = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    expect(sections.length).toBeGreaterThan(4);
    expect(targets).toEqual(expect.arrayContaining(sections));
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  });
});

test('indentation goes, and a preformatted text stays as it is', () => {
  expect(finishPage(trusted('<p class="">\n  a\n  b </p><pre>\n  c</pre>'), []).text).toBe(
    '<p> a b </p><pre>\n  c</pre>',
  );
});

describe('ids of measurements', () => {
  const linked = (text: string) => finishPage(trusted(text), [{ measurementId: 'p0001-m02' }]).text;

  test.each([
    ['text', '<p>p0001-m02: refused</p>', '<p><a href="#p0001-m02">p0001-m02</a>: refused</p>'],
    ['an attribute', '<p title="p0001-m02">.</p>', '<p title="p0001-m02">.</p>'],
    ['a link', '<a href="x"><b>p0001-m02</b></a>', '<a href="x"><b>p0001-m02</b></a>'],
    ['a chart', '<svg><text>p0001-m02</text></svg>', '<svg><text>p0001-m02</text></svg>'],
    ['what unfolds a card', '<summary>p0001-m02</summary>', '<summary>p0001-m02</summary>'],
    ['code to copy', '<pre><code>p0001-m02</code></pre>', '<pre><code>p0001-m02</code></pre>'],
    ['another run', '<p>p0009-m02</p>', '<p>p0009-m02</p>'],
    ['a longer word', '<p>xp0001-m021</p>', '<p>xp0001-m021</p>'],
  ])('in %s', (_, text, expected) => {
    const card = '<i id="p0001-m02"></i>';
    expect(linked(card + text)).toBe(card + expected);
  });

  test('without a card there is nothing to link to', () => {
    expect(linked('<p>p0001-m02</p>')).toBe('<p>p0001-m02</p>');
  });
});

describe('a report of more than 12 measurements', () => {
  const page = renderReport(recordedRun(14));

  test('keeps what is folded as text, which a browser without scripts renders at once', () => {
    const kept = [...page.matchAll(/<noscript>(.*?)<\/noscript>/gs)].map(([, text = '']) => text);
    expect(kept.length).toBeGreaterThan(10);
    // Within another, the inner end tag would end the outer element.
    expect(kept.filter((text) => text.includes('<noscript'))).toEqual([]);
    expect(page).toMatch(/<details> ?<summary><h2>Verdicts<\/h2> <small>14<\/small><\/summary> ?<noscript>/);
  });

  test('says how much each section has, and offers to print everything', () => {
    const [bar = ''] = /<div class="bar screen">.*?<\/form> ?<\/div>/s.exec(page) ?? [];
    expect(textOf(bar)).toMatch(/^Contents 14 The answer Measurements 14 Verdicts 14 .* Print everything all types/);
    expect(textOf(page)).toContain('To print everything, open “Contents” at the top of the report');
  });
});
