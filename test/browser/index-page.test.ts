/** The page over all runs in Chromium and Firefox, with one run and with many: widths, fonts, axe, and print. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { watchedFigures } from '../../domain/history/changes';
import { EMPTY_HISTORY, renewedHistory } from '../../domain/history/history';
import { runDigest } from '../../domain/history/run-digest';
import { renderIndex } from '../../domain/report/index-page/render-index';
import { summaryToJson } from '../../domain/run/summary';
import { endedSummary } from '../support/ended-runs';
import { latencyResult, published, throttledResult, throttledVerdict } from '../support/measurement-results';
import { INDEX_SCRIPT } from '../support/page-markup';
import { axeFindings } from './axe-findings';
import { forEachBrowser } from './browsers';
import { folder, FONTS, INPUTS, layOutCards, resize, saved, WIDTHS } from './reports';

const TYPES = { 'c5.xlarge': published('c5.xlarge', 1.25e9, 10e9), 'c5.9xlarge': published('c5.9xlarge', 10e9, 10e9) };

/** Whose baseline falls by a fifth after three quarters of the runs. */
function history(runCount: number) {
  const runs = Array.from({ length: runCount }, (_, index) => {
    const value = (index < 0.75 * runCount ? 1e9 : 0.8e9) * (1 + 0.002 * (index % 3));
    const verdict = { ...throttledVerdict, baseline: { value, low: value, high: value } };
    const results = [...INPUTS['60 measurements'].results, throttledResult({ verdict }), latencyResult()];
    const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 6 * 3_600_000).toISOString();
    const summary = endedSummary(`network-benchmark-${index}`, { createdAt, results });
    return runDigest(summaryToJson(summary), { instanceTypes: TYPES });
  });
  return renewedHistory(EMPTY_HISTORY, runs, () => true);
}

function indexOf(name: string, runCount: number) {
  const runs = history(runCount);
  const page = renderIndex(
    {
      history: runs,
      watched: watchedFigures(runs),
      unreadable: [],
      region: 'eu-central-1',
      bucketName: 'networkbenchmark-resultsbucket1a2b3c4d-9z8y7x6w5v4u',
      renewedAt: '2026-11-23T09:00:00Z',
    },
    INDEX_SCRIPT,
  );
  return { name, runCount, url: saved(name, page) };
}

const PAGES = [indexOf('one run', 1), indexOf('24 runs', 24)];

