import { existsSync } from 'node:fs';
import { useStarted } from '@echomq/testkit';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine, or the one that `ECHOMQ_CHROMIUM` names; `undefined`: there is none. */
export const browserPath = process.env.ECHOMQ_CHROMIUM ?? BROWSERS.find((path) => existsSync(path));

/** For the name of a test that is skipped. */
export const noChromium = browserPath ? '' : ' (no chromium here)';

/** A page and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Errors of scripts, and what the content policy stopped. */
  readonly wrong: readonly string[];
}

/** Gives a test file a browser; each call opens an address without `http://`, closed with its test. */
export function usePage(): (address: string, options?: BrowserContextOptions) => Promise<Opened> {
  const started = useStarted(async () => {
    const browser: Browser | undefined = browserPath
      ? await chromium.launch({
          executablePath: browserPath,
          args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
          timeout: 60_000,
        })
      : undefined;
    return { browser, [Symbol.asyncDispose]: async () => browser?.close() };
  });
  return async (address, options = {}) => {
    const { browser } = started.value;
    if (!browser) throw new Error('no chromium');
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      ...options,
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !/status of \d+/.test(text)) wrong.push(text);
    });
    await page.goto(`http://${address}`);
    return { page, wrong };
  };
}
