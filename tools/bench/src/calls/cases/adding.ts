import { addBatch, addJob, addJobs, type NewJob } from '@echomq/core';
import type { CallCase, Setting } from '../call-case.js';
import {
  addSlot,
  DATA,
  DIGEST,
  job,
  NO_OPTIONS,
  RECEIPT_MS,
  requestKey,
  requestReceipt,
  SLOTS_MS,
  sessionKey,
} from '../fixtures.js';

const DELAY_MS = 60_000;
const PRIORITY = 5;

/** A job whose time is that of the setting: the script of a lone add takes it from the job. */
function timed({ now }: Setting, more: Partial<NewJob> = {}): NewJob {
  return job(now === '' ? more : { timestamp: now, ...more });
}

function many(count: number, more: Partial<NewJob> = {}): NewJob[] {
  return Array.from({ length: count }, () => job(more));
}

/** Keys and first arguments that every add has. */
function adds({ keys, now }: Setting) {
  return {
    keys: [keys.id, keys.meta, keys.events, keys.wait, keys.active, keys.marker],
    args: [keys.base, now],
  };
}

function slotsOf(setting: Setting, count: number, seq: number): NewJob[] {
  return Array.from({ length: count }, (_, at) =>
    job({ receipt: addSlot(setting.keys, seq + at, String(at)) }),
  );
}

function texts(count: number): string[] {
  return Array.from({ length: count }, () => ['job', DATA, NO_OPTIONS]).flat();
}

/** Jobs of one batch of single adds, and of one bulk. */
const BATCH = 100;
const BULK = 1_000;

/** Adds of every kind. */
export const ADDING: readonly CallCase[] = [
  {
    id: 'add',
    title: 'add, alone, no receipt',
    jobs: 1,
    run: (setting) => addJob(setting.store, setting.keys, timed(setting)),
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      return { file: 'add', keys, args: [...args, 'job', DATA, NO_OPTIONS] };
    },
  },
  {
    id: 'add-slot',
    title: 'add, alone, embedded (receipt in a slot)',
    jobs: 1,
    prepare: async (setting) => {
      const receipt = addSlot(setting.keys, 1);
      await addJob(setting.store, setting.keys, timed(setting, { receipt }));
      return [];
    },
    run: (setting) => {
      const receipt = addSlot(setting.keys, 2);
      return addJob(setting.store, setting.keys, timed(setting, { receipt }));
    },
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      return {
        file: 'add-slot',
        keys: [...keys, sessionKey(setting.keys)],
        args: [...args, 'job', DATA, NO_OPTIONS, '0', '2'],
      };
    },
  },
  {
    id: 'add-receipt',
    title: 'add, alone, through a gateway (receipt of the request)',
    jobs: 1,
    run: (setting) => {
      const receipt = requestReceipt(setting.keys);
      return addJob(setting.store, setting.keys, timed(setting, { receipt }));
    },
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      return {
        file: 'add-receipt',
        keys: [...keys, requestKey(setting.keys)],
        args: [...args, 'job', DATA, NO_OPTIONS, DIGEST, RECEIPT_MS],
      };
    },
  },
  {
    id: 'add-batch',
    title: `add, a batch of ${BATCH}, embedded (receipts in slots)`,
    jobs: BATCH,
    prepare: async (setting) => {
      await addBatch(setting.store, setting.keys, slotsOf(setting, BATCH, 1), setting.now);
      return [];
    },
    run: (setting) =>
      addBatch(setting.store, setting.keys, slotsOf(setting, BATCH, BATCH + 1), setting.now),
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      return {
        file: 'add-batch',
        keys: [...keys, sessionKey(setting.keys)],
        args: [...args, BATCH + 1, SLOTS_MS, ...texts(BATCH)],
      };
    },
  },
  {
    id: 'add-bulk',
    title: `\`addBulk\` of ${BULK}, through a gateway (one receipt)`,
    jobs: BULK,
    run: (setting) =>
      addJobs(setting.store, setting.keys, many(BULK), {
        receipt: requestReceipt(setting.keys),
        now: setting.now,
      }),
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      return {
        file: 'add-bulk',
        keys: [...keys, requestKey(setting.keys)],
        args: [...args, DIGEST, RECEIPT_MS, ...texts(BULK)],
      };
    },
  },
  {
    id: 'add-bulk-delayed',
    title: `\`addBulk\` of ${BULK} with a delay, no receipt`,
    jobs: BULK,
    run: ({ store, keys, now }) => addJobs(store, keys, many(BULK, { delay: DELAY_MS }), { now }),
    yardstick: ({ keys, now }) => ({
      file: 'add-bulk-delayed',
      keys: [keys.id, keys.meta, keys.events, keys.delayed, keys.marker],
      args: [keys.base, now, DELAY_MS, ...texts(BULK)],
    }),
  },
  {
    id: 'add-bulk-prioritized',
    title: `\`addBulk\` of ${BULK} with a priority, no receipt`,
    jobs: BULK,
    run: ({ store, keys, now }) =>
      addJobs(store, keys, many(BULK, { priority: PRIORITY }), { now }),
    yardstick: (setting) => {
      const { keys, args } = adds(setting);
      const { prioritized, pc } = setting.keys;
      return {
        file: 'add-bulk-prioritized',
        keys: [...keys, prioritized, pc],
        args: [...args, PRIORITY, ...texts(BULK)],
      };
    },
  },
];
