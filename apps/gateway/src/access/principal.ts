import type { Rights } from './rights.js';

/** The namespace of those who have none of their own; its prefix is the setting `prefix`. */
export const DEFAULT_NAMESPACE = '';

/** Who calls, and what that one may do. */
export interface Principal {
  /** Names the caller in logs, in quotas and to the engine; no secret. */
  readonly name: string;
  /** Selects the prefix of the keys. */
  readonly namespace: string;
  readonly rights: Rights;
  /** Tells two versions of what is configured for one principal apart. */
  readonly version: string;
}

/** What a call showed to say who it is. Holds no secret. */
export interface Credential {
  readonly principal: Principal;
  /** When it ends, ms since the epoch; absent: never. */
  readonly expiresAtMs?: number;
  /** The principal for which it stands by now; `undefined`: it was withdrawn. Cheap: asked for open streams. */
  readonly now: () => Principal | undefined;
}

/** Why an admitted credential stands no longer; `undefined`: it does. */
export type Lapse = 'EXPIRED' | 'WITHDRAWN' | undefined;

/** Whether a credential still stands as it was admitted. A changed principal counts as withdrawn: a new call shows it. */
export function lapseOf(credential: Credential, nowMs: number): Lapse {
  if (credential.expiresAtMs !== undefined && credential.expiresAtMs <= nowMs) return 'EXPIRED';
  const { principal } = credential;
  const current = credential.now();
  return current === principal || current?.version === principal.version ? undefined : 'WITHDRAWN';
}
