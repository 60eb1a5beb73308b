import { eventually } from '@echomq/testkit';
import { expect, it } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  checkHistory,
  History,
  LOCK_MS,
  noteEnds,
  noting,
  PATIENCE_MS,
  refusalOf,
  useRig,
  workerProcess,
} from '../src/index.js';

const rig = useRig({ gateways: 2 });

it('a worker process is killed while it holds jobs: others run them, and the history is sound', async () => {
  const queue = rig.freshQueue();
  const history = new History();
  const [first, second] = rig.gateways;
  const dying = await workerProcess(history, {
    address: first?.address ?? '',
    queue: queue.name,
    name: 'dying',
    ms: 60_000,
    concurrency: 3,
    lockMs: LOCK_MS,
  });
  const ids = await addMany(rig.raw(), queue.name, 20);
  for (const job of ids) history.note({ kind: 'accepted', job }, 0);
  await eventually(() => {
    dying.note();
    expect(history.count('started')).toBe(3);
  }, PATIENCE_MS);
  await dying.die();
  const connection = rig.connection({ address: second?.address ?? '' });
  const heir = rig.worker(
    queue.name,
    noting(history, 'heir', () => {}),
    { connection, concurrency: 5 },
  );
  noteEnds(history, 'heir', heir);
  await eventually(() => expect(history.count('ended')).toBe(20), PATIENCE_MS);
  expect(history.count('lost')).toBe(3);
  expect(checkHistory(history)).toEqual([]);
  expect(checkBooks(await queue.read(), { accepted: ids, atRest: true })).toEqual([]);
});

it('the bare client sends what it is told and takes refusals apart', async () => {
  const refused = await refusalOf(add(rig.raw(), 'a:b'));
  expect(refused).toMatchObject({
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_FIELD',
    metadata: { field: 'queue' },
  });
});
