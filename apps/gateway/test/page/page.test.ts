import { eventually, useRedis } from '@echomq/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useGuarded } from './use-guarded.js';
import { browserPath, noChromium, usePage } from './use-page.js';

const redis = useRedis();
const guarded = useGuarded(redis);
const open = usePage();

const SLOW_MS = 60_000;
const HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';

/** Opens a place of the page as a principal. */
async function as(principal: string, place: string, more = {}) {
  const opened = await open(`${guarded.address}/${place}`, more);
  await opened.page.getByLabel('Token').fill(`token-of-${principal}`);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await opened.page.getByText('Sign out').waitFor();
  return opened;
}

const rows = (page: Page) => page.getByRole('option');
const said = (page: Page, text: string | RegExp) =>
  page.locator('.said', { hasText: text }).waitFor();

describe.skipIf(!browserPath)(`the dashboard in Chromium${noChromium}`, () => {
  it(
    'asks for a token, keeps it in the tab and out of addresses',
    async () => {
      const { page, wrong } = await open(guarded.address);
      await page.getByLabel('Token').fill('guessed');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('CREDENTIALS_INVALID').waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.getByLabel('Token').fill('token-of-operator');
      await page.keyboard.press('Enter');
      await page.getByText('Sign out').waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Queues' }).waitFor();
      expect([...asked, page.url()].join()).not.toContain('token-of');
      expect(await page.context().cookies()).toEqual([]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(wrong).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'keeps what it read last while the store is away, and says that it is not of now',
    async () => {
      const queue = redis.freshQueue({ name: 'mails-away' });
      await queue.seed({ meta: { version: 'x' }, wait: ['1'], jobs: { '1': { name: 'welcome' } } });
      const { page } = await as('operator', '#/');
      await page.getByRole('link', { name: queue.name }).waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      const message = 'the store cannot be reached';
      const error = { code: 'UNAVAILABLE', reason: 'BACKEND_UNAVAILABLE', message };
      await page.route('**/api/show', (route) => route.fulfill({ json: { queues: { error } } }));
      await page.getByText(`${message} (BACKEND_UNAVAILABLE)`).waitFor();
      expect(await page.getByRole('link', { name: queue.name }).isVisible()).toBe(true);
      await page.unroute('**/api/show');
      await page.getByText('live', { exact: true }).waitFor();
    },
    SLOW_MS,
  );

  it(
    'shows a reader no way to change anything',
    async () => {
      const queue = redis.freshQueue({ name: 'mails-read' });
      await queue.seed({ meta: { version: 'x' }, wait: ['1'], jobs: { '1': { name: 'welcome' } } });
      const { page } = await as('reader', `#/queues/${queue.name}/waiting/1`);
      await page.getByRole('complementary').getByText('Timeline').waitFor();
      const names = await page.getByRole('button').allInnerTexts();
      expect(names.filter((name) => /retry|remove|cancel|pause|drain|clean/i.test(name))).toEqual(
        [],
      );
    },
    SLOW_MS,
  );

  it(
    'is driven by keys alone: Tab, arrows, Enter, Esc',
    async () => {
      const queue = redis.freshQueue({ name: 'mails-keys' });
      const jobs = { '1': { name: 'one' }, '2': { name: 'two' }, '3': { name: 'three' } };
      await queue.seed({ meta: { version: 'x' }, wait: ['3', '2', '1'], jobs });
      const { page } = await as('operator', `#/queues/${queue.name}/waiting`);
      await rows(page).nth(2).waitFor();
      // Where Tab begins after a click on what is gone is the browser's own business.
      await page.getByLabel('EchoMQ, all queues').focus();
      const stops: string[] = [];
      for (let stop = 0; stop < 40 && stops.at(-1) !== 'listbox'; stop++) {
        await page.keyboard.press('Tab');
        const element = 'document.activeElement';
        stops.push(
          (await page.evaluate(
            `${element}.getAttribute('role') ?? ${element}.getAttribute('aria-label') ?? ${element}.innerText`,
          )) as string,
        );
      }
      expect(stops.at(-1)).toBe('listbox');
      const order = ['Queues', 'Workers', 'Sign out', 'Pause…', 'Clean…', 'Job id'];
      const places = order.map((name) => stops.indexOf(name));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places).not.toContain(-1);

      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Job 2' }).getByText('two').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('complementary').waitFor({ state: 'detached' });
      // The focus goes back after the panel is gone from the page.
      const focused = () => page.evaluate("document.activeElement.getAttribute('role')");
      await expect.poll(focused).toBe('listbox');

      await page.getByRole('button', { name: 'Drain…' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await queue.read()).wait).toEqual(['3', '2', '1']);
    },
    SLOW_MS,
  );

  it(
    'finds jobs by name, by time and by id',
    async () => {
      const queue = redis.freshQueue({ name: 'mails-found' });
      const at = (minute: number) => new Date(2026, 0, 1, 12, minute).getTime();
      const job = (name: string, minute: number) => ({ name, finishedOn: at(minute) });
      const jobs = { a: job('one', 1), b: job('two', 2), c: job('two', 3), d: job('one', 4) };
      const completed = { a: at(1), b: at(2), c: at(3), d: at(4) };
      await queue.seed({ meta: { version: 'x' }, completed, jobs });
      const { page } = await as('reader', `#/queues/${queue.name}/completed`);
      await page.getByText('4 jobs').waitFor();
      const ids = () => rows(page).locator('small').allInnerTexts();
      await page.getByLabel('Job name').fill('two');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('2 found among').waitFor();
      expect(await ids()).toEqual(['c', 'b']);

      await page.getByLabel('Job name').fill('');
      await page.getByRole('button', { name: 'Time…' }).click();
      await page.getByLabel('from').fill('2026-01-01T12:01:30');
      await page.getByLabel('to').fill('2026-01-01T12:03:30');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('2 found among 4 jobs').waitFor();
      expect(await ids()).toEqual(['c', 'b']);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('4 jobs').waitFor();

      await page.getByLabel('Job id').fill('d');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Job d' }).getByText('one').waitFor();
      await page.goto(`http://${guarded.address}/#/queues/${queue.name}/completed/none`);
      await page.getByText('JOB_NOT_FOUND').waitFor();
    },
    SLOW_MS,
  );

  it(
    'shows what others wrote as text, whatever it is',
    async () => {
      const queue = redis.freshQueue({ name: `mails ${HOSTILE.replaceAll('/', '')}` });
      const job = {
        name: HOSTILE,
        data: { [HOSTILE]: HOSTILE },
        returnvalue: HOSTILE,
        progress: HOSTILE,
        failedReason: HOSTILE,
        stacktrace: [HOSTILE],
        ...{ finishedOn: 5, processedOn: 4 },
      };
      await queue.seed({
        meta: { version: 'x' },
        failed: { [HOSTILE.slice(0, 30)]: 5 },
        jobs: { [HOSTILE.slice(0, 30)]: job },
        [`${HOSTILE.slice(0, 30)}:logs`]: [HOSTILE],
      });
      const { page, wrong } = await as('operator', '');
      await page.getByRole('link', { name: 'mails <img' }).click();
      await page.getByRole('link', { name: 'failed' }).click();
      await rows(page).first().click();
      const panel = page.getByRole('complementary');
      await panel.getByText('Log').waitFor();
      const texts = await panel.locator('pre, h2, .failure').allInnerTexts();
      expect(texts.filter((text) => text.includes('<script>')).length).toBeGreaterThanOrEqual(6);
      expect(await page.locator('img, main script, aside script').count()).toBe(0);
      expect(await page.evaluate('window.hit')).toBeUndefined();
      expect(wrong).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'retries, promotes, removes, pauses, drains and cleans, as the store shows',
    async () => {
      const queue = redis.freshQueue({ name: 'mails-changed' });
      const ended = { finishedOn: 5, processedOn: 4, failedReason: 'no' };
      await queue.seed({
        meta: { version: 'x' },
        failed: { bad: 5 },
        delayed: { later: (Date.now() + 3_600_000) * 4_096 },
        completed: { old: 5 },
        wait: ['plain'],
        jobs: {
          bad: ended,
          later: { delay: 3_600_000, timestamp: Date.now() },
          old: ended,
          plain: {},
        },
      });
      const { page, wrong } = await as('operator', `#/queues/${queue.name}/failed`);
      await rows(page).first().click();
      await page.getByRole('button', { name: 'Retry', exact: true }).click();
      await said(page, 'It waits again');
      expect(await queue.read()).toMatchObject({ wait: ['bad', 'plain'] });

      await page.goto(`http://${guarded.address}/#/queues/${queue.name}/delayed/later`);
      await page.getByRole('button', { name: 'Promote', exact: true }).click();
      await said(page, 'It is ready now');
      expect((await queue.read()).delayed).toBeUndefined();

      await page.goto(`http://${guarded.address}/#/queues/${queue.name}/waiting/plain`);
      await page.getByRole('button', { name: 'Remove…' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await said(page, 'Removed');
      expect(Object.keys(await queue.read())).not.toContain('plain');
      await page.getByRole('complementary').waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Pause…' }).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('paused', { exact: true }).waitFor();
      expect(await redis.client.hexists(queue.key('meta'), 'paused')).toBe(1);
      await page.getByRole('button', { name: 'Resume' }).click();
      await eventually(async () => (await redis.client.hexists(queue.key('meta'), 'paused')) === 0);

      await page.getByRole('button', { name: 'Drain…' }).click();
      await page.getByRole('button', { name: 'Drain', exact: true }).click();
      await said(page, 'Removed 2 jobs');
      expect((await queue.read()).wait).toBeUndefined();

      await page.getByRole('button', { name: 'Clean…' }).click();
      await page.getByLabel('State').selectOption('completed');
      await page.getByRole('button', { name: 'Clean', exact: true }).click();
      await said(page, 'Removed 1 jobs');
      expect((await queue.read()).completed).toBeUndefined();
      expect(wrong).toEqual([]);
    },
    SLOW_MS,
  );
});
