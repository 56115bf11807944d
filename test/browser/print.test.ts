/** Reports on paper, printed by Chromium and Firefox: in brief, and everything. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { forEachBrowser, launchBrowser } from './browsers';
import { folder, INPUTS, printEverything, urlOf, withPageOf } from './reports';

forEachBrowser((browserName, browser) => {
  const withPage = withPageOf(browser);

  void test('print has the answer, a chart, the changes and the caveats of 17 measurements on two pages', () =>
    withPage('six types', async (page) => {
      assert.equal(INPUTS['six types'].results.length, 17);
      const text = await printedText(page);
      // A form feed ends each page.
      assert.equal(text.split('\f').length - 1, 2);
      for (const words of [
        'The answer',
        'Sustained rate and burst',
        'Compared with earlier runs',
        'The credit bucket is a model',
        'To print everything',
      ]) {
        assert.ok(text.includes(words), words);
      }
      assert.doesNotMatch(text, /What it costs\n|Verdicts\n|p0001-m01/);
    }));

  void test('print of everything keeps each measurement on one page, with the chart below its heading', () =>
    withPage('six types', async (page) => {
      await printEverything(page);
      const pages = (await printedText(page)).split('\f');
      for (const { measurementId } of INPUTS['six types'].results) {
        const heading = new RegExp(`(?<!, |to )${measurementId}(?:: same zone|\\n)`);
        const own = pages.filter((text) => heading.test(text) && text.includes('seconds since the start of the load'));
        assert.equal(own.length, 1, measurementId);
        const card = own[0]?.slice(own[0].search(heading)) ?? '';
        // The axis of its chart, and the last of its witnesses.
        const [axis, witness] = ['seconds since the start of the load', 'retransmits'].map((text) =>
          card.indexOf(text),
        );
        assert.ok(axis !== undefined && axis > 0 && witness !== undefined && witness > axis, measurementId);
      }
    }));

  for (const script of [true, false]) {
    void test(`print of everything has the text of every row and of every card${script ? '' : ', with scripts off'}`, async () => {
      const printer = await launchBrowser(browserName, { hasScripts: script });
      try {
        const page = await printer.newPage();
        if (!script && browserName === 'chromium') await page.setJavaScriptEnabled(false);
        await page.goto(urlOf('60 measurements'));
        const inBrief = await printedText(page);
        await printEverything(page);
        const printed = await printedText(page);
        assert.ok(printed.length > 5 * inBrief.length);
        const words = printed.replace(/\s+/g, ' ');
        const onPage = await readableText(page);
        // Without scripts, only a style sheet can unfold; Debian 12's Firefox does not know that selector.
        const isUnfolded = script || (await page.evaluate(() => CSS.supports('selector(::details-content)')));
        for (const { measurementId, verdict } of INPUTS['60 measurements'].results) {
          const mentionsIn = (text: string) => text.split(measurementId).length - 1;
          const [mentions, expected] = [mentionsIn(words), mentionsIn(onPage)];
          assert.ok(expected >= 2, `${measurementId} must be in a table and in its card`);
          assert.ok(
            mentions >= (isUnfolded ? expected : 2),
            `${measurementId} is on the page ${expected} times, printed ${mentions} times`,
          );
          const beginning = (verdict?.explanation ?? '').split(' ').slice(0, 4).join(' ');
          assert.ok(!isUnfolded || words.includes(beginning), `${measurementId}: ${beginning}`);
        }
      } finally {
        await printer.close();
      }
    });
  }
});

/** What the page has for a reader, unfolded or not; each row of a table names its measurement. */
async function readableText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const main = document.querySelector('main')?.cloneNode(true) as HTMLElement;
    for (const other of main.querySelectorAll('script, style, svg, .screen')) other.remove();
    return main.textContent;
  });
}

/** What a reader of the printed page reads; pages end with a form feed. */
async function printedText(page: Page): Promise<string> {
  const file = join(folder, 'printed.pdf');
  writeFileSync(file, await page.pdf({ preferCSSPageSize: true, printBackground: true }));
  return execFileSync('pdftotext', [file, '-'], { encoding: 'utf8', maxBuffer: 1e8 });
}
