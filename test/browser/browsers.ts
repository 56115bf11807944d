/** The two browsers that reports are held to, as the distribution packages them. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { launch, type Browser } from 'puppeteer-core';

const BROWSERS = ['chromium', 'firefox'] as const;
export type BrowserName = (typeof BROWSERS)[number];

const PROGRAMS = { chromium: ['chromium', 'chromium-browser', 'google-chrome'], firefox: ['firefox-esr', 'firefox'] };

/**
 * Declares the same tests for each browser, which is started before the first of them and ended after the last.
 * @param declare gets the browser as a function, because it runs only once the tests do
 */
export function forEachBrowser(declare: (name: BrowserName, browser: () => Browser) => void): void {
  for (const name of BROWSERS) {
    void describe(name, () => {
      let browser: Browser | undefined;
      before(async () => {
        browser = await launchBrowser(name);
      });
      after(() => browser?.close());
      declare(name, () => {
        if (browser === undefined) throw new Error('browser: must be asked for within a test');
        return browser;
      });
    });
  }
}

/** @throws when the browser isn't installed */
export async function launchBrowser(name: BrowserName, { hasScripts = true } = {}): Promise<Browser> {
  return launch({
    browser: name === 'firefox' ? 'firefox' : 'chrome',
    executablePath: programOf(name),
    headless: true,
    args: name === 'chromium' ? chromiumArguments() : [],
    // Its driver can't switch scripts off for a page.
    extraPrefsFirefox: { 'javascript.enabled': hasScripts },
    // Many times what either takes, for a machine that is busy with other work.
    timeout: 180_000,
    protocolTimeout: 600_000,
  });
}

function chromiumArguments(): string[] {
  const always = ['--disable-gpu', '--disable-background-networking'];
  return hasSandbox() ? always : ['--no-sandbox', ...always];
}

/**
 * Chromium's sandbox needs user namespaces, refuses root, and ends the browser where it can't be set up, as in most
 * containers and on Ubuntu 24.04. There the browser runs without it, because the pages are our own and load nothing.
 */
function hasSandbox(): boolean {
  return process.getuid?.() !== 0 && spawnSync('unshare', ['--user', '--map-root-user', 'true']).status === 0;
}

function programOf(name: BrowserName): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = PROGRAMS[name].flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
  if (found === undefined) {
    throw new Error(`browser: must have one of ${PROGRAMS[name].join(', ')} on PATH; run scripts/setup.sh browser`);
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
