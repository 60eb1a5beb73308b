import type { AddPlan, MovePlan, Plan, WorldPlan } from './plan.js';

/** Commands that once showed a fault, with what a command has by default left out. */
export interface KeptPlan extends Partial<Omit<Plan, 'adds' | 'moves'>> {
  readonly op: Plan['op'];
  readonly adds?: readonly Partial<AddPlan>[];
  readonly moves?: readonly Partial<MovePlan>[];
}

/** A queue and the commands in it. */
export interface KeptCase {
  readonly name: string;
  readonly world?: WorldPlan;
  readonly plans: readonly KeptPlan[];
}

const ADD: AddPlan = {
  ...{ custom: 9, priority: 0, delay: 0, lifo: false, attempts: 0, backoff: 0 },
  ...{ keep: 0, parent: 0, policy: 0, dedup: 0 },
};
const MOVE: MovePlan = { kind: 'fetch', lease: 0, next: false, buffered: false, foreign: false };
const PLAN = {
  dt: 0,
  lease: 0,
  job: 0,
  shade: 1,
  flag: false,
  reply: 'comes',
  receipt: false,
} as const;

/** A kept command whole again. */
export const whole = ({ adds = [], moves = [], ...plan }: KeptPlan): Plan => ({
  ...PLAN,
  ...plan,
  adds: adds.map((add) => ({ ...ADD, ...add })),
  moves: moves.map((move) => ({ ...MOVE, ...move })),
});

/** Plans as text for a list of kept ones: what is as it is by default is left out. */
export function keptText(plans: readonly Plan[]): string {
  const differing = (value: object, from: object) =>
    Object.fromEntries(
      Object.entries(value).filter(
        ([name, one]) => one !== (from as Record<string, unknown>)[name],
      ),
    );
  const lines = plans.map(({ adds, moves, ...plan }) =>
    JSON.stringify({
      ...differing(plan, PLAN),
      ...(adds.length > 0 ? { adds: adds.map((add) => differing(add, ADD)) } : {}),
      ...(moves.length > 0 ? { moves: moves.map((move) => differing(move, MOVE)) } : {}),
    }),
  );
  return `[\n  ${lines.join(',\n  ')}\n]`;
}
