/** How large reports become at most. */
import { halfHourRun, recordedRun } from '../../support/recorded-run';
import { renderReport } from '../../support/report-input';

const bytesOf = (page: string) => Buffer.byteLength(page);
const charts = (page: string) => page.match(/<figure class="series"/g)?.length;

test('60 half-hours with counters of both hosts and a latency probe are at most 2 MB, all of them drawn', () => {
  const page = renderReport(halfHourRun(60));
  expect(charts(page)).toBe(60);
  expect(bytesOf(page)).toBeLessThanOrEqual(2e6);
});

test('of more half-hours than the page has room for, as many are drawn as fit', () => {
  const page = renderReport(halfHourRun(72));
  expect(bytesOf(page)).toBeLessThanOrEqual(2.3e6);
  const drawn = charts(page) ?? 0;
  expect(drawn).toBeGreaterThanOrEqual(60);
  expect(drawn).toBeLessThan(72);
  expect(page).toContain(`Only ${drawn} of 72 series are drawn`);
});

describe('1,000 measurements', () => {
  const page = renderReport(recordedRun(1000));

  test('are at most 10 MB', () => {
    expect(bytesOf(page)).toBeLessThanOrEqual(10e6);
  });

  test('have at most 15,000 elements before a reader unfolds anything', () => {
    const rendered = page.replace(/<(script|style|noscript)\b.*?<\/\1>/gs, '');
    const count = rendered.match(/<[a-z]/g)?.length;
    expect(count).toBeGreaterThan(1_000);
    expect(count).toBeLessThanOrEqual(15_000);
  });

  test('have each measurement in a card', () => {
    for (const { measurementId } of recordedRun(1000).results)
      expect(page).toContain(`<div id="${measurementId}" class="body">`);
  });
});

/** With 1,000, the page has 9.8 MB: each further one is a row of 8 KB. */
test('400 half-hours are at most 5 MB; the page says how many are drawn, and every series is a file', () => {
  const page = renderReport(halfHourRun(400));
  expect(bytesOf(page)).toBeLessThanOrEqual(5e6);
  const drawn = charts(page) ?? 0;
  expect(drawn).toBeGreaterThan(50);
  expect(page).toContain(`Only ${drawn} of 400 series are drawn`);
  expect(page.match(/href="series\/[^"]*\.csv\.gz"/g)).toHaveLength(400);
});
