import type { JobSeed, QueueState } from '@echomq/testkit';
import type { OracleCase, QueueNames } from '../../oracle/oracle-case.js';
import { type End, finishCase } from '../finishes.js';
import { childOf, META, oneRunning, stored } from '../jobs.js';

const DONE: End = { result: { sum: 3 } };
const FAILED: End = {};

/** The only child, or one of two, of a parent that waits in the other queue. */
interface Family {
  readonly policy?: object;
  readonly child?: JobSeed;
  readonly parent?: JobSeed;
  /** Another child that is pending. */
  readonly sibling?: boolean;
  /** Where the parent stands; waiting for children by default. */
  readonly parentAt?: QueueState;
}

function family({ policy = {}, child = {}, parent = {}, sibling, parentAt }: Family) {
  return (names: QueueNames) => ({
    main: oneRunning({
      opts: { attempts: 0, ...policy },
      ...childOf(names.other, 'p', policy),
      ...child,
    }),
    other: {
      meta: META,
      jobs: { p: stored(parent) },
      'p:dependencies': [`${names.main}:1`, ...(sibling ? [`${names.main}:2`] : [])],
      ...(parentAt ?? { 'waiting-children': { p: 5 } }),
    },
  });
}

/** Ends of children, and what becomes of their parents. */
export const parents: readonly OracleCase[] = [
  finishCase('of the last child', family({}), DONE),
  finishCase('of a child with a sibling pending', family({ sibling: true }), DONE),
  finishCase(
    'of the last child of a parent with a priority',
    family({ parent: { priority: 4 } }),
    DONE,
  ),
  finishCase(
    'of the last child of a parent with a delay',
    family({ parent: { delay: 10_000 } }),
    DONE,
  ),
  finishCase(
    'of the last child of a paused parent',
    family({
      parentAt: { meta: { ...META, paused: '1' }, 'waiting-children': { p: 5 } },
    }),
    DONE,
  ),
  finishCase(
    'of the last child of a parent that runs',
    family({ parentAt: { active: ['p'] } }),
    DONE,
  ),
  finishCase(
    'of the last child, removed at its end',
    family({ child: { opts: { removeOnComplete: true } } }),
    DONE,
  ),
  finishCase(
    'of the last child in the same queue, and the parent is fetched',
    (names) => ({
      main: oneRunning(childOf(names.main, 'p'), {
        jobs: { p: stored() },
        'waiting-children': { p: 5 },
        'p:dependencies': [`${names.main}:1`],
      }),
    }),
    { ...DONE, fetchNext: true },
  ),
  finishCase(
    'of a child known by parentKey alone',
    (names) => ({
      main: oneRunning({ parentKey: `${names.other}:p` }),
      other: {
        meta: META,
        jobs: { p: stored() },
        'waiting-children': { p: 5 },
        'p:dependencies': [`${names.main}:1`],
      },
    }),
    DONE,
  ),
  finishCase(
    'of a child whose parent is gone',
    (names) => ({
      main: oneRunning(childOf(names.other, 'p')),
    }),
    DONE,
  ),
  finishCase('of a failed child without a policy', family({}), FAILED),
  finishCase(
    'of a failed child without a policy, removed at its end',
    family({
      child: { opts: { attempts: 0, removeOnFail: true } },
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof',
    family({ policy: { fpof: true }, sibling: true }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof and a parent with a priority',
    family({
      policy: { fpof: true },
      parent: { priority: 3 },
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof and a delayed parent',
    family({
      policy: { fpof: true },
      parent: { delay: 9 },
      parentAt: { delayed: { p: 5 * 4096 } },
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof and a parent that runs',
    family({
      policy: { fpof: true },
      parentAt: { active: ['p'] },
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof and a parent that failed',
    family({
      policy: { fpof: true },
      parentAt: { failed: { p: 5 } },
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with fpof and a parent that is gone',
    (names) => ({
      main: oneRunning(childOf(names.other, 'p', { fpof: true })),
    }),
    FAILED,
  ),
  finishCase(
    'of a failed child with cpof',
    family({ policy: { cpof: true }, sibling: true }),
    FAILED,
  ),
  finishCase('of the last failed child with cpof', family({ policy: { cpof: true } }), FAILED),
  finishCase(
    'of a failed child with idof',
    family({ policy: { idof: true }, sibling: true }),
    FAILED,
  ),
  finishCase('of the last failed child with idof', family({ policy: { idof: true } }), FAILED),
  finishCase(
    'of a failed child with rdof',
    family({ policy: { rdof: true }, sibling: true }),
    FAILED,
  ),
  finishCase('of the last failed child with rdof', family({ policy: { rdof: true } }), FAILED),
  finishCase(
    'of the last failed child with idof, removed at its end',
    family({
      policy: { idof: true },
      child: { opts: { attempts: 0, removeOnFail: true, idof: true } },
    }),
    FAILED,
  ),
  finishCase(
    'of the last failed child with fpof, removed at its end',
    family({
      policy: { fpof: true },
      child: { opts: { attempts: 0, removeOnFail: true, fpof: true } },
    }),
    FAILED,
  ),
];
