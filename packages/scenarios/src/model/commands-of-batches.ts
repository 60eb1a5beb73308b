import { type Move, type Moved, moveBatch, TransitionRejected } from '@echomq/core';
import { broughtBy, clocked, fetched, finished, type MakeCommand } from './command.js';
import { finishOf, termsOf } from './commands-of-workers.js';
import { finish, type ModelFinish } from './moves.js';
import type { MovePlan } from './plan.js';
import { take } from './takes.js';
import type { World } from './world.js';

/** Many ends and fetches in one script: as one by one. */
export const batch: MakeCommand = (world, plan) => {
  const { now } = world;
  const moves = plan.moves.map((one) => moveOf(world, one));
  return {
    looks: true,
    real: async () => {
      const all = moves.map(({ wire }) => wire);
      return (await moveBatch(world.store, world.queue, all, { now })).map(moved).join('; ');
    },
    model: () =>
      moves
        .map(({ end, next }) =>
          clocked(end ? finish(world.model, end, now) : take(world.model, next, now).answer),
        )
        .join('; '),
    learn(answer) {
      for (const [at, one] of answer.split('; ').entries()) {
        const move = moves[at];
        if (!move) continue;
        if (move.end && one.includes('|')) world.drop(move.end);
        const brought = broughtBy(one);
        if (brought) world.learn(brought, move.token);
      }
    },
  };
};

function moveOf(world: World, { kind, lease: place, next: wanted, buffered, foreign }: MovePlan) {
  const token = world.token();
  const next = { token, buffered };
  if (kind === 'fetch')
    return { token, next, end: undefined, wire: { ...next, ...termsOf(world) } as Move };
  const lease = world.lease(place);
  const end: ModelFinish = {
    id: lease.id,
    token: foreign ? 'somebody' : lease.token,
    target: kind === 'fail' ? 'failed' : 'completed',
    next: wanted ? next : undefined,
  };
  return {
    token,
    next,
    end,
    wire: finishOf(world, end, { nextToken: token, inBatch: true }) as Move,
  };
}

function moved(answer: Moved): string {
  if (answer instanceof TransitionRejected) return answer.reason;
  if (answer instanceof Error) throw answer;
  return 'branch' in answer ? finished(answer) : fetched(answer);
}
