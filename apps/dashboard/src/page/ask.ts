import type { Views } from './answers.js';

/** Why the gateway refused something. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** What the gateway says of an error. */
interface Told {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

const KEPT = 'echomq.token';

/** Gone with the tab; never in an address. */
let token = sessionStorage.getItem(KEPT) ?? '';

/** Signs in with a bearer token, or out with none. */
export function useToken(text: string): void {
  token = text;
  if (text === '') sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, text);
}

/** Asks the gateway. @throws Refused with its reason */
export async function ask<Answer>(
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-echomq-dashboard': '1',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused(0, 'UNREACHABLE', 'the gateway does not answer');
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as Answer;
  const { error } = answer as { error?: Told };
  throw new Refused(
    response.status,
    error?.reason ?? '',
    error?.message ?? `HTTP ${response.status}`,
  );
}

/** The fields of the views that a screen asks for. */
export type Asked = Readonly<Partial<Record<keyof Views, object>>>;

/** What is shown of each view that was asked for, or why it is not. */
export type Shown = {
  readonly [V in keyof Views]?: { readonly value?: Views[V]; readonly error?: Told };
};

/** Reads what one screen shows. */
export const show = (views: Asked, signal?: AbortSignal): Promise<Shown> =>
  ask('show', views, signal);

/** The value of one view. @throws Refused */
export async function showOne<V extends keyof Views>(view: V, fields: object): Promise<Views[V]> {
  const shown = (await show({ [view]: fields }))[view];
  if (shown?.error) throw new Refused(400, shown.error.reason, shown.error.message);
  return shown?.value as Views[V];
}
