import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { useRedis } from '@echomq/testkit';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/gateway.js';
import { keptLog, testConfig } from '../serving.js';
import { fillStore, workOn } from './filled-store.js';
import { browserPath, noChromium, usePage } from './use-page.js';

const IMAGES = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));

const redis = useRedis();
const open = usePage();

/** Keeps a picture where `pnpm --filter @echomq/gateway run pictures` asks for them. */
async function picture(page: Page, name: string): Promise<void> {
  const image = await page.screenshot();
  expect(image.length).toBeGreaterThan(10_000);
  if (!process.env.ECHOMQ_PICTURES_WRITE) return;
  mkdirSync(IMAGES, { recursive: true });
  writeFileSync(`${IMAGES}dashboard-${name}.png`, image);
}

it.skipIf(!browserPath)(
  `looks like docs/images, light and dark, wide and narrow${noChromium}`,
  async () => {
    await fillStore(redis);
    const env = { ECHOMQ_REDIS_URL: redis.url, ECHOMQ_DASHBOARD_LISTEN: '127.0.0.1:0' };
    const gateway = await startGateway(
      testConfig({ ...env, ECHOMQ_DRAIN_TIMEOUT_MS: '0' }),
      keptLog(),
    );
    onTestFinished(() => gateway.close());
    const leave = await workOn(gateway.address);
    onTestFinished(leave);
    const address = gateway.dashboardAddress ?? '';

    const dark = await open(`${address}/#/queues/mails/completed`, { colorScheme: 'dark' });
    await dark.page.getByRole('option').first().waitFor();
    await dark.page.locator('.plot canvas').waitFor();
    const ground = await dark.page.evaluate(
      'getComputedStyle(document.documentElement).backgroundColor',
    );
    expect(ground).toBe('rgb(18, 19, 22)');
    await picture(dark.page, 'dark');
    await dark.page.goto(`http://${address}/#/workers`);
    await dark.page.getByText('mailer-1').first().waitFor();
    // What a worker holds is noted each 10 s: only a picture waits for it.
    if (process.env.ECHOMQ_PICTURES_WRITE) await dark.page.locator('td .item').nth(2).waitFor();
    await picture(dark.page, 'workers');

    const light = await open(address, { colorScheme: 'light' });
    await light.page.getByRole('link', { name: 'thumbnails' }).waitFor();
    await picture(light.page, 'queues');
    await light.page.getByRole('link', { name: 'mails', exact: true }).click();
    await light.page.getByRole('option').first().waitFor();
    await light.page.locator('.plot canvas').waitFor();
    await picture(light.page, 'light');
    await light.page.goto(`http://${address}/#/queues/mails/failed/8993`);
    await light.page.getByText('Relay.deliver').waitFor();
    await picture(light.page, 'job');
    await light.page.goto(`http://${address}/#/queues/mails/waiting-children/issue-12`);
    await light.page.getByText('render-dates').waitFor();
    await picture(light.page, 'flow');

    const narrow = await open(`${address}/#/queues/mails/failed`, {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
    });
    await narrow.page.getByRole('option').first().waitFor();
    await picture(narrow.page, 'phone');
    const wide = await narrow.page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
    expect([light.wrong, dark.wrong, narrow.wrong]).toEqual([[], [], []]);
  },
  120_000,
);
