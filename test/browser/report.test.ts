/**
 * Reports of recorded runs in Chromium and Firefox: what a reader sees, does, prints, and what a screen reader is told.
 * `npm run test:browser`; run by node:test, because the driver is an ES module, which Jest does not load.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { axeFindings } from './axe-findings';
import { forEachBrowser } from './browsers';
import {
  FONTS,
  INPUTS,
  layOutCards,
  NAMES,
  printEverything,
  resize,
  scrolledTo,
  unfold,
  urlOf,
  WIDTHS,
  withPageOf,
} from './reports';

forEachBrowser((browserName, browser) => {
  const withPage = withPageOf(browser);

  for (const name of NAMES) {
    for (const scheme of ['light', 'dark']) {
      void test(`axe finds nothing: ${name}, ${scheme}`, () =>
        withPage(name, async (page) => {
          if (browserName === 'chromium') {
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          } else if (scheme === 'dark') {
            await forceDark(page);
          }
          await unfold(page, name === '60 measurements' ? 8 : Infinity);
          assert.deepEqual(await axeFindings(page), []);
        }));
    }

    void test(`every link leads to something that is then seen: ${name}`, () =>
      withPage(name, async (page) => {
        const targets = await page.$$eval('a[href^="#"]', (links) => [
          ...new Set(links.map((link) => link.getAttribute('href')?.slice(1) ?? '')),
        ]);
        assert.ok(targets.length > 5);
        const unseen = await page.evaluate(async (ids) => {
          const failed: string[] = [];
          for (const id of ids) {
            location.hash = id;
            await new Promise((resolve) => setTimeout(resolve, 0));
            // A card that was hidden is laid out in the frame after the one that shows it.
            for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
            const target = document.getElementById(id);
            if (!target?.checkVisibility({ contentVisibilityAuto: true }) || target.offsetHeight === 0) failed.push(id);
          }
          return failed;
        }, targets);
        assert.deepEqual(unseen, []);
      }));

    for (const font of FONTS) {
      void test(`the page is as wide as the window in ${font}: ${name}`, () =>
        withPage(name, async (page) => {
          await page.addStyleTag({ content: `body, .chart text { font-family: "${font}" !important; }` });
          await layOutCards(page);
          await unfold(page);
          for (const width of WIDTHS) {
            await resize(page, width, 900);
            // A card cuts off what stands outside its edges.
            const wider = await page.$$eval('html, .card', (boxes) =>
              boxes.map((box) => box.scrollWidth - box.clientWidth).filter((pixels) => pixels > 0),
            );
            assert.deepEqual(wider, [], `${width} pixels`);
          }
        }));
    }
  }

  // In Firefox without scripts, nothing of the page can be asked for; it prints, which is tested below.
  const settings = browserName === 'chromium' ? [true, false] : [true];
  void test('a link unfolds the card that it leads to, with scripts off too', async () => {
    for (const script of settings) {
      await withPage(
        '60 measurements',
        async (page) => {
          await page.goto(`${urlOf('60 measurements')}#p0010-m02`);
          await page.$eval('#p0010-m02', (card) => {
            if (card.getBoundingClientRect().height === 0) throw new Error('the card must be unfolded');
          });
        },
        1200,
        script,
      );
    }
  });

  void test('the values under the pointer are shown', () =>
    withPage('a pair', async (page) => {
      const svg = await scrolledTo(page, 'figure[data-series="p0001-m02"] .wide svg');
      const box = await svg.boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + 100);
      const text = await page.$eval('figure .values', (label) => label.textContent);
      assert.match(text, /^second 5\d\dthroughput forward: 9\.\d+ Gbit\/s$/);
    }));

  void test('a presigned address, which opens the page alone, has no links to the files beside it', () =>
    withPage('a pair', async (page) => {
      const links = () => page.$$eval('.files a', (found) => found.length);
      assert.ok((await links()) > 0);
      await page.goto(`${urlOf('a pair')}?X-Amz-Signature=0&X-Amz-Expires=60`);
      assert.equal(await links(), 0);
      assert.match(await page.$eval('.files', (text) => text.textContent), /opens only the report/);
    }));

  void test('a drag zooms into a part of the series, and a double click shows all of it again', () =>
    withPage('a pair', async (page) => {
      const secondsShown = () =>
        page.$$eval('.zoomed', ([zoomed]) => {
          const chart = (zoomed as unknown as { uplots: { scales: { x: { min: number; max: number } } }[] }).uplots[0];
          return chart === undefined ? 0 : chart.scales.x.max - chart.scales.x.min;
        });
      await (await scrolledTo(page, 'figure[data-series="p0001-m02"] .tools button')).click();
      const over = await scrolledTo(page, '.zoomed .u-over');
      const box = await over.boundingBox();
      assert.ok(box);
      const whole = await secondsShown();
      await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, box.y + 50, { steps: 5 });
      await page.mouse.up();
      const zoomed = await secondsShown();
      assert.ok(zoomed > whole * 0.2 && zoomed < whole * 0.3, `${zoomed} of ${whole} s`);
      await page.mouse.click(box.x + box.width * 0.4, box.y + 50, { count: 2 });
      assert.equal(await secondsShown(), whole);
    }));

  void test('a table is sorted by the number of a column', () =>
    withPage('60 measurements', async (page) => {
      await unfold(page, 9);
      const texts = await sortedColumn(page, '#verdicts', 'Mean');
      const values = texts.map((text) => Number.parseFloat(text.replace(/[\s\u202f\u2009]/g, '')));
      const known = values.filter((value) => !Number.isNaN(value));
      assert.ok(known.length > 20);
      assert.deepEqual(
        known,
        [...known].sort((left, right) => right - left),
      );
    }));

  void test('always stands above any time, never at zero, and what was not measured last in both directions', () =>
    withPage('60 measurements', async (page) => {
      const rankOf = (text: string) =>
        text === 'always' ? Infinity : text === 'never' ? 0 : Number(text.replace('≥ ', ''));
      for (const direction of [1, -1]) {
        const texts = await sortedColumn(page, '#answer', 'Holds 5 Gbit/s');
        const known = texts.slice(0, texts.indexOf('–'));
        assert.ok(known.includes('always') && known.includes('never') && known.length < texts.length, texts.join(', '));
        assert.ok(
          texts.slice(known.length).every((text) => text === '–'),
          texts.join(', '),
        );
        const ranks = known.map(rankOf);
        assert.ok(ranks.filter((rank) => rank > 0 && rank < Infinity).length > 2);
        assert.deepEqual(
          ranks,
          [...ranks].sort((left, right) => (left === right ? 0 : direction * (right - left))),
        );
      }
    }));

  for (const name of ['60 measurements', 'six types'] as const) {
    for (const font of FONTS) {
      void test(`the tables of types and of verdicts are seen whole in a window of 1,200 pixels in ${font}: ${name}`, () =>
        withPage(name, async (page) => {
          await page.addStyleTag({ content: `body { font-family: "${font}" !important; }` });
          await layOutCards(page);
          await unfold(page, 9);
          const hidden = await page.$$eval(':is(#answer, #verdicts) .scroll', (boxes) =>
            boxes.map((box) => box.scrollWidth - box.clientWidth),
          );
          assert.ok(hidden.length > 1);
          assert.ok(
            hidden.every((pixels) => pixels === 0),
            `hides ${hidden.join(', ')} pixels`,
          );
        }));
    }
  }

  // Without its margins, an A4 page is 703 pixels wide. In Firefox no page can be asked for its printed widths.
  if (browserName === 'chromium') {
    for (const name of NAMES) {
      for (const font of FONTS) {
        void test(`the tables of types and of verdicts fit on a printed page in ${font}: ${name}`, () =>
          withPage(
            name,
            async (page) => {
              await unfold(page, 9);
              await printEverything(page);
              await page.emulateMediaType('print');
              await page.addStyleTag({ content: `body { font-family: "${font}" !important; }` });
              const cutOff = await page.$$eval(':is(#answer, #verdicts) table', (tables) =>
                tables.map((table) => table.offsetWidth - (table.parentElement?.clientWidth ?? 0)),
              );
              assert.ok(cutOff.length > 1);
              assert.deepEqual(
                cutOff.filter((pixels) => pixels > 0),
                [],
              );
              const lines = await page.$$eval(':is(#answer, #verdicts) td .badge', (badges) =>
                badges.map((badge) =>
                  Math.round(badge.clientHeight / Number.parseFloat(getComputedStyle(badge).lineHeight)),
                ),
              );
              assert.ok(lines.length > 0);
              assert.ok(
                lines.every((count) => count === 1),
                `badges of ${lines.join(', ')} lines`,
              );
            },
            703,
          ));
      }
    }
  }

  void test('which of six types sustains the most, and how long one holds 5 Gbit/s, is read off the first screen', () =>
    withPage('six types', async (page) => {
      await resize(page, 1200, 1000);
      const seen = await page.$$eval('.answer, #answer tbody tr', (all) =>
        all
          .filter((each) => each.getBoundingClientRect().bottom < 1000)
          .map((each) => each.textContent.replace(/\s+/g, ' ')),
      );
      assert.match(seen[0] ?? '', /c5\.4xlarge and c6gd\.4xlarge sustain the most/);
      assert.ok(seen.some((words) => words.includes('c6gd.2xlarge') && words.includes('53.2')));
    }));

  if (browserName === 'chromium') {
    void test('with scripts off, everything that the script shows can be read', () =>
      withPage(
        '60 measurements',
        async (page) => {
          const text = await page.evaluate(() => document.body.textContent);
          for (const { measurementId } of INPUTS['60 measurements'].results) {
            assert.ok(text.includes(measurementId));
            assert.ok((await page.$(`#${measurementId}`)) !== null, `${measurementId} must be rendered`);
          }
          assert.equal(await page.$eval('.filters', (form) => form.checkVisibility()), false);
          assert.equal((await page.$$eval('figure[data-series] svg', (charts) => charts.length)) > 20, true);
          assert.equal((await page.$$('.tools')).length, 0);
        },
        1200,
        false,
      ));
  }
});

/** Firefox's driver can't set the theme; the same rules are put where they always apply. */
async function forceDark(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const rule of [...(document.styleSheets[0]?.cssRules ?? [])]) {
      if (rule instanceof CSSMediaRule && rule.conditionText.includes('prefers-color-scheme: dark')) {
        rule.media.mediaText = 'all';
      }
    }
  });
}

/** Clicks the heading that begins with the text, and returns what the column then shows, from top to bottom. */
async function sortedColumn(page: Page, section: string, heading: string): Promise<string[]> {
  // A card that is laid out as the page scrolls to it moves the heading away from under the pointer.
  await layOutCards(page);
  const element = await page.evaluateHandle(
    (within, text) => [...document.querySelectorAll(`${within} th`)].find((th) => th.textContent.startsWith(text)),
    section,
    heading,
  );
  const found = element.asElement() as { click(): Promise<void> } | null;
  // Without a click, the end of the sorting would never come.
  assert.ok(found !== null, `no column of ${section} begins with ${heading}`);
  const ended = page.evaluate(() =>
    new Promise((resolve) => {
      document.addEventListener('sort-end', resolve, { once: true });
    }).then(() => undefined),
  );
  await found.click();
  await ended;
  return page.$$eval(`${section} table`, ([table]) => {
    const index = [...(table?.querySelectorAll('th') ?? [])].findIndex((th) => th.hasAttribute('aria-sort'));
    return [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) => {
      const cell = row.children[index];
      return (cell?.firstElementChild?.firstChild?.textContent ?? cell?.textContent ?? '').trim();
    });
  });
}
