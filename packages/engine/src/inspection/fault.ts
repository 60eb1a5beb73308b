import { type Fault, FaultKind } from '@echomq/proto/messages';

/** What a fault has besides its kind and its subject. */
export interface FaultFacts {
  readonly why: string;
  /** The key of a child. */
  readonly other?: string;
  /** It may be a moment of a healthy queue; what tells that nothing moved. */
  readonly evidence?: string;
}

/**
 * Something broken, as it is told.
 *
 * @param seenAt when it was seen, ms since the epoch by the store's clock
 */
export function fault(
  kind: FaultKind,
  subject: string,
  { why, other = '', evidence }: FaultFacts,
  seenAt: number,
): Fault {
  const unsettled = evidence !== undefined;
  return {
    ...{ kind, subject, other, why, unsettled },
    evidence: evidence ?? '',
    seenAt: new Date(seenAt),
  };
}

const NAMES = new Map<number, string>(
  Object.entries(FaultKind).map(([name, kind]) => [kind, name]),
);

/** The name of a kind, for logs. */
export function faultName(kind: FaultKind): string {
  return NAMES.get(kind) ?? `${kind}`;
}
