import { EchoMQError, type FetchOutcome, type FinishOutcome } from '@echomq/core';
import { CLOCK_BEGINS } from './lines.js';
import type { Plan } from './plan.js';
import type { World } from './world.js';

/** What a command does, to the model and to the store, with answers that can be compared. */
export interface Command {
  /** Carries it out in the store; its command leaves in the same turn unless it has `steps`. */
  real(): Promise<string>;
  /** Carries it out in the model. @param order ids as this step's events name them */
  model(order: readonly string[]): string;
  /** It takes several calls. */
  readonly steps?: boolean;
  /** It is no transition: something happens to the store or to a client. */
  readonly fault?: boolean;
  /** What its client learns from the answer. */
  learn?(answer: string): void;
  /** A fetch: who slept looks, and may be told when to look again. */
  readonly looks?: boolean;
}

/** Makes a command from its plan when its turn comes. */
export type MakeCommand = (world: World, plan: Plan) => Command;

/** An answer, or the reason of a refusal. */
export async function told(call: Promise<unknown>): Promise<string> {
  try {
    return String(await call);
  } catch (error) {
    if (!(error instanceof EchoMQError)) throw error;
    const at = 'index' in error ? ` ${error.index}` : '';
    return `${error.reason}${at}`;
  }
}

/** A fetch's answer in the model's words. */
export function fetched(outcome: FetchOutcome): string {
  if (outcome.kind === 'job') return `job ${outcome.job.id}`;
  if (outcome.kind !== 'idle') return outcome.kind;
  const due = outcome.nextDueAt ?? 0;
  return `idle ${due > CLOCK_BEGINS ? 'clock' : due}`;
}

/** A time that comes from the store's clock has no number here. */
export const clocked = (answer: string): string =>
  answer.replace(/idle (\d+)/, (whole, due) => (Number(due) > CLOCK_BEGINS ? 'idle clock' : whole));

/** A finish's answer in the model's words. */
export const finished = (outcome: FinishOutcome): string =>
  `${outcome.branch} ${outcome.attemptsMade} ${outcome.retryDelayMs} | ${fetched(outcome.next)}`;

/** The id of the job that an answer brought, if it did. */
export const broughtBy = (answer: string): string | undefined => /job (\S+)$/.exec(answer)?.[1];

/** Something that happens, in no queue's words. */
export function fault(happens: () => Promise<unknown>, model: () => void): Command {
  return {
    fault: true,
    steps: true,
    async real() {
      await happens();
      return '';
    },
    model() {
      model();
      return '';
    },
  };
}
