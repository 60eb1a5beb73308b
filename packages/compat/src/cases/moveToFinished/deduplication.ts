import type { OracleCase } from '../../oracle/oracle-case.js';
import { finishCase } from '../finishes.js';
import { META, oneRunning, stored } from '../jobs.js';

/** The owner of a deduplication id ends. */
export const deduplication: readonly OracleCase[] = [
  finishCase(
    'of the owner of a deduplication id',
    () => ({
      main: oneRunning({ deid: 'd' }, { 'de:d': '1' }),
    }),
    { result: 1 },
  ),
  finishCase(
    'of the owner of a deduplication id that lives on',
    () => ({
      main: oneRunning({ deid: 'd' }, { 'de:d': '1', ttls: { 'de:d': 20_000 } }),
    }),
    { result: 1 },
  ),
  finishCase(
    'of one whose deduplication id another owns',
    () => ({
      main: oneRunning({ deid: 'd' }, { 'de:d': '9' }),
    }),
    { result: 1 },
  ),
  finishCase(
    'when a later add was kept',
    () => ({
      main: oneRunning(
        { deid: 'd' },
        {
          'de:d': '1',
          id: 4,
          'dn:d': {
            name: 'next',
            data: '{"x":"a/b"}',
            opts: '{"attempts":2,"de":{"id":"d"}}',
            jid: '4',
          },
        },
      ),
    }),
    { result: 1 },
  ),
  finishCase(
    'when a later add was kept, delayed',
    () => ({
      main: oneRunning(
        { deid: 'd' },
        {
          'de:d': '1',
          id: 4,
          'dn:d': {
            name: 'next',
            data: '{}',
            opts: '{"attempts":2,"delay":10000,"priority":3,"de":{"id":"d"}}',
          },
        },
      ),
    }),
    {},
  ),
  finishCase(
    'when a later add with a priority was kept, and it is fetched',
    () => ({
      main: oneRunning(
        { deid: 'd' },
        {
          'de:d': '1',
          id: 4,
          'dn:d': {
            name: 'next',
            data: '{}',
            opts: '{"attempts":2,"priority":3,"de":{"id":"d"}}',
            jid: 'own',
          },
        },
      ),
    }),
    { result: 1, fetchNext: true },
  ),
  finishCase(
    'when a later add of a child was kept',
    (names) => ({
      main: oneRunning(
        { deid: 'd' },
        {
          'de:d': '1',
          id: 4,
          'dn:d': {
            name: 'next',
            data: '{}',
            opts: '{"attempts":2,"de":{"id":"d"}}',
            jid: '4',
            pk: `${names.other}:p`,
            pd: JSON.stringify({ id: 'p', queueKey: names.other }),
            pdk: `${names.other}:p:dependencies`,
          },
        },
      ),
      other: { meta: META, 'waiting-children': { p: 1 }, jobs: { p: stored() } },
    }),
    { result: 1 },
  ),
];
