/** Charts in Chromium and Firefox: every name can be read, in the fonts that readers have and on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachBrowser } from './browsers';
import { FONTS, layOutCards, NAMES, unfold, withPageOf } from './reports';

const PRICES = 'svg[aria-label="Sustained rate of each pair of types, by its price"]';

forEachBrowser((_, browser) => {
  const withPage = withPageOf(browser);

  for (const name of NAMES) {
    for (const width of [390, 1200]) {
      void test(`no text of a chart is cut off or covers another: ${name}, ${width} pixels`, () =>
        withPage(
          name,
          async (page) => {
            await layOutCards(page);
            await unfold(page);
            for (const font of FONTS) {
              await page.addStyleTag({ content: `.chart text { font-family: "${font}" !important; }` });
              const faults = await page.$$eval('.chart svg', (charts) =>
                charts.flatMap((chart) => {
                  const edge = chart.getBoundingClientRect();
                  // Hidden on a window of this width.
                  if (edge.width === 0) return [];
                  const texts = [...chart.querySelectorAll('text')].map((text) => {
                    const { left, right, top, bottom } = text.getBoundingClientRect();
                    // A line of text is higher than what is seen of its letters.
                    const air = (bottom - top) / 5;
                    return { text: text.textContent, left, right, top: top + air, bottom: bottom - air };
                  });
                  const cut = texts.filter(({ left, right }) => left < edge.left - 1 || right > edge.right + 1);
                  const covering = texts.flatMap((one, index) =>
                    texts
                      .slice(index + 1)
                      .filter(
                        (other) =>
                          one.left < other.right &&
                          other.left < one.right &&
                          one.top < other.bottom &&
                          other.top < one.bottom,
                      )
                      .map((other) => `${one.text} and ${other.text}`),
                  );
                  const label = chart.getAttribute('aria-label') ?? '';
                  return [...cut.map(({ text }) => `cut off: ${text}`), ...covering].map(
                    (fault) => `${label}: ${fault}`,
                  );
                }),
              );
              assert.deepEqual(faults, [], font);
            }
          },
          width,
        ));
    }
  }

  for (const name of ['six types', '60 measurements'] as const) {
    for (const width of [390, 1200]) {
      void test(`no name covers a point or a line in the chart of prices: ${name}, ${width} pixels`, () =>
        withPage(
          name,
          async (page) => {
            for (const font of FONTS) {
              await page.addStyleTag({ content: `.chart text { font-family: "${font}" !important; }` });
              const covered = await page.$$eval(PRICES, (charts) => {
                const chart = charts.find((each) => each.getBoundingClientRect().width > 0);
                if (chart === undefined) throw new Error('the chart of prices must be seen');
                // Grid lines, axes and leaders are drawn in grey and behind the names.
                const marks = [...chart.querySelectorAll('path')].filter((path) =>
                  `${path.getAttribute('stroke') ?? ''} ${path.getAttribute('fill') ?? ''}`.includes('series-1'),
                );
                if (marks.length === 0) throw new Error('the chart must have marks');
                // Paths are joined, so their points are asked for rather than their boxes.
                const points = marks.flatMap((path) => {
                  const toScreen = path.getScreenCTM();
                  const length = path.getTotalLength();
                  const steps = Math.ceil(length * (toScreen?.a ?? 1));
                  return Array.from({ length: steps + 1 }, (_, step) =>
                    path.getPointAtLength((length * step) / steps).matrixTransform(toScreen ?? undefined),
                  );
                });
                return [...chart.querySelectorAll('text.outlined')].flatMap((text) => {
                  const { left, right, top, bottom, height } = text.getBoundingClientRect();
                  const air = height / 5;
                  const isCovered = points.some(
                    ({ x, y }) => x > left && x < right && y > top + air && y < bottom - air,
                  );
                  return isCovered ? [text.textContent] : [];
                });
              });
              assert.deepEqual(covered, [], font);
            }
          },
          width,
        ));
    }
  }
});
