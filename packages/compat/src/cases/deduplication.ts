import type { QueueState } from '@echomq/testkit';
import type { JobsOptions } from 'bullmq';
import { NOW, type OracleCase } from '../oracle/oracle-case.js';
import { addCase, META, running, stored } from './jobs.js';

/** Where the owner stands when a second add comes. */
const OWNERS: Readonly<Record<string, QueueState>> = {
  'that waits': { wait: ['1'] },
  'that is delayed': { delayed: { 1: (NOW + 90_000) * 4096 }, marker: { 1: NOW + 90_000 } },
  'that runs': { active: ['1'], locks: { 1: 't' }, jobs: { 1: running({ deid: 'd' }) } },
  'that has ended': { completed: { 1: 5 } },
};

/** How the second add asks for it, and whether the key has a time to live. */
const MODES: Readonly<Record<string, { options: JobsOptions; ttl?: boolean }>> = {
  simple: { options: { deduplication: { id: 'd' } } },
  throttled: { options: { deduplication: { id: 'd', ttl: 20_000 } }, ttl: true },
  extended: { options: { deduplication: { id: 'd', ttl: 40_000, extend: true } }, ttl: true },
  replacing: { options: { deduplication: { id: 'd', replace: true }, delay: 10_000 } },
  'replacing within a ttl': {
    options: { deduplication: { id: 'd', ttl: 40_000, replace: true }, delay: 10_000 },
    ttl: true,
  },
  debounced: {
    options: {
      deduplication: { id: 'd', ttl: 40_000, replace: true, extend: true },
      delay: 40_000,
    },
    ttl: true,
  },
  'kept last': { options: { deduplication: { id: 'd', keepLastIfActive: true } } },
  'kept last and replacing': {
    options: { deduplication: { id: 'd', keepLastIfActive: true, replace: true }, delay: 10_000 },
  },
};

function modeCases(): OracleCase[] {
  return Object.entries(MODES).flatMap(([mode, { options, ttl }]) => [
    addCase(`deduplicated, ${mode}, the first`, options, { main: { meta: META } }),
    ...Object.entries(OWNERS).map(([where, place]) =>
      addCase(`deduplicated, ${mode}, with an owner ${where}`, options, {
        main: {
          meta: META,
          id: 1,
          'de:d': '1',
          ...place,
          jobs: { 1: stored({ deid: 'd' }), ...place.jobs },
          ...(ttl ? { ttls: { 'de:d': 30_000 } } : {}),
        },
      }),
    ),
  ]);
}

/** Second adds under one deduplication id: every mode against every state of the owner. */
export const deduplicated: readonly OracleCase[] = [
  ...modeCases(),
  addCase(
    'deduplicated, kept last, when another was kept before',
    { deduplication: { id: 'd', keepLastIfActive: true } },
    {
      main: {
        meta: META,
        id: 2,
        'de:d': '1',
        active: ['1'],
        jobs: { 1: running({ deid: 'd' }) },
        'dn:d': { name: 'older', data: '{}', opts: '{}', jid: '2' },
      },
    },
  ),
  addCase(
    'deduplicated, rescheduling, with an owner that is delayed',
    {
      deduplication: { id: 'd', reschedule: true } as JobsOptions['deduplication'] & object,
      delay: 10_000,
    },
    {
      main: {
        meta: META,
        id: 1,
        'de:d': '1',
        delayed: { 1: (NOW + 90_000) * 4096 },
        jobs: { 1: stored({ deid: 'd', delay: 9 }) },
      },
    },
  ),
  addCase(
    'deduplicated, simple, with an owner that is gone',
    { deduplication: { id: 'd' } },
    {
      main: { meta: META, id: 1, 'de:d': '1' },
    },
  ),
  addCase(
    'deduplicated, throttled, with an owner that is gone',
    { deduplication: { id: 'd', ttl: 20_000 } },
    {
      main: { meta: META, id: 1, 'de:d': '1', ttls: { 'de:d': 30_000 } },
    },
  ),
  addCase(
    'deduplicated, with a priority and an owner that waits',
    { deduplication: { id: 'd' }, priority: 4 },
    {
      main: {
        meta: META,
        id: 1,
        'de:d': '1',
        prioritized: { 1: 5 },
        jobs: { 1: stored({ deid: 'd', priority: 2 }) },
      },
    },
  ),
  addCase(
    'deduplicated, with an id of its own that exists',
    { deduplication: { id: 'd' }, jobId: 'a' },
    {
      main: { meta: META, id: 1, wait: ['a'], jobs: { a: stored() } },
    },
  ),
];
