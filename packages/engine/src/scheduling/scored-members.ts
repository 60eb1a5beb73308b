import type { RedisReply } from '@echomq/core';

/** A member of a sorted set. */
export interface ScoredMember {
  readonly member: string;
  readonly score: number;
}

/** Reads a reply WITHSCORES: flat in RESP2, pairs in RESP3. */
export function scoredMembers(reply: RedisReply | undefined): ScoredMember[] {
  const flat = (Array.isArray(reply) ? reply : []).flat();
  const members: ScoredMember[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    members.push({ member: String(flat[i]), score: Number(String(flat[i + 1])) });
  }
  return members;
}
