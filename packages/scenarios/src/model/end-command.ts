import type { Receipt } from '@echomq/core';
import { broughtBy, type Command, clocked, told } from './command.js';
import type { Lease } from './moves.js';
import type { Plan } from './plan.js';
import type { World } from './world.js';

interface EndParts {
  readonly lease: Lease;
  readonly nextToken: string;
  readonly receipt: Receipt | undefined;
  real(): Promise<string>;
  model(): string;
}

/** What all ends of a hold have in common: the receipt, and what the holder learns. */
export function endCommand(world: World, plan: Plan, parts: EndParts): Command {
  const { lease, nextToken, receipt } = parts;
  return {
    looks: plan.flag,
    real: () => told(parts.real()),
    model() {
      const { receipts, locks, stalled } = world.model;
      const known = receipt && (receipts.get(receipt.key) as string | undefined);
      if (known === undefined) {
        const answer = clocked(parts.model());
        if (receipt && answer.includes('|')) receipts.set(receipt.key, answer);
        return answer;
      }
      const [told, next = ''] = known.split(' | ');
      const brought = broughtBy(next);
      if (brought === undefined || locks.get(brought) !== nextToken) return `${told} | idle 0`;
      stalled.delete(brought);
      return known;
    },
    learn(answer) {
      // A refusal may be of somebody else's doing: a client may try an old lease again.
      if (answer.includes('|') && plan.shade % 4 !== 0) world.drop(lease);
      const brought = broughtBy(answer);
      if (brought) world.learn(brought, nextToken);
    },
  };
}
