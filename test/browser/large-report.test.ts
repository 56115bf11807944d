/** Reports of many measurements in Chromium and Firefox: what is laid out, the bar with its filters, and the keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachBrowser } from './browsers';
import { LARGE, settled, unfold, withPageOf } from './reports';

forEachBrowser((_, browser) => {
  const withPage = withPageOf(browser);

  void test('of a report of 1,000 measurements, only the answer is laid out before a reader unfolds anything', () =>
    withPage(LARGE, async (page) => {
      await settled(page);
      const laidOut = (selector: string) =>
        page.$$eval(
          selector,
          (elements) => elements.filter((element) => element.checkVisibility({ contentVisibilityAuto: true })).length,
        );
      const [answer, others] = [await laidOut('#answer .card *'), await laidOut('.card:not(#answer .card) *')];
      // Otherwise the test would also pass if nothing were shown.
      assert.ok(answer > 100, `${answer} elements in the answer`);
      assert.ok(others < 1000, `${others} elements beside the answer`);
    }));

  void test('a link leads to the last of 1,000 cards, which is then seen', () =>
    withPage(LARGE, async (page) => {
      const id = 'p0500-m02';
      await page.evaluate((target) => {
        location.hash = target;
      }, id);
      await settled(page);
      const top = await page.$eval(`#${id}`, (body) => body.getBoundingClientRect().top);
      assert.ok(top > 0 && top < 900, `${id} begins at ${top} of 900 pixels`);
    }));

  void test('by keyboard, the first card of 1,000 measurements is at most 20 stops away', () =>
    withPage(LARGE, async (page) => {
      let stops = 0;
      do {
        await page.keyboard.press('Tab');
        stops += 1;
      } while (stops <= 20 && !(await page.evaluate(() => document.activeElement?.matches('.measurement summary'))));
      assert.ok(stops <= 20, `more than ${stops} stops`);
    }));

  for (const width of [390, 1200]) {
    void test(`the bar stays in sight and filters cards, rows and sections: ${width} pixels`, () =>
      withPage(
        '60 measurements',
        async (page) => {
          const shown = () =>
            page.$$eval('.measurement, #verdicts tbody tr', (all) =>
              all.filter((each) => each.checkVisibility()).map(({ textContent }) => textContent),
            );
          await unfold(page, 3);
          const before = (await shown()).length;
          await page.select('select[aria-label="Instance type"]', 'm5.large');
          const ofType = await shown();
          assert.ok(ofType.length > 3 && ofType.length < before / 2, `${ofType.length} of ${before}`);
          for (const text of ofType) assert.match(text, /m5\.large/);
          await page.select('select[aria-label="Instance type"]', '');
          await page.select('select[aria-label="Verdict"]', 'drop, network credits');
          const ofVerdict = await shown();
          assert.ok(ofVerdict.length > 3 && ofVerdict.length < before, `${ofVerdict.length} of ${before}`);
          for (const text of ofVerdict) assert.match(text, /drop, network credits/);
          await page.select('select[aria-label="Verdict"]', '');
          await page.type('input[type="search"]', 'P0007-M02');
          const found = await shown();
          assert.ok(found.length >= 2, `${found.length} found`);
          for (const text of found) assert.match(text, /p0007-m02/);
          assert.match(await page.$eval('output', ({ textContent }) => textContent), /^1 of \d+ cards$/);
          assert.equal(await page.$eval('#cost', (section) => section.checkVisibility()), false);
          await page.evaluate(() => {
            scrollTo(0, document.body.scrollHeight);
          });
          const { top, width: barWidth } = await page.$eval(
            '.bar',
            (bar) => bar.getBoundingClientRect().toJSON() as DOMRect,
          );
          assert.ok(top === 0 && barWidth <= width, `at ${top}, ${barWidth} pixels wide`);
          await page.$eval('.bar details', (menu) => {
            menu.open = true;
          });
          await page.click('.menu a[href="#measurements"]');
          await settled(page);
          assert.equal(await page.$eval('.menu', (menu) => menu.checkVisibility()), false);
          const start = await page.$eval('#measurements', (section) => section.getBoundingClientRect().top);
          assert.ok(start > 0 && start < 150, `the cards begin at ${start} pixels`);
          // A link shows a card that the search has hidden.
          await page.evaluate(() => {
            location.hash = 'p0001-m02';
          });
          await settled(page);
          assert.ok(await page.$eval('#p0001-m02', (body) => body.checkVisibility()));
        },
        width,
      ));
  }
});
