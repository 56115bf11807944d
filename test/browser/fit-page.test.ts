/** The page of `npm run fit`: what its first screen says, on a screen and on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedTypes } from '../../bin/published-types';
import { examinedTypes } from '../../domain/fit/examined-type';
import { fitPicture } from '../../domain/fit/picture';
import type { Trace } from '../../domain/fit/traces/trace';
import { fitTypes } from '../../domain/fit/type-fit';
import { pricesOf } from '../../domain/forecast/prices/price-table';
import { renderFit } from '../../domain/report/fit-page';
import { fitAnswer } from '../../domain/terminal/fit-table';
import { axeFindings } from './axe-findings';
import { forEachBrowser } from './browsers';
import { layOutCards, resize, saved } from './reports';

/** A nightly copy that empties the credits of the smaller type. */
const intervals = Array.from({ length: 288 }, (_, index) => ({
  startSeconds: index * 300,
  lengthSeconds: 300,
  bitsPerSecond: index > 100 && index < 104 ? 4e9 : 0.2e9,
}));
const trace: Trace = { series: [{ instance: 'a host', direction: 'out', intervals }], startSeconds: 0, read: [] };
const fits = fitTypes(trace, examinedTypes(namedTypes(['c5', 'm6i']), pricesOf('us-east-1').prices).examined);
const url = saved('fit', renderFit(fitAnswer(fits, []), fitPicture(trace, fits)));

forEachBrowser((_, browser) => {
  for (const [width, height] of [
    [1200, 900],
    [390, 844],
  ] as const) {
    void test(`the page of a fit says which type, why and from what source on the first screen: ${width} pixels`, async () => {
      const page = await browser().newPage();
      try {
        await resize(page, width, height);
        await page.goto(url);
        const seen = await page.$$eval(
          '.answer, .answers li',
          (all, bottom) =>
            all.filter((each) => each.getBoundingClientRect().bottom < bottom).map((each) => each.textContent),
          height,
        );
        assert.match(seen[0] ?? '', /^c5\.xlarge .* certainly holds this traffic/);
        assert.match(
          seen.join('\n'),
          /c5\.xlarge is never throttled: [^]*c5\.large is \w+ throttled[^]*Sources: public recordings of c5\.xlarge/,
        );
        const top = await page.$$eval('.chart svg', (charts) =>
          charts
            .map((chart) => chart.getBoundingClientRect())
            .filter((box) => box.height > 0)
            .map((box) => box.top),
        );
        assert.equal(top.length, 1);
        assert.ok(Number(top[0]) < height - 100, `${top[0]}`);
        await layOutCards(page);
        const wider = await page.$$eval('html, .card', (boxes) =>
          boxes.map((box) => box.scrollWidth - box.clientWidth),
        );
        assert.deepEqual(
          wider.filter((pixels) => pixels > 0),
          [],
        );
        assert.deepEqual(await axeFindings(page), []);
      } finally {
        await page.close();
      }
    });
  }
});
