import { describe, expect, test } from '@jest/globals';
import { keepUnits } from '../../../domain/report/page/html';
import { recordedRun } from '../../support/recorded-run';
import { renderReport } from '../../support/report-input';

/** No-break spaces, as a reader of this test sees them. */
const seen = (text: string) => keepUnits(text).replaceAll('\u00a0', '~');

describe('a number stays with its unit', () => {
  test.each([
    ['scatter 0.7 %: steady', 'scatter 0.7~%: steady'],
    ['9.41 Gbit/s for 25.4 s, then', '9.41~Gbit/s for 25.4~s, then'],
    ['22.2 (22.1 to 22.4) s', '22.2 (22.1 to 22.4)~s'],
    ['at 1.25 M packets/s', 'at 1.25~M~packets/s'],
    ['37 min 18 s, 0.17 USD an hour, 92.1 µs', '37~min 18~s, 0.17~USD an hour, 92.1~µs'],
  ])('%s', (text, kept) => {
    expect(seen(text)).toBe(kept);
  });

  test('what is no unit may be broken', () => {
    expect(seen('2 streams of 3 hosts, p99 supports')).toBe('2 streams of 3 hosts, p99 supports');
  });
});

test('no sentence and no cell of a report may end a line within a figure', () => {
  const page = renderReport(recordedRun(22));
  const texts = page
    .replace(/<(style|script|title|pre|code)\b[^]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .split('\n');
  expect(texts.filter((text) => text.includes('\u00a0Gbit/s')).length).toBeGreaterThan(20);
  expect(texts.filter((text) => /\d (?:%|[GM]?bit|µs|s|min|h|USD)(?![\w/])/.test(text))).toEqual([]);
  // The narrow space that groups digits doesn't break a line either, and is no ordinary space.
  expect(texts.filter((text) => /\d\u202f\d{3}/.test(text)).length).toBeGreaterThan(0);
});
