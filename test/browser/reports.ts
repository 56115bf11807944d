/** The reports that are held to what a reader sees, as files that a browser opens. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { recordedRun } from '../support/recorded-run';
import { recordedInput } from '../support/recorded-types';
import { comparedInput, renderReport } from '../support/report-input';

export const WIDTHS = [390, 1200, 1600];
/** Fonts that a reader's system has in place of those that the page would like best, from narrow to wide. */
export const FONTS = ['Liberation Sans', 'DejaVu Sans', 'DejaVu Sans Mono', 'Liberation Serif'];

export const folder = mkdtempSync(join(tmpdir(), 'report-in-browser-'));
after(() => rmSync(folder, { recursive: true }));

export const INPUTS = {
  'a pair': recordedRun(2),
  '60 measurements': recordedRun(60),
  'all comparisons': comparedInput(),
  'six types': recordedInput(),
};
export type ReportName = keyof typeof INPUTS;
export const NAMES = Object.keys(INPUTS) as ReportName[];

/** @returns where a browser finds the page */
export function saved(name: string, page: string): string {
  const file = join(folder, `${name.replaceAll(' ', '-')}.html`);
  writeFileSync(file, page);
  return pathToFileURL(file).href;
}

/** The report that only what depends on the number of measurements is held to, because it takes long to make. */
export const LARGE = '1,000 measurements';

const urls = new Map<string, string>();

/** The report is made when it is asked for the first time. */
export function urlOf(name: ReportName | typeof LARGE): string {
  const url = urls.get(name) ?? saved(name, renderReport(name === LARGE ? recordedRun(1000) : INPUTS[name]));
  urls.set(name, url);
  return url;
}

/** Opens a report in a page of its own, whose scripts must not fail. */
export function withPageOf(browser: () => Browser) {
  return async (
    name: ReportName | typeof LARGE,
    act: (page: Page) => Promise<void>,
    width = 1200,
    script = true,
  ): Promise<void> => {
    const page = await browser().newPage();
    try {
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      if (!script) await page.setJavaScriptEnabled(false);
      await resize(page, width, 900);
      await page.goto(urlOf(name));
      await act(page);
      assert.deepEqual(errors, []);
    } finally {
      await page.close();
    }
  };
}

/** Makes the window so large, in pixels. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  try {
    await page.setViewport({ width, height });
  } catch (error) {
    // Debian 12's Firefox takes the size, and does not know the orientation that the driver sends with it.
    if (!String(error).includes('setScreenOrientationOverride): unknown command')) throw error;
  }
  while ((await page.evaluate(() => window.innerWidth)) !== width) await setTimeout(20);
}

/** All cards, also those that a browser would lay out once a reader comes near them. */
export async function layOutCards(page: Page): Promise<void> {
  await page.addStyleTag({ content: '.card { content-visibility: visible !important; }' });
}

/** Waits until the browser has laid out what is near the part that is seen. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/** @returns the element, which stays where it is, because what is around it has been laid out */
export async function scrolledTo(page: Page, selector: string): Promise<ElementHandle> {
  const element = await page.waitForSelector(selector);
  assert.ok(element !== null, selector);
  await element.scrollIntoView();
  await settled(page);
  await element.scrollIntoView();
  return element;
}

/** Unfolds the sections and so many of the cards, and what is folded within them. */
export async function unfold(page: Page, cardCount = Infinity): Promise<void> {
  await page.evaluate(
    async (most) => {
      for (const selector of ['section > details', '.measurement > details', '.measurement details details']) {
        for (const details of [...document.querySelectorAll<HTMLDetailsElement>(selector)].slice(0, most)) {
          details.open = true;
        }
        // What was folded is rendered by an event that comes later.
        await new Promise((resolve) => window.setTimeout(resolve, 20));
      }
    },
    cardCount === Infinity ? 1e9 : cardCount,
  );
}

/** Ticks the box by which a reader prints everything. */
export async function printEverything(page: Page): Promise<void> {
  await page.$eval('#print-all', (box) => {
    (box as HTMLInputElement).checked = true;
  });
}