forEachBrowser((browserName, browser) => {
  // Firefox's driver can't switch scripts off for a page.
  if (browserName === 'chromium') {
    void test('without a script no run can be ticked', async () => {
      const page = await browser().newPage();
      await page.setJavaScriptEnabled(false);
      await page.goto(PAGES[1]?.url ?? '');
      const heights = await page.$$eval('.ticked, .tick', (parts) =>
        parts.map((part) => part.getBoundingClientRect().height),
      );
      assert.ok(heights.length > 2);
      assert.deepEqual([...new Set(heights)], [0]);
      await page.close();
    });
  }

  const withPage = async (url: string, act: (page: Page) => Promise<void>) => {
    const page = await browser().newPage();
    try {
      await resize(page, 1200, 900);
      await page.goto(url);
      await act(page);
    } finally {
      await page.close();
    }
  };

  for (const { name, runCount, url } of PAGES) {
    void test(`axe finds nothing: ${name}`, () =>
      withPage(url, async (page) => {
        assert.deepEqual(await axeFindings(page), []);
      }));

    for (const font of FONTS) {
      void test(`the page is as wide as the window, and its tables are seen whole in ${font}: ${name}`, () =>
        withPage(url, async (page) => {
          await page.addStyleTag({ content: `body { font-family: "${font}" !important; }` });
          await layOutCards(page);
          for (const width of WIDTHS) {
            await resize(page, width, 900);
            const wider = await page.evaluate(() =>
              [document.documentElement, ...document.querySelectorAll('.card, .scroll')].map(
                (box) => box.scrollWidth - box.clientWidth,
              ),
            );
            assert.ok(wider.length > 2);
            assert.deepEqual(
              wider.filter((pixels) => pixels > 0),
              [],
              `${width} pixels`,
            );
          }
        }));
    }

    void test(`the filter leaves the rows that have all of its words: ${name}`, () =>
      withPage(url, async (page) => {
        const shown = () =>
          page.$$eval('#types tbody tr', (rows) => rows.filter(({ hidden }) => !hidden).map((row) => row.innerText));
        const all = await shown();
        await page.type('form.filter input', 'C5.9xlarge streams');
        const left = await shown();
        assert.ok(left.length > 0 && left.length < all.length);
        assert.ok(left.every((text) => text.includes('c5.9xlarge') && text.includes('streams')));
        assert.match(await page.$eval('form.filter output', ({ value }) => value), /^\d+ of \d+ rows$/);
      }));

    void test(`two ticked runs are compared: ${name}`, () =>
      withPage(url, async (page) => {
        const boxes = await page.$$('#runs input[type=checkbox]');
        assert.equal(boxes.length >= 2, runCount > 1);
        const [newest, next, oldest] = [boxes[0], boxes[1], boxes.at(-1)];
        if (!newest || !next || !oldest) return;
        const shown = () =>
          page.$eval('.ticked', (part) => ({
            said: part.querySelector('output')?.innerText ?? '',
            rows: [...part.querySelectorAll('tbody tr')].map((row) => row.textContent.replace(/\s+/g, ' ')),
          }));
        const isTicked = () => Promise.all([newest, next, oldest].map((box) => box.evaluate(({ checked }) => checked)));
        await newest.press(' ');
        assert.deepEqual(await shown(), { said: 'Tick one more run.', rows: [] });
        await oldest.press(' ');
        const { said, rows } = await shown();
        assert.match(said, new RegExp(`Later: network-benchmark-${runCount - 1}\\. \\d+ of \\d+ figures changed`));
        assert.match(rows.join('\n'), /Baseline ?Gbit\/s.*1\.00.*0\.80.*−20.%/);
        assert.deepEqual(await axeFindings(page), []);
        for (const width of WIDTHS) {
          await resize(page, width, 900);
          const wider = await page.$$eval('html, .ticked, .ticked .card, .ticked .scroll', (parts) =>
            parts.map((part) => part.scrollWidth - part.clientWidth).filter((pixels) => pixels > 0),
          );
          assert.deepEqual(wider, [], `${width} pixels`);
        }
        await next.press(' ');
        assert.deepEqual(await isTicked(), [false, true, true]);
        assert.match((await shown()).said, new RegExp(`Later: network-benchmark-${runCount - 2}\\. `));
        await next.press(' ');
        await oldest.press(' ');
        assert.deepEqual(await shown(), { said: '', rows: [] });
      }));

    void test(`a text to the right of a number stands clear of it: ${name}`, () =>
      withPage(url, async (page) => {
        const gaps = await page.$$eval('td.number + td:not(.number)', (cells) =>
          cells.map((cell) => {
            const { paddingRight } = getComputedStyle(cell.previousElementSibling ?? cell);
            return Number.parseFloat(paddingRight) + Number.parseFloat(getComputedStyle(cell).paddingLeft);
          }),
        );
        assert.ok(gaps.length > 2);
        assert.ok(
          gaps.every((pixels) => pixels >= 16),
          `gaps of ${gaps.join(', ')} pixels`,
        );
      }));

    void test(`print has every row and every column: ${name}`, () =>
      withPage(url, async (page) => {
        await layOutCards(page);
        const cells = await page.$$eval('td:last-child', (last) => last.map((cell) => cell.innerText));
        assert.ok(cells.length > runCount);
        const file = join(folder, `${browserName}-${name.replace(' ', '-')}.pdf`);
        writeFileSync(file, await page.pdf({ preferCSSPageSize: true, printBackground: true }));
        const words = wordsWithin(file);
        for (const word of cells.flatMap((text) => text.split(/\s+/))) {
          const left = (words.get(word) ?? 0) - 1;
          assert.ok(left >= 0, `not printed: ${word}`);
          words.set(word, left);
        }
      }));
  }
});

/** How often each word stands within the edges of a page. */
function wordsWithin(file: string): Map<string, number> {
  const boxes = execFileSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8', maxBuffer: 1e8 });
  const words = new Map<string, number>();
  const count = (word: string) => words.set(word, (words.get(word) ?? 0) + 1);
  let width = 0;
  for (const line of boxes.split('\n')) {
    width = Number(/<page width="([\d.]+)"/.exec(line)?.[1] ?? width);
    const [, left = '', right = '', word = ''] =
      /xMin="(-?[\d.]+)" .*xMax="([\d.]+)" .*>([^<]*)<\/word>/.exec(line) ?? [];
    // A font may have one letter for two, as in ﬁnd.
    if (word !== '' && Number(left) >= 0 && Number(right) <= width) count(word.normalize('NFKC'));
  }
  return words;
}
