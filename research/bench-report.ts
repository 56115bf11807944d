/**
 * How long reports take to open in headless Chromium: `npm run bench:report -- [--repetitions N] [--half-hours]
 * [MEASUREMENTS…]`, by default five times each of 5, 60 and 1,000 measurements. Each time is that of a new profile's page,
 * from the start of the navigation; the file is on this machine.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../test/browser/browsers';
import { ascending } from '../domain/maths/statistics';
import { makeReport } from './make-reports';

const DEFAULT_COUNTS = [5, 60, 1000];

interface Opening {
  readonly firstPaintMilliseconds: number;
  readonly loadMilliseconds: number;
}

async function opened(url: string): Promise<Opening> {
  const browser = await launchBrowser('chromium');
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1200, height: 800 });
    await page.goto(url, { waitUntil: 'load' });
    // A text, because this program is checked without the types of a browser.
    await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`);
    const [firstPaint, load] = (await page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0].startTime,
        performance.getEntriesByType('navigation')[0].loadEventEnd]`,
    )) as [number, number];
    return { firstPaintMilliseconds: firstPaint, loadMilliseconds: load };
  } finally {
    await browser.close();
  }
}

/** `0.42 s (0.40 to 0.61)` */
function summary(milliseconds: readonly number[]): string {
  const sorted = ascending(milliseconds).map((each) => (each / 1000).toFixed(2));
  return `${sorted[Math.floor((sorted.length - 1) / 2)]} s (${sorted[0]} to ${sorted.at(-1)})`;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { repetitions: { type: 'string', default: '5' }, 'half-hours': { type: 'boolean', default: false } },
  });
  const counts = positionals.length === 0 ? DEFAULT_COUNTS : positionals.map(Number);
  const repetitions = Number(values.repetitions);
  if (![...counts, repetitions].every((each) => Number.isInteger(each) && each > 0)) {
    throw new Error('usage: npm run bench:report -- [--repetitions N] [--half-hours] [MEASUREMENTS…]');
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-report-'));
  try {
    for (const count of counts) {
      const file = makeReport(folder, String(count), values['half-hours']);
      const openings: Opening[] = [];
      for (let done = 0; done < repetitions; done += 1) openings.push(await opened(pathToFileURL(file).href));
      const megabytes = (statSync(file).size / 1e6).toFixed(2);
      const paint = summary(openings.map(({ firstPaintMilliseconds }) => firstPaintMilliseconds));
      const load = summary(openings.map(({ loadMilliseconds }) => loadMilliseconds));
      console.log(`${count} measurements, ${megabytes} MB: first paint ${paint}, load ${load}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main();
