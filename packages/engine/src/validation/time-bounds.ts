/** The longest span that may be asked for, ms: a hundred years. */
export const MAX_DELAY_MS = 3_155_760_000_000;

/** The last instant that a `google.protobuf.Timestamp` names, ms since the epoch: the end of the year 9999. */
export const MAX_INSTANT_MS = 253_402_300_799_999;
