import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FlowProducer, Worker } from '@echomq/sdk/embedded';
import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { type Board, useBoard } from './use-board.js';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browserPath = process.env.ECHOMQ_CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
const PICTURE = fileURLToPath(new URL('../../../../docs/images/bull-board.png', import.meta.url));

const board = useBoard();

const mail = (to: string) => ({ to: `${to}@example.org`, template: 'welcome' });

/** Jobs of every kind, some of them run; one runs until the returned function is called. */
async function fill({ queue, connection }: Board): Promise<() => void> {
  for (const name of ['ada', 'grace', 'alan', 'edsger']) await queue.add('welcome', mail(name));
  await queue.add('bounce', mail('nobody'));
  await queue.add('export', { month: '2026-10' });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = new Worker(
    queue.name,
    async (job) => {
      await job.log(`connected to the relay for ${job.name}`);
      await job.updateProgress(60);
      if (job.name === 'bounce') throw new Error('550 no such mailbox');
      if (job.name === 'export') await released;
      return { accepted: true };
    },
    { connection },
  );
  onTestFinished(() => worker.close());
  await expect
    .poll(() => queue.getJobCounts(), { timeout: 20_000 })
    .toMatchObject({ completed: 4, failed: 1, active: 1 });
  await queue.add('digest', mail('ada'), { delay: 3_600_000 });
  await queue.add('password-reset', mail('grace'), { priority: 1 });
  for (const name of ['barbara', 'donald']) await queue.add('welcome', mail(name));
  await new FlowProducer({ connection }).add({
    name: 'newsletter',
    queueName: queue.name,
    children: [{ name: 'render', queueName: queue.name, data: { issue: 12 } }],
  });
  const nightly = { pattern: '0 3 * * *', tz: 'Europe/Berlin' };
  await queue.upsertJobScheduler('nightly', nightly, { name: 'report' });
  return release;
}

it.skipIf(!browserPath)(
  `shows in Chromium what EchoMQ has put there${browserPath ? '' : ' (no chromium here)'}`,
  async () => {
    const shown = await board('mails');
    const release = await fill(shown);
    // Before the worker is closed, which waits for what it runs.
    onTestFinished(release);
    const browser = await chromium.launch({
      executablePath: browserPath as string,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      timeout: 60_000,
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1680, height: 1000 } });
    const refused: string[] = [];
    page.on('pageerror', (error) => refused.push(String(error)));

    await expect
      .poll(async () => (await shown.call('GET', '')).body, { timeout: 10_000 })
      .toMatchObject({
        queues: [{ hasWorkers: true }],
      });
    await page.goto(`${shown.url}/queue/mails`, { waitUntil: 'networkidle', timeout: 60_000 });
    await page.getByText('550 no such mailbox').first().waitFor({ timeout: 30_000 });
    const text = await page.locator('body').textContent();

    for (const name of ['mails', 'welcome', 'bounce', 'digest', 'newsletter']) {
      expect(text).toContain(name);
    }
    expect(refused).toEqual([]);
    const picture = await page.screenshot({ timeout: 30_000 });
    expect(picture.length).toBeGreaterThan(10_000);
    if (!process.env.ECHOMQ_COMPAT_WRITE) return;
    mkdirSync(new URL('.', `file://${PICTURE}`), { recursive: true });
    writeFileSync(PICTURE, picture);
  },
  180_000,
);
